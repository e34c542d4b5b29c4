package results

import (
	"math"
)

// phases are merged one by one. A phase begins when the last part has begun it, and is as
// long as each part has planned it, or lasts until the last part has ended it.
func phases(parts []MergePart) []Phase {
	var list []Phase
	for p, of := range longest(parts).Record.Phases {
		one := Phase{Name: of.Name, Stage: of.Stage, Begin: of.Begin, End: of.End, Varying: of.Varying, Unplanned: of.Unplanned,
			Reported: of.Reported, Kinds: make([]KindStats, len(of.Kinds))}
		var own []*Phase
		for _, part := range parts {
			if p < len(part.Record.Phases) {
				own = append(own, &part.Record.Phases[p])
			}
		}
		length := of.End - of.Begin
		for _, from := range own {
			one.Rate += from.Rate
			one.Begin, one.End = max(one.Begin, from.Begin), max(one.End, from.End)
			for k := range from.Kinds {
				one.Kinds[k].Add(&from.Kinds[k])
			}
			if one.Accounts == nil && from.Accounts != nil {
				one.Accounts = make([]AccountStats, len(from.Accounts))
			}
			for i := range min(len(one.Accounts), len(from.Accounts)) {
				AddTimes(&one.Accounts[i], &from.Accounts[i], 1)
			}
		}
		if !one.Unplanned {
			one.End = one.Begin + length
		}
		for k := range one.Kinds {
			one.Kinds[k].Causes = one.Kinds[k].Causes.Told()
		}
		partitions(&one, own)
		list = append(list, one)
	}
	return list
}

// partitions merges those that the parts name. Where none of them left any out, they are
// those of the whole; the shares are, too, which cannot be had otherwise.
func partitions(sum *Phase, own []*Phase) {
	whole, hit := true, int64(0)
	var served, offered [][]PartitionStats
	told := false
	for _, from := range own {
		served, offered = append(served, from.Partitions), append(offered, from.Offered)
		sum.PartitionsOver += from.PartitionsOver
		sum.OfferedOver += from.OfferedOver
		hit = max(hit, from.PartitionsHit)
		told = told || from.Offered != nil
		whole = whole && complete(from.Partitions) && int64(len(from.Offered)) == from.PartitionsHit && from.PartitionsOver+from.OfferedOver == 0
	}
	allServed, allOffered := together(served, sum.Seconds()), together(offered, sum.Seconds())
	sum.PartitionsHit = max(hit, int64(len(allOffered)))
	sum.Partitions = NamedPartitions(allServed)
	if told {
		sum.Offered = NamedPartitions(allOffered)
	}
	switch {
	case whole:
		entities := make(map[place]int64)
		for _, one := range allServed {
			entities[place{one.Table, one.Key}] = one.Entities
		}
		sum.Shares = SharesOf(sum.Seconds(), allOffered, func(of *PartitionStats) int64 { return entities[place{of.Table, of.Key}] })
	case len(own) == 1:
		sum.Shares = own[0].Shares
	}
}

// complete says that a list leaves no partition out.
func complete(list []PartitionStats) bool { return len(list) < 2*KeptPartitions }

// together sums the lists of partitions of several parts over a phase of so many seconds.
// What several bore is in no second less than the most that one did, and on the average what
// they bore together.
func together(lists [][]PartitionStats, seconds float64) []PartitionStats {
	all, at, of := []PartitionStats{}, make(map[place]int), make(map[place]int)
	cut := 0
	for _, list := range lists {
		if !complete(list) {
			cut++
		}
		for _, one := range list {
			key := place{one.Table, one.Key}
			i, known := at[key]
			of[key]++
			if !known {
				at[key] = len(all)
				all = append(all, one)
				continue
			}
			all[i].Entities += one.Entities
			all[i].Busiest = max(all[i].Busiest, one.Busiest)
			all[i].AtLeast = true
		}
	}
	for i := range all {
		one := &all[i]
		if n := of[place{one.Table, one.Key}]; n < len(lists) && cut > 0 {
			one.AtLeast = true
		}
		if one.AtLeast && seconds >= 1 {
			one.Busiest = max(one.Busiest, int64(math.Ceil(float64(one.Entities)/math.Ceil(seconds))))
		}
	}
	return all
}

package results

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// mergePhases merges phase by phase. A phase begins when the last part has begun it, and has the planned length, or ends
// when the last part has ended it.
func mergePhases(parts []MergePart) []Phase {
	var list []Phase
	for p, of := range longestPart(parts).Record.Phases {
		one := Phase{Name: of.Name, Stage: of.Stage, Begin: of.Begin, End: of.End, Varying: of.Varying, Unplanned: of.Unplanned,
			Reported: of.Reported, Kinds: make([]KindStats, len(of.Kinds))}
		var own []*Phase
		for _, part := range parts {
			if p < len(part.Record.Phases) {
				own = append(own, &part.Record.Phases[p])
			}
		}
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
			one.End = one.Begin + of.End - of.Begin
		}
		for k := range one.Kinds {
			one.Kinds[k].Causes = one.Kinds[k].Causes.Told()
		}
		one.mergePartitions(own)
		list = append(list, one)
	}
	return list
}

// mergePartitions merges the partitions that parts name. If no part left any out they are complete, and only then the
// shares can be computed.
func (p *Phase) mergePartitions(own []*Phase) {
	isWhole, hasOffered := true, false
	var served, offered [][]PartitionStats
	for _, from := range own {
		served, offered = append(served, from.Partitions), append(offered, from.Offered)
		p.PartitionsOver += from.PartitionsOver
		p.OfferedOver += from.OfferedOver
		p.PartitionsHit = max(p.PartitionsHit, from.PartitionsHit)
		hasOffered = hasOffered || from.Offered != nil
		isWhole = isWhole && isComplete(from.Partitions) && int64(len(from.Offered)) == from.PartitionsHit && from.PartitionsOver+from.OfferedOver == 0
	}
	allServed, allOffered := mergePartitionStats(served, p.Seconds()), mergePartitionStats(offered, p.Seconds())
	p.PartitionsHit = max(p.PartitionsHit, int64(len(allOffered)))
	p.Partitions = NamedPartitions(allServed)
	if hasOffered {
		p.Offered = NamedPartitions(allOffered)
	}
	switch {
	case isWhole:
		entities := make(map[place]int64)
		for i := range allServed {
			entities[allServed[i].place()] = allServed[i].Entities
		}
		p.Shares = SharesOf(p.Seconds(), allOffered, func(of *PartitionStats) int64 { return entities[of.place()] })
	case len(own) == 1:
		p.Shares = own[0].Shares
	}
}

// isComplete reports whether a list leaves no partition out.
func isComplete(list []PartitionStats) bool { return len(list) < 2*KeptPartitions }

// mergePartitionStats sums lists of partitions of a phase of so many seconds. The busiest second of several parts is at least the
// busiest one of any part, and at least the mean of their sum.
func mergePartitionStats(lists [][]PartitionStats, seconds float64) []PartitionStats {
	all, parts, isCut := []PartitionStats{}, make(map[place]int), false
	for _, list := range lists {
		isCut = isCut || !isComplete(list)
		for i := range list {
			parts[list[i].place()]++
		}
		all = mergeList(all, list, (*PartitionStats).place, func(sum, more *PartitionStats) {
			sum.Entities += more.Entities
			sum.Busiest = max(sum.Busiest, more.Busiest)
			sum.AtLeast = true
		})
	}
	for i := range all {
		one := &all[i]
		one.AtLeast = one.AtLeast || isCut && parts[one.place()] < len(lists)
		if one.AtLeast && seconds >= 1 {
			one.Busiest = max(one.Busiest, int64(math.Ceil(float64(one.Entities)/math.Ceil(seconds))))
		}
	}
	return all
}

// mergeHeats returns the heat map of all parts, nil if a part has none.
func mergeHeats(parts []MergePart) *Heat {
	sum := &Heat{Rows: []HeatRow{}}
	for _, part := range parts {
		if part.Record.Heat == nil {
			return nil
		}
		sum.SecondsPerColumn = max(sum.SecondsPerColumn, part.Record.Heat.SecondsPerColumn)
	}
	factor := func(of *Heat) int { return int(sum.SecondsPerColumn / of.SecondsPerColumn) }
	for _, part := range parts {
		of := part.Record.Heat
		sum.Columns = max(sum.Columns, (of.Columns+factor(of)-1)/factor(of))
	}
	rows := make(map[place]*missingRow)
	namesAll := true
	for _, part := range parts {
		of := part.Record.Heat
		namesAll = namesAll && of.Partitions != nil && *of.Partitions == int64(len(of.Rows))
		sum.Rest.Add(&of.Rest, factor(of), sum.Columns)
		sum.Nowhere.Add(&of.Nowhere, factor(of), sum.Columns)
		for i := range of.Rows {
			at := of.Rows[i].place()
			if rows[at] == nil {
				rows[at] = &missingRow{HeatRow: HeatRow{Table: at.table, Key: at.key}}
			}
			rows[at].Add(&of.Rows[i].HeatCells, factor(of), sum.Columns)
		}
	}
	for _, part := range parts {
		part.Record.Heat.addMissing(rows)
	}
	var list []missingRow
	for _, one := range rows {
		list = append(list, *one)
	}
	sum.keepRows(list)
	switch {
	case namesAll:
		sum.Partitions = new(int64(len(rows)))
	case len(parts) == 1:
		sum.Partitions = parts[0].Record.Heat.Partitions
	}
	return sum
}

// addMissing adds to each row how much of its demand may be among the rest of the map. A row of the map may lack MostMissed.
// A partition without a row has no more than the row with the least demand may have, and no more than all of the rest.
func (h *Heat) addMissing(rows map[place]*missingRow) {
	maximum := sumOf(h.Rest.Demanded)
	hasRow := make(map[place]bool)
	for i := range h.Rows {
		maximum = min(maximum, sumOf(h.Rows[i].Demanded)+h.MostMissed)
		hasRow[h.Rows[i].place()] = true
	}
	if len(h.Rows) == 0 {
		maximum = min(maximum, h.MostMissed)
	}
	for at, one := range rows {
		if hasRow[at] {
			one.missed += h.MostMissed
		} else {
			one.missed += maximum
		}
	}
}

// Add adds cells of another resolution: factor columns of more are one column of c, which gets the given number of
// columns.
func (c *HeatCells) Add(more *HeatCells, factor, columns int) {
	to := c.Series()
	for k, from := range more.Series() {
		if *from != nil && *to[k] == nil {
			*to[k] = make([]int64, columns)
		}
		for i, n := range *from {
			(*to[k])[i/factor] += n
		}
	}
}

// missingRow is a row and the maximum of its demand that it may lack.
type missingRow struct {
	HeatRow
	missed int64
}

// keepRows gives the map the rows with the most demand, in the order of their keys, and adds the others to its rest.
func (h *Heat) keepRows(rows []missingRow) {
	byKey := func(a, b missingRow) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Key, b.Key))
	}
	slices.SortFunc(rows, func(a, b missingRow) int {
		return cmp.Or(cmp.Compare(sumOf(b.Demanded), sumOf(a.Demanded)), byKey(a, b))
	})
	kept := rows[:min(len(rows), KeptRows)]
	for _, one := range rows[len(kept):] {
		h.Rest.Add(&one.HeatCells, 1, h.Columns)
	}
	slices.SortFunc(kept, byKey)
	for _, one := range kept {
		h.Rows = append(h.Rows, one.HeatRow)
		h.MostMissed = max(h.MostMissed, one.missed)
	}
}

// mergeIntervals sums second by second. A short gap is filled with empty seconds, as a record leaves out only long ones.
func mergeIntervals(parts []MergePart, phases []Phase) []Interval {
	seconds := make(map[int64][]*Interval)
	for _, part := range parts {
		for i := range part.Record.Intervals {
			one := &part.Record.Intervals[i]
			seconds[one.Second] = append(seconds[one.Second], one)
		}
	}
	list, next := make([]Interval, 0, len(seconds)), int64(0)
	kinds := rows{kinds: parts[0].Record.Manifest.Operations}
	for _, number := range slices.Sorted(maps.Keys(seconds)) {
		for ; next < number && !isIdle(number-next); next++ {
			list = append(list, kinds.empty(next))
		}
		list, next = append(list, MergeSecond(seconds[number])), number+1
	}
	for i := range list {
		list[i].Phase = phaseName(phases, nil, list[i].Second)
	}
	return list
}

// MergeSecond sums the same second of several runs, at least one, with the same kinds of operation. Maxima are exact,
// and so are quantiles if only one run has durations; otherwise quantiles are upper bounds, nil if there is none.
func MergeSecond(of []*Interval) Interval {
	sum := Interval{Second: of[0].Second, Phase: of[0].Phase, Kinds: make([]IntervalKind, len(of[0].Kinds))}
	for k := range sum.Kinds {
		sum.Kinds[k].Name = of[0].Kinds[k].Name
	}
	met := make(injections)
	for _, one := range of {
		sum.Counts.Add(&one.Counts)
		sum.InFlight += one.InFlight
		for b := range one.ResponseBuckets {
			sum.ResponseBuckets[b] += one.ResponseBuckets[b]
		}
		for k := range min(len(sum.Kinds), len(one.Kinds)) {
			sum.Kinds[k].Add(&one.Kinds[k].Counts)
		}
		for _, fault := range one.Injected {
			attempts := fault.Attempts
			fault.Attempts = 0
			met[fault] += attempts
		}
		sum.Generator = sum.Generator.combined(one.Generator, "merge")
	}
	sum.Causes = sum.Causes.Told()
	for k := range sum.Kinds {
		sum.Kinds[k].Causes = sum.Kinds[k].Causes.Told()
	}
	sum.Injected = met.sorted()
	sum.mergeQuantiles(of)
	return sum
}

// mergeQuantiles sets the quantiles of a sum.
func (sum *Interval) mergeQuantiles(of []*Interval) {
	sum.Response = maxQuantiles(of, func(i *Interval) (int64, Quantiles) { return i.Succeeded, i.Response })
	sum.Service = maxQuantiles(of, func(i *Interval) (int64, Quantiles) { return i.Ok, i.Service })
	sum.Lag = maxQuantiles(of, func(i *Interval) (int64, Quantiles) { return i.Sent, i.Lag })
	if countOf(of, (*Interval).hasSuccess) <= 1 {
		return
	}
	// A quantile of the response times is at most the end of its bucket.
	for i, q := range []float64{.5, .9, .99, .999} {
		of := sum.Response.fields()[i]
		if float64(sum.Succeeded)*(1-q)+1e-9 < minBeyond {
			continue
		}
		rank, below := int64(math.Ceil(q*float64(sum.Succeeded)-1e-9)), int64(0)
		for b := range Buckets - 1 {
			if below += sum.ResponseBuckets[b]; below >= rank {
				if high := BucketFrom(b+1) - 1; *of == nil || **of > high {
					*of = &high
				}
				break
			}
		}
	}
}

// fields returns p50, p90, p99 and p99.9.
func (q *Quantiles) fields() [4]**int64 { return [...]**int64{&q.P50, &q.P90, &q.P99, &q.P999} }

// maxQuantiles returns the maximum of each quantile, nil if an interval with durations lacks it: the share of all
// durations beyond it is at most that of each interval.
func maxQuantiles(of []*Interval, get func(*Interval) (count int64, own Quantiles)) (sum Quantiles) {
	first := true
	for _, one := range of {
		count, own := get(one)
		switch {
		case count == 0:
		case first:
			sum, first = own, false
		default:
			sum.Max = maxPointer(sum.Max, own.Max)
			for i, mine := range sum.fields() {
				if theirs := *own.fields()[i]; *mine == nil || theirs == nil {
					*mine = nil
				} else {
					*mine = maxPointer(*mine, theirs)
				}
			}
		}
	}
	return sum
}

func maxPointer(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

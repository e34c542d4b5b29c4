package contest

import (
	"cmp"
	"math"
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/results"
	"loadgen/results/figure"
)

const (
	// minLost is the minimum share of operations lost, or of attempts throttled, that is worth
	// an explanation.
	minLost = 0.01
	// nearLimit is the minimum share of a limit at which it counts as reached.
	nearLimit = 0.95
	// minDemandShare is the minimum share of the demand at which a partition below its limit is
	// named.
	minDemandShare = 0.05
	// manyMore is the minimum factor at which counting more is a reason, someMore the factor if
	// counting more is why the design is behind.
	manyMore, someMore = 1.5, 1.05
	// maxOperations is how many operations have a reason.
	maxOperations = 2
)

// evidence is a reason with the values that its sentence needs.
type evidence struct {
	Reason
	// Order is that of the keys. Throttled is the share of attempts, 0 if it is not part of the
	// sentence.
	Order     string
	Throttled float64
	// Cause is why a partition below its limit was throttled, or why an operation cannot be
	// served.
	Cause string
	// Compared is the name of the first design, empty if it is not compared. Value is the figure of
	// this design, OfFirst that of the first.
	Compared       string
	Value, OfFirst float64
	Copies         int
}

// evidence returns the reasons of the i-th design, the most important first; nothing for a
// design that is as good as the first and fails nothing.
func (r *order) evidence(i int, one, best *Ranked, p Price) []evidence {
	arm, first := r.arms[i], r.arms[r.sequence[0]]
	fails := slices.ContainsFunc(one.Expected, func(e Check) bool { return e.Held < e.Runs })
	if *one.Rank == 1 && one.Lost.value() < minLost && !fails {
		return nil
	}
	var list []evidence
	if arm.Record != nil {
		list = append(throttling(arm), countingMore(arm, first, one.Behind)...)
	}
	if one.Behind == byBilled {
		mean := func(a *Arm) float64 { return statistics.Mean(valuesOf(a.Trials, perEvent(p.billed))) }
		list = append(list, evidence{Reason: Reason{Kind: BillsMore}, Compared: first.Design, Value: mean(arm), OfFirst: mean(first)})
	}
	// A p99 is a reason if it decides, or if nothing else explains the difference.
	if one.Behind == byWorst || one.Behind != "" && len(list) == 0 {
		list = append(list, slowness(one, best)...)
	}
	return list
}

// throttling returns where the load was Throttled: at a partition or at the account.
func throttling(arm *Arm) []evidence {
	throttled := figure.Of(arm.Record).Share("throttled")
	if !throttled.Told || throttled.Value < minLost {
		return nil
	}
	worst, account := cmp.Or(hottest(arm.Record), hottestOffered(arm.Record)), accountLimit(arm.Record)
	end := evidence{Reason: Reason{Kind: OneEnd}, Order: arm.Order}
	switch {
	case account != nil && (worst == nil || worst.Demand < worst.Target):
		return []evidence{{Reason: *account}}
	case worst == nil:
		return []evidence{{Reason: Reason{Kind: Unserved}, Throttled: throttled.Value}}
	case worst.Demand >= worst.Target || worst.Share >= minDemandShare:
		list := []evidence{{Reason: *worst, Cause: belowTarget(arm.Record)}}
		if insertsAt(arm.Order) != "" {
			list = append(list, end)
		}
		return list
	case insertsAt(arm.Order) == "":
		end = evidence{Reason: Reason{Kind: Unserved}, Cause: belowTarget(arm.Record)}
	}
	end.Demand, end.Target, end.Throttled = worst.Demand, worst.Target, throttled.Value
	return []evidence{end}
}

// accountLimit returns the reason of an account whose limit was reached, nil otherwise.
func accountLimit(record *results.Record) *Reason {
	target, demand := float64(record.Manifest.Targets.Account), 0.0
	for _, step := range figure.Reported(record) {
		demand = max(demand, float64(step.Sum(nil).Offered)/step.Phase.Seconds())
	}
	if target <= 0 || demand < nearLimit*target {
		return nil
	}
	return &Reason{Kind: AccountLimit, Demand: demand, Target: target}
}

// countingMore returns the operations that count more entities than in the first design, or
// that scan more than they return.
func countingMore(arm, first *Arm, behind string) []evidence {
	var list []evidence
	factor := manyMore
	if behind == byCounted {
		factor = someMore
	}
	figures := figure.Of(arm.Record)
	for _, kind := range arm.Record.Manifest.Operations {
		this := func(other results.Kind) bool { return other.Name == kind.Name }
		counted, returned := figures.OfKinds("counted_per_success", this), figures.OfKinds("returned_per_success", this)
		if !counted.Told {
			continue
		}
		one := evidence{Reason: Reason{Kind: CountsMore, Operation: kind.Name, Counted: counted.Value, Returned: returned.Value}}
		if first.Record != nil {
			one.First = figure.Of(first.Record).OfKinds("counted_per_success", this).Pointer()
		}
		scans := one.Returned > 0 && one.Counted >= 2*one.Returned
		more := one.First != nil && arm != first && one.Counted >= factor*(*one.First)
		switch {
		case scans && (more || arm == first || behind == byCounted || behind == byWorst):
			one.Kind = Scans
		case more && one.Returned == 0: // reads have no copies
			one.Copies = arm.Copies
		case !more:
			continue
		}
		if more {
			one.Compared, one.OfFirst = first.Design, *one.First
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b evidence) int { return cmp.Compare(b.Counted, a.Counted) })
	return list[:min(len(list), maxOperations)]
}

// slowness returns the operation with the maximum p99.
func slowness(one, best *Ranked) []evidence {
	slow := evidence{Reason: Reason{Kind: Slow}}
	for _, t := range one.Operations {
		if t.P99 != nil && float64(*t.P99) > slow.Value {
			slow.Operation, slow.Value = t.Operation, float64(*t.P99)
		}
	}
	if slow.Value == 0 {
		return nil
	}
	for _, t := range best.Operations {
		if t.Operation == slow.Operation && t.P99 != nil {
			slow.Compared, slow.OfFirst = best.Design, float64(*t.P99)
		}
	}
	return []evidence{slow}
}

// hottest returns the partition that throttled most in the measured part of the heat map, with
// its demand, retries included. It is nil if no row was throttled.
func hottest(record *results.Record) *Reason {
	heat := record.Heat
	if heat == nil || heat.SecondsPerColumn <= 0 {
		return nil
	}
	// A column in which the measured load begins belongs to its preparation, unless it is the
	// only one.
	begin, end := measuredSpan(record)
	width := float64(heat.SecondsPerColumn)
	to := int(math.Max(0, math.Ceil(end.Seconds()/width)-1))
	from := min(int(math.Max(0, math.Ceil(begin.Seconds()/width))), to)
	window := func(values []int64) []int64 { return values[min(from, len(values)):min(to+1, len(values))] }
	var row *results.HeatRow
	maxThrottled := int64(0)
	for i := range heat.Rows {
		if throttled := sum(window(heat.Rows[i].Throttled)); throttled > maxThrottled {
			row, maxThrottled = &heat.Rows[i], throttled
		}
	}
	if row == nil {
		return nil
	}
	throttled := window(row.Throttled)
	first, last := from+slices.IndexFunc(throttled, func(n int64) bool { return n > 0 }), from+len(throttled)-1
	for row.Throttled[last] <= 0 {
		last--
	}
	one := &Reason{Kind: HotPartition, Table: row.Table, Partition: new(row.Key), FromSecond: new(int64(first) * heat.SecondsPerColumn),
		Target: float64(record.Manifest.Targets.Partition)}
	for _, demanded := range window(row.Demanded) {
		one.Demand = max(one.Demand, float64(demanded)/width)
	}
	from, to = first, last
	all := sum(window(heat.Rest.Demanded)) + sum(window(heat.Nowhere.Demanded))
	for i := range heat.Rows {
		all += sum(window(heat.Rows[i].Demanded))
	}
	if all > 0 {
		one.Share = float64(sum(window(row.Demanded))) / float64(all)
	}
	return one
}

// hottestOffered returns the partition that was offered most in a second of a reported phase, nil if
// none is known.
func hottestOffered(record *results.Record) *Reason {
	var one *Reason
	for _, step := range figure.Reported(record) {
		if list := step.Phase.Offered; len(list) > 0 && (one == nil || float64(list[0].Busiest) > one.Demand) {
			one = &Reason{Kind: HotPartition, Partition: &list[0].Key, Demand: float64(list[0].Busiest),
				Target: float64(record.Manifest.Targets.Partition), Share: min(1, figure.ShareOf(list[0].Entities, step.Sum(nil).Offered))}
		}
	}
	return one
}

func sum(values []int64) (all int64) {
	for _, value := range values {
		all += value
	}
	return all
}

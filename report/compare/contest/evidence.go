package contest

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"loadgen/report/document"
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
	Order     keyOrder
	Throttled float64
	// Record is that of a run in which a partition below its limit was throttled, nil otherwise.
	Record *results.Record
	// Cause is why an operation cannot be served.
	Cause string
	// Compared is the name of the first design. Is is the figure of this design, Was that of the
	// first, empty if they are not compared.
	Compared, Is, Was string
	Copies            int
}

// PartitionName returns the quoted PartitionKey.
func (e *evidence) PartitionName() string { return document.Optional(e.Partition, strconv.Quote) }

// evidence returns the reasons of the i-th design, the most important first; nothing for a
// design that is as good as the first and fails nothing.
func (r *order) evidence(i int, one, best *Ranked, p results.Price) []evidence {
	arm, first := r.arms[i], r.arms[r.sequence[0]]
	fails := slices.ContainsFunc(one.Expected, func(e Check) bool { return e.Held < e.Runs })
	if *one.Rank == 1 && one.Lost.Value() < minLost && !fails {
		return nil
	}
	var list []evidence
	if arm.Record != nil {
		list = append(throttlingReasons(arm), costlyOperations(arm, first, one.Behind)...)
	}
	if one.Behind == byBilled {
		list = append(list, evidence{Reason: Reason{Kind: BillsMore}, Compared: best.Design,
			Is: document.Finely(one.chargedTransactions(p)), Was: document.Finely(best.chargedTransactions(p))})
	}
	// A p99 is a reason if it decides, or if nothing else explains the difference.
	if one.Behind == byWorst || one.Behind != "" && len(list) == 0 {
		list = append(list, slowestOperation(one, best)...)
	}
	return list
}

// throttlingReasons returns where the load was throttled: at a partition or at the account.
func throttlingReasons(arm *Arm) []evidence {
	throttled := figure.NewFigures(arm.Record).Share("throttled")
	if !throttled.Known || throttled.Value < minLost {
		return nil
	}
	worst, account := cmp.Or(hottestThrottled(arm.Record), hottestOffered(arm.Record)), accountLimit(arm.Record)
	end := evidence{Reason: Reason{Kind: OneEnd}, Order: keyOrder(arm.Order)}
	switch {
	case account != nil && (worst == nil || worst.Demand < worst.Target):
		return []evidence{{Reason: *account}}
	case worst == nil:
		return []evidence{{Reason: Reason{Kind: Unserved}, Throttled: throttled.Value}}
	case worst.Demand >= worst.Target || worst.Share >= minDemandShare:
		list := []evidence{{Reason: *worst, Record: arm.Record}}
		if end.Order.InsertsAt() != "" {
			list = append(list, end)
		}
		return list
	case end.Order.InsertsAt() == "":
		end = evidence{Reason: Reason{Kind: Unserved}, Record: arm.Record}
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

// costlyOperations returns the operations that count more entities than in the first design, or
// that scan more than they return.
func costlyOperations(arm, first *Arm, behind string) []evidence {
	var list []evidence
	factor := manyMore
	if behind == byCounted {
		factor = someMore
	}
	figures := figure.NewFigures(arm.Record)
	for _, kind := range arm.Record.Manifest.Operations {
		this := func(other results.Kind) bool { return other.Name == kind.Name }
		counted, returned := figures.OfKinds("counted_per_success", this), figures.OfKinds("returned_per_success", this)
		if !counted.Known {
			continue
		}
		one := evidence{Reason: Reason{Kind: CountsMore, Operation: kind.Name, Counted: counted.Value, Returned: returned.Value}}
		if first.Record != nil {
			one.First = figure.NewFigures(first.Record).OfKinds("counted_per_success", this).Pointer()
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
			one.Compared, one.Was = first.Design, document.Rate(*one.First)
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b evidence) int { return cmp.Compare(b.Counted, a.Counted) })
	return list[:min(len(list), maxOperations)]
}

// slowestOperation returns the operation with the maximum p99.
func slowestOperation(one, best *Ranked) []evidence {
	slow, p99 := evidence{Reason: Reason{Kind: Slow}}, int64(0)
	for _, t := range one.Operations {
		if t.P99 != nil && *t.P99 > p99 {
			slow.Operation, p99 = t.Operation, *t.P99
		}
	}
	if p99 == 0 {
		return nil
	}
	slow.Is = document.Micros(p99)
	for _, t := range best.Operations {
		if t.Operation == slow.Operation && t.P99 != nil {
			slow.Compared, slow.Was = best.Design, document.Micros(*t.P99)
		}
	}
	return []evidence{slow}
}

// clip returns the cells of some columns.
func clip(cells results.HeatCells, from, to int) *results.HeatCells {
	for _, series := range cells.Series() {
		*series = (*series)[min(from, len(*series)):min(to+1, len(*series))]
	}
	return &cells
}

// hottestThrottled returns the partition that throttled most in the measured part of the heat map, with
// its demand, retries included. It is nil if no row was throttled.
func hottestThrottled(record *results.Record) *Reason {
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
	var row *results.HeatRow
	maxThrottled := int64(0)
	for i := range heat.Rows {
		if throttled := clip(heat.Rows[i].HeatCells, from, to).Sum().Throttled; throttled > maxThrottled {
			row, maxThrottled = &heat.Rows[i], throttled
		}
	}
	if row == nil {
		return nil
	}
	cells := clip(row.HeatCells, from, to)
	first, last := slices.IndexFunc(cells.Throttled, func(n int64) bool { return n > 0 }), len(cells.Throttled)-1
	for cells.Throttled[last] <= 0 {
		last--
	}
	one := &Reason{Kind: HotPartition, Table: row.Table, Partition: new(row.Key), FromSecond: new(int64(from+first) * heat.SecondsPerColumn),
		Target: float64(record.Manifest.Targets.Partition)}
	for _, demanded := range cells.Demanded {
		one.Demand = max(one.Demand, float64(demanded)/width)
	}
	all := int64(0)
	for _, cells := range slices.Concat([]results.HeatRow{{HeatCells: heat.Rest}, {HeatCells: heat.Nowhere}}, heat.Rows) {
		all += clip(cells.HeatCells, from+first, from+last).Sum().Demanded
	}
	if all > 0 {
		one.Share = float64(clip(row.HeatCells, from+first, from+last).Sum().Demanded) / float64(all)
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

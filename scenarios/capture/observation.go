package capture

import (
	"cmp"
	"slices"
	"strings"

	"loadgen/report/compare/statistics"
	"loadgen/results"
	"loadgen/results/figure"
)

// keptPartitions, keptShapes and keptOrders are how many of each a record holds.
const (
	keptPartitions = 20
	keptShapes     = 20
	keptOrders     = 20
)

// observation returns what was observed. Nothing may be added after it.
func (t *counter) capture() *results.Capture {
	o := t.sum
	o.PartitionsTold, o.PartitionsDropped = int64(t.partitions.Len()), t.partitions.Dropped()
	o.ShapesTold, o.ShapesDropped = int64(t.shapes.Len()), t.shapes.Dropped()
	o.TablesDropped = t.tables.Dropped()
	o.Partitions = topPlaces(t.partitions, keptPartitions, t.observedPartition, func(a, b results.ObservedPartition) int {
		over := func(p results.ObservedPartition) float64 { return max(float64(t.target), p.Demand) }
		return cmp.Or(cmp.Compare(over(b), over(a)), cmp.Compare(b.Demanded, a.Demanded), cmp.Compare(b.Entities, a.Entities),
			cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Table, b.Table),
			strings.Compare(a.PartitionKey, b.PartitionKey))
	})
	// How many of the others were throttled at the same time.
	of := make(map[place]*seconds)
	for s := range t.partitions.Places {
		of[s.Key] = &s.Value.seconds
	}
	for i := range o.Partitions {
		one := &o.Partitions[i]
		own := of[place{one.Table, one.PartitionKey}]
		for j := range o.Partitions {
			if i != j && own.throttledWith(of[place{o.Partitions[j].Table, o.Partitions[j].PartitionKey}]) {
				one.Together++
			}
		}
	}
	o.Shapes = topPlaces(t.shapes, keptShapes, queryShape, costlier)
	o.Orders = topPlaces(t.tables, keptOrders, func(s *results.KeyPlace[string, table]) results.KeyOrder {
		order := results.KeyOrder{Table: s.Key, Partitions: s.Value.partitions, Rows: s.Value.rows}
		order.Tail, order.TailShare = TailRate(s.Value.tails, t.target)
		return order
	}, func(a, b results.KeyOrder) int {
		return cmp.Or(cmp.Compare(b.Rows.Keys+b.Partitions.Keys, a.Rows.Keys+a.Partitions.Keys),
			strings.Compare(a.Table, b.Table))
	})
	o.Answers = make([]results.Answer, 0, len(t.answers))
	for _, counted := range t.answers {
		o.Answers = append(o.Answers, *counted)
	}
	slices.SortFunc(o.Answers, func(a, b results.Answer) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Status, b.Status),
			strings.Compare(a.Code, b.Code), strings.Compare(a.Class, b.Class))
	})
	return &o
}

// topPlaces converts all places by made, and returns the first ones in the order.
func topPlaces[K comparable, V, R any](places *results.HeaviestKeys[K, V], most int, made func(*results.KeyPlace[K, V]) R, order func(a, b R) int) []R {
	all := make([]R, 0, places.Len())
	for place := range places.Places {
		all = append(all, made(place))
	}
	slices.SortFunc(all, order)
	return slices.Clone(all[:min(len(all), most)])
}

func (t *counter) observedPartition(s *results.KeyPlace[place, partition]) results.ObservedPartition {
	p := &s.Value
	for i := range p.seconds.open {
		p.seconds.close(&p.seconds.open[i])
	}
	p.seconds.open = p.seconds.open[:0]
	typical := 0.0
	if kept := p.seconds.active.kept; len(kept) > 0 {
		typical = statistics.Median(kept)
	}
	seen := results.ObservedPartition{
		Table: s.Key.table, PartitionKey: s.Key.key,
		Entities: p.entities, Demanded: p.demanded, Missed: s.Inherited,
		Requests: p.requests, Throttled: p.throttled, AccountThrottled: p.accountThrottled, Failed: p.failed,
		Seconds: p.seconds.active.count, Typical: typical,
		Busiest: p.seconds.busiest, Offered: p.seconds.offered, Demand: p.seconds.demand(t.target),
	}
	limit := p.seconds.limit(func(one *second) *tally { return &one.tally })
	// A single group can be limited; if none is, they behave alike or the evidence is too weak.
	for group := range groups {
		var own, other tally
		for i := range p.seconds.kept {
			if one := &p.seconds.kept[i].groups[group]; one.throttled > 0 {
				beside := &p.seconds.kept[i].groups[1-group]
				own.attempts, own.throttled = own.attempts+one.attempts, own.throttled+one.throttled
				other.attempts, other.throttled = other.attempts+beside.attempts, other.throttled+beside.throttled
			}
		}
		spared := figure.ShareOf(own.throttled, own.attempts) * float64(other.attempts)
		if spared < minSpared || figure.ShareOf(other.throttled, other.attempts) > maxThrottled {
			continue
		}
		if alone := p.seconds.limit(func(one *second) *tally { return &one.groups[group] }); alone.Known {
			limit, seen.Limited, seen.Free = alone, groups[group], groups[1-group]
			break
		}
	}
	if seen.SaturationWhy = limit.Why; limit.Known {
		seen.Saturation, seen.SaturationInterval = limit.Pointer(), limit.Interval[:]
	}
	return seen
}

func queryShape(s *results.KeyPlace[query, shape]) results.QueryShape {
	seen := results.QueryShape{Table: s.Key.table, Shape: s.Key.shape, Class: s.Key.class,
		Requests: s.Value.requests, Throttled: s.Value.throttled,
		Scanned: s.Value.scanned, Missed: s.Inherited, Returned: s.Value.returned}
	if seen.Scanned > 0 {
		density := float64(seen.Returned) / float64(seen.Scanned)
		seen.Density = &density
	}
	return seen
}

// costlier orders queries by what they scanned, most first.
func costlier(a, b results.QueryShape) int {
	return cmp.Or(cmp.Compare(b.Scanned, a.Scanned), cmp.Compare(b.Requests, a.Requests),
		strings.Compare(a.Table, b.Table), strings.Compare(a.Shape, b.Shape), strings.Compare(a.Class, b.Class))
}

// seriesLength is how many numbers a series keeps: one a second for half an hour.
const seriesLength = 1800

// series is a row of numbers, one for each of many seconds. Where it gets too
// long it keeps every second one, then every fourth, and so on.
type series struct {
	kept []uint32
	// stride is the distance between two that are kept, 0 at first for 1.
	stride, count int64
}

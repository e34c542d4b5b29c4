package capture

import (
	"cmp"
	"slices"
	"strings"

	"loadgen/report/compare/statistics"
	"loadgen/results"
	"loadgen/scenarios/keys"
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
	o.PartitionsTold, o.PartitionsDropped = int64(len(t.partitions.Places())), t.partitions.Dropped()
	o.ShapesTold, o.ShapesDropped = int64(len(t.shapes.Places())), t.shapes.Dropped()
	o.TablesDropped = t.tables.Dropped()
	o.Partitions = topPlaces(t.partitions.Places(), keptPartitions, observedPartition, func(a, b results.ObservedPartition) int {
		return cmp.Or(cmp.Compare(b.Demanded, a.Demanded), cmp.Compare(b.Entities, a.Entities),
			cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Table, b.Table),
			strings.Compare(a.PartitionKey, b.PartitionKey))
	})
	t.together(o.Partitions)
	o.Shapes = topPlaces(t.shapes.Places(), keptShapes, queryShape, costlier)
	o.Orders = topPlaces(t.tables.Places(), keptOrders, keyOrder, func(a, b results.KeyOrder) int {
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

// together counts for each partition those that were throttled at the same time.
func (t *counter) together(seen []results.ObservedPartition) {
	of := make(map[place]*seconds, len(seen))
	for _, s := range t.partitions.Places() {
		of[s.Key] = &s.Value.seconds
	}
	for i := range seen {
		own := of[place{seen[i].Table, seen[i].PartitionKey}]
		for j := range seen {
			if i != j && own.throttledWith(of[place{seen[j].Table, seen[j].PartitionKey}]) {
				seen[i].Together++
			}
		}
	}
}

func topPlaces[K comparable, V, R any](places []*keys.SketchPlace[K, V], most int,
	made func(*keys.SketchPlace[K, V]) R, order func(a, b R) int) []R {
	all := make([]R, 0, len(places))
	for _, place := range places {
		all = append(all, made(place))
	}
	slices.SortFunc(all, order)
	return slices.Clone(all[:min(len(all), most)])
}

func observedPartition(s *keys.SketchPlace[place, partition]) results.ObservedPartition {
	p := &s.Value
	p.seconds.flush()
	seen := results.ObservedPartition{
		Table: s.Key.table, PartitionKey: s.Key.key,
		Entities: p.entities, Demanded: p.demanded, Missed: s.Inherited,
		Requests: p.requests, Throttled: p.throttled, AccountThrottled: p.accountThrottled, Failed: p.failed,
		Seconds: p.seconds.active.count, Typical: p.seconds.active.median(),
		Busiest: p.seconds.busiest, Offered: p.seconds.offered,
	}
	limit := p.seconds.limit(func(one *second) *tally { return &one.tally })
	if group, own, alone := p.seconds.limitedGroup(); alone {
		limit, seen.Limited, seen.Free = own, groups[group], groups[1-group]
	}
	if seen.SaturationWhy = limit.Why; limit.Told {
		seen.Saturation, seen.SaturationInterval = limit.Pointer(), limit.Interval[:]
	}
	return seen
}

func queryShape(s *keys.SketchPlace[query, shape]) results.QueryShape {
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

func keyOrder(s *keys.SketchPlace[string, table]) results.KeyOrder {
	return results.KeyOrder{Table: s.Key, Partitions: s.Value.partitions, Rows: s.Value.rows}
}

// seriesLength is how many numbers a series keeps: one a second for half an hour.
const seriesLength = 1800

// series is a row of numbers, one for each of many seconds. Where it gets too
// long it keeps every second one, then every fourth, and so on.
type series struct {
	kept []uint32
	// stride is the distance between two that are kept, 0 at first for 1.
	stride       int64
	count        int64
	least, great int64
}

func (s *series) reset() { *s = series{kept: s.kept[:0]} }

// add takes a number that is not negative.
func (s *series) add(n int64) {
	if s.count == 0 || n < s.least {
		s.least = n
	}
	s.great = max(s.great, n)
	place := s.count
	s.count++
	if s.stride == 0 {
		s.stride = 1
	}
	if place%s.stride != 0 {
		return
	}
	if len(s.kept) == seriesLength {
		for i := range seriesLength / 2 {
			s.kept[i] = s.kept[2*i]
		}
		s.kept = s.kept[:seriesLength/2]
		s.stride *= 2
	}
	const most = 1<<32 - 1
	s.kept = append(s.kept, uint32(min(n, most)))
}

// median returns the middle of the numbers that are kept; 0 where there are none.
func (s *series) median() float64 {
	if len(s.kept) == 0 {
		return 0
	}
	return statistics.Median(s.kept)
}

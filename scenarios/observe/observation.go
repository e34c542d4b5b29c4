package observe

import (
	"cmp"
	"slices"
	"strings"

	"loadgen/results"
)

// keptPartitions, keptShapes and keptOrders are how many of each a record holds.
const (
	keptPartitions = 20
	keptShapes     = 20
	keptOrders     = 20
)

// observation returns what was observed. Nothing may be added after it.
func (t *tally) observation() *results.Observation {
	o := t.sum
	o.PartitionsTold, o.PartitionsDropped = int64(len(t.partitions.heap)), t.partitions.dropped
	o.ShapesTold, o.ShapesDropped = int64(len(t.shapes.heap)), t.shapes.dropped
	o.TablesDropped = t.tables.dropped
	o.Partitions = kept(t.partitions.heap, keptPartitions, observedPartition, func(a, b results.ObservedPartition) int {
		return cmp.Or(cmp.Compare(b.Demanded, a.Demanded), cmp.Compare(b.Entities, a.Entities),
			cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Table, b.Table),
			strings.Compare(a.PartitionKey, b.PartitionKey))
	})
	o.Shapes = kept(t.shapes.heap, keptShapes, queryShape, func(a, b results.QueryShape) int {
		return cmp.Or(cmp.Compare(b.Scanned, a.Scanned), cmp.Compare(b.Requests, a.Requests),
			strings.Compare(a.Table, b.Table), strings.Compare(a.Shape, b.Shape), strings.Compare(a.Class, b.Class))
	})
	o.Orders = kept(t.tables.heap, keptOrders, keyOrder, func(a, b results.KeyOrder) int {
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

// kept returns the first of a sketch's places in some order.
func kept[K comparable, V, R any](places []*slot[K, V], most int,
	made func(*slot[K, V]) R, order func(a, b R) int) []R {
	all := make([]R, 0, len(places))
	for _, place := range places {
		all = append(all, made(place))
	}
	slices.SortFunc(all, order)
	return slices.Clone(all[:min(len(all), most)])
}

func observedPartition(s *slot[place, partition]) results.ObservedPartition {
	p := &s.value
	p.seconds.flush()
	seen := results.ObservedPartition{
		Table: s.key.table, PartitionKey: s.key.key,
		Entities: p.entities, Demanded: p.demanded, Missed: s.inherited,
		Requests: p.requests, Refused: p.refused, AccountRefused: p.accountRefused,
		Seconds: p.seconds.active.count, Typical: p.seconds.active.median(),
		Busiest: p.seconds.busiest, Offered: p.seconds.offered,
	}
	if saturated := &p.seconds.saturated; saturated.count > 0 {
		middle := saturated.median()
		seen.Saturation = &middle
		seen.SaturationInterval = []float64{float64(saturated.least), float64(saturated.great)}
	}
	return seen
}

func queryShape(s *slot[query, shape]) results.QueryShape {
	seen := results.QueryShape{Table: s.key.table, Shape: s.key.shape, Class: s.key.class,
		Requests: s.value.requests, Refused: s.value.refused,
		Scanned: s.value.scanned, Missed: s.inherited, Returned: s.value.returned}
	if seen.Scanned > 0 {
		density := float64(seen.Returned) / float64(seen.Scanned)
		seen.Density = &density
	}
	return seen
}

func keyOrder(s *slot[string, table]) results.KeyOrder {
	return results.KeyOrder{Table: s.key, Partitions: s.value.partitions, Rows: s.value.rows}
}

package report

import (
	"cmp"
	"slices"
	"strconv"

	"loadgen/report/document"
	"loadgen/results"
)

// maxShownRows is the maximum number of rows of a table of partitions or of captured traffic.
const maxShownRows = 10

// Unshown returns how many of some number a table does not show.
func (a *author) Unshown(all int64, listed int) int64 {
	return all - int64(min(listed, maxShownRows))
}

// observed shows the partitions and queries of captured traffic.
func (a *author) observed() {
	o := a.Capture
	if o == nil {
		return
	}
	a.hotTraffic(o)
	t := a.newTable("shapes")
	shown := o.Shapes[:min(len(o.Shapes), maxShownRows)]
	for i := range shown {
		seen := &shown[i]
		t.Add(document.PointerTo("capture", "query_shapes", i), seen.Requests, document.RatioOf(seen.Throttled, seen.Requests), document.LowerBound(seen.Scanned, seen.Missed > 0),
			seen.Returned, document.RatioOf(seen.Returned, seen.Scanned), document.RatioOf(seen.Scanned, seen.Returned), seen.Table, seen.Class,
			cmp.Or(seen.Shape, "(no filter)"))
	}
	a.table(t)
	t = a.newTable("orders")
	for i := range o.Orders {
		if seen := &o.Orders[i]; len(t.Rows) < maxShownRows && seen.Partitions.Keys+seen.Rows.Keys > 0 {
			t.Add(document.PointerTo("capture", "key_orders", i), orderOf(seen.Partitions), orderOf(seen.Rows), seen.Table)
		}
	}
	a.table(t)
	t = a.newTable("answers")
	for i := range o.Answers[:min(len(o.Answers), maxShownRows)] {
		seen := &o.Answers[i]
		answer := "no reply"
		if seen.Code != "" || seen.Status >= 300 {
			answer = strconv.Itoa(seen.Status) + " " + seen.Code
		}
		t.Add(document.PointerTo("capture", "answers", i), seen.Requests, seen.Tableless, seen.Class, answer)
	}
	a.table(t)
}

// requests shows the requests of captured traffic in the reported phases by operation.
func (a *author) requests() {
	if a.Capture == nil {
		return
	}
	t := a.newTable("requests")
	for i, kind := range a.Manifest.Operations {
		sum := a.Total(func(phase *results.Phase, other results.Kind) bool { return phase.Reported && other == kind })
		if sum.Attempts == 0 || slices.Contains(a.Manifest.Operations[:i], kind) {
			continue
		}
		each := a.taken.OfKinds("tries", func(other results.Kind) bool { return other == kind }).Pointer()
		response, service := results.QuantilesOf(sum.Response), results.QuantilesOf(sum.Service[results.Ok])
		t.Add(kind.Name, a.total(kind.Name, &sum, "attempts", func(k *results.KindStats) int64 { return k.Attempts }),
			a.total(kind.Name, &sum, "ok", func(k *results.KindStats) int64 { return k.Ok }),
			a.total(kind.Name, &sum, "throttled", func(k *results.KindStats) int64 { return k.Throttled }),
			a.total(kind.Name, &sum, "failed", func(k *results.KindStats) int64 { return k.Failed }),
			each, response.P50, response.P99, response.Max, service.P50, service.P99, service.Max)
	}
	a.table(t)
}

// hotTraffic shows the partitions with the highest demand.
func (a *author) hotTraffic(o *results.Capture) {
	t := a.newTable("hottest")
	for i := range o.Partitions[:min(len(o.Partitions), maxShownRows)] {
		seen, from := &o.Partitions[i], document.PointerTo("capture", "partitions", i)
		asked := document.Sourced{Value: seen.Offered, At: from.Below("busiest_second_offered_entities")}
		if seen.Busiest > seen.Offered {
			asked = document.Sourced{Value: seen.Busiest, At: from.Below("busiest_second_entities")}
		}
		t.Add(from, document.LowerBound(seen.Entities, seen.Missed > 0), seen.Requests, document.RatioOf(seen.Throttled, seen.Requests), seen.Busiest, asked, seen.Typical,
			seen.Saturation, seen.Table+" "+strconv.Quote(seen.PartitionKey))
	}
	a.table(t)
}

func orderOf(o results.Order) []any {
	return []any{o.Keys, document.RatioOf(o.Ascending, o.Keys), document.RatioOf(o.Descending, o.Keys)}
}

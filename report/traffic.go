package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"loadgen/report/document"
	"loadgen/results"
)

// mostShown is the maximum number of rows of a table of partitions or of captured traffic.
const mostShown = 10

// observed shows the partitions and queries of captured traffic.
func (a *author) observed() {
	o := a.record.Capture
	if o == nil {
		return
	}
	a.hotTraffic(o)
	t := document.NewTable("shapes", a.caption("Queries that scanned the most entities"), "pages|rate|at=requests", "throttled|share", "scanned|at=entities_scanned",
		"returned|rate|at=entities_returned", "density|share", "for one|rate|nonzero", "table|named", "rated|named", "filter|named")
	shown := o.Shapes[:min(len(o.Shapes), mostShown)]
	for i := range shown {
		seen := &shown[i]
		t.Add(document.PointerTo("capture", "query_shapes", i), seen.Requests, document.RatioOf(seen.Throttled, seen.Requests), document.LowerBound(seen.Scanned, seen.Missed > 0),
			seen.Returned, document.RatioOf(seen.Returned, seen.Scanned), document.RatioOf(seen.Scanned, seen.Returned), seen.Table, seen.Class,
			cmp.Or(seen.Shape, "(no filter)"))
	}
	note := "density: returned of scanned; for one: entities counted per returned one"
	if rest := o.ShapesTold - int64(len(shown)); rest > 0 {
		note += fmt.Sprintf("; %s more shapes are not shown", document.AtLeast(rest, o.ShapesDropped > 0))
	}
	if o.ShapesDropped > 0 {
		note += fmt.Sprintf("; %s times one was dropped for another", document.Count(o.ShapesDropped))
	}
	t.Notes = []string{note}
	a.table("Queries by shape", t)
	t = document.NewTable("orders", a.caption("Order of keys by table"), "new|rate|group=PartitionKeys|at=partition_keys/keys",
		"ascending|share|group=PartitionKeys", "descending|share|group=PartitionKeys", "inserted|rate|group=RowKeys|at=row_keys/keys",
		"ascending|share|group=RowKeys", "descending|share|group=RowKeys", "table|named")
	for i := range o.Orders {
		if seen := &o.Orders[i]; len(t.Rows) < mostShown && seen.Partitions.Keys+seen.Rows.Keys > 0 {
			t.Add(document.PointerTo("capture", "key_orders", i), orderOf(seen.Partitions), orderOf(seen.Rows), seen.Table)
		}
	}
	t.Notes = []string{"ascending, descending: keys after or before the last hundred or so, RowKeys within their partition, " +
		"without the last few"}
	a.table("Key order", t)
	t = document.NewTable("answers", a.caption("Answers"), "requests|rate|at", "no table|rate|at=without_table", "counts as|named", "answer|named")
	for i := range o.Answers[:min(len(o.Answers), mostShown)] {
		seen := &o.Answers[i]
		answer := "no reply"
		if seen.Code != "" || seen.Status >= 300 {
			answer = strconv.Itoa(seen.Status) + " " + seen.Code
		}
		t.Add(document.PointerTo("capture", "answers", i), seen.Requests, seen.Tableless, seen.Class, answer)
	}
	t.Notes = []string{fmt.Sprintf("throttled by partitions %s, by the account %s; no table: requests that never reached one",
		document.Count(o.ThrottledByPartition), document.Count(o.ThrottledByAccount))}
	a.table("Answers other than success", t)
}

// requests shows the requests of captured traffic in the reported phases by operation.
func (a *author) requests() {
	if a.record.Capture == nil {
		return
	}
	t := document.NewTable("requests", a.caption("Each operation, in the observed phases"),
		slices.Concat([]string{"operation|named", "requests|rate", "ok|rate", "throttled|rate", "failed|rate", "tries/op|tries"},
			timeColumns("response", "p50", "p99", "max"), timeColumns("service", "p50", "p99", "max"))...)
	for i, kind := range a.record.Manifest.Operations {
		sum := a.record.Total(func(phase *results.Phase, other results.Kind) bool { return phase.Reported && other == kind })
		if sum.Attempts == 0 || slices.Contains(a.record.Manifest.Operations[:i], kind) {
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
	t.Notes = []string{"ok: carried out, or answered 404, 409 or 412; response: ms of " +
		"successes, from the first attempt to the end of the last; service: ms of one " +
		"ok attempt, as the server saw it"}
	a.table("Requests by operation", t)
}

// hotTraffic shows the partitions with the highest demand.
func (a *author) hotTraffic(o *results.Capture) {
	t := document.NewTable("hottest", a.caption("Partitions with the highest demand"), "entities|at=entities_counted", "requests|rate|at",
		"throttled|share", "busiest|rate|at=busiest_second_entities", "asked|rate", "typical|rate|at=typical_second_entities",
		"saturates|rate|at=saturation_entities_per_second", "table and PartitionKey|named")
	for i := range o.Partitions[:min(len(o.Partitions), mostShown)] {
		seen, from := &o.Partitions[i], document.PointerTo("capture", "partitions", i)
		asked := document.Sourced{Value: seen.Offered, At: from.Below("busiest_second_offered_entities")}
		if seen.Busiest > seen.Offered {
			asked = document.Sourced{Value: seen.Busiest, At: from.Below("busiest_second_entities")}
		}
		t.Add(from, document.LowerBound(seen.Entities, seen.Missed > 0), seen.Requests, document.RatioOf(seen.Throttled, seen.Requests), seen.Busiest, asked, seen.Typical,
			seen.Saturation, seen.Table+" "+strconv.Quote(seen.PartitionKey))
	}
	text := "entities: by the documents' rule; busiest, asked, typical: counted in the busiest second, " +
		"the highest demand of one, and the median of active seconds; saturates: the median of the " +
		"seconds at a limit"
	if rest := o.PartitionsTold - int64(len(t.Rows)); rest > 0 {
		text += fmt.Sprintf("; %s more partitions are not shown", document.AtLeast(rest, o.PartitionsDropped > 0))
	}
	if o.PartitionsDropped > 0 {
		text += fmt.Sprintf("; %s times one was dropped for another; ≥: a lower bound",
			document.Count(o.PartitionsDropped))
	}
	t.Notes = []string{text}
	a.table("Hottest partitions", t)
}

func orderOf(o results.Order) []any {
	return []any{o.Keys, document.RatioOf(o.Ascending, o.Keys), document.RatioOf(o.Descending, o.Keys)}
}

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"loadgen/report/document"
	"loadgen/results"
)

// mostShown is how many rows a table of partitions or of outside traffic has.
const mostShown = 10

// observed shows what was observed of outside traffic, beside its requests.
func (a *author) observed() {
	o := a.record.Capture
	if o == nil {
		return
	}
	a.hotTraffic(o)
	t := document.Table{ID: "shapes", Caption: a.caption("The queries that scanned most"), Columns: []document.Column{{Title: "pages"}, {Title: "throttled"}, {Title: "scanned"},
		{Title: "returned"}, {Title: "density"}, {Title: "for one"}, {Title: "table", Words: true}, {Title: "rated", Words: true}, {Title: "filter", Words: true}}}
	shown := o.Shapes[:min(len(o.Shapes), mostShown)]
	for i := range shown {
		seen, from := &shown[i], pointer("capture", "query_shapes", i)
		each := untold
		if seen.Returned > 0 && seen.Scanned > 0 {
			each = document.Rate(float64(seen.Scanned) / float64(seen.Returned))
		}
		t.Rows = append(t.Rows, []document.Cell{amountCell(seen.Requests, below(from, "requests")), {Text: shareOf(seen.Throttled, seen.Requests)},
			sourced(atLeast(seen.Scanned, seen.Missed), below(from, "entities_scanned"), 0), amountCell(seen.Returned, below(from, "entities_returned")),
			{Text: shareOf(seen.Returned, seen.Scanned)}, {Text: each}, wordsCell(seen.Table), wordsCell(seen.Class), wordsCell(cmp.Or(seen.Shape, "(no filter)"))})
	}
	note := "density: returned of scanned; for one: entities counted for each that is returned"
	if rest := o.ShapesTold - int64(len(shown)); rest > 0 {
		note += fmt.Sprintf("; %s shapes more are not shown", document.Count(rest))
	}
	if o.ShapesDropped > 0 {
		note += fmt.Sprintf("; %s times one was dropped for another", document.Count(o.ShapesDropped))
	}
	t.Notes = []string{note}
	a.table("Queries by shape", t)
	t = document.Table{ID: "orders", Caption: a.caption("Each table, by how its keys came"), Columns: []document.Column{
		{Group: "PartitionKeys", Title: "new"}, {Group: "PartitionKeys", Title: "ascending"}, {Group: "PartitionKeys", Title: "descending"},
		{Group: "RowKeys", Title: "inserted"}, {Group: "RowKeys", Title: "ascending"}, {Group: "RowKeys", Title: "descending"}, {Title: "table", Words: true}}}
	for i := range o.Orders {
		if seen := &o.Orders[i]; len(t.Rows) < mostShown && seen.Partitions.Keys+seen.Rows.Keys > 0 {
			from := pointer("capture", "key_orders", i)
			row := append(orderCells(seen.Partitions, below(from, "partition_keys")), orderCells(seen.Rows, below(from, "row_keys"))...)
			t.Rows = append(t.Rows, append(row, wordsCell(seen.Table)))
		}
	}
	t.Notes = []string{"ascending, descending: keys beyond all of the hundred or so before them, RowKeys within their partition, " +
		"the last few apart, which may have been under way together"}
	a.table("Key order", t)
	t = document.Table{ID: "answers", Caption: a.caption("Each answer"), Columns: []document.Column{{Title: "requests"}, {Title: "no table"},
		{Title: "counts as", Words: true}, {Title: "answer", Words: true}}}
	for i := range o.Answers[:min(len(o.Answers), mostShown)] {
		seen, from := &o.Answers[i], pointer("capture", "answers", i)
		answer := "no reply"
		if seen.Code != "" || seen.Status >= 300 {
			answer = strconv.Itoa(seen.Status) + " " + seen.Code
		}
		t.Rows = append(t.Rows, []document.Cell{amountCell(seen.Requests, below(from, "requests")),
			amountCell(seen.Tableless, below(from, "without_table")), wordsCell(seen.Class), wordsCell(answer)})
	}
	t.Notes = []string{fmt.Sprintf("throttled by partitions %s, by the account %s; no table: requests that never reached one",
		document.Count(o.ThrottledByPartition), document.Count(o.ThrottledByAccount))}
	a.table("Other answers than success", t)
}

// requests shows the requests of the reported phases of outside traffic by what they
// ask for.
func (a *author) requests() {
	if a.record.Capture == nil {
		return
	}
	t := document.Table{ID: "requests", Caption: a.caption("Each operation, in the observed phases"), Columns: []document.Column{{Title: "operation", Words: true},
		{Title: "requests"}, {Title: "ok"}, {Title: "throttled"}, {Title: "failed"}, {Title: "tries/op"}}}
	t.Columns = slices.Concat(t.Columns, timeColumns("response", "p50", "p99", "max"), timeColumns("service", "p50", "p99", "max"))
	for i, kind := range a.record.Manifest.Operations {
		sum := a.record.Total(func(phase *results.Phase, other results.Kind) bool { return phase.Reported && other == kind })
		if sum.Attempts == 0 || slices.Contains(a.record.Manifest.Operations[:i], kind) {
			continue
		}
		each := a.taken.OfKinds("tries", func(other results.Kind) bool { return other == kind }).Pointer()
		sole := func(member string, count func(*results.KindStats) int64) document.Cell {
			return amountCell(count(&sum), a.soleSource(kind.Name, member, count))
		}
		row := []document.Cell{wordsCell(kind.Name), sole("attempts", func(k *results.KindStats) int64 { return k.Attempts }),
			sole("ok", func(k *results.KindStats) int64 { return k.Ok }), sole("throttled", func(k *results.KindStats) int64 { return k.Throttled }),
			sole("failed", func(k *results.KindStats) int64 { return k.Failed }), eachCell(each, "")}
		for _, h := range []*results.Histogram{sum.Response, sum.Service[results.Ok]} {
			q := results.QuantilesOf(h)
			row = append(row, millisCell(q.P50, ""), millisCell(q.P99, ""), millisCell(q.Max, ""))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"ok: carried out, or answered 404, 409 or 412, which the application may expect; response: ms of the " +
		"operations that succeeded, from the arrival of the first attempt to the end of the last; service: ms of one " +
		"ok attempt, as the server saw it"}
	a.table("Requests by operation", t)
}

// hotTraffic shows the partitions of which most entities were demanded.
func (a *author) hotTraffic(o *results.Capture) {
	t := document.Table{ID: "hottest", Caption: a.caption("The partitions of which most entities were demanded"), Columns: []document.Column{{Title: "entities"}, {Title: "requests"}, {Title: "throttled"},
		{Title: "busiest"}, {Title: "asked"}, {Title: "typical"}, {Title: "saturates"}, {Title: "table and PartitionKey", Words: true}}}
	for i := range o.Partitions[:min(len(o.Partitions), mostShown)] {
		seen, from := &o.Partitions[i], pointer("capture", "partitions", i)
		saturates := document.Cell{Text: untold}
		if seen.Saturation != nil {
			saturates = rateCell(*seen.Saturation, below(from, "saturation_entities_per_second"))
		}
		asked, where := seen.Offered, "busiest_second_offered_entities"
		if seen.Busiest > asked {
			asked, where = seen.Busiest, "busiest_second_entities"
		}
		t.Rows = append(t.Rows, []document.Cell{sourced(atLeast(seen.Entities, seen.Missed), below(from, "entities_counted"), 0),
			amountCell(seen.Requests, below(from, "requests")), {Text: shareOf(seen.Throttled, seen.Requests)},
			amountCell(seen.Busiest, below(from, "busiest_second_entities")), amountCell(asked, below(from, where)),
			rateCell(seen.Typical, below(from, "typical_second_entities")), saturates,
			wordsCell(seen.Table + " " + strconv.Quote(seen.PartitionKey))})
	}
	text := "entities: counted by the documents' rule; busiest, asked, typical: entities counted in the busiest second, " +
		"asked for in one at most, and in the median of the seconds with any request; saturates: the median of the " +
		"seconds at a limit"
	if rest := o.PartitionsTold - int64(len(t.Rows)); rest > 0 {
		text += fmt.Sprintf("; %s partitions more are not shown", document.Count(rest))
	}
	if o.PartitionsDropped > 0 {
		text += fmt.Sprintf("; %s times one was dropped for another, and ≥ stands before what it may have counted before",
			document.Count(o.PartitionsDropped))
	}
	t.Notes = []string{text}
	a.table("Hottest partitions", t)
}

func orderCells(o results.Order, from string) []document.Cell {
	return []document.Cell{amountCell(o.Keys, below(from, "keys")), {Text: shareOf(o.Ascending, o.Keys)}, {Text: shareOf(o.Descending, o.Keys)}}
}

// amount returns a count, in millions from a million on, so that it fits.
func amount(n int64) string { return document.Rate(float64(n)) }

// atLeast returns a count that may have missed some.
func atLeast(n, missed int64) string {
	if missed > 0 {
		return "≥" + amount(n)
	}
	return amount(n)
}

func shareOf(part, whole int64) string {
	if whole <= 0 {
		return untold
	}
	return document.Share(float64(part) / float64(whole))
}

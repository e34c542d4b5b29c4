package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/verdict"
	"loadgen/results"
)

// mostShown is how many rows a table of outside traffic has.
const mostShown = 10

// trafficOf shows what was observed of outside traffic.
func trafficOf(p *page, record *results.Record) {
	o := record.Observation
	if o == nil {
		return
	}
	requestsOf(p, record)
	partitionsOf(p, o)
	shapesOf(p, o)
	ordersOf(p, o)
	answersOf(p, o)
}

// requestsOf shows the requests of the reported phases by what they ask for.
func requestsOf(p *page, record *results.Record) {
	t := &table{
		titles: []title{{6, 3, "response, ms"}, {9, 3, "service, ms"}},
		headings: []string{"operation", "requests", "ok", "refused", "failed", "att/op",
			"p50", "p99", "max", "p50", "p99", "max"},
	}
	for i, kind := range record.Manifest.Operations {
		sum := record.Total(func(phase *results.Phase, other results.Kind) bool { return phase.Reported && other == kind })
		if sum.Attempts == 0 || slices.Contains(record.Manifest.Operations[:i], kind) {
			continue
		}
		attempts := untold
		if sum.Operations > 0 {
			attempts = strconv.FormatFloat(min(999, float64(sum.Attempts)/float64(sum.Operations)), 'f', 2, 64)
		}
		row := []string{narrow(kind.Name, 17),
			amount(sum.Attempts), amount(sum.Ok), amount(sum.Refused), amount(sum.Failed), attempts}
		for _, h := range []*results.Histogram{sum.Response, sum.Service[results.Ok]} {
			q := results.QuantilesOf(h)
			row = append(row, millis(q.P50), millis(q.P99), millis(q.Max))
		}
		t.rows = append(t.rows, row)
	}
	if len(t.rows) == 0 {
		return
	}
	p.heading("Requests by operation")
	t.onto(p)
	p.line("ok: carried out, or answered 404, 409 or 412, which the application may expect; response: ms of the " +
		"operations that succeeded, from the arrival of the first attempt to the end of the last; service: ms of one " +
		"ok attempt, as the server saw it")
}

// partitionsOf shows the partitions of which most entities were demanded.
func partitionsOf(p *page, o *results.Observation) {
	if len(o.Partitions) == 0 {
		return
	}
	t := &table{wordy: true, headings: []string{"entities", "requests", "refused", "busiest", "asked", "typical",
		"saturates", "table and PartitionKey"}}
	for i := range o.Partitions[:min(len(o.Partitions), mostShown)] {
		seen := &o.Partitions[i]
		saturates := untold
		if seen.Saturation != nil {
			saturates = verdict.Rate(*seen.Saturation)
		}
		t.rows = append(t.rows, []string{atLeast(seen.Entities, seen.Missed), amount(seen.Requests),
			shareOf(seen.Refused, seen.Requests), amount(seen.Busiest), amount(max(seen.Busiest, seen.Offered)),
			verdict.Rate(seen.Typical), saturates, ""})
	}
	for i, room := 0, t.room(); i < len(t.rows); i++ {
		t.rows[i][len(t.headings)-1] = narrow(o.Partitions[i].Table+" "+strconv.Quote(o.Partitions[i].PartitionKey), room)
	}
	p.heading("Hottest partitions")
	t.onto(p)
	text := "entities: counted by the documents' rule; busiest, asked, typical: entities counted in the busiest second, " +
		"asked for in one at most, and in the median of the seconds with any request; saturates: the median of the " +
		"seconds within spells of refusals"
	if rest := o.PartitionsTold - int64(len(t.rows)); rest > 0 {
		text += fmt.Sprintf("; %s partitions more are not shown", verdict.Count(rest))
	}
	if o.PartitionsDropped > 0 {
		text += fmt.Sprintf("; %s times one was dropped for another, and ≥ stands before what it may have counted before",
			verdict.Count(o.PartitionsDropped))
	}
	p.line(text)
}

// shapesOf shows the queries that scanned most, and below them their filters.
func shapesOf(p *page, o *results.Observation) {
	if len(o.Shapes) == 0 {
		return
	}
	t := &table{wordy: true, headings: []string{"#", "pages", "refused", "scanned", "returned", "density", "for one",
		"table, and how it is rated"}}
	shown := o.Shapes[:min(len(o.Shapes), mostShown)]
	for i := range shown {
		seen := &shown[i]
		each := untold
		if seen.Returned > 0 && seen.Scanned > 0 {
			each = verdict.Rate(float64(seen.Scanned) / float64(seen.Returned))
		}
		label := seen.Table
		if seen.Class != "" {
			label += ", " + seen.Class
		}
		t.rows = append(t.rows, []string{strconv.Itoa(i + 1), amount(seen.Requests), shareOf(seen.Refused, seen.Requests),
			atLeast(seen.Scanned, seen.Missed), amount(seen.Returned), shareOf(seen.Returned, seen.Scanned), each,
			narrow(label, 40)})
	}
	p.heading("Queries by shape")
	t.onto(p)
	for i := range shown {
		filter := shown[i].Shape
		if filter == "" {
			filter = "(no filter)"
		}
		number := fmt.Sprintf("  %*d  ", len(strconv.Itoa(len(shown))), i+1)
		p.paragraph(number, strings.Repeat(" ", len(number)), filter)
	}
	text := "density: returned of scanned; for one: entities counted for each that is returned"
	if rest := o.ShapesTold - int64(len(shown)); rest > 0 {
		text += fmt.Sprintf("; %s shapes more are not shown", verdict.Count(rest))
	}
	if o.ShapesDropped > 0 {
		text += fmt.Sprintf("; %s times one was dropped for another", verdict.Count(o.ShapesDropped))
	}
	p.line(text)
}

// ordersOf shows how the inserted keys of each table came.
func ordersOf(p *page, o *results.Observation) {
	t := &table{wordy: true, titles: []title{{0, 3, "PartitionKeys"}, {3, 3, "RowKeys"}},
		headings: []string{"new", "ascending", "descending", "inserted", "ascending", "descending", "table"}}
	for i := range o.Orders {
		if seen := &o.Orders[i]; len(t.rows) < mostShown && seen.Partitions.Keys+seen.Rows.Keys > 0 {
			row := append(orderCells(seen.Partitions), orderCells(seen.Rows)...)
			t.rows = append(t.rows, append(row, narrow(seen.Table, 40)))
		}
	}
	if len(t.rows) == 0 {
		return
	}
	p.heading("Key order")
	t.onto(p)
	p.line("ascending, descending: keys beyond all of the hundred or so before them, RowKeys within their partition, " +
		"the last few apart, which may have been under way together")
}

func orderCells(o results.Order) []string {
	return []string{amount(o.Keys), shareOf(o.Ascending, o.Keys), shareOf(o.Descending, o.Keys)}
}

// answersOf shows the requests that were not simply carried out.
func answersOf(p *page, o *results.Observation) {
	if len(o.Answers) == 0 {
		return
	}
	t := &table{wordy: true, headings: []string{"requests", "no table", "counts as", "answer"}}
	for i := range o.Answers[:min(len(o.Answers), mostShown)] {
		seen := &o.Answers[i]
		answer := "no reply"
		if seen.Code != "" || seen.Status >= 300 {
			answer = narrow(strconv.Itoa(seen.Status)+" "+seen.Code, 60)
		}
		t.rows = append(t.rows, []string{amount(seen.Requests), amount(seen.Tableless), narrow(seen.Class, 10), answer})
	}
	p.heading("Other answers than success")
	t.onto(p)
	p.line(fmt.Sprintf("refused by partitions %s, by the account %s; no table: requests that never reached one",
		verdict.Count(o.RefusedByPartition), verdict.Count(o.RefusedByAccount)))
}

// room returns how many columns are left for the text of a wordy table.
func (t *table) room() int {
	last := len(t.headings) - 1
	return pageWidth - total(t.widths()[:last], 2) - 2
}

// amount returns a count, in millions from a million on, so that it fits.
func amount(n int64) string { return verdict.Rate(float64(n)) }

// atLeast returns a count that may have missed some.
func atLeast(n, missed int64) string {
	if missed > 0 {
		return "≥" + amount(n)
	}
	return amount(n)
}

// shareOf returns a share of one count in another.
func shareOf(part, whole int64) string {
	if whole <= 0 {
		return untold
	}
	return verdict.Share(float64(part) / float64(whole))
}

// narrow returns a text made harmless, in so many columns at most: what is too
// long loses its middle, since names that begin alike often end otherwise.
func narrow(text string, columns int) string {
	safe := []rune(strings.TrimSpace(harmless(text)))
	if len(safe) == 0 {
		return untold
	}
	if width(string(safe)) <= columns {
		return string(safe)
	}
	// What is left has one column fewer, for the mark.
	room := columns - 1
	head, tail, from, to := 0, 0, 0, len(safe)
	for from < to && head+runeWidth(safe[from]) <= (room+1)/2 {
		head += runeWidth(safe[from])
		from++
	}
	for to > from && head+tail+runeWidth(safe[to-1]) <= room {
		tail += runeWidth(safe[to-1])
		to--
	}
	return string(safe[:from]) + "…" + string(safe[to:])
}

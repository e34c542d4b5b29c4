package report

import (
	"slices"

	"loadgen/report/document"
	"loadgen/results"
)

// operations shows what each kind of operation came to over the whole run.
func (a *author) operations() {
	if a.record.Capture != nil {
		return
	}
	t := document.Table{ID: "operations", Caption: a.caption("Each operation"),
		Columns: []document.Column{{Title: "operation", Words: true}, {Title: "completed"}, {Title: "lost"}, {Title: "attempts"},
			{Title: "ok"}, {Title: "throttled"}, {Title: "failed"}, {Title: "retries"}, {Title: "tries/op"}, {Title: "counted"}, {Title: "returned"}},
		Notes: []string{"completed: operations, with success or without; lost: of the operations due in the steps, whatever became of them; retries: attempts that sent a " +
			"request once more; counted, returned: entities by the documents' rule, scanned ones included, and those that replies held"}}
	for _, name := range a.kinds() {
		sum, told, from := a.kindTotal(name)
		if sum.Attempts == 0 && sum.Scheduled == 0 {
			continue
		}
		each := a.taken.OfAll("tries", func(kind results.Kind) bool { return kind.Name == name }).Pointer()
		lost := a.taken.OfKinds("share_lost", func(kind results.Kind) bool { return kind.Name == name })
		retries := amountCell(sum.Retries, a.soleSource(name, "retries", func(k *results.KindStats) int64 { return k.Retries }))
		t.Rows = append(t.Rows, []document.Cell{wordsCell(name), amountCell(told.Operations, below(from, "operations")), shareCell(lost.Pointer(), ""),
			amountCell(told.Attempts, below(from, "attempts")), amountCell(told.OkAttempts, below(from, "ok_attempts")), amountCell(told.Throttled, below(from, "throttled")),
			amountCell(told.Failed, below(from, "failed")), retries, eachCell(each, ""),
			amountCell(sum.Counted, a.soleSource(name, "counted_entities", func(k *results.KindStats) int64 { return k.Counted })),
			amountCell(sum.Returned, a.soleSource(name, "returned_entities", func(k *results.KindStats) int64 { return k.Returned }))})
	}
	a.table("Operations over the whole run, preparation included", t)
}

// times shows the response and service times of each kind of operation, and of all
// that the steps are of.
func (a *author) times() {
	t := document.Table{ID: "times", Caption: a.caption("Each operation"), Columns: []document.Column{{Title: "operation", Words: true}}}
	t.Columns = slices.Concat(t.Columns, timeColumns("response", tail()...), timeColumns("service", tail()...))
	for _, name := range a.kinds() {
		sum, told, from := a.kindTotal(name)
		if sum.Attempts > 0 {
			row := append([]document.Cell{wordsCell(name)}, tailCells(sum.Response, told.Response, below(from, "response_us"))...)
			t.Rows = append(t.Rows, append(row, tailCells(sum.Service[results.Ok], told.Service, below(from, "service_us"))...))
		}
	}
	if len(t.Rows) == 0 {
		return
	}
	if all := a.record.Total(results.Reported); all.Attempts > 0 {
		whole := "all of the steps"
		if a.record.Capture != nil {
			whole = "all that was observed"
		}
		row := append([]document.Cell{wordsCell(whole)}, tailCells(all.Response, a.summary.Response, a.inSummary("response_us"))...)
		t.Rows = append(t.Rows, append(row, tailCells(all.Service[results.Ok], a.summary.Service, a.inSummary("service_us"))...))
	}
	of := "each operation due in the steps"
	t.Notes = []string{"each operation: over the whole run, before and after the steps, too; all of the steps: only what was due in them, " +
		"as in the verdict; " + timesLegend}
	if a.record.Capture != nil {
		of = "each operation"
		t.Notes = []string{"over the whole run, as the server saw it; " + untold + ": fewer than ten durations lie beyond"}
	}
	a.table("Times by operation, over the whole run", t)
	a.chart("percentiles", "The times of "+of+", by the share that takes longer, on a logarithmic axis, as far as ten durations lie beyond.")
}

// kinds returns the names of the kinds of operation, each once.
func (a *author) kinds() []string {
	var names []string
	for _, kind := range a.record.Manifest.Operations {
		if !slices.Contains(names, kind.Name) {
			names = append(names, kind.Name)
		}
	}
	return names
}

// kindTotal returns what a kind of operation came to over the whole run, what the
// summary says of it, and where run.json has that.
func (a *author) kindTotal(name string) (results.KindStats, results.OperationSummary, string) {
	sum := a.record.Total(func(_ *results.Phase, kind results.Kind) bool { return kind.Name == name })
	if told, some := a.summary.PerOperation[name]; some {
		return sum, told, a.inSummary("per_operation", name)
	}
	return sum, sum.Summary(), ""
}

// timeColumns returns the columns of quantiles of times.
func timeColumns(of string, quantiles ...string) (list []document.Column) {
	for _, title := range quantiles {
		list = append(list, document.Column{Group: of, Title: title, Unit: "ms"})
	}
	return list
}

// tail names the quantiles of [tailCells].
func tail() []string { return []string{"p50", "p90", "p95", "p99", "p99.9", "max"} }

// tailCells are the quantiles of a histogram, of which run.json tells all but p95.
func tailCells(h *results.Histogram, q results.Quantiles, from string) []document.Cell {
	var p95 *int64
	if micros, told := h.Quantile(.95); told {
		p95 = &micros
	}
	return []document.Cell{millisCell(q.P50, below(from, "p50")), millisCell(q.P90, below(from, "p90")), millisCell(p95, ""),
		millisCell(q.P99, below(from, "p99")), millisCell(q.P999, below(from, "p99_9")), millisCell(q.Max, below(from, "max"))}
}

package report

import (
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// operations shows the counts of each kind of operation over the whole run.
func (a *author) operations() {
	if a.record.Capture != nil {
		return
	}
	t := document.NewTable("operations", a.caption("Each operation"), "operation|named", "completed|rate|at=operations", "lost|share", "attempts|rate|at",
		"ok|rate|at=ok_attempts", "throttled|rate|at", "failed|rate|at", "retries|rate", "tries/op|tries", "counted|rate", "returned|rate")
	t.Notes = []string{"completed: operations, successful or not; lost: of those due in the steps; retries: attempts that " +
		"repeated a request; counted, returned: entities by the documents' rule (with scanned ones), and in replies"}
	for _, name := range a.kinds() {
		sum, told, from := a.kindTotal(name)
		if sum.Attempts == 0 && sum.Scheduled == 0 {
			continue
		}
		named := func(kind results.Kind) bool { return kind.Name == name }
		t.Add(from, name, told.Operations, a.taken.OfKinds("share_lost", named).Pointer(), told.Attempts, told.OkAttempts, told.Throttled, told.Failed,
			a.total(name, &sum, "retries", func(k *results.KindStats) int64 { return k.Retries }), a.taken.OfAll("tries", named).Pointer(),
			a.total(name, &sum, "counted_entities", func(k *results.KindStats) int64 { return k.Counted }),
			a.total(name, &sum, "returned_entities", func(k *results.KindStats) int64 { return k.Returned }))
	}
	a.table("Operations over the whole run, preparation included", t)
}

// times shows the response and service times of each kind of operation, and of all in the steps.
func (a *author) times() {
	t := document.NewTable("times", a.caption("Each operation"),
		slices.Concat([]string{"operation|named"}, timeColumns("response", tail()...), timeColumns("service", tail()...))...)
	add := func(name string, sum *results.KindStats, response, service results.Quantiles, from document.Pointer) {
		t.Add(name, from.Below("response_us"), tailOf(sum.Response, response), from.Below("service_us"), tailOf(sum.Service[results.Ok], service))
	}
	for _, name := range a.kinds() {
		sum, told, from := a.kindTotal(name)
		if sum.Attempts > 0 {
			add(name, &sum, told.Response, told.Service, from)
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
		add(whole, &all, a.summary.Response, a.summary.Service, a.inSummary())
	}
	of := "each operation due in the steps"
	t.Notes = []string{"each operation: over the whole run; all of the steps: only those due in them; " +
		timesLegend}
	if a.record.Capture != nil {
		of = "each operation"
		t.Notes = []string{"over the whole run, as the server saw it; " + document.Untold + ": fewer than ten longer durations"}
	}
	a.table("Times by operation, over the whole run", t)
	a.chart("percentiles", "The times of "+of+" by the share of longer durations (logarithmic), up to the tenth longest.")
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

// kindTotal returns the counts of a kind of operation over the whole run, its summary, and where run.json has that.
func (a *author) kindTotal(name string) (results.KindStats, results.OperationSummary, document.Pointer) {
	sum := a.record.Total(func(_ *results.Phase, kind results.Kind) bool { return kind.Name == name })
	if told, some := a.summary.PerOperation[name]; some {
		return sum, told, a.inSummary("per_operation", name)
	}
	return sum, sum.Summary(), ""
}

// timeColumns returns the columns of quantiles of times. Run.json has all of them except p95.
func timeColumns(of string, quantiles ...string) (list []string) {
	for _, title := range quantiles {
		column := title + "|millis|unit=ms|group=" + of
		if title != "p95" {
			column += "|at=" + strings.ReplaceAll(title, ".", "_")
		}
		list = append(list, column)
	}
	return list
}

// quantiles names those of [quantilesOf].
func quantiles() []string { return []string{"p50", "p90", "p99", "max"} }

func quantilesOf(q results.Quantiles) []any { return []any{q.P50, q.P90, q.P99, q.Max} }

// tail names the quantiles of [tailOf].
func tail() []string { return []string{"p50", "p90", "p95", "p99", "p99.9", "max"} }

// tailOf returns the quantiles of a histogram.
func tailOf(h *results.Histogram, q results.Quantiles) []any {
	var p95 *int64
	if micros, told := h.Quantile(.95); told {
		p95 = &micros
	}
	return []any{q.P50, q.P90, p95, q.P99, q.P999, q.Max}
}

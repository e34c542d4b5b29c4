package report

import (
	"slices"

	"loadgen/report/document"
	"loadgen/results"
)

// operations shows the counts of each kind of operation over the whole run.
func (a *author) operations() {
	if a.Capture != nil {
		return
	}
	t := a.newTable("operations")
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
	a.table(t)
}

// wire shows the bytes of each kind of operation on the wire, where they are known.
func (a *author) wire() {
	t := a.newTable("wire")
	for _, name := range a.kinds() {
		sum, told, from := a.kindTotal(name)
		if sum.BytesOut == 0 {
			continue
		}
		named := func(kind results.Kind) bool { return kind.Name == name }
		t.Add(from, name, told.Operations, sum.BytesOut, sum.BytesIn, a.taken.OfKinds("sent_per_success", named).Pointer(), a.taken.OfKinds("received_per_success", named).Pointer())
	}
	if len(t.Rows) > 0 {
		a.table(t)
	}
}

// times shows the response and service times of each kind of operation, and of all in the steps.
func (a *author) times() {
	t := a.newTable("times")
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
	if all := a.Total(results.Reported); all.Attempts > 0 {
		whole := "all of the steps"
		if a.Capture != nil {
			whole = "all that was observed"
		}
		add(whole, &all, a.Summary.Response, a.Summary.Service, a.inSummary())
	}
	a.table(t)
	a.chart("percentiles")
}

// kinds returns the names of the kinds of operation, each once.
func (a *author) kinds() []string {
	return distinct(a.Manifest.Operations, func(kind results.Kind) string { return kind.Name })
}

// groups returns the groups that the kinds of operation are shown in.
func (a *author) groups() []string {
	groups := distinct(a.Manifest.Operations, func(kind results.Kind) string { return kind.Group })
	return slices.DeleteFunc(groups, func(group string) bool { return group == "" })
}

// distinct returns the names of kinds of operation, each once.
func distinct(kinds []results.Kind, name func(results.Kind) string) (names []string) {
	for _, kind := range kinds {
		if one := name(kind); !slices.Contains(names, one) {
			names = append(names, one)
		}
	}
	return names
}

// kindTotal returns the counts of a kind of operation over the whole run, its summary, and where run.json has that.
func (a *author) kindTotal(name string) (results.KindStats, results.OperationSummary, document.Pointer) {
	sum := a.Total(func(_ *results.Phase, kind results.Kind) bool { return kind.Name == name })
	if told, some := a.Summary.PerOperation[name]; some {
		return sum, told, a.inSummary("per_operation", name)
	}
	return sum, sum.Summary(), ""
}

// quantilesOf returns the median, two higher quantiles and the maximum.
func quantilesOf(q results.Quantiles) []any { return []any{q.P50, q.P90, q.P99, q.Max} }

// tailOf returns the quantiles of a histogram. Run.json has all of them except p95.
func tailOf(h *results.Histogram, q results.Quantiles) []any {
	return []any{q.P50, q.P90, h.Percentile(.95), q.P99, q.P999, q.Max}
}

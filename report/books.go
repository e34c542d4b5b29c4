package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// Everything are the counts of the whole run.
func (a *author) Everything() results.KindStats { return a.Counts(results.Everything) }

// CountsBilled reports whether the record itself counts billed transactions.
func (a *author) CountsBilled() bool { return a.Capture != nil && a.Capture.Billed > 0 }

// Unanswered is the number of attempts of the whole run that are not billed because no reply came.
func (a *author) Unanswered() int64 {
	return a.reached() - a.transactions(a.reached(), a.Summary.Causes)
}

// reached returns the number of attempts of the whole run that reached the service and were not throttled.
func (a *author) reached() int64 {
	return a.Summary.Attempts - a.Summary.Throttled - a.Everything().Kept
}

// billed shows the number of billed transactions, which is derived: no reply contains it.
func (a *author) billed() {
	if a.Everything().Attempts == 0 {
		return
	}
	a.section("billed")
	t := a.newTable("billed")
	t.Add(a.inSummary(), a.Summary.Attempts, a.Summary.Throttled, a.transactions(a.reached(), a.Summary.Causes))
	a.Append(t)
	a.lines("lines of billed")
}

// LateMillis is the lateness from which an operation counts as late.
func (a *author) LateMillis() int64 { return results.LateAfter.Milliseconds() }

// TargetAgrees reports whether the target counted the same attempts, and as many failures as the run recorded as handled.
func (a *author) TargetAgrees(handled int64) bool {
	target, all := a.Target, a.Everything()
	return target.Requests == all.Attempts && target.Throttled == all.Throttled && target.Ok == all.Ok-handled && target.Failed == all.Failed+handled
}

// books shows the counts of the whole run, or the whole seconds of one that was killed, whether they add up, and the cost of
// sending.
func (a *author) books() {
	if !a.IsKnown() {
		return
	}
	s, operations, attempts := a.Summary, a.newTable("accounting-operations"), a.newTable("accounting")
	operations.Add(a.inSummary(), s.Scheduled, s.Sent, s.Dropped, s.Late, s.Operations)
	attempts.Add(a.inSummary(), "the run", s.Attempts, s.OkAttempts, s.Throttled, s.Failed, s.EntitiesCounted, s.EntitiesReturned)
	if target := a.Target; target != nil {
		told := func(n int64, member string) any {
			return document.Sourced{Value: n, At: document.PointerTo("target_counts", member)}
		}
		attempts.Add("the target", told(target.Requests, "requests"), told(target.Ok, "ok"), told(target.Throttled, "throttled"), told(target.Failed, "failed"),
			told(target.Entities, "entities"), nil)
	}
	a.section("accounting")
	a.Append(operations, attempts)
	a.lines("lines of accounting")
	if s.Killed == nil {
		a.waits()
		return
	}
	t := a.newTable("killed")
	for i := range s.Killed.Phases {
		one := &s.Killed.Phases[i]
		t.Add(a.inSummary("killed", "phases", i), one.Name, one.Seconds, one.Due, one.Served, one.Attempts, one.Throttled, one.Failed)
	}
	a.Append(t)
}

// RetryFormula reports whether the scenario has a formula of its own for the waits before retries.
func (a *author) RetryFormula() bool { return strings.Contains(a.Manifest.Retry, " ") }

// waits shows how well the generator kept its schedule in the reported phases, and the waits before retries.
func (a *author) waits() {
	t := a.newTable("waits")
	row := func(what string, h *results.Histogram, count, from document.Pointer, p999 any) {
		times := tailOf(h, results.QuantilesOf(h))
		times[4] = cmp.Or(p999, times[4])
		t.Add(what, document.Sourced{Value: h.Count(), At: count}, from, times)
	}
	if a.Lag.Count() > 0 && a.Capture == nil {
		// The summary has no p99.9 of this one.
		row("lag, from due to sent", a.Lag, document.PointerTo("lag", "count"), a.inSummary("lag_us"), document.Sourced{Value: results.QuantilesOf(a.Lag).P999})
	}
	if a.RetryWaits.Count() > 0 {
		row(a.joined("waits before retries"), a.RetryWaits, document.PointerTo("retry_waits", "count"), a.inSummary("retry_waits_us"), nil)
	}
	if held := a.LimitWaits; held != nil {
		row("held back by a rate limit", held, document.PointerTo("limit_waits", "count"), "", nil)
	}
	a.Append(t)
	a.lines("lines of waits")
}

// audit shows the result of verified writes.
func (a *author) audit() {
	of := a.Audit
	if of == nil {
		return
	}
	a.section("audit")
	a.lines("lines of audit")
	t := a.newTable("audit")
	t.Add(document.PointerTo("audit"), of.Own409, of.Own412, of.Own404, of.ForeignConflicts, document.Bad.If(of.Lost != 0), of.Lost, of.Blind,
		document.Bad.If(of.Doubled != 0), of.Doubled, of.ReadBack, of.Keys, of.Unwatched, of.Overwritten)
	var examples []string
	for _, example := range of.Examples {
		examples = append(examples, fmt.Sprintf("%s, %s: %s", example.PartitionKey, example.RowKey, example.Fault))
	}
	a.Append(t.WithoutEmpty(), document.List{Items: examples})
	a.lines("legend of audit")
}

// workflows shows the counts of workflows, whether their invariants hold, and the continuation tokens that queries
// saved.
func (a *author) workflows() {
	tallies := a.newTable("counters")
	for i, one := range a.Counters {
		tallies.Add(document.PointerTo("counters", i), one.Count, one.Operation, one.Name)
	}
	a.table(tallies)
	rules := a.newTable("invariants")
	var examples []string
	for i := range a.Invariants {
		one := &a.Invariants[i]
		holds, tone := "NO", document.Bad
		switch {
		case one.Looked == 0:
			holds, tone = "unknown", document.Doubtful
		case one.Faults == 0:
			holds, tone = "yes", document.Good
		}
		rules.Add(document.PointerTo("invariants", i), tone, holds, one.Looked, one.Faults, one.Name)
		examples = append(examples, one.Examples...)
		if more := one.Faults - int64(len(one.Examples)); len(one.Examples) > 0 && more > 0 {
			examples = append(examples, "and "+document.Count(more)+" more, where "+strconv.Quote(one.Name)+" does not hold")
		}
	}
	a.table(rules)
	a.Append(document.List{Items: examples})
	tokens := a.newTable("tokens")
	for _, one := range a.Saved() {
		tokens.Add(one.Name, one.Operation, cmp.Or(one.Token, "none: all was read"))
	}
	a.table(tokens)
}

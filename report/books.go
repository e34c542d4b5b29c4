package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
)

// billed shows the number of billed transactions, which is derived: no reply contains it.
func (a *author) billed() {
	all := a.record.Counts(results.Everything)
	if all.Attempts == 0 {
		return
	}
	rule, most := "billed: derived: attempts − throttled", "all attempts"
	if all.Kept > 0 {
		rule += fmt.Sprintf(" − the %s that an injected fault kept from the service", document.Counted(int(all.Kept), "attempt"))
		most = "all others"
	}
	met := a.summary.Attempts - a.summary.Throttled - all.Kept
	billed := a.transactions(met, a.summary.Causes)
	switch silent := met - billed; {
	case a.record.Capture != nil && a.record.Capture.Billed > 0:
		rule = "billed: derived: neither throttled requests nor failures of the service"
	case silent > 0:
		rule += fmt.Sprintf(" − the %s without a reply", document.Counted(int(silent), "attempt"))
	}
	a.section("billed", "Billed transactions")
	t := document.NewTable("billed", "Transactions of the whole run (derived)", "attempts|at", "throttled|at", "billed")
	t.Add(a.inSummary(), a.summary.Attempts, a.summary.Throttled, billed)
	t.Notes = []string{rule + ", one per request; if throttled ones are billed, too: " + most}
	a.Append(t)
	if budget := a.record.Manifest.Budget; budget > 0 {
		a.line(fmt.Sprintf("of a budget of %s transactions, counting every attempt: %s",
			document.Count(budget), document.Count(all.Attempts)))
	}
}

// books shows the counts of the whole run, whether they add up, and the cost of sending.
func (a *author) books() {
	if !a.known() {
		return
	}
	s, all := a.summary, a.record.Counts(results.Everything)
	operations := document.NewTable("accounting-operations", "Operations of the whole run", "scheduled|at", "sent|at", "dropped|at", "late|at", "completed|at=operations")
	operations.Add(a.inSummary(), s.Scheduled, s.Sent, s.Dropped, s.Late, s.Operations)
	attempts := document.NewTable("accounting", "Attempts and counted entities of the whole run", "by|words", "attempts|at", "ok|at=ok_attempts", "throttled|at",
		"failed|at", "counted|at=entities_counted", "returned|at=entities_returned")
	attempts.Add(a.inSummary(), "the run", s.Attempts, s.OkAttempts, s.Throttled, s.Failed, s.EntitiesCounted, s.EntitiesReturned)
	if target := a.record.Target; target != nil {
		told := func(n int64, member string) any {
			return document.Sourced{Value: n, At: document.PointerTo("target_counts", member)}
		}
		attempts.Add("the target", told(target.Requests, "requests"), told(target.Ok, "ok"), told(target.Throttled, "throttled"), told(target.Failed, "failed"),
			told(target.Entities, "entities"), nil)
	}
	if a.summary.Killed != nil {
		a.killed(operations, attempts)
		return
	}
	a.section("accounting", "Accounting check")
	a.Append(operations, attempts)
	attempted, entities := targetSays(a.record.Target, &all)
	a.line(fmt.Sprintf("scheduled %s sent + dropped; attempts %s ok + throttled + failed; %s; late: sent over %d ms late; counted, returned: entities, %s",
		sign(all.Scheduled == all.Sent+all.Dropped), sign(all.Attempts == all.Ok+all.Throttled+all.Failed),
		attempted, results.LateAfter.Milliseconds(), entities))
	a.waits()
	c := a.record.Connections
	if c == nil {
		return
	}
	text := fmt.Sprintf("connections: %s opened, %s attempts over one that was open", document.Count(c.Opened), document.Count(c.Reused))
	if c.HTTP2 > 0 {
		text += fmt.Sprintf(", %s of them over HTTP/2", document.Count(c.HTTP2))
	}
	for _, spell := range []struct {
		what string
		results.Spell
	}{{"DNS", c.Lookups}, {"connect", c.Connects}, {"TLS", c.Handshakes}, {"first byte", c.FirstByte}} {
		if spell.Count > 0 {
			text += fmt.Sprintf("; %s mean %s, max %s", spell.what, document.Lapse(spell.Total/time.Duration(spell.Count)), document.Lapse(spell.Max))
		}
	}
	a.line(text)
}

// killed shows the counts of the whole seconds of a run that was killed, and its phases.
func (a *author) killed(operations, attempts document.Table) {
	a.section("accounting", "Accounting check of complete seconds")
	operations.Caption, attempts.Caption = "Operations in complete seconds", "Attempts and counted entities in complete seconds"
	a.Append(operations, attempts)
	a.line("killed: without requests in flight and unwritten seconds")
	t := document.NewTable("killed", "Phases until the run was killed", "phase|named", "seconds|at=whole_seconds", "due|rate|unit=operations/s|at=operations_due_per_second",
		"served|rate|unit=entities/s|at=served_entities_per_second", "attempts|at", "throttled|at", "failed|at")
	t.Notes = []string{"seconds: whole ones of the phase; due, served: means"}
	for i := range a.summary.Killed.Phases {
		one := &a.summary.Killed.Phases[i]
		t.Add(a.inSummary("killed", "phases", i), one.Name, one.Seconds, one.Due, one.Served, one.Attempts, one.Throttled, one.Failed)
	}
	a.Append(t)
}

// targetSays compares the run's attempts and entities with the counts of the target.
func targetSays(target *results.TargetCounts, all *results.KindStats) (attempts, entities string) {
	if target == nil {
		return "the target keeps no count", "without a count of the target"
	}
	entities = "the target counted the same"
	if target.Entities != all.Counted {
		entities = "the target counted " + document.Count(target.Entities)
	}
	same := target.Requests == all.Attempts && target.Throttled == all.Throttled
	switch {
	case same && target.Ok == all.Ok && target.Failed == all.Failed:
		return "the target counted the same", entities
	case same && target.Ok == all.Ok-all.Handled && target.Failed == all.Failed+all.Handled:
		return fmt.Sprintf("the target counted the same, with %s handled 404, 409 and 412 as failed",
			document.Count(all.Handled)), entities
	default:
		return "the target counted otherwise", entities
	}
}

func sign(equal bool) string {
	if equal {
		return "="
	}
	return "≠"
}

// waits shows how well the generator kept its schedule in the reported phases, and the waits before retries.
func (a *author) waits() {
	t := document.NewTable("waits", "Waits of the operations in the steps", slices.Concat([]string{"what|named", "times|rate"}, timeColumns("waited", tail()...))...)
	row := func(what string, h *results.Histogram, count, from document.Pointer, p999 any) {
		times := tailOf(h, results.QuantilesOf(h))
		times[4] = cmp.Or(p999, times[4])
		t.Add(what, document.Sourced{Value: h.Count(), At: count}, from, times)
	}
	if lag := a.record.Lag; lag.Count() > 0 && a.record.Capture == nil {
		// The summary has no p99.9 of this one.
		row("lag, from due to sent", lag, document.PointerTo("lag", "count"), a.inSummary("lag_us"), document.Sourced{Value: results.QuantilesOf(lag).P999})
	}
	retries, whose := "retries", ""
	policy := a.record.Manifest.Retry
	formula := strings.Contains(policy, " ")
	if policy != "" && !formula {
		retries += ", policy " + policy
	}
	if a.record.Capture != nil {
		whose = " of operations that were seen again"
	}
	if a.record.RetryWaits.Count() > 0 {
		row("waits before "+retries+whose, a.record.RetryWaits, document.PointerTo("retry_waits", "count"), a.inSummary("retry_waits_us"), nil)
	}
	if held := a.record.LimitWaits; held != nil {
		row("held back by a rate limit", held, document.PointerTo("limit_waits", "count"), "", nil)
	}
	a.Append(t)
	if a.record.RetryWaits.Count() == 0 {
		a.line(retries + ": none")
	}
	if formula {
		a.line("retries by the formula " + policy + ", of the scenario")
	}
	for _, kind := range a.record.Manifest.Operations {
		a.line(labelled("limit of "+kind.Name+": ", kind.Limit, ""))
		a.line(labelled("retries of "+kind.Name+" by a policy of its own: ", kind.Retry, ""))
	}
}

// audit shows the result of verified writes.
func (a *author) audit() {
	of := a.record.Audit
	if of == nil {
		return
	}
	a.section("audit", "Verification of writes")
	a.line(fmt.Sprintf("%s writes = %s acknowledged + %s unknown + %s absent",
		document.Count(of.Writes), document.Count(of.Acknowledged), document.Count(of.Unknown), document.Count(of.Absent)))
	t := document.NewTable("audit", "Results of reading back", "own 409|at", "own 412|at", "own 404|at", "foreign|at=foreign_conflicts", "lost|at", "by the client|at=blind|nonzero|optional", "doubled|at",
		"read back|at", "of entities|at=keys", "unwatched|at", "overwritten|at")
	t.Add(document.PointerTo("audit"), of.Own409, of.Own412, of.Own404, of.ForeignConflicts, document.Bad.If(of.Lost != 0), of.Lost, of.Blind,
		document.Bad.If(of.Doubled != 0), of.Doubled, of.ReadBack, of.Keys, of.Unwatched, of.Overwritten)
	a.Append(t.WithoutEmpty())
	if len(of.Examples) > 0 {
		var examples []string
		for _, example := range of.Examples {
			examples = append(examples, fmt.Sprintf("%s, %s: %s", example.PartitionKey, example.RowKey, example.Fault))
		}
		a.Append(document.List{Items: examples})
	}
	a.line("unknown: no reply; absent: throttled, or lost to a concurrent write; " +
		"own: a retry met its own success; foreign: conflicts with other clients; lost: acknowledged and missing; by the client: overwritten without a condition; " +
		"doubled: unacknowledged counter increments; unwatched: not verified; " +
		"overwritten: last written by another client")
}

// workflows shows the counts of workflows, whether their invariants hold, and the continuation tokens that queries
// saved.
func (a *author) workflows() {
	tallies := document.NewTable("counters", "Counters of the whole run", "times|at=count", "operation|named", "what|named")
	for i, one := range a.record.Counters {
		tallies.Add(document.PointerTo("counters", i), one.Count, one.Operation, one.Name)
	}
	a.table("Workflow counters", tallies)
	rules := document.NewTable("invariants", "Invariants and violations", "holds|words", "cases|at=looked", "not so|at=violations", "rule|named")
	var examples []string
	for i := range a.record.Invariants {
		one := &a.record.Invariants[i]
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
	a.table("Workflow invariants, checked after the run", rules)
	a.Append(document.List{Items: examples})
	tokens := document.NewTable("tokens", "Continuation token of the last page read", "name|named", "operation|named", "token|named")
	for _, one := range a.record.Saved() {
		tokens.Add(one.Name, one.Operation, cmp.Or(one.Token, "none: all was read"))
	}
	a.table("Saved continuation tokens", tokens)
}

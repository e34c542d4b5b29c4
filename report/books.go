package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
)

// billed tells the transactions that are billed: derived, since no reply tells.
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
		rule = "billed: derived: by the service's page on status messages, neither throttled requests nor its own failures"
	case silent > 0:
		rule += fmt.Sprintf(" − the %s without a reply", document.Counted(int(silent), "attempt"))
	}
	a.section("billed", "Billed transactions")
	a.add(document.Table{ID: "billed", Caption: "Transactions of the whole run (derived)",
		Columns: []document.Column{{Title: "attempts"}, {Title: "throttled"}, {Title: "billed"}},
		Rows: [][]document.Cell{{countCell(a.summary.Attempts, a.inSummary("attempts")), countCell(a.summary.Throttled, a.inSummary("throttled")),
			countCell(billed, "")}},
		Notes: []string{rule + ", one for each request however many entities it counts; were throttled ones billed, " +
			"too, it would be " + most}})
	if budget := a.record.Manifest.Budget; budget > 0 {
		a.line(fmt.Sprintf("of a budget of %s transactions, against which every attempt counts, throttled or not: %s",
			document.Count(budget), document.Count(all.Attempts)))
	}
}

// books shows the counts of the whole run and whether they add up, and what sending cost beside
// the requests.
func (a *author) books() {
	if !a.known() {
		return
	}
	s, all := a.summary, a.record.Counts(results.Everything)
	count := func(n int64, member string) document.Cell { return countCell(n, a.inSummary(member)) }
	operations := document.Table{ID: "accounting-operations", Caption: "Operations of the whole run",
		Columns: []document.Column{{Title: "scheduled"}, {Title: "sent"}, {Title: "dropped"}, {Title: "late"}, {Title: "completed"}},
		Rows: [][]document.Cell{{count(s.Scheduled, "scheduled"), count(s.Sent, "sent"), count(s.Dropped, "dropped"),
			count(s.Late, "late"), count(s.Operations, "operations")}}}
	attempts := document.Table{ID: "accounting", Caption: "Attempts of the whole run, and what they counted",
		Columns: []document.Column{{Title: "by", Words: true}, {Title: "attempts"}, {Title: "ok"}, {Title: "throttled"}, {Title: "failed"},
			{Title: "counted"}, {Title: "returned"}},
		Rows: [][]document.Cell{{{Text: "the run"}, count(s.Attempts, "attempts"), count(s.OkAttempts, "ok_attempts"), count(s.Throttled, "throttled"),
			count(s.Failed, "failed"), count(s.EntitiesCounted, "entities_counted"), count(s.EntitiesReturned, "entities_returned")}}}
	if target := a.record.Target; target != nil {
		told := func(n int64, member string) document.Cell { return countCell(n, pointer("target_counts", member)) }
		attempts.Rows = append(attempts.Rows, []document.Cell{{Text: "the target"}, told(target.Requests, "requests"), told(target.Ok, "ok"),
			told(target.Throttled, "throttled"), told(target.Failed, "failed"), told(target.Entities, "entities"), {Text: untold}})
	}
	if a.summary.Killed != nil {
		a.killed(operations, attempts)
		return
	}
	a.section("accounting", "Accounting check")
	a.add(operations, attempts)
	attempted, entities := targetSays(a.record.Target, &all)
	a.line(fmt.Sprintf("scheduled %s sent + dropped; attempts %s ok + throttled + failed; %s; late: sent over %d ms after they were due; counted, returned: entities, %s",
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

// killed shows the books of the whole seconds of a run that nobody closed, and its phases.
func (a *author) killed(operations, attempts document.Table) {
	a.section("accounting", "Accounting check of the whole seconds that there are")
	operations.Caption, attempts.Caption = "Operations of the whole seconds", "Attempts of the whole seconds, and what they counted"
	a.add(operations, attempts)
	a.line("killed: what was under way, and the seconds that were not written yet, are in none of these; nobody closed the record")
	t := document.Table{ID: "killed", Caption: "Phases, as far as the run came",
		Columns: []document.Column{{Title: "phase", Words: true}, {Title: "seconds"}, {Title: "due", Unit: "operations/s"},
			{Title: "served", Unit: "entities/s"}, {Title: "attempts"}, {Title: "throttled"}, {Title: "failed"}},
		Notes: []string{"seconds: whole ones that begin in the phase; due and served: means over them"}}
	for i := range a.summary.Killed.Phases {
		one, from := &a.summary.Killed.Phases[i], a.inSummary("killed", "phases", i)
		t.Rows = append(t.Rows, []document.Cell{wordsCell(one.Name), countCell(one.Seconds, below(from, "whole_seconds")),
			rateCell(one.Due, below(from, "operations_due_per_second")), rateCell(one.Served, below(from, "served_entities_per_second")),
			countCell(one.Attempts, below(from, "attempts")), countCell(one.Throttled, below(from, "throttled")), countCell(one.Failed, below(from, "failed"))})
	}
	if len(t.Rows) > 0 {
		a.add(t)
	}
}

// targetSays holds the run's attempts and entities against what the target counted.
func targetSays(target *results.TargetCounts, all *results.KindStats) (attempts, entities string) {
	if target == nil {
		return "the target keeps no count", "of which the target keeps no count"
	}
	entities = "of which the target counted the same"
	if target.Entities != all.Counted {
		entities = "of which the target counted " + document.Count(target.Entities)
	}
	same := target.Requests == all.Attempts && target.Throttled == all.Throttled
	switch {
	case same && target.Ok == all.Ok && target.Failed == all.Failed:
		return "the target counted the same", entities
	case same && target.Ok == all.Ok-all.Handled && target.Failed == all.Failed+all.Handled:
		return fmt.Sprintf("the target counted the same, calling failed the %s answers with 404, 409 or 412 that operations handle",
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

// waits shows how well the generator kept its schedule in the reported phases, and what
// retries waited for.
func (a *author) waits() {
	t := document.Table{ID: "waits", Caption: "What operations of the steps waited for", Columns: []document.Column{{Title: "what", Words: true}, {Title: "times"}}}
	t.Columns = append(t.Columns, timeColumns("waited", tail()...)...)
	row := func(what string, h *results.Histogram, count, from string) {
		t.Rows = append(t.Rows, append([]document.Cell{wordsCell(what), amountCell(h.Count(), count)}, tailCells(h, results.QuantilesOf(h), from)...))
	}
	if lag := a.record.Lag; lag.Count() > 0 && a.record.Capture == nil {
		row("lag, from due to sent", lag, pointer("lag", "count"), a.inSummary("lag_us"))
		// The summary does not tell this one.
		t.Rows[0][6].Source, t.Rows[0][6].Scale = "", 0
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
		row("waits before "+retries+whose, a.record.RetryWaits, pointer("retry_waits", "count"), a.inSummary("retry_waits_us"))
	}
	if held := a.record.LimitWaits; held != nil {
		row("held back by a rate limit", held, pointer("limit_waits", "count"), "")
	}
	if len(t.Rows) > 0 {
		a.add(t)
	}
	if a.record.RetryWaits.Count() == 0 {
		a.line(retries + ": none")
	}
	if formula {
		a.line("retries by the formula " + policy + ", of the scenario")
	}
	for _, kind := range a.record.Manifest.Operations {
		if kind.Limit != "" {
			a.line("limit of " + kind.Name + ": " + kind.Limit)
		}
		if kind.Retry != "" {
			a.line("retries of " + kind.Name + " by a policy of its own: " + kind.Retry)
		}
	}
}

// audit shows what became of the writes that were verified.
func (a *author) audit() {
	of := a.record.Audit
	if of == nil {
		return
	}
	a.section("audit", "Writes, read back after the run")
	count := func(n int64, member string) document.Cell { return countCell(n, pointer("audit", member)) }
	a.line(fmt.Sprintf("%s writes = %s acknowledged + %s unknown + %s absent",
		document.Count(of.Writes), document.Count(of.Acknowledged), document.Count(of.Unknown), document.Count(of.Absent)))
	lost, doubled := count(of.Lost, "lost"), count(of.Doubled, "doubled")
	if of.Lost != 0 {
		lost.Tone = document.Bad
	}
	if of.Doubled != 0 {
		doubled.Tone = document.Bad
	}
	a.add(document.Table{ID: "audit", Caption: "What reading back found",
		Columns: []document.Column{{Title: "own 409"}, {Title: "own 412"}, {Title: "own 404"}, {Title: "foreign"}, {Title: "lost"},
			{Title: "doubled"}, {Title: "read back"}, {Title: "of entities"}, {Title: "unwatched"}, {Title: "overwritten"}},
		Rows: [][]document.Cell{{count(of.Own409, "own_409"), count(of.Own412, "own_412"), count(of.Own404, "own_404"),
			count(of.ForeignConflicts, "foreign_conflicts"), lost, doubled, count(of.ReadBack, "read_back"), count(of.Keys, "keys"),
			count(of.Unwatched, "unwatched"), count(of.Overwritten, "overwritten")}}})
	if len(of.Examples) > 0 {
		var examples []string
		for _, example := range of.Examples {
			examples = append(examples, fmt.Sprintf("%s, %s: %s", example.PartitionKey, example.RowKey, example.Fault))
		}
		a.add(document.List{Items: examples})
	}
	a.line("unknown: without a word on whether it was carried out; absent: throttled, or somebody else was faster; " +
		"own: a retry met its own success; foreign: conflicts with others' writes; lost: acknowledged and not there; " +
		"doubled: increments of counters beyond those acknowledged; unwatched: beyond the bound on how many are watched; " +
		"overwritten: written last by somebody whom the run does not know")
}

// workflows shows what workflows counted, whether what they left behind is as it must be, and
// the continuation tokens that queries saved.
func (a *author) workflows() {
	tallies := document.Table{ID: "counters", Caption: "Each count",
		Columns: []document.Column{{Title: "times"}, {Title: "operation", Words: true}, {Title: "what", Words: true}}}
	for i, one := range a.record.Counters {
		tallies.Rows = append(tallies.Rows, []document.Cell{countCell(one.Count, pointer("counters", i, "count")), wordsCell(one.Operation), wordsCell(one.Name)})
	}
	a.table("Counted by workflows, in the whole run", tallies)
	rules := document.Table{ID: "invariants", Caption: "Rules, and in how many cases they do not hold",
		Columns: []document.Column{{Title: "holds", Words: true}, {Title: "cases"}, {Title: "not so"}, {Title: "rule", Words: true}}}
	var examples []string
	for i := range a.record.Invariants {
		one, from := &a.record.Invariants[i], pointer("invariants", i)
		holds := document.Cell{Text: "NO", Tone: document.Bad}
		switch {
		case one.Looked == 0:
			holds = document.Cell{Text: "unknown", Tone: document.Doubtful}
		case one.Faults == 0:
			holds = document.Cell{Text: "yes", Tone: document.Good}
		}
		rules.Rows = append(rules.Rows, []document.Cell{holds, countCell(one.Looked, below(from, "looked")),
			countCell(one.Faults, below(from, "violations")), wordsCell(one.Name)})
		examples = append(examples, one.Examples...)
		if more := one.Faults - int64(len(one.Examples)); len(one.Examples) > 0 && more > 0 {
			examples = append(examples, "and "+document.Count(more)+" more, where "+strconv.Quote(one.Name)+" does not hold")
		}
	}
	a.table("What must hold of what was left behind, read after the run", rules)
	if len(examples) > 0 {
		a.add(document.List{Items: examples})
	}
	tokens := document.Table{ID: "tokens", Caption: "The continuation token of the last page that was read",
		Columns: []document.Column{{Title: "name", Words: true}, {Title: "operation", Words: true}, {Title: "token", Words: true}}}
	for _, one := range a.record.Saved() {
		tokens.Rows = append(tokens.Rows, []document.Cell{wordsCell(one.Name), wordsCell(one.Operation),
			wordsCell(cmp.Or(one.Token, "none: all was read"))})
	}
	a.table("Saved, to be gone on with", tokens)
}

package report

import (
	"fmt"
	"slices"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// show writes the first screen: checks, causes of failures, the load by step or by operation, times, and the evidence.
func (a *author) show() {
	if _, told := results.HeldOf(a.summary.Checks); told > 0 && len(a.summary.Checks) > 1 {
		a.Show(a.checkTable())
	}
	if verdict.ManyFailed(a.record, a.summary) {
		t := a.causeTable()
		t.Notes, t.Ranked = nil, true
		a.Show(t)
	}
	switch steps := figure.Shown(a.record); {
	case a.record.Limit != nil:
		a.Show(a.ratesInOrder(a.record.Limit))
	case a.record.Capture == nil && len(steps) > 1 && (different(steps) || !oneStage(steps)):
		a.Show(a.ladder(steps))
	default:
		a.Show(a.operationsShort())
	}
	// One chart shows the answer, if the record has data for it.
	for _, one := range []document.Chart{
		{ID: "steps", Says: "Offered and served rates by step."},
		{ID: "throttle", Says: "Served and throttled second by second.", Shows: []string{"entities", "throttled"}},
		{ID: "latency", Says: "Distribution of response times."},
	} {
		if slices.Contains(a.shown, one.ID) {
			one.Title = chart.Title(one.ID, a.record)
			a.Show(one)
			break
		}
	}
	a.Show(a.timesShort(), document.Facts{Lines: a.counts()}, document.Facts{Lines: document.SpreadNote(a.record.Manifest.SpreadOver)},
		document.Facts{Lines: a.reserve()})
}

// gravity orders checks: failed, unknown, passed.
func gravity(t document.Tone) float64 {
	return map[document.Tone]float64{document.Bad: 0, document.Doubtful: 1, document.Good: 2}[t]
}

// oneStage reports whether steps belong to one stage, so that their rates can be compared.
func oneStage(steps []figure.Step) bool {
	return !slices.ContainsFunc(steps, func(s figure.Step) bool { return s.Phase.Stage != steps[0].Phase.Stage || s.Closed() })
}

// ratesInOrder shows the rates of a search in ascending order, and marks those that do not hold.
func (a *author) ratesInOrder(l *results.Limit) document.Table {
	t := a.rates(l)
	t.Caption, t.Notes = a.caption("Rates in ascending order"), nil
	for i := range l.Steps {
		t.Rows[i][0].Tone = document.Bad.If(l.Steps[i].Outcome != results.LimitHeld)
	}
	t.Sort(func(row int) float64 { return l.Steps[row].Rate })
	return t
}

// ladder shows the steps: what each offered and served, as numbers and as a bar, against the target if all goes to one
// partition; with their names if they belong to several stages.
func (a *author) ladder(steps []figure.Step) document.Table {
	// Times are those of the group with the most operations.
	most, group, within := int64(-1), "response", func(results.Kind) bool { return true }
	for _, name := range groups(a.record.Manifest.Operations) {
		of := func(kind results.Kind) bool { return kind.Group == name }
		sum := a.record.Counts(func(p *results.Phase, kind results.Kind) bool { return p.Reported && of(kind) })
		if sum.Scheduled > most {
			most, group, within = sum.Scheduled, name, of
		}
	}
	columns := []string{"offered/s|rate|at=offered_entities_per_second", "served/s|rate|at=served_entities_per_second", "served of offered",
		"lost|share|at=share_lost_settled", group + " p50|millis|unit=ms|spare=2", "p99|millis|unit=ms|spare=1", "tries/op|tries"}
	named := !oneStage(steps)
	if named {
		columns = slices.Insert(columns, 0, "phase|words")
	}
	t := document.NewTable("ladder", a.caption("Each step"), columns...)
	const shownSteps = 12
	t.Notes, t.MinRows = []string{"lost, settled: of the operations due in the last half of a step"}, min(len(steps), shownSteps)
	full := 0.0
	for _, step := range steps {
		figures, _ := a.wholeStep(step)
		full = max(full, figures.Offered)
	}
	for _, step := range steps {
		row := []any{a.toneOf(step)}
		if named {
			row = append(row, step.Phase.Name)
		}
		t.Add(append(row, a.rung(step, within, full)...)...)
		if step.Phase.Rate == a.record.Manifest.PeakAsked {
			t.Asked = len(t.Rows)
		}
	}
	if t.Asked != 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("--peak asks about the step of %s operations/s", document.Rate(a.record.Manifest.PeakAsked)))
		if told, _ := a.summaryOf(steps[t.Asked-1]); told != nil && told.Holds != nil && *told.Holds {
			t.Rows[t.Asked-1][0].Tone = document.Good
		}
	}
	return t
}

// rung returns the row of a step. If it is unknown whether the step holds, the row says so in place of a bar.
func (a *author) rung(step figure.Step, within func(results.Kind) bool, full float64) []any {
	figures, from := a.wholeStep(step)
	offered, served := settled(step, figures)
	// Bars are marked at the limit of the only partition, or of the account if that is lower.
	mark, limits := 0.0, a.record.Manifest.Targets
	switch {
	case limits.Account > 0 && (limits.Partition == 0 || limits.Account < limits.Partition) && a.record.Manifest.Accounts < 2:
		mark = float64(limits.Account)
	case a.record.Manifest.PartitionKey != "":
		mark = float64(limits.Partition)
	}
	var bar any = "not run to its end"
	switch {
	case step.Settled() && a.toneOf(step) == document.Doubtful:
		bar = "cannot tell"
		if told, _ := a.summaryOf(step); told.ClientLimited {
			bar = "generator late"
		}
	case step.Settled() && figures.Offered > 0:
		solid := max(0, min(figures.Served, figures.Offered))
		bar = &document.Bar{Solid: solid, Hollow: figures.Offered - solid, Mark: mark, Full: full}
	case step.Settled():
		bar = ""
	}
	own := a.taken.Step(step, within)
	return []any{from, offered, served, bar, figures.ShareLostSettled, own.Response.P50, own.Response.P99, figures.AttemptsPerOperation}
}

// toneOf marks a step that does not hold, or that could not be judged.
func (a *author) toneOf(step figure.Step) document.Tone {
	switch told, _ := a.summaryOf(step); {
	case told == nil:
		return document.Plain
	case told.Holds == nil && told.Why != "":
		return document.Doubtful
	case told.Holds != nil && !*told.Holds:
		return document.Bad
	default:
		return document.Plain
	}
}

// operationsShort shows the counts of each kind of operation of the load, that which counts the most entities first.
func (a *author) operationsShort() document.Table {
	t := document.NewTable("operations-short", a.caption("Each operation of the load"), "operation|named", "due|rate", "entities|share|optional", "lost|share", "throttled|rate|spare=3",
		"failed|rate|spare=2", "tries/op|tries", "p50|millis|unit=ms|spare=1", "p99|millis|unit=ms")
	all := a.record.Counts(results.Reported)
	var counted []int64
	for _, name := range a.kinds() {
		of := func(kind results.Kind) bool { return kind.Name == name }
		sum := a.record.Total(func(p *results.Phase, kind results.Kind) bool { return p.Reported && of(kind) })
		if sum.Attempts == 0 && sum.Scheduled == 0 {
			continue
		}
		times := results.QuantilesOf(sum.Response)
		counted = append(counted, sum.Counted)
		t.Add(name, max(sum.Scheduled, sum.Operations), document.RatioOf(sum.Counted, all.Counted), a.taken.OfKinds("share_lost", of).Pointer(), sum.Throttled, sum.Failed,
			a.taken.OfKinds("tries", of).Pointer(), times.P50, times.P99)
	}
	t.Sort(func(row int) float64 { return -float64(counted[row]) })
	t.Ranked, t.MinRows = true, 3
	return t.WithoutEmpty()
}

// timesShort shows the response and service times of the reported phases.
func (a *author) timesShort() document.Table {
	t := document.NewTable("times-short", a.caption("Times of all measured operations"), "time, ms|named", "p50|millis|at", "p90|millis|at", "p99|millis|at",
		"p99.9|millis|at=p99_9", "max|millis|at", "|named|spare=1")
	row := func(name string, q results.Quantiles, member, says string) {
		if q.P50 != nil || q.Max != nil {
			t.Add(a.inSummary(member), name, q.P50, q.P90, q.P99, q.P999, q.Max, says)
		}
	}
	row("response", a.summary.Response, "response_us", "with waits and retries")
	if a.record.Capture == nil {
		row("one attempt", a.summary.Service, "service_us", "that succeeded")
	}
	return t
}

// counts shows the counts of the reported phases, whether the accounting of the whole run is exact, and the health of
// the generator.
func (a *author) counts() []string {
	s := a.summary
	all := a.record.Counts(results.Reported)
	due, says := all.Scheduled, "due"
	if a.record.Capture != nil {
		due, says = all.Operations, "seen"
	}
	operations := fmt.Sprintf("%s operations %s: %s succeeded, %s did not", document.Count(due), says, document.Count(all.Succeeded),
		document.Count(max(0, due-all.Succeeded)))
	if all.Dropped > 0 {
		operations += fmt.Sprintf(", %s of them never sent", document.Count(all.Dropped))
	}
	attempts, throttled, failed, causes := all.Attempts, all.Throttled, all.Failed, all.Causes.Told()
	if s.Killed != nil {
		operations = document.Count(s.Scheduled) + " operations due"
		attempts, throttled, failed, causes = s.Attempts, s.Throttled, s.Failed, s.Causes
	}
	requests := fmt.Sprintf("%s requests: %s throttled, %s failed, %s billed", document.Count(attempts), document.Count(throttled),
		document.Count(failed), document.Count(a.transactions(attempts-throttled-all.Kept, causes)))
	if s.Killed != nil && s.Killed.Seconds == 0 {
		operations, requests = "operations: not known", "requests: not known"
	}
	facts := []string{operations, requests}
	if v := a.taken.Named("throughput"); v.Interval != nil && a.record.Capture == nil {
		half := (v.Interval[1] - v.Interval[0]) / 2
		facts = append(facts, fmt.Sprintf("served %s ± %s entities/s by the second (95 %%, batch means of %s)", document.Rate(v.Value), document.Rate(half),
			document.Counted(int(v.Count), "second")))
	}
	switch {
	case len(verdict.Books(a.record)) > 0:
		facts = append(facts, "counters DO NOT RECONCILE: "+verdict.Books(a.record)[0])
	case a.record.Capture == nil && s.Killed == nil:
		facts[1] += " · counters reconcile"
	}
	if held := a.record.LimitWaits; held != nil {
		longest := results.QuantilesOf(held).Max
		facts = append(facts, fmt.Sprintf("the client's rate limits held %s back, for up to %s", document.Counted(int(all.LimitHeld), "attempt"), document.Micros(*longest)))
	}
	fared := "not the limit"
	if len(s.ClientLimited) > 0 {
		fared = "late in part: " + s.ClientLimited[0]
		// It affects the answer only if the state is unknown.
		if state, _ := verdict.State(s); state == results.CannotTell {
			fared = "THE LIMIT: " + s.ClientLimited[0]
		}
	}
	if g := a.record.Generator; g != nil && g.Seconds != 0 && g.CPUKnown {
		facts = append(facts, fmt.Sprintf("generator: %s (%s of %d cores, %s at most)", fared,
			document.Share(g.CPU.Seconds()/float64(g.Seconds)/float64(max(1, g.Cores))), g.Cores, document.Share(g.Busiest.Share(g.Cores))))
	} else if len(s.ClientLimited) > 0 {
		facts = append(facts, "generator: "+fared)
	}
	return facts
}

// transactions returns the number of billed requests, of those that reached the service and were not throttled. A
// record of captured traffic has its own count.
func (a *author) transactions(met int64, causes results.Causes) int64 {
	if seen := a.record.Capture; seen != nil && seen.Billed > 0 {
		return seen.Billed
	}
	// A finished record knows which injected faults reached the service.
	known := a.summary.Killed == nil && a.record.Capture == nil
	sum := int64(0)
	for _, one := range causes {
		if one.Class == results.Failed && one.Status == 0 && !(known && one.Injected) {
			sum += one.Attempts
		}
	}
	return met - sum
}

// reserve says on one line how far the figures can be trusted.
func (a *author) reserve() []string {
	m := &a.record.Manifest
	switch {
	case m.Target == "":
		return nil
	case m.Modelled() && m.Profile == "off":
		return []string{"nothing of the service is modelled: no limits, no service times"}
	case m.Modelled():
		return []string{"modelled, not measured: limits and times of the service may differ"}
	case m.Emulator:
		return []string{"measured at an emulator, not at the Table service"}
	case m.Target == results.Logged && !m.Genuine:
		return []string{"from the log of a host that is not the Table service"}
	case !m.Genuine:
		return []string{"measured at a target that does not identify itself as the Table service"}
	default:
		return nil
	}
}

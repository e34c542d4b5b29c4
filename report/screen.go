package report

import (
	"slices"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// show writes the first screen: checks, causes of failures, the load by step or by operation, times, and the evidence.
func (a *author) show() {
	if _, told := results.HeldOf(a.Summary.Checks); told > 0 && len(a.Summary.Checks) > 1 {
		a.Show(a.checkTable())
	}
	if verdict.ManyFailed(a.Record, a.Summary) {
		t := a.causeTable()
		t.Notes, t.Ranked = nil, true
		a.Show(t)
	}
	switch steps := figure.ShownSteps(a.Record); {
	case a.Limit != nil:
		a.Show(a.ratesInOrder(a.Limit))
	case a.Capture == nil && len(steps) > 1 && (different(steps) || !oneStage(steps)):
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
		if f := chart.Find(a.charts, one.ID); f != nil {
			one.Title = f.Title
			a.Show(one)
			break
		}
	}
	a.Show(a.timesShort(), document.Facts{Lines: a.phrases("counts")}, document.Facts{Lines: append(document.SpreadNote(a.Manifest.SpreadOver), a.Manifest.InputNotes...)},
		document.Facts{Lines: a.phrases("reserve")})
}

// oneStage reports whether steps belong to one stage, so that their rates can be compared.
func oneStage(steps []figure.Step) bool {
	return !slices.ContainsFunc(steps, func(s figure.Step) bool { return s.Phase.Stage != steps[0].Phase.Stage || s.Closed() })
}

// ratesInOrder shows the rates of a search in ascending order, and marks those that do not hold.
func (a *author) ratesInOrder(l *results.Limit) document.Table {
	t := a.rates(l)
	t.Caption, t.Notes = a.joined("table rates-ascending"), nil
	for i := range l.Steps {
		t.Rows[i][0].Tone = document.Bad.If(l.Steps[i].Outcome != results.LimitHeld)
	}
	t.Sort(func(row int) float64 { return l.Steps[row].Rate })
	return t
}

// ladder shows the steps: what each offered and served, as numbers and as a bar, against the target if all goes to one
// partition; with their names if they belong to several stages.
func (a *author) ladder(steps []figure.Step) document.Table {
	group := a.BusiestGroup()
	within := func(kind results.Kind) bool { return group == "" || kind.Group == group }
	t, named := a.newTable("ladder"), !oneStage(steps)
	if !named {
		t.Columns = t.Columns[1:]
	}
	const shownSteps = 12
	t.MinRows = min(len(steps), shownSteps)
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
		if step.Phase.Rate == a.Manifest.PeakAsked {
			t.Asked = len(t.Rows)
		}
	}
	if t.Asked != 0 {
		t.Notes = append(t.Notes, a.joined("note of the peak"))
		if told, _ := a.summaryOf(steps[t.Asked-1]); told != nil && told.Holds != nil && *told.Holds {
			t.Rows[t.Asked-1][0].Tone = document.Good
		}
	}
	return t
}

// PeakEntities is the number of entities per second that the target rate of the run offers, 0 if unknown. The columns of
// the ladder have that unit.
func (a *author) PeakEntities() float64 {
	for _, step := range figure.ShownSteps(a.Record) {
		if step.Phase.Rate == a.Manifest.PeakAsked {
			return a.taken.Step(step, nil).Offered
		}
	}
	return 0
}

// BusiestGroup is the group with the most operations, whose times the first screen shows; empty without groups.
func (a *author) BusiestGroup() (busiest string) {
	most := int64(-1)
	for _, name := range a.groups() {
		sum := a.Counts(func(p *results.Phase, kind results.Kind) bool { return p.Reported && kind.Group == name })
		if sum.Scheduled > most {
			most, busiest = sum.Scheduled, name
		}
	}
	return busiest
}

// rung returns the row of a step. If it is unknown whether the step holds, the row says so in place of a bar.
func (a *author) rung(step figure.Step, within func(results.Kind) bool, full float64) []any {
	figures, from := a.wholeStep(step)
	offered, served := settledRates(step, figures)
	// Bars are marked at the limit of the only partition, or of the account if that is lower.
	mark, limits := 0.0, a.Manifest.Targets
	switch {
	case limits.Account > 0 && (limits.Partition == 0 || limits.Account < limits.Partition) && a.Manifest.Accounts < 2:
		mark = float64(limits.Account)
	case a.Manifest.PartitionKey != "":
		mark = float64(limits.Partition)
	}
	var bar any = "not run to its end"
	switch {
	case step.IsSettled() && a.toneOf(step) == document.Doubtful:
		bar = "cannot tell"
		if told, _ := a.summaryOf(step); told.ClientLimited {
			bar = "generator late"
			if a.Summary.UserBound != "" {
				bar = "all workers busy"
			}
		}
	case step.IsSettled() && figures.Offered > 0:
		solid := max(0, min(figures.Served, figures.Offered))
		bar = &document.Bar{Solid: solid, Hollow: figures.Offered - solid, Mark: mark, Full: full}
	case step.IsSettled():
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
	t := a.newTable("operations-short")
	all := a.Counts(results.Reported)
	var counted []int64
	for _, name := range a.kinds() {
		of := func(kind results.Kind) bool { return kind.Name == name }
		sum := a.Total(func(p *results.Phase, kind results.Kind) bool { return p.Reported && of(kind) })
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
	t := a.newTable("times-short")
	row := func(name string, q results.Quantiles, member, says string) {
		if q.P50 != nil || q.Max != nil {
			t.Add(a.inSummary(member), name, q.P50, q.P90, q.P99, q.P999, q.Max, says)
		}
	}
	row("response", a.Summary.Response, "response_us", "with waits and retries")
	if a.Capture == nil {
		row("one attempt", a.Summary.Service, "service_us", "that succeeded")
	}
	return t
}

// requestCounts are the counts of the reported phases, of a run that was killed those of its whole seconds.
type requestCounts struct {
	results.Counts
	Billed int64
	// Known reports whether there are any.
	Known bool
}

// Requests are the counts that the first screen shows.
func (a *author) Requests() requestCounts {
	r, s := requestCounts{Counts: a.Counts(results.Reported).Counts, Known: true}, a.Summary
	causes := r.Causes.Frequent()
	if s.Killed != nil {
		r.Attempts, r.Throttled, r.Failed, r.Known = s.Attempts, s.Throttled, s.Failed, s.Killed.Seconds > 0
		causes = s.Causes
	}
	r.Billed = a.transactions(r.Attempts-r.Throttled-r.Kept, causes)
	return r
}

// DueOperations is the number of operations due in the reported phases, of captured traffic of those that were seen.
func (a *author) DueOperations() int64 {
	all := a.Counts(results.Reported)
	if a.Capture != nil {
		return all.Operations
	}
	return all.Scheduled
}

// Throughput is the rate that was served.
func (a *author) Throughput() figure.Value { return a.taken.Named("throughput") }

// MaxLimitWait is the longest time in microseconds that a rate limit held an attempt back.
func (a *author) MaxLimitWait() *int64 { return results.QuantilesOf(a.LimitWaits).Max }

// State is the state of the run. A lateness of the generator matters to the answer only if the run cannot tell.
func (a *author) State() string {
	state, _ := verdict.State(a.Summary)
	return state
}

// transactions returns the number of billed requests, of those that reached the service and were not throttled. A
// record of captured traffic has its own count.
func (a *author) transactions(met int64, causes results.Causes) int64 {
	if seen := a.Capture; seen != nil && seen.Billed > 0 {
		return seen.Billed
	}
	// A finished record knows which injected faults reached the service.
	known := a.Summary.Killed == nil && a.Capture == nil
	sum := int64(0)
	for _, one := range causes {
		if one.Class == results.Failed && one.Status == 0 && !(known && one.Injected) {
			sum += one.Attempts
		}
	}
	return met - sum
}

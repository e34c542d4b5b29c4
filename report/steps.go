package report

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// closedLoop stands for the rate of clients that wait for their replies.
const closedLoop = "closed"

// steps shows the steps with all of their operations together, offered against served, and against the partition's
// target if the load goes to one partition; of a search, the rates that it tried.
func (a *author) steps() {
	if l := a.record.Limit; l != nil {
		asked := fmt.Sprintf("at most %s of the first attempts throttled", document.FineShare(l.MaxThrottled))
		if l.MaxP99 != nil {
			asked += fmt.Sprintf(", a response p99 of at most %s", document.Micros(*l.MaxP99))
		}
		a.table("Rates tried: "+asked, a.rates(l))
		return
	}
	steps := figure.Shown(a.record)
	if len(steps) == 0 {
		return
	}
	target := float64(a.record.Manifest.Targets.Partition)
	against := target > 0 && a.record.Manifest.PartitionKey != ""
	heading := "All operations by step"
	if against {
		heading += fmt.Sprintf(", against the partition's target of %s entities/s", document.Count(a.record.Manifest.Targets.Partition))
	}
	t := document.NewTable("steps-all", a.caption("Each step, with all of its operations"),
		append(loadColumns(), "of target|part|at=served_entities_per_second|optional", "phase|named|optional")...)
	named := repeats(steps)
	for _, step := range steps {
		figures, from := a.wholeStep(step)
		var ofTarget document.Ratio
		if against && step.Settled() {
			ofTarget = document.Ratio{Part: figures.Served, Whole: target}
		}
		name := ""
		if named {
			name = step.Phase.Name
		}
		t.Add(from, a.loadOf(step, figures), figures.AttemptsPerOperation, ofTarget, name)
	}
	t = t.WithoutEmpty()
	legend := "step: operations/s; offered, served: entities/s due and succeeded in its last half; lost, settled: of the operations due in it; " +
		"throttled: attempts/s; tries/op: attempts to an operation"
	if slices.ContainsFunc(steps, figure.Step.Closed) {
		legend += "; " + closedLoop + ": clients that wait for each reply, over the whole of the phase"
	}
	if slices.ContainsFunc(steps, func(s figure.Step) bool { return !s.Settled() }) {
		legend += "; " + document.Untold + ": the run ended before the last half of the step"
	}
	t.Notes = []string{legend}
	a.section("steps", heading)
	a.Append(t)
	if different(figure.Steps(a.record)) {
		a.chart("steps", "Offered and served rates by step: the served line bends at saturation.")
	}
}

// repeats reports whether steps have the same rate, so that only their names differ.
func repeats(steps []figure.Step) bool {
	for i, step := range steps {
		if slices.ContainsFunc(steps[:i], func(other figure.Step) bool { return other.Phase.Rate == step.Phase.Rate }) {
			return true
		}
	}
	return false
}

// different reports whether steps have several rates, over which a chart can be drawn.
func different(steps []figure.Step) bool {
	return slices.ContainsFunc(steps, func(s figure.Step) bool { return s.Phase.Rate != steps[0].Phase.Rate })
}

// loadColumns are the columns of [author.loadOf], and the attempts per operation.
func loadColumns() []string {
	return []string{"step|unit=operations/s|rate", "offered|rate|unit=entities/s|at=offered_entities_per_second", "served|rate|unit=entities/s|at=served_entities_per_second",
		"throttled|rate|unit=attempts/s|at=throttled_per_second", "lost, settled|share|at=share_lost_settled", "tries/op|tries"}
}

// wholeStep returns the counts of all operations of a step, and where run.json has them.
func (a *author) wholeStep(step figure.Step) (results.PhaseOperationSummary, document.Pointer) {
	figures := a.taken.Step(step, nil)
	told, from := a.summaryOf(step)
	if told != nil {
		figures.Offered, figures.Served = told.Offered, told.Served
		figures.ThrottledPerSecond, figures.ShareLostSettled = told.ThrottledPerSecond, told.ShareLostSettled
	}
	return figures, from
}

// groups shows a table for each group of the manifest, in its order.
func (a *author) groups() {
	steps, told := figure.Shown(a.record), false
	for i, group := range groups(a.record.Manifest.Operations) {
		within := func(kind results.Kind) bool { return kind.Group == group }
		t := document.NewTable(fmt.Sprintf("steps-%d", i+1), a.caption("Each step, with the operations of "+group),
			slices.Concat(loadColumns(), timeColumns("response", quantiles()...), timeColumns("service", quantiles()...))...)
		var kinds []string
		for _, kind := range a.record.Manifest.Operations {
			if within(kind) {
				kinds = append(kinds, kind.Name)
			}
		}
		scheduled := int64(0)
		for _, step := range steps {
			scheduled += step.Sum(within).Scheduled
			figures, from := a.taken.Step(step, within), document.Pointer("")
			if whole, where := a.summaryOf(step); whole != nil && len(kinds) == 1 {
				if one, some := whole.PerOperation[kinds[0]]; some {
					figures, from = one, where.Below("per_operation", kinds[0])
				}
			}
			tries := document.Sourced{Value: figures.AttemptsPerOperation, At: from.Below("tries_per_operation")}
			t.Add(from, a.loadOf(step, figures), tries, from.Below("response_us"), quantilesOf(figures.Response), from.Below("service_us"), quantilesOf(figures.Service))
		}
		// A group without operations in a step has no table.
		if scheduled > 0 {
			a.table(fmt.Sprintf("%s by step (%s)", group, strings.Join(kinds, ", ")), t)
			told = true
		}
	}
	if !told {
		return
	}
	a.line(timesLegend)
	// A step that was sent late can still hold.
	var late []string
	for _, step := range steps {
		if told, _ := a.summaryOf(step); told != nil && told.ClientLimited {
			late = append(late, step.Phase.Name)
		}
	}
	if len(late) > 0 {
		a.line(fmt.Sprintf("late: in %s the generator sent more than %s of the operations over %d ms late, or some never: "+
			"that wait is part of the response times there",
			strings.Join(late, ", "), document.Share(results.MostLate), results.LateAfter.Milliseconds()))
	}
}

// timesLegend explains the times of operations.
const timesLegend = "response: ms of successes, from due to the end of the last attempt; " +
	"service: ms of one ok attempt; " + document.Untold + ": fewer than ten longer durations"

// groups returns the groups that the kinds of operation are shown in.
func groups(kinds []results.Kind) []string {
	var names []string
	for _, kind := range kinds {
		if kind.Group != "" && !slices.Contains(names, kind.Group) {
			names = append(names, kind.Group)
		}
	}
	return names
}

// loadOf returns a step's offered rate and its outcome.
func (a *author) loadOf(step figure.Step, figures results.PhaseOperationSummary) []any {
	var rate any = closedLoop
	if !step.Closed() {
		rate = document.Sourced{Value: step.Phase.Rate, At: a.placeOf(step).Below("rate")}
	}
	offered, served := settled(step, figures)
	return []any{rate, offered, served, figures.ThrottledPerSecond, figures.ShareLostSettled}
}

// settled returns what was offered and served in the last half of a step, nil if the run ended before.
func settled(step figure.Step, figures results.PhaseOperationSummary) (offered, served *float64) {
	if !step.Settled() {
		return nil, nil
	}
	return &figures.Offered, &figures.Served
}

// rates shows the steps of a search for the highest rate, in the order in which they were tried.
func (a *author) rates(l *results.Limit) document.Table {
	t := document.NewTable("rates-tried", a.caption("Rates in the order of the search"), "step", "rate|rate|unit=operations/s|at=operations_per_second",
		"entities/s|rate|at=offered_entities_per_second|spare=3", "length|at=length_s|spare=2", "throttled|fineshare|at=throttled_share",
		"failed|fineshare|at=failed_share|spare=1", "p99|millis|unit=ms|at=response_p99_us", "entities|at=entities_counted|spare=4", "outcome|named")
	for i := range l.Steps {
		step := &l.Steps[i]
		t.Add(i+1, document.PointerTo("limit", "steps", i), step.Rate, step.Offered, document.Plainly(step.Seconds)+" s", step.ThrottledShare, step.FailedShare,
			step.P99, step.Entities, step.Outcome)
	}
	t.Notes = []string{"rate: operations/s; entities/s: due; throttled and failed: of the first attempts; " +
		"p99: of the response times of successes; entities: counted by all attempts of the step"}
	return t
}

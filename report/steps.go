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
	if l := a.Limit; l != nil {
		a.table(a.rates(l))
		return
	}
	steps := figure.ShownSteps(a.Record)
	if len(steps) == 0 {
		return
	}
	t := a.newTable("steps-all")
	named := repeats(steps)
	for _, step := range steps {
		figures, from := a.wholeStep(step)
		var ofTarget document.Ratio
		if a.AimsAtTarget() && step.IsSettled() {
			ofTarget = document.Ratio{Part: figures.Served, Whole: float64(a.Manifest.Targets.Partition)}
		}
		name := ""
		if named {
			name = step.Phase.Name
		}
		t.Add(from, a.loadOf(step, figures), figures.AttemptsPerOperation, ofTarget, name)
	}
	a.section("steps")
	a.Append(t.WithoutEmpty())
	if different(figure.Steps(a.Record)) {
		a.chart("steps")
	}
}

// AimsAtTarget reports whether all load goes to one partition with a known target.
func (a *author) AimsAtTarget() bool {
	return a.Manifest.Targets.Partition > 0 && a.Manifest.PartitionKey != ""
}

// SomeClosed reports whether a step is a closed loop, SomeUnsettled whether the run ended before the last half of one.
func (a *author) SomeClosed() bool {
	return slices.ContainsFunc(figure.ShownSteps(a.Record), figure.Step.Closed)
}

// SomeUnsettled is described with SomeClosed.
func (a *author) SomeUnsettled() bool {
	return slices.ContainsFunc(figure.ShownSteps(a.Record), func(s figure.Step) bool { return !s.IsSettled() })
}

// repeats reports whether steps have the same rate, so that only their names differ.
func repeats(steps []figure.Step) bool {
	rates := make(map[float64]bool)
	for _, step := range steps {
		rates[step.Phase.Rate] = true
	}
	return len(rates) < len(steps)
}

// different reports whether steps have several rates, over which a chart can be drawn.
func different(steps []figure.Step) bool {
	return slices.ContainsFunc(steps, func(s figure.Step) bool { return s.Phase.Rate != steps[0].Phase.Rate })
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

// stepsByGroup shows a table for each group of the manifest, in its order.
func (a *author) stepsByGroup() {
	steps, told := figure.ShownSteps(a.Record), false
	for i, group := range a.groups() {
		within := func(kind results.Kind) bool { return kind.Group == group }
		t := a.newTable("steps-group")
		t.ID, t.Caption = fmt.Sprintf("steps-%d", i+1), document.Fill(t.Caption, group)
		var kinds []string
		for _, kind := range a.Manifest.Operations {
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
			a.Add(t.ID, fmt.Sprintf("%s by step (%s)", group, strings.Join(kinds, ", ")), t)
			told = true
		}
	}
	if told {
		a.lines("lines of groups")
	}
}

// LateSteps names the steps that were sent late; such a step can still hold. MaxLateShare is the share from which they count so.
func (a *author) LateSteps() string {
	late := ""
	for _, step := range figure.ShownSteps(a.Record) {
		if told, _ := a.summaryOf(step); told != nil && told.ClientLimited {
			late = document.Join(", ", late, step.Phase.Name)
		}
	}
	return late
}

// MaxLateShare is described with LateSteps.
func (a *author) MaxLateShare() float64 { return results.MaxLateShare }

// loadOf returns a step's offered rate and its outcome.
func (a *author) loadOf(step figure.Step, figures results.PhaseOperationSummary) []any {
	var rate any = closedLoop
	if !step.Closed() {
		rate = document.Sourced{Value: step.Phase.Rate, At: a.placeOf(step).Below("rate")}
	}
	offered, served := settledRates(step, figures)
	return []any{rate, offered, served, figures.ThrottledPerSecond, figures.ShareLostSettled}
}

// settledRates returns what was offered and served in the last half of a step, nil if the run ended before.
func settledRates(step figure.Step, figures results.PhaseOperationSummary) (offered, served *float64) {
	if !step.IsSettled() {
		return nil, nil
	}
	return &figures.Offered, &figures.Served
}

// rates shows the steps of a search for the highest rate, in the order in which they were tried.
func (a *author) rates(l *results.Limit) document.Table {
	t := a.newTable("rates-tried")
	for i := range l.Steps {
		step := &l.Steps[i]
		t.Add(i+1, document.PointerTo("limit", "steps", i), step.Rate, step.Offered, document.Plainly(step.Seconds)+" s", step.ThrottledShare, step.FailedShare,
			step.P99, step.Entities, step.Outcome)
	}
	return t
}

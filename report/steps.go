package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// closedLoop stands for the rate of clients that wait for their replies.
const closedLoop = "closed"

// steps shows the steps with all of their operations together, offered against
// served, and against the partition's target where the load is aimed at one partition;
// of a search, those that it tried.
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
	t := document.Table{ID: "steps-all", Columns: loadColumns()}
	heading := "All operations by step"
	if against {
		heading += fmt.Sprintf(", against the partition's target of %s entities/s", document.Count(a.record.Manifest.Targets.Partition))
		t.Columns = append(t.Columns, document.Column{Title: "of target"})
	}
	named := repeats(steps)
	if named {
		t.Columns = append(t.Columns, document.Column{Title: "phase", Words: true})
	}
	t.Caption = a.caption("Each step, with all of its operations")
	for _, step := range steps {
		figures, from := a.wholeStep(step)
		row := a.loadCells(step, figures, from)
		switch {
		case against && step.Settled():
			row = append(row, ofCell(figures.Served, target, below(from, "served_entities_per_second"), 1))
		case against:
			row = append(row, sourced(untold, "", 0))
		}
		if named {
			row = append(row, wordsCell(step.Phase.Name))
		}
		t.Rows = append(t.Rows, row)
	}
	legend := "step: operations/s; offered: entities/s due in the last half of the step; served: those that succeeded in it; lost, settled: of the operations due in it; " +
		"throttled: attempts/s; tries/op: attempts to an operation"
	if slices.ContainsFunc(steps, figure.Step.Closed) {
		legend += "; " + closedLoop + ": clients that wait for each reply, over the whole of the phase"
	}
	if slices.ContainsFunc(steps, func(s figure.Step) bool { return !s.Settled() }) {
		legend += "; " + untold + ": the run ended before the last half of the step"
	}
	t.Notes = []string{legend}
	a.section("steps", heading)
	a.add(t)
	if different(figure.Steps(a.record)) {
		a.chart("steps", "What each step offered, and what of it was served: the line of what is served bends where the load saturates.")
	}
}

// repeats reports whether steps are of the same rate, so that only their names tell them
// apart.
func repeats(steps []figure.Step) bool {
	for i, step := range steps {
		if slices.ContainsFunc(steps[:i], func(other figure.Step) bool { return other.Phase.Rate == step.Phase.Rate }) {
			return true
		}
	}
	return false
}

// different reports whether steps are of several rates, over which a chart can be drawn.
func different(steps []figure.Step) bool {
	return slices.ContainsFunc(steps, func(s figure.Step) bool { return s.Phase.Rate != steps[0].Phase.Rate })
}

func loadColumns() []document.Column {
	return []document.Column{{Title: "step", Unit: "operations/s"}, {Title: "offered", Unit: "entities/s"}, {Title: "served", Unit: "entities/s"},
		{Title: "throttled", Unit: "attempts/s"}, {Title: "lost, settled"}, {Title: "tries/op"}}
}

// wholeStep returns what all operations of a step came to, and where run.json has it.
func (a *author) wholeStep(step figure.Step) (results.PhaseOperationSummary, string) {
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
		t := document.Table{ID: fmt.Sprintf("steps-%d", i+1), Caption: a.caption("Each step, with the operations of " + group),
			Columns: slices.Concat(loadColumns(), timeColumns("response", "p50", "p90", "p99", "max"), timeColumns("service", "p50", "p90", "p99", "max"))}
		var kinds []string
		for _, kind := range a.record.Manifest.Operations {
			if within(kind) {
				kinds = append(kinds, kind.Name)
			}
		}
		scheduled := int64(0)
		for _, step := range steps {
			scheduled += step.Sum(within).Scheduled
			figures, from := a.taken.Step(step, within), ""
			if whole, where := a.summaryOf(step); whole != nil && len(kinds) == 1 {
				if one, some := whole.PerOperation[kinds[0]]; some {
					figures, from = one, below(where, "per_operation", kinds[0])
				}
			}
			row := a.loadCells(step, figures, from)
			row[len(row)-1] = eachCell(figures.AttemptsPerOperation, below(from, "tries_per_operation"))
			row = append(row, quantileCells(figures.Response, below(from, "response_us"))...)
			t.Rows = append(t.Rows, append(row, quantileCells(figures.Service, below(from, "service_us"))...))
		}
		// A group of which nothing fell into a step has no table.
		if scheduled > 0 {
			a.table(fmt.Sprintf("%s by step (%s)", group, strings.Join(kinds, ", ")), t)
			told = true
		}
	}
	if !told {
		return
	}
	a.line(timesLegend)
	// Whether a step holds that was sent late can be told all the same.
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

// timesLegend says what the times of operations are.
const timesLegend = "response: ms of the operations that succeeded, from the instant at which they were due to the end of their last attempt, waits included; " +
	"service: ms of one ok attempt; " + untold + ": fewer than ten durations lie beyond"

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

// loadCells are a step's offered rate and what became of it, of which run.json has all
// but the attempts to an operation at one place.
func (a *author) loadCells(step figure.Step, figures results.PhaseOperationSummary, from string) []document.Cell {
	rate := document.Cell{Text: closedLoop}
	if !step.Closed() {
		rate = rateCell(step.Phase.Rate, pointer("phases", a.phaseOf(step), "rate"))
	}
	offered, served := sourced(untold, "", 0), sourced(untold, "", 0)
	if step.Settled() {
		offered, served = rateCell(figures.Offered, below(from, "offered_entities_per_second")), rateCell(figures.Served, below(from, "served_entities_per_second"))
	}
	return []document.Cell{rate, offered, served, rateCell(figures.ThrottledPerSecond, below(from, "throttled_per_second")),
		shareCell(figures.ShareLostSettled, below(from, "share_lost_settled")), eachCell(figures.AttemptsPerOperation, "")}
}

func quantileCells(q results.Quantiles, from string) []document.Cell {
	return []document.Cell{millisCell(q.P50, below(from, "p50")), millisCell(q.P90, below(from, "p90")),
		millisCell(q.P99, below(from, "p99")), millisCell(q.Max, below(from, "max"))}
}

// rates shows the steps of a search for the highest rate, in the order in which they were tried.
func (a *author) rates(l *results.Limit) document.Table {
	t := document.Table{ID: "rates-tried", Caption: a.caption("Each rate, in the order in which they were tried"), Columns: []document.Column{{Title: "step"},
		{Title: "rate", Unit: "operations/s"}, {Title: "entities/s", Spare: 3}, {Title: "length", Spare: 2}, {Title: "throttled"}, {Title: "failed", Spare: 1},
		{Title: "p99", Unit: "ms"}, {Title: "entities", Spare: 4}, {Title: "outcome", Words: true}}}
	for i := range l.Steps {
		step, from := &l.Steps[i], pointer("limit", "steps", i)
		t.Rows = append(t.Rows, []document.Cell{{Text: strconv.Itoa(i + 1)}, rateCell(step.Rate, below(from, "operations_per_second")),
			rateCell(step.Offered, below(from, "offered_entities_per_second")),
			sourced(document.Plainly(step.Seconds)+" s", below(from, "length_s"), 0),
			percentCell(step.ThrottledShare, below(from, "throttled_share")), percentCell(step.FailedShare, below(from, "failed_share")),
			millisCell(step.P99, below(from, "response_p99_us")), countCell(step.Entities, below(from, "entities_counted")), wordsCell(step.Outcome)})
	}
	t.Notes = []string{"rate: operations/s; entities/s: due; throttled and failed: of the first attempts; " +
		"p99: of the response times of successes; entities: counted by all attempts of the step"}
	return t
}

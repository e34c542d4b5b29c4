package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/verdict"
	"loadgen/results"
)

// untold stands where a quantile rests on too few durations, or where there is
// nothing to divide by.
const untold = "–"

// closedLoop stands for the rate of clients that wait for their replies.
const closedLoop = "closed"

// stepsOf shows the steps with all of their operations together, against the
// partition's target where the load is aimed at one partition; of a search, those
// that it tried.
func stepsOf(p *page, record *results.Record) {
	if record.Limit != nil {
		limitOf(p, record.Limit)
		return
	}
	steps := verdict.Shown(record)
	if len(steps) == 0 {
		return
	}
	target := record.Manifest.Targets.Partition
	against := target > 0 && record.Manifest.PartitionKey != ""
	t := &table{headings: []string{"step", "offered", "served", "refused", "lost", "att/op"}}
	heading := "All operations by step"
	if against {
		heading += fmt.Sprintf(", against the partition's target of %s entities/s", verdict.Count(target))
		t.headings = append(t.headings, "of target")
	}
	for _, step := range steps {
		figures := step.Figures(nil)
		row := loadCells(step, figures)
		if against {
			row = append(row, strconv.FormatFloat(100*figures.Served/float64(target), 'f', 1, 64)+" %")
		}
		t.rows = append(t.rows, row)
	}
	p.heading(heading)
	t.onto(p)
	legend := "step: operations/s; offered, served and lost: entities/s due in the last half of the step; " +
		"refused: attempts/s; att/op: attempts to an operation"
	if slices.ContainsFunc(steps, verdict.Step.Closed) {
		legend += "; " + closedLoop + ": clients that wait for each reply, over the whole of the phase"
	}
	p.line(legend)
}

// groupsOf shows a table for each group of the manifest, in its order.
func groupsOf(p *page, record *results.Record) {
	steps := verdict.Shown(record)
	shown := false
	for _, group := range groups(record.Manifest.Operations) {
		if groupOf(p, record, steps, group) {
			shown = true
		}
	}
	if shown {
		p.line("response: ms of the operations that succeeded, from the instant at which they were due to the end of their last attempt, waits included; " +
			"service: ms of one ok attempt; " + untold + ": fewer than ten durations lie beyond")
	}
}

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

// groupOf shows the table of a group, and returns false where none of its
// operations fell into a step.
func groupOf(p *page, record *results.Record, steps []verdict.Step, group string) bool {
	within := func(kind results.Kind) bool { return kind.Group == group }
	t := &table{
		titles: []title{{6, 4, "response, ms"}, {10, 4, "service, ms"}},
		headings: []string{"step", "offered", "served", "refused", "lost", "att/op",
			"p50", "p90", "p99", "max", "p50", "p90", "p99", "max"},
	}
	scheduled := int64(0)
	for _, step := range steps {
		sum := step.Sum(within)
		scheduled += sum.Scheduled
		figures := step.Figures(within)
		row := loadCells(step, figures)
		row = append(row, quantileCells(figures.Response)...)
		t.rows = append(t.rows, append(row, quantileCells(figures.Service)...))
	}
	if scheduled == 0 {
		return false
	}
	var kinds []string
	for _, kind := range record.Manifest.Operations {
		if within(kind) {
			kinds = append(kinds, kind.Name)
		}
	}
	p.heading(fmt.Sprintf("%s by step (%s)", group, strings.Join(kinds, ", ")))
	t.onto(p)
	return true
}

// loadCells are a step's offered rate and what became of it.
func loadCells(step verdict.Step, figures results.PhaseOperationSummary) []string {
	lost, attempts := untold, untold
	if figures.ShareLost != nil {
		lost = verdict.Share(*figures.ShareLost)
	}
	if figures.AttemptsPerOperation != nil {
		attempts = strconv.FormatFloat(min(999, *figures.AttemptsPerOperation), 'f', 2, 64)
	}
	rate := verdict.Rate(step.Phase.Rate)
	if step.Closed() {
		rate = closedLoop
	}
	return []string{rate, verdict.Rate(figures.Offered), verdict.Rate(figures.Served),
		verdict.Rate(figures.RefusedPerSecond), lost, attempts}
}

func quantileCells(q results.Quantiles) []string {
	return []string{millis(q.P50), millis(q.P90), millis(q.P99), millis(q.Max)}
}

// millis returns microseconds in milliseconds, to the figures that a histogram
// tells apart; durations of 100 s and more are in seconds and say so.
func millis(micros *int64) string {
	if micros == nil {
		return untold
	}
	for _, scale := range []struct {
		below, per int64
		decimals   int
	}{{1_000, 1, 3}, {10_000, 10, 2}, {1_000_000, 100, 1}} {
		// Rounded first, so that 999.96 is not shown as 1000.0.
		if rounded := (*micros + scale.per/2) / scale.per * scale.per; rounded < scale.below {
			return strconv.FormatFloat(float64(rounded)/1000, 'f', scale.decimals, 64)
		}
	}
	if rounded := (*micros + 500) / 1000; rounded < 100_000 {
		return verdict.Count(rounded)
	}
	return strconv.FormatInt(*micros/1_000_000, 10) + " s"
}

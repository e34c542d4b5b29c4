package chart

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"loadgen/report/document"
	"loadgen/results"
	figures "loadgen/results/figure"
)

//go:embed words.tmpl
var wordTable string

// narrative is the table of the titles and sentences of charts, parsed when it is first needed.
var narrative = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(wordTable) })

// joinPhrases returns the phrases of a place in a line.
func joinPhrases(place, separator string, evidence any) string {
	return strings.Join(narrative().Phrases(evidence, place), separator)
}

// partSeparator separates the parts of a subtitle, which names the run. An invalid run says so first, where no
// shortening removes it.
const partSeparator = "  ·  "

// evidence is what the words of a chart of a record are about. A title is written only if the record has its chart.
type evidence struct{ *results.Record }

// Clean returns a name of the record, and CleanKey a key.
func (evidence) Clean(name string) string { return clean(name, maxName) }

// CleanKey returns a key of the record.
func (evidence) CleanKey(key string) string { return clean(key, maxKey) }

// Sums are those of the reported phases.
func (e evidence) Sums() results.KindStats { return e.Total(results.Reported) }

// P99 returns the p99 of the response time in a step.
func (evidence) P99(step figures.Step) *int64 { return step.Sum(nil).Response.Percentile(.99) }

// Figure returns a figure of the record, nil if it is unknown.
func (e evidence) Figure(name string) *float64 {
	return figures.NewFigures(e.Record).Named(name).Pointer()
}

// Throttle returns the sum of the seconds of the reported phases. It begins with the first throttled attempt, or with
// the load if there is none.
func (e evidence) Throttle() *throttleBar {
	list, _ := throttleBars(e.Record)
	sum := throttleBar{From: list[max(0, slices.IndexFunc(list, func(b throttleBar) bool { return b.Throttled > 0 }))].From}
	for _, b := range list {
		sum.Seconds += b.Seconds
		sum.Add(&b.Counts)
	}
	return &sum
}

// TopStep returns the step with the highest offered load.
func (e evidence) TopStep() loadStep {
	return slices.MaxFunc(loadSteps(e.Record), func(a, b loadStep) int { return cmp.Compare(a.Offered, b.Offered) })
}

// Loads returns the steps with a known p99, the lowest load first.
func (e evidence) Loads() []figures.Step {
	steps := slices.DeleteFunc(figures.Reported(e.Record), func(step figures.Step) bool { return e.P99(step) == nil })
	slices.SortStableFunc(steps, func(a, b figures.Step) int { return cmp.Compare(a.Phase.Rate, b.Phase.Rate) })
	return steps
}

// Curves are those of the operations, the most frequent first, which has a p99 if any has.
func (e evidence) Curves() []operationCurve { return operationCurves(e.Record) }

// Kinds are the sums of the kinds of operation.
func (e evidence) Kinds() []kindSum { return reportedKinds(e.Record) }

// hotPartition is the partition with the highest load.
type hotPartition struct {
	Key string
	// Share is that of the load, Rate the maximum of entities served per second.
	Share, Rate float64
	Throttled   bool
}

// Hottest returns the partition with the highest load, nil if no partition has a row.
func (e evidence) Hottest() *hotPartition {
	g, _ := reportedGrid(e.Record)
	at := hottest(g.Rows)
	if at < 0 {
		return nil
	}
	row := &g.Rows[at]
	own := row.Sum()
	return &hotPartition{clean(row.Key, 40), float64(own.Served) / float64(max(g.Totals().Served, 1)), g.maxServed(*row), own.Throttled > 0}
}

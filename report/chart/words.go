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

// evidence is what the words of a chart of a record are about.
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

// Throttle returns the sum of the seconds of the reported phases, nil if there are none. It begins with the first
// throttled attempt, or with the load if there is none.
func (e evidence) Throttle() *throttleBar {
	list, _ := throttleBars(e.Record)
	if len(list) == 0 {
		return nil
	}
	sum := throttleBar{From: list[max(0, slices.IndexFunc(list, func(b throttleBar) bool { return b.Throttled > 0 }))].From}
	for _, b := range list {
		sum.Seconds += b.Seconds
		sum.Add(&b.Counts)
	}
	return &sum
}

// TopStep returns the step with the highest offered load, nil if there is none.
func (e evidence) TopStep() *loadStep {
	list := loadSteps(e.Record)
	if len(list) == 0 {
		return nil
	}
	top := slices.MaxFunc(list, func(a, b loadStep) int { return cmp.Compare(a.Offered, b.Offered) })
	return &top
}

// Loads returns the steps with a known p99, the lowest load first.
func (e evidence) Loads() []figures.Step {
	steps := slices.DeleteFunc(figures.Reported(e.Record), func(step figures.Step) bool { return e.P99(step) == nil })
	slices.SortStableFunc(steps, func(a, b figures.Step) int { return cmp.Compare(a.Phase.Rate, b.Phase.Rate) })
	return steps
}

// P99s returns the p99 of the response time of up to three operations, with their names.
func (e evidence) P99s() []string {
	const maxNamed = 3
	var list []string
	for _, c := range operationCurves(e.Record) {
		if c.P99 != nil && len(list) < maxNamed {
			list = append(list, document.Micros(*c.P99)+" ("+e.Clean(c.Name)+")")
		}
	}
	return list
}

// Attempts returns the operations with their number of attempts for each operation.
func (e evidence) Attempts() []string {
	var list []string
	for k, sum := range reportedKinds(e.Record) {
		if sum.Operations > 0 {
			each := document.Figures(float64(sum.Attempts) / float64(sum.Operations))
			list = append(list, e.Clean(e.Manifest.Operations[k].Name)+" "+each)
		}
	}
	return list
}

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

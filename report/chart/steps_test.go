package chart_test

import (
	"math"
	"testing"
	"time"

	"loadgen/report/chart"
	"loadgen/results"
)

// A step has a rate and a length; what is lost is counted in operations of its last half,
// whatever entities were served.
func TestStepsAndWhatTheyLose(t *testing.T) {
	half := results.Cohort{Counts: results.Counts{Scheduled: 5, Succeeded: 4, Offered: 5, Served: 5}}
	for _, row := range []struct {
		name   string
		change func(*results.Phase)
		steps  int
		lost   float64
		told   bool
	}{
		{"a reported step with a rate is one", func(*results.Phase) {}, 1, .2, true},
		{"where all succeeded nothing is lost, though less was served",
			func(p *results.Phase) {
				p.Kinds[0].LastHalf = results.Cohort{Counts: results.Counts{Scheduled: 5, Succeeded: 5, Offered: 5, Served: 1}}
			}, 1, 0, true},
		{"nothing due tells nothing", func(p *results.Phase) { p.Kinds[0].LastHalf = results.Cohort{} }, 1, 0, false},
		{"a phase that is not reported is none", func(p *results.Phase) { p.Reported = false }, 0, 0, false},
		{"a closed loop has no rate", func(p *results.Phase) { p.Rate = 0 }, 0, 0, false},
		{"a rate that is no number is none", func(p *results.Phase) { p.Rate = math.NaN() }, 0, 0, false},
		{"a phase without a length has no rates", func(p *results.Phase) { p.End = p.Begin }, 0, 0, false},
		{"a phase that ends before it begins has none", func(p *results.Phase) { p.Begin = time.Hour }, 0, 0, false},
	} {
		phase := results.Phase{Name: "step", End: time.Second, Rate: 10, Reported: true,
			Kinds: []results.KindStats{{Counts: results.Counts{Scheduled: 10, Succeeded: 8}, LastHalf: half}}}
		row.change(&phase)
		steps := chart.Steps(&results.Record{Manifest: results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}},
			Phases: []results.Phase{phase}})
		if len(steps) != row.steps {
			t.Errorf("%s: %d steps; want %d", row.name, len(steps), row.steps)
			continue
		}
		for _, step := range steps {
			if lost, told := step.Lost(); told && step.Offered != 10 || told != row.told || math.Abs(lost-row.lost) > 1e-9 {
				t.Errorf("%s: %+v, lost %v, %t; want 10 offered and %v lost, %t", row.name, step, lost, told, row.lost, row.told)
			}
		}
	}
}

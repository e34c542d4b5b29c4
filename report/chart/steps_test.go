package chart_test

import (
	"math"
	"testing"
	"time"

	"loadgen/report/chart"
	"loadgen/results"
)

func TestStepsAreTheLastHalvesOfTheReportedPhases(t *testing.T) {
	record := stress()
	steps := chart.Steps(record)
	if len(steps) != 8 {
		t.Fatalf("%d steps; want 8, without the load and the hold", len(steps))
	}
	for i, s := range steps {
		// The operations of half a second may be one too many or too few.
		if want := 500 * float64(i+1); s.Rate != want || math.Abs(s.Offered-want) > 2 {
			t.Errorf("step %d: rate %v, offered %v; want %v", i, s.Rate, s.Offered, want)
		}
		lost, offered := s.Lost()
		if !offered || i < 4 && lost != 0 || i >= 4 && lost < 0.1 {
			t.Errorf("step %d: lost %v; want 0 up to 2,000/s and more beyond", i, lost)
		}
	}
}

func TestStepsLeaveOutWhatHasNoRateToShow(t *testing.T) {
	second := results.Phase{Name: "step", End: time.Second, Rate: 10, Reported: true,
		Kinds: []results.KindStats{{Scheduled: 10, Succeeded: 8, LastHalf: results.Cohort{Due: 5, Succeeded: 4, Offered: 5, Served: 4}}}}
	for _, row := range []struct {
		name   string
		change func(*results.Phase)
		want   int
	}{
		{"a reported step with a rate is one", func(*results.Phase) {}, 1},
		{"a phase that is not reported is none", func(p *results.Phase) { p.Reported = false }, 0},
		{"a closed loop has no rate", func(p *results.Phase) { p.Rate = 0 }, 0},
		{"a rate that is no number is none", func(p *results.Phase) { p.Rate = math.NaN() }, 0},
		{"a phase without a length has no rates", func(p *results.Phase) { p.End = p.Begin }, 0},
		{"a phase that ends before it begins has none", func(p *results.Phase) { p.Begin = time.Hour }, 0},
	} {
		phase := second
		row.change(&phase)
		steps := chart.Steps(&results.Record{Manifest: results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}},
			Phases: []results.Phase{phase}})
		if len(steps) != row.want {
			t.Errorf("%s: %d steps; want %d", row.name, len(steps), row.want)
			continue
		}
		if row.want == 0 {
			continue
		}
		if lost, told := steps[0].Lost(); steps[0].Offered != 10 || steps[0].Served != 8 || !told || math.Abs(lost-0.2) > 1e-9 {
			t.Errorf("%s: %+v; want 10 offered, 8 served and a fifth lost", row.name, steps[0])
		}
	}
}

// What is lost is counted in operations of the last half, whatever entities were served.
func TestLost(t *testing.T) {
	for _, row := range []struct {
		name string
		half results.Cohort
		lost float64
		told bool
	}{
		{"half that succeeded is half lost", results.Cohort{Due: 100, Succeeded: 50, Offered: 100, Served: 90}, 0.5, true},
		{"where all succeeded nothing is lost, though less was served", results.Cohort{Due: 100, Succeeded: 100, Offered: 100, Served: 50}, 0, true},
		{"nothing due tells nothing", results.Cohort{Offered: 100}, 0, false},
	} {
		steps := chart.Steps(&results.Record{Manifest: results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}},
			Phases: []results.Phase{{Name: "step", End: time.Second, Rate: 10, Reported: true, Kinds: []results.KindStats{{LastHalf: row.half}}}}})
		if lost, told := steps[0].Lost(); lost != row.lost || told != row.told {
			t.Errorf("%s: Lost() = %v, %v; want %v, %v", row.name, lost, told, row.lost, row.told)
		}
	}
}

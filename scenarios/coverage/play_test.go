package coverage_test

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// played is what a run came to.
type played struct {
	*results.Record
	figures *figure.Figures
}

// play runs an example of the library on the virtual clock, with other values set as --set
// sets them: "path=value", with what the value is printed from. What the example claims of
// itself is not asked.
func play(t testing.TB, example string, settings ...string) *played {
	t.Helper()
	s, err := scenarios.Builtin(example)
	if err != nil {
		t.Fatal(err)
	}
	return sent(t, s, settings)
}

// playText runs a scenario that is written here, where the library has none whose only
// purpose is this.
func playText(t testing.TB, text string, settings ...string) *played {
	t.Helper()
	s, err := scenarios.Parse("coverage.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return sent(t, s, settings)
}

func sent(t testing.TB, s *scenarios.Scenario, settings []string) *played {
	t.Helper()
	s.Expect, s.AntiPattern = nil, nil
	record, err := run.Run(t.Context(), run.Plan{Scenario: changed(t, s, settings)})
	if err != nil {
		t.Fatal(err)
	}
	return &played{record, figure.Of(record)}
}

// changed returns a scenario with other values set.
func changed(t testing.TB, s *scenarios.Scenario, settings []string) *scenarios.Scenario {
	t.Helper()
	for _, setting := range settings {
		path, value, _ := strings.Cut(setting, "=")
		if err := s.Set(path, value); err != nil {
			t.Fatal(err)
		}
	}
	if faults := s.Validate(); len(faults) > 0 {
		t.Fatalf("%s: %v", s.Name, faults)
	}
	return s
}

// set prints a setting.
func set(path string, value any) string { return path + "=" + fmt.Sprint(value) }

// of returns a figure by its name, as checks name it: "counted(asked)", in percent
// "throttled(asked) %" or a second "…/s".
func (p *played) of(t testing.TB, name string) float64 {
	t.Helper()
	name, percent := strings.CutSuffix(name, " %")
	ref, err := figure.ParseFigure(name)
	if err != nil {
		t.Fatal(err)
	}
	unit := ref.Unit()
	if percent {
		unit = figure.Share
	}
	value, is := p.figures.Look(ref, unit)
	if !is {
		t.Fatalf("%s cannot be told: %s", name, p.figures.In(ref, unit).Why)
	}
	return value
}

// each returns a figure over the number of operations that it is of.
func (p *played) each(t testing.TB, what, operation string) float64 {
	t.Helper()
	return p.of(t, what+"("+operation+")") / p.of(t, "operations("+operation+")")
}

// decided returns when load balancing first did something, in seconds since the run began,
// and how often it did.
func (p *played) decided(what string) (first float64, times int) {
	for _, e := range p.Events {
		if e.What != what {
			continue
		}
		if times++; times == 1 {
			first = clock.Instant(e.At).Offset().Seconds()
		}
	}
	return first, times
}

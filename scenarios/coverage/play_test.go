package coverage_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/run/runtest"
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
	return sent(t, runtest.Builtin(t, example), settings)
}

// fromFile reads a scenario of the folder of this test.
func fromFile(t testing.TB, file string, settings ...string) *scenarios.Scenario {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	return runtest.Parse(t, string(text), settings...)
}

func sent(t testing.TB, s *scenarios.Scenario, settings []string) *played {
	t.Helper()
	s.Expect, s.AntiPattern = nil, nil
	record := runtest.Simulate(t, runtest.Set(t, s, settings...))
	return &played{record.Record, figure.NewFigures(record.Record)}
}

// playing observes a figure of an example with settings in which %v stands for what is varied.
func playing[P any](figure, example string, settings ...string) func(testing.TB, P) float64 {
	return func(t testing.TB, p P) float64 {
		set := make([]string, len(settings))
		for i, one := range settings {
			set[i] = strings.ReplaceAll(one, "%v", fmt.Sprint(p))
		}
		return play(t, example, set...).of(t, figure)
	}
}

// either expects one thing of one value, and another of any other.
func either[P comparable](one P, of, ofOthers band) func(P) band {
	return func(p P) band {
		if p == one {
			return of
		}
		return ofOthers
	}
}

// set prints a setting.
func set(path string, value any) string { return path + "=" + fmt.Sprint(value) }

// of returns a figure by its name, as checks name it: "counted(asked)", in percent
// "throttled(asked) %" or a second "…/s", and over the operations that it is of "counted(asked) each".
func (p *played) of(t testing.TB, name string) float64 {
	t.Helper()
	if whole, over := strings.CutSuffix(name, " each"); over {
		what, operation, _ := strings.Cut(strings.TrimSuffix(whole, ")"), "(")
		return p.each(t, what, operation)
	}
	name, percent := strings.CutSuffix(name, " %")
	ref, err := figure.ParseFigure(name)
	require.NoError(t, err)
	unit := ref.Unit()
	if percent {
		unit = figure.Share
	}
	value, is := p.figures.Look(ref, unit)
	require.Truef(t, is, "%s cannot be told: %s", name, p.figures.ValueIn(ref, unit).Why)
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

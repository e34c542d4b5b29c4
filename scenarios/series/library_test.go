package series

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// What a run leaves behind is large and short-lived: histograms, and what packs them.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// grand are the scenarios of the library that are no lessons but what verbs of their
// own run, to be changed by flags: they have tests of their own.
func grand() []string { return []string{"simulate", "stress"} }

// judged carries a scenario out on the virtual clock and returns what it came to.
func judged(t *testing.T, s *scenarios.Scenario) *results.Summary {
	t.Helper()
	record, err := run.Run(context.Background(), run.Plan{Scenario: s})
	if err != nil {
		t.Fatal(err)
	}
	return record.Summary
}

// Every lesson of the library shows what it claims, and its opposite does not. Patterns do
// so by other seeds, too: see [TestPatterns].
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred and fifty runs")
	}
	for _, name := range scenarios.Library() {
		if slices.Contains(grand(), name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := scenarios.Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Expect) == 0 || s.Opposite == nil {
				t.Fatalf("the scenario expects %d things and has an opposite: %v; want a claim and what it warns of", len(s.Expect), s.Opposite != nil)
			}
			for _, e := range judged(t, s).Expectations {
				if !e.Pass {
					t.Errorf("%s: observed %s; want it to hold", e.Expr, e.Observed)
				}
			}
			opposed, err := s.Opposed()
			if err != nil {
				t.Fatal(err)
			}
			if summary := judged(t, opposed); verdict.Holds(summary) {
				t.Errorf("the opposite, %s, meets every expectation: %v; want one that fails", s.Opposite.About, summary.Expectations)
			}
		})
	}
}

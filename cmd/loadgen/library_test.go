package main

import (
	"context"
	"slices"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
)

// grand are the scenarios of the library that are no lessons but what verbs of their
// own run, to be changed by flags: they have tests of their own.
func grand() []string { return []string{"simulate", "stress"} }

// judged carries a scenario out on the virtual clock and returns what it came to.
func judged(t *testing.T, s *scenarios.Scenario) *results.Summary {
	t.Helper()
	_, summary, err := outcomeOf(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// Every lesson of the library shows what it claims, and its opposite does not.
func TestLibrary(t *testing.T) {
	leftOutWhenShort(t)
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
			if s.Pattern != nil {
				// Patterns are run by several seeds, for their page as well.
				patternHolds(t, name)
				return
			}
			summary := judged(t, s)
			for _, e := range summary.Expectations {
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

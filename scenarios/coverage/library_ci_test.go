//go:build ci

package coverage_test

import (
	"github.com/stretchr/testify/require"

	"fmt"
	"testing"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// examples are those of the library that show something, by their names.
func examples(t *testing.T) map[string]*scenarios.Scenario {
	t.Helper()
	all := make(map[string]*scenarios.Scenario)
	for _, name := range scenarios.Library() {
		s := runtest.Builtin(t, name)
		if s.AntiPattern != nil {
			all[name] = s
		}
	}
	return all
}

// bothWays plays an example by a seed, and its anti-pattern, and returns what is wrong with
// that: a check that does not hold, or one that the anti-pattern promised to fail and did not.
func bothWays(t *testing.T, example *scenarios.Scenario, seed uint64) (faults []string) {
	t.Helper()
	play := func(s *scenarios.Scenario, a *scenarios.AntiPattern) *results.Record {
		record, err := run.Run(t.Context(), run.Plan{Scenario: s, AntiPattern: a})
		require.NoError(t, err)
		return record
	}
	seeded := *example
	seeded.Seed = seed
	for _, e := range play(&seeded, nil).Summary.Checks {
		if !e.Holds() {
			faults = append(faults, fmt.Sprintf("seed %d: %s: observed %s %s; want it to hold", seed, e.Expr, e.Observed, e.Why))
		}
	}
	opposed, err := seeded.Opposed()
	require.NoError(t, err)
	record := play(opposed, example.AntiPattern)
	if promised := verdict.Promise(record, record.Summary); len(promised.Kept) != len(example.AntiPattern.Fails) {
		faults = append(faults, fmt.Sprintf("seed %d: of the anti-pattern %q hold, %q cannot be told; want all that it promises to fail", seed, promised.Broken, promised.Untold))
	}
	return faults
}

// The library is to take so much of a processor, played both ways: 40 s in all, and 5 s for
// each example. Two busy processors take half as much again for the same, so that twice that
// is too much.
const (
	mostOfLibrary = 2 * 40 * time.Second
	mostOfExample = 2 * 5 * time.Second
)

// The library is played both ways in little time, and each example of it.
func TestLibraryTakesLittleTime(t *testing.T) {
	whole := time.Duration(0)
	for name, s := range examples(t) {
		before, told := run.CPU()
		if !told {
			t.Skip("what a process uses of a processor is not told here")
		}
		for _, fault := range bothWays(t, s, s.Seed) {
			t.Errorf("%s: %s", name, fault)
		}
		after, _ := run.CPU()
		if whole += after - before; after-before > mostOfExample {
			t.Errorf("%s takes %v of processor time; want %v at most", name, after-before, mostOfExample)
		}
	}
	if t.Logf("the library both ways takes %v of processor time", whole); whole > mostOfLibrary {
		t.Errorf("want %v at most", mostOfLibrary)
	}
}

//go:build ci

package coverage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// bothWays plays an example, and its anti-pattern: all checks hold of the one, and of the other all
// fail that it promises to.
func bothWays(t *testing.T, example *scenarios.Scenario) {
	t.Helper()
	play := func(s *scenarios.Scenario, a *scenarios.AntiPattern) *results.Record {
		record, err := run.Run(t.Context(), run.Plan{Scenario: s, AntiPattern: a})
		require.NoError(t, err)
		return record
	}
	for _, e := range play(example, nil).Summary.Checks {
		assert.Truef(t, e.Holds(), "%s: %s: observed %s %s; want it to hold", example.Name, e.Expr, e.Observed, e.Why)
	}
	opposed, err := example.Opposed()
	require.NoError(t, err)
	record := play(opposed, example.AntiPattern)
	promised := verdict.Promise(record, record.Summary)
	assert.Lenf(t, promised.Kept, len(example.AntiPattern.Fails), "%s: of the anti-pattern %q hold, %q cannot be told",
		example.Name, promised.Broken, promised.Untold)
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
	for _, name := range scenarios.Library() {
		s := runtest.Builtin(t, name)
		if s.AntiPattern == nil {
			continue
		}
		before, told := run.CPU()
		if !told {
			t.Skip("what a process uses of a processor is not told here")
		}
		bothWays(t, s)
		after, _ := run.CPU()
		whole += after - before
		assert.LessOrEqualf(t, after-before, mostOfExample, "processor time of %s", name)
	}
	t.Logf("the library both ways takes %v of processor time", whole)
	assert.LessOrEqual(t, whole, mostOfLibrary, "processor time of the library")
}

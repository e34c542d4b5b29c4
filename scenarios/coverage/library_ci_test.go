//go:build ci

package coverage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// The library is to take so much of a processor, played both ways: 40 s in all, and 5 s for
// each example. Two busy processors take half as much again for the same, so that twice that
// is too much.
const (
	mostOfLibrary = 2 * 40 * time.Second
	mostOfExample = 2 * 5 * time.Second
)

// The library is played both ways in little time, and each example of it. What its examples show
// is tested in scenarios/series.
func TestLibraryTakesLittleTime(t *testing.T) {
	whole := time.Duration(0)
	for _, name := range scenarios.Library() {
		s := runtest.Builtin(t, name)
		if s.AntiPattern == nil {
			continue
		}
		opposed, err := s.Opposed()
		require.NoError(t, err)
		before, told := run.CPU()
		if !told {
			t.Skip("what a process uses of a processor is not told here")
		}
		for _, plan := range []run.Plan{{Scenario: s}, {Scenario: opposed, AntiPattern: s.AntiPattern}} {
			_, err := run.Run(t.Context(), plan)
			require.NoError(t, err)
		}
		after, _ := run.CPU()
		whole += after - before
		assert.LessOrEqualf(t, after-before, mostOfExample, "processor time of %s", name)
	}
	t.Logf("the library both ways takes %v of processor time", whole)
	assert.LessOrEqual(t, whole, mostOfLibrary, "processor time of the library")
}

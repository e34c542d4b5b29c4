//go:build ci

package run_test

import (
	"runtime"
	"testing"

	"loadgen/scenarios/run"
)

// A simulation repeats as often as it is asked for, on one processor and on several.
func TestSimulationIsDeterministicAgain(t *testing.T) {
	want := bytesOf(t, 1, run.Plan{Scenario: quick(t), Rival: true})
	for _, processors := range []int{1, max(2, runtime.NumCPU()), max(2, runtime.NumCPU())} {
		if bytesOf(t, processors, run.Plan{Scenario: quick(t), Rival: true}) != want {
			t.Errorf("with %d processors the record differs; want the same bytes", processors)
		}
	}
}

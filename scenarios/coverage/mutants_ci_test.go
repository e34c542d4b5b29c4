//go:build ci

package coverage_test

import (
	"testing"

	"loadgen/scenarios/run"
)

// Each mutant is killed by its check, for which a run of it has to be told.
func TestMutantsDie(t *testing.T) {
	all := mutants(t)
	t.Run("each", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.example+"/"+m.kills, func(t *testing.T) {
				t.Parallel()
				m.dies(t)
			})
		}
	})
	if used, told := run.CPU(); told {
		t.Logf("%d mutants: the process has used %v of processor time so far", len(all), used)
	}
}

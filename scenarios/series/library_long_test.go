//go:build long

package series

import (
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/scenarios/run"
)

// What an example shows is no luck of its seed: by twenty others each of its checks holds, and
// each that its anti-pattern promises to fail fails.
func TestLibraryBySeeds(t *testing.T) {
	for _, name := range examples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := builtin(t, name)
			opposed, err := s.Opposed()
			require.NoError(t, err)
			for seed := uint64(1); seed <= 20; seed++ {
				s.Seed, opposed.Seed = seed, seed
				record := simulated(t, s)
				for _, e := range record.Summary.Checks {
					if !e.Holds() {
						t.Errorf("seed %d: %s: observed %s; want it to hold", seed, e.Expr, e.Said())
					}
				}
				if record, err = run.Run(t.Context(), run.Plan{Scenario: opposed, AntiPattern: s.AntiPattern}); err != nil {
					t.Fatal(err)
				}
				if promised := verdict.Promise(record, record.Summary); len(promised.Kept) != len(s.AntiPattern.Fails) {
					t.Errorf("seed %d: the anti-pattern breaks what it promises: %q hold, %q cannot be told; want all to fail", seed, promised.Broken, promised.Untold)
				}
			}
		})
	}
}

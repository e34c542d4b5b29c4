//go:build ci

package advise

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// Of each built-in scenario and each anti-pattern the prediction is never the opposite of
// what its run comes to, and nearly always one of the two.
func TestPredictionsOfLibraryAreNeverOpposite(t *testing.T) {
	t.Parallel()
	var all, unknown atomic.Int64
	t.Run("scenarios", func(t *testing.T) {
		for _, name := range scenarios.Library() {
			example := runtest.Builtin(t, name)
			for title, s := range map[string]*scenarios.Scenario{name: example, name + " --anti-pattern": opposed(t, example)} {
				if s == nil {
					continue
				}
				t.Run(title, func(t *testing.T) {
					t.Parallel()
					all.Add(1)
					if !checkPrediction(t, s) {
						unknown.Add(1)
					}
				})
			}
		}
	})
	assert.Truef(t, unknown.Load()*10 <= all.Load(), "%d of %d scenarios cannot be predicted; want at most a tenth", unknown.Load(), all.Load())
}

// checkPrediction fails where the run of a scenario has the opposite outcome of its prediction, and
// reports whether there is a prediction.
func checkPrediction(t *testing.T, s *scenarios.Scenario) (predicted bool) {
	e, err := Explain(t.Context(), Options{Scenario: s})
	require.NoError(t, err)
	if e.State == results.CannotTell {
		t.Logf("cannot tell: %s", e.Why)
		return false
	}
	// A whole rehearsal is the run itself, of the same seed.
	var record *results.Record
	if r := e.Used().Rehearsal; r != nil && r.Whole {
		record = r.record
	} else if record, err = run.Run(t.Context(), run.Plan{Scenario: s}); record == nil {
		require.NoError(t, err)
	}
	ran := record.Summary.State
	fails := ran == results.DoesNotHold || ran == results.Saturates
	assert.Falsef(t, len(e.Used().Loads) > 0 && (e.State == results.Holds && fails || e.State == results.DoesNotHold && ran == results.Holds),
		"predicted %s, and its run says %s: %s", e.State, ran, record.Summary.Verdict)
	return true
}

// opposed returns the anti-pattern of a scenario, nil where it has none.
func opposed(t *testing.T, s *scenarios.Scenario) *scenarios.Scenario {
	t.Helper()
	other, err := s.Opposed()
	require.NoError(t, err)
	return other
}

//go:build ci

package advise

import (
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
	all, unknown := 0, 0
	for _, name := range scenarios.Library() {
		example := runtest.Builtin(t, name)
		for title, s := range map[string]*scenarios.Scenario{name: example, name + " --anti-pattern": opposed(t, example)} {
			if s == nil {
				continue
			}
			targets, times, err := TargetsOf(s)
			require.NoError(t, err, title)
			e, err := Explain(t.Context(), Options{Scenario: s, Targets: targets, Times: times})
			require.NoError(t, err, title)
			if all++; e.State == results.CannotTell {
				unknown++
				t.Logf("%s: cannot tell: %s", title, e.Why)
				continue
			}
			record, err := run.Run(t.Context(), run.Plan{Scenario: s})
			require.Truef(t, err == nil || record != nil, "%s: %v", title, err)
			ran := record.Summary.State
			fails := ran == results.DoesNotHold || ran == results.Saturates
			if len(e.Used().Loads) > 0 && (e.State == results.Holds && fails || e.State == results.DoesNotHold && ran == results.Holds) {
				t.Errorf("%s: predicted %s, and its run says %s: %s", title, e.State, ran, record.Summary.Verdict)
			}
		}
	}
	assert.Truef(t, unknown*10 <= all, "of %d scenarios %d cannot be told; want at most a tenth", all, unknown)
}

// opposed returns the anti-pattern of a scenario, nil where it has none.
func opposed(t *testing.T, s *scenarios.Scenario) *scenarios.Scenario {
	t.Helper()
	other, err := s.Opposed()
	require.NoError(t, err)
	return other
}

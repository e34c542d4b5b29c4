//go:build live

package series

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// lived runs a scenario over HTTP in real time and returns its summary. Only what the load
// was like may differ from machine to machine: a run that the generator limited has to keep
// its word, too.
func lived(t *testing.T, of *scenarios.Scenario) *results.Summary {
	t.Helper()
	record, err := run.Run(context.Background(), run.Plan{Scenario: of, On: run.Embedded, NoProbe: true})
	require.NoError(t, err)
	s := record.Summary
	require.Truef(t, s.Validity != results.Invalid && s.Attempts == s.OkAttempts+s.Throttled+s.Failed && s.Scheduled == s.Sent+s.Dropped,
		"the books do not close: %v %+v", s.Reasons, s)
	return s
}

// heldFaults returns at how many things was looked that must hold after a run, and in how
// many it does not.
func heldFaults(t *testing.T, s *results.Summary) (looked, faults int64) {
	t.Helper()
	require.NotEmpty(t, s.Invariants, "nothing was looked at that must hold; want a check of what was left behind")
	for _, one := range s.Invariants {
		t.Logf("%s: %d faults in %d looked at", one.Name, one.Faults, one.Looked)
		looked, faults = looked+one.Looked, faults+one.Faults
		for _, example := range one.Examples {
			t.Log(example)
		}
	}
	return looked, faults
}

// The balances of a bank sum to zero over HTTP, whatever dies.
func TestLiveBankBalances(t *testing.T) {
	t.Parallel()
	bank, err := scenarios.Builtin("bank-transfer")
	require.NoError(t, err)
	opposed, err := bank.Opposed()
	require.NoError(t, err)
	looked, faults := heldFaults(t, lived(t, bank))
	assert.Truef(t, looked >= 1000 && faults == 0,
		"%d transfers looked at, %d faults; want 1,000 at least, and none", looked, faults)
	_, faults = heldFaults(t, lived(t, opposed))
	assert.True(t, faults != 0, "keyed by account no transfer has lost a leg; want some")
}

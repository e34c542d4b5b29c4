//go:build long && unix

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// With eight workers, of which each has an attempt of some 5 ms, less is sent than the
// partition bears: where it saturates cannot be told, and why is.
func TestLiveTooFewWorkers(t *testing.T) {
	_, s, record := stressed(t, "--duration", "1s", "--workers", "8")
	t.Logf("saturation %s, %s %v; %s", spelled(s.Saturation), s.Validity, s.ClientLimited, strained(record))
	if s.Saturation != nil {
		t.Errorf("saturation = %.0f; want none claimed", *s.Saturation)
	}
	assert.Equal(t, results.CannotTell, s.State, "state")
	mostly(t, record, verdict.TooFewWorkers)
}

// mostly fails the test unless the step of the highest rate was late, and mostly by one
// cause.
func mostly(t *testing.T, record *results.Record, want verdict.Cause) {
	t.Helper()
	steps := figure.Steps(record)
	last := steps[len(steps)-1]
	if got := verdict.StrainedIn(last, verdict.Strains(record)); got.Late == 0 || got.Cause != want {
		t.Errorf("step %s: %d of %d seconds late, mostly %v; want %v", last.Phase.Name, got.Late, got.Seconds, got.Cause, want)
	}
}

// dear has each attempt cost its worker so many rounds of work more.
type dear int

func (d dear) Begins(run.Begun) []drive.Observer { return []drive.Observer{d} }
func (dear) Enters(campaign.Progress)            {}
func (dear) Ends(error)                          {}
func (dear) Completed(*results.Completed)        {}

// Attempt computes.
func (d dear) Attempt(*results.Attempt) {
	x := uint64(len(spinChild))
	for range d {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 {
		panic("a xorshift of no zero came to zero")
	}
}

// costing returns work of so much CPU, by the fastest of several tries.
func costing(cpu time.Duration) dear {
	const tried = 1_000_000
	least := time.Hour
	for range 10 {
		began := time.Now()
		dear(tried).Attempt(nil)
		least = min(least, time.Since(began))
	}
	return dear(tried * int64(cpu) / int64(least))
}

// A generator whose attempts cost 300 µs of CPU more than they need cannot send what the
// highest steps and their retries ask for, and says so.
func TestLiveGeneratorThatIsSlow(t *testing.T) {
	s, err := scenarios.Builtin("stress")
	require.NoError(t, err)
	require.NoError(t, s.Set("phases.peak.each", "2s"))
	record, err := run.Run(t.Context(), run.Plan{Scenario: s, On: run.Embedded, Out: t.TempDir(), Command: []string{"loadgen"},
		Progress: costing(300 * time.Microsecond)})
	require.NoError(t, err)
	sum := record.Summary
	t.Logf("saturation %s in %v, %s %v; %s", spelled(sum.Saturation), sum.SaturationInterval, sum.Validity, sum.ClientLimited, strained(record))
	if sum.Saturation != nil && (*sum.Saturation < 1980 || *sum.Saturation > 2020) {
		t.Errorf("saturation = %.0f; want within a hundredth of 2,000, or none", *sum.Saturation)
	}
	mostly(t, record, verdict.OwnCeiling)
}

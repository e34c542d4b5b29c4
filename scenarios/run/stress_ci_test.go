//go:build ci

package run_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// The waits of the documented policy are minutes: the hold lasts until the
// retries of every step have met the same load.
func TestDocumentedPolicyIsHeldToItsWaits(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	s := simulate(t, "retry=documented", "phases.peak.rates=[2500]", "phases.peak.each=4s")
	require.Truef(t, s.Summary.Validity == results.Valid && s.Misplaced == 0,
		"validity = %s %v, %d misplaced; want valid", s.Summary.Validity, s.Summary.Reasons, s.Misplaced)
	assert.Truef(t, s.Duration >= 219*time.Second, "the run lasted %v", s.Duration)
	sum := s.Total(results.Reported)
	assert.Truef(t, sum.Cut == 0 && sum.Attempts > sum.Operations,
		"%d operations of the reported step were cut, %d attempts for %d operations; want none cut, and retries", sum.Cut, sum.Attempts, sum.Operations)
	// Retries that come after the load get through: that does not lift the limit.
	assert.Contains(t, s.Summary.Verdict, "saturates at 2,000 entities/s", "verdict")
	p99, told := s.RetryWaits.Quantile(.99)
	assert.Truef(t, told && p99 >= 80_000_000, "p99 of the waits = %d µs; want the 90 s of the cap", p99)
}

// The canonical scenario, a twentieth of it: a fluid simulation of twelve equal
// keys on one range has it serve twice as much after each five minutes of overload.
func TestCanonicalScenarioRecovers(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	record := canonical(t, run.Plan{}, scaled()...)
	served := func(from, to int64) float64 {
		sum := int64(0)
		for _, one := range record.Intervals {
			if one.Second >= from && one.Second < to {
				sum += one.Served
			}
		}
		return float64(sum) / float64(to-from)
	}
	for _, level := range []struct {
		from, to int64
		rate     float64
	}{{2, 299, 100}, {320, 599, 200}, {620, 899, 400}, {940, 1200, 600}} {
		assert.InEpsilonf(t, level.rate, served(level.from, level.to), .05, "served from %d s to %d s", level.from, level.to)
	}
	b := record.Summary.Balance
	assert.Truef(t, b != nil && b.Outcome == results.LoadRelieved && *b.Throttled == 0 && *b.Relieved >= 905 &&
		*b.Relieved <= 935 && b.Splits >= 5 && b.Moves >= 5, "balance %+v", b)
	m := record.Manifest
	assert.Equal(t, []any{results.Valid, "virtual", "cold", true}, []any{record.Validity, m.Time, m.Start, m.Dataless})
}

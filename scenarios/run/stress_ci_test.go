//go:build ci

package run_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// The waits of the documented policy are minutes: the hold lasts until the
// retries of every step have met the same load.
func TestDocumentedPolicyIsHeldToItsWaits(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	s := simulate(t, "retry=documented", "phases.peak.rates=[2500]", "phases.peak.each=4s")
	require.Truef(t, s.Summary.Validity == results.Valid && s.Misplaced == 0,
		"validity = %s %v, %d misplaced; want valid", s.Summary.Validity, s.Summary.Reasons, s.Misplaced)
	assert.Truef(t, s.Duration >= 219*time.Second,
		"the run lasted %v; want the 39 + 90 + 90 s that three waits can take, and more", s.Duration)
	sum := s.Total(results.Reported)
	assert.Truef(t, sum.Cut == 0 && sum.Attempts > sum.Operations,
		"%d operations of the reported step were cut, %d attempts for %d operations; want none cut, and retries", sum.Cut, sum.Attempts, sum.Operations)
	// Retries that come after the load get through: that does not lift the limit.
	assert.Contains(t, s.Summary.Verdict, "saturates at 2,000 entities/s", "verdict")
	if p99, told := s.RetryWaits.Quantile(.99); !told || p99 < 80_000_000 {
		t.Errorf("p99 of the waits = %d µs; want the 90 s of the cap", p99)
	}
}

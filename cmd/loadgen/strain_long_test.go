//go:build long && unix

package main

import (
	"math"
	"slices"
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
	last, _ := figure.Highest(figure.Steps(record))
	late := slices.DeleteFunc(verdict.Strains(record), func(one verdict.Strain) bool { return !last.Contains(one.Second) || !one.Cause.Generators() })
	assert.Contains(t, verdict.Lateness(late), ": "+want.String()+" in ", "most frequent cause in step %s", last.Phase.Name)
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

// best repeats a live measurement up to three times until nothing is wrong: the
// machine may stand still for longer than a partition's burst lasts. What does
// not hold in any of three is a fault of the tool.
func best(t *testing.T, fault func() string) {
	t.Helper()
	var told string
	for n := 1; n <= 3; n++ {
		if told = fault(); told == "" {
			t.Logf("run %d holds", n)
			return
		}
		t.Logf("run %d: %s", n, told)
	}
	t.Errorf("in none of three runs: %s", told)
}

func TestLiveSaturation(t *testing.T) {
	best(t, func() string {
		code, s, _ := stressed(t)
		require.Equal(t, codeOk, code, "exit code")
		require.NotEqual(t, results.Invalid, s.Validity, "the run")
		if s.Saturation == nil || math.Abs(*s.Saturation/2000-1) > .02 {
			return "saturation within 2% of 2,000 entities/s"
		}
		t.Logf("saturation %.0f, interval %v", *s.Saturation, s.SaturationInterval)
		for _, p := range s.Phases {
			if p.Offered <= 1000 && p.ThrottledPerSecond > 0 {
				return "nothing throttled at 1,000/s"
			}
		}
		return ""
	})
}

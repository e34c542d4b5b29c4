package run_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// simulate runs the stress test with these settings on the virtual clock.
func simulate(t testing.TB, settings ...string) runtest.Record {
	t.Helper()
	return runtest.Simulate(t, runtest.Builtin(t, "stress", settings...))
}

// Where half of the operations are lost after three retries, each attempt is
// throttled with p = 0.5^(1/4), and (1 − p⁴)/(1 − p) = 3.14 attempts go to an
// operation, if attempts are throttled without regard to how often they were
// tried. The first second, before retries have piled up, takes off a little;
// arrivals in step with the partition's allowance would take off a fifth.
// Without retries half of the attempts are throttled, within what the burst takes off.
func TestRetriesMeetWhatFirstAttemptsMeet(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	for _, row := range []struct {
		retry                       string
		attempts, within, throttled float64
	}{{"short", 3.14, .08, math.Pow(.5, .25)}, {"none", 1, 0, .5}} {
		s := simulate(t, "retry="+row.retry, "model.partition_target=250", "phases.peak.rates=[500]", "phases.peak.each=8s",
			"phases.load.entities=500")
		for name, op := range s.Summary.Phases[0].PerOperation {
			require.NotNil(t, op.AttemptsPerOperation, name)
			assert.InDeltaf(t, row.attempts, *op.AttemptsPerOperation, row.within*row.attempts, "retry %s: attempts per %s", row.retry, name)
		}
		sum := s.Total(results.Reported)
		assert.GreaterOrEqual(t, sum.Attempts, int64(3_750), row.retry)
		assert.InDelta(t, row.throttled, float64(sum.Throttled)/float64(sum.Attempts), .02, row.retry)
	}
}

func TestPeakAsked(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	for _, row := range []struct {
		sentence string
		peak     float64
		holds    bool
	}{
		{"a little below the target holds", 95, true},
		{"a little above it does not, though the burst carries it", 102.4, false},
		{"twice the target does not", 200, false},
	} {
		rates := fmt.Sprintf("phases.peak.rates=[%v, %v, %v, %v]", .5*row.peak, row.peak, 1.25*row.peak, 2*row.peak)
		s := runtest.Run(t, run.Plan{Peak: row.peak, Scenario: runtest.Builtin(t, "stress", "model.partition_target=100",
			rates, "phases.peak.each=2s", "phases.load.entities=100")})
		assert.Truef(t, verdict.Holds(s.Summary) == row.holds && len(s.Summary.Checks) != 0,
			"%s: state %s, %d checks; want one, and that it holds: %t", row.sentence, s.Summary.State, len(s.Summary.Checks), row.holds)
	}
}

func TestAnotherPartition(t *testing.T) {
	const key = "2011 Berlin Marathon__Half"
	s := simulate(t, "phases.peak.partition_key="+key, "phases.peak.rates=[500]", "phases.peak.each=2s", "phases.load.entities=500").Summary
	assert.Truef(t, s.Hottest != nil && s.Hottest.Key == key && len(s.Phases) == 1 && s.Failed == 0,
		"hottest %v, %d steps, %d failed; want %s, one step without a failure", s.Hottest, len(s.Phases), s.Failed, key)
}

// Nothing is written down in advance: another limit, below or above the first rates, moves
// every figure of the stress test.
func TestEveryFigureMovesWithTheModel(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	limits := []float64{308, 125, 500, 750}
	for _, limit := range limits[:run.Tier(1, len(limits))] {
		s := simulate(t, fmt.Sprintf("model.partition_target=%v", limit), "phases.load.entities=500",
			"phases.peak.rates=[125, 250, 375, 500, 625, 750, 1000]")
		sum := s.Summary
		if sum.Validity != results.Valid || sum.Saturation == nil || math.Abs(*sum.Saturation/limit-1) > .02 {
			t.Errorf("behind %v: %s %v, saturation %v", limit, sum.Validity, sum.Reasons, sum.Saturation)
			continue
		}
		low, high := sum.SaturationInterval[0], sum.SaturationInterval[1]
		assert.Truef(t, low <= *sum.Saturation && high >= *sum.Saturation && low >= .95*limit && high <= 1.05*limit,
			"behind %v: the interval is %v; want it around that", limit, sum.SaturationInterval)
		for _, p := range sum.Phases {
			want := max(0, 1-limit/p.Offered)
			// A step whose retries end in the next one loses some of them to it.
			assert.Truef(t, p.ShareLostSettled != nil && math.Abs(*p.ShareLostSettled-want) <= .04,
				"behind %v: %s has lost %v, settled; want about %.2f", limit, p.Name, *p.ShareLostSettled, want)
			assert.Truef(t, p.Offered >= .9*limit || p.ThrottledPerSecond == 0,
				"behind %v: %s throttled %v/s; want none", limit, p.Name, p.ThrottledPerSecond)
		}
		assert.Truef(t, sum.Hottest != nil && sum.Hottest.Key == "2011 New York City Marathon__Full" &&
			s.Duration <= 45*time.Second, "behind %v: hottest %v, it took %v", limit, sum.Hottest, s.Duration)
	}
}

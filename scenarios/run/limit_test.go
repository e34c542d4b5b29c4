package run_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

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

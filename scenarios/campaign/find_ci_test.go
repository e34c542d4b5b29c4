//go:build ci

package campaign_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// What an idle partition has saved up carries no rate beyond its limit: a twentieth to a
// quarter of a second's allowance would be up to 2.5% of a step of 10 s. Ten limits, the
// first of them the documented one, and the burst of each are known beforehand.
func TestSearchDrainsSavedAllowance(t *testing.T) {
	draws := clock.NewStream(16, "saved up")
	for n := range uint64(10) {
		draw := draws.Draw(n)
		limit, burst := math.Round(logUniform(draw.Float64(), 200, 2000)), 50+draw.IntN(201)
		if n == 0 {
			limit, burst = 2000, 250
		}
		t.Run(fmt.Sprintf("%v/s and %d ms", limit, burst), func(t *testing.T) {
			t.Parallel()
			find := finding(results.LimitPartition, limit/3)
			find.UpTo, find.Burst = 4*limit, time.Duration(burst)*time.Millisecond
			l := look(t, hiding(t, n, 3, limit, 0, fmt.Sprintf("model.partition_burst=%dms", burst)), find).limit
			// Of L/(1−x) the share x is throttled, and that much may be: 2,010 of 2,000.
			if l.Held == nil || !l.Finished || *l.Held < limit*.99 || *l.Held > limit/(1-.005)*1.0001 {
				t.Errorf("the interval = %s by %q; want one below %.1f by 1%% of the limit at most", interval(l), l.By, limit/(1-.005))
			}
		})
	}
}

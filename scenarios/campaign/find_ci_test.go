//go:build ci

package campaign_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
)

// What an idle partition has saved up carries no rate beyond its limit: a twentieth to a
// quarter of a second's allowance would be up to 2.5 % of a step of 10 s. Ten limits, the
// first of them the documented one, and the burst of each are known beforehand.
func TestFinderIsNotCarriedByWhatIsSavedUp(t *testing.T) {
	draws := clock.NewStream(16, "saved up")
	for n := range uint64(10) {
		draw := draws.At(n)
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
				t.Errorf("the interval = %s by %q; want one below %.1f by 1 %% of the limit at most", interval(l), l.By, limit/(1-.005))
			}
		})
	}
}

// What is shown before a run bounds what the run does.
func TestForecastBoundsASearch(t *testing.T) {
	find := finding(results.LimitPartition, 400)
	find.UpTo = 3200
	s := hiding(t, 9, 3, 700, 0)
	c := planned(t, campaign.Options{Scenario: s, Table: "races", Find: find})
	forecast := c.Forecast()
	f := look(t, s, find)
	assert.Truef(t, f.counts.Requests <= forecast.AtMost && f.record.Duration <= forecast.Lasts+10*time.Second && forecast.Requests <= forecast.AtMost,
		"Forecast() = %+v; the run made %d requests in %v", forecast, f.counts.Requests, f.record.Duration)
}

// The operations of traffic are searched like those of a spread, whatever their
// own arrivals are.
func TestFinderOffersTraffic(t *testing.T) {
	s := hiding(t, 11, 3, 250, 0)
	spread := s.Phases[0].Traffic
	s.Phases[0].Form, s.Phases[0].Traffic = "", &scenarios.Traffic{Partitions: 3, Entities: 100, Clients: 5,
		Think: time.Second, For: time.Minute, Operations: spread.Operations}
	f := look(t, s, finding(results.LimitPartition, 200))
	_, holds := within(f.limit, 250/.995)
	assert.Truef(t, holds && f.limit.Partitions == 1, "%s on %d partitions", interval(f.limit), f.limit.Partitions)
}

// The highest rate of a partition is looked for in the account that it lies in.
func TestFindInAnAccount(t *testing.T) {
	s := parsed(t, ceiling, "phases.peak.partitions=[1-3]")
	find := &campaign.Find{Of: results.LimitPartition, MaxThrottled: .005, From: 5, UpTo: 80, Step: 100 * time.Second}
	w := newWorld(t, s, nil)
	record := recorded(t, w.run(t, campaign.Options{Scenario: s, Table: "races", Find: find}))
	if l := record.Limit; l == nil || l.Held == nil || l.NotHeld == nil || *l.Held > 20.4 || *l.NotHeld < 19.6 {
		t.Errorf("the search came to %+v; want an interval around 20/s", record.Limit)
	}
	assert.EqualValues(t, 3, w.engine.CountsIn("account0").Requests, "its table is made, marked and dropped")
	assert.GreaterOrEqual(t, w.engine.CountsIn("account1").Requests, int64(1000))
}

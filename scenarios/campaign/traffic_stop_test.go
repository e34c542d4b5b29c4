package campaign_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
)

// A load that is the same all the time has come to rest after the ten seconds that
// are measured at least, whichever runner asks.
func TestStopsWhenStable(t *testing.T) {
	for _, test := range []struct {
		name, traffic string
		// seconds is how long the phase that is reported lasts, count how many
		// operations it has, where chance does not decide.
		seconds time.Duration
		count   int64
	}{
		{"constant arrivals are stable at once", "arrivals: {constant: 100}, for: 60s, stop_when_stable: 2%, operations: [{verb: get}]", 10, 1000},
		{"a warm-up does not count", "arrivals: {constant: 100}, for: 60s, warm_up: 3s, stop_when_stable: 2%, operations: [{verb: get}]", 10, 1000},
		{"so are clients", "clients: 50, think: 100ms, for: 60s, stop_when_stable: 5%, operations: [{verb: get}]", 10, 0},
		{"what never is goes on to its end", "arrivals: {poisson: 20}, for: 15s, stop_when_stable: 0.0001%, operations: [{verb: get}]", 15, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := set(t, trafficked(t, test.traffic, ""), "model.time_spread=0")
			live, virtual := bothWays(t, campaign.Options{Scenario: s, Table: "races"})
			sameFiles(t, live, virtual)
			p := reported(t, virtual.record)
			if got := p.End - p.Begin; got != test.seconds*time.Second {
				t.Errorf("the phase lasted %v; want %d s", got, test.seconds)
			}
			offered, count := int64(0), int64(0)
			for k := range p.Kinds {
				count += p.Kinds[k].Scheduled
				offered += p.Kinds[k].LastHalf.Offered
			}
			assert.True(t, offered != 0, "the last half of the phase holds nothing; want what was offered")
			assert.Falsef(t, test.count > 0 && count != test.count,
				"%d operations became due; want %d, and none after the load had come to rest", count, test.count)
		})
	}
}

// A load that has come to rest drains for no longer than it may, however long its
// retries wait.
func TestSettledLoadDrainsNoLonger(t *testing.T) {
	make := func() *scenarios.Scenario {
		return set(t, trafficked(t, "arrivals: {constant: 400}, partitions: [NYC], for: 10m, drain: 2s, stop_when_stable: 90%, operations: [{verb: get}]", ""), "retry=documented")
	}
	check := func(t *testing.T, r ran) {
		p := reported(t, r.record)
		if cut := r.record.Total(results.Reported).Cut; cut == 0 || r.record.Duration > p.End+3*time.Second || p.End-p.Begin > 20*time.Second {
			t.Errorf("the phase ended at %v and the run at %v, with %d operations cut; want 2 s between, and some cut", p.End, r.record.Duration, cut)
		}
	}
	check(t, inRaces(t, make(), nil))
	inBubble(t, func(t *testing.T, clk clock.Real) { check(t, inRaces(t, make(), clk)) })
}

// A budget that is exceeded ends the run, partial, and its table is dropped.
func TestStopsOnABudget(t *testing.T) {
	for _, test := range []struct {
		name, traffic string
		// of is the budget that ends the run.
		of string
		// live is a run whose workers are too few.
		live bool
	}{
		{"too much is throttled", "arrivals: {constant: 1200}, for: 60s, stop_on: [failed > 1%, throttled > 20%], operations: [{verb: get}]", "throttled > 20%", false},
		{"what is got is not there", "arrivals: {trace: t.csv}, stop_on: [failed > 10%]", "failed > 10%", false},
		{"too much is late", "arrivals: {constant: 400}, for: 60s, stop_on: [late > 5%], operations: [{verb: get}]", "late > 5%", true},
		{"too much is not sent", "arrivals: {constant: 400}, for: 60s, stop_on: [dropped > 5%], operations: [{verb: get}]", "dropped > 5%", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var missing strings.Builder
			for n := range 1000 {
				fmt.Fprintf(&missing, "%d.%02d,get,NYC,none\n", n/100, n%100)
			}
			check := func(t *testing.T, clk clock.Clock) {
				s := trafficked(t, test.traffic, missing.String())
				if test.live {
					s.Workers = 1
				}
				r := inRaces(t, s, clk)
				assert.Truef(t, errors.Is(r.ended, drive.ErrStopped) && strings.Contains(r.ended.Error(), test.of),
					"Run = %v; want ErrStopped, by %q", r.ended, test.of)
				if faults := verdict.Books(r.record); len(faults) > 0 || r.record.Duration > 12*time.Second {
					t.Errorf("the run ended after %v, and its books say %q; want them closed, and an early end", r.record.Duration, faults)
				}
				assert.Equal(t, "drop", r.record.Phases[len(r.record.Phases)-1].Name, "the last phase")
			}
			if !test.live {
				check(t, nil)
			}
			inBubble(t, func(t *testing.T, clk clock.Real) { check(t, clk) })
		})
	}
}

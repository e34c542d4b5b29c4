package drive_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// stall is a service that stands still for the last part of every period.
type stall struct{ lasts, every time.Duration }

// plan returns the freezes of some periods.
func (s stall) plan(periods int, more ...engine.FaultRule) engine.FaultPlan {
	plan := engine.FaultPlan{Rules: more}
	for i := range periods {
		end := time.Duration(i+1) * s.every
		plan.Rules = append(plan.Rules, engine.FaultRule{Kind: engine.FaultFreeze, Share: engine.WholeShare, From: end - s.lasts, To: end})
	}
	return plan
}

// waited returns the q-th quantile of how long operations wait that become due at
// a constant rate. Of each period the share S/T waits, and that evenly between
// nothing and S: u = S(1−(1−q)T/S) for q > 1−S/T. A service that then works off
// what has piled up at a capacity C adds (S−u)·rate/C: as many as became due
// before.
func (s stall) waited(q, rate, capacity float64) time.Duration {
	stalled, period := s.lasts.Seconds(), s.every.Seconds()
	u := max(0, stalled*(1-(1-q)*period/stalled))
	if u > 0 {
		u += (stalled - u) * rate / capacity
	}
	return time.Duration(u * float64(time.Second))
}

// Operations that become due while the target freezes wait, and their response times include that
// wait, although each attempt takes no longer. In a freeze of one second of ten the waits are spread
// evenly over the second, so the 99th percentile of all operations is 900 ms.
func TestStallOracle(t *testing.T) {
	rows := []struct {
		name string
		stall
		rate    float64
		periods int
		// takes is how long an attempt takes of itself.
		takes time.Duration
	}{
		{"a second of every five, at 2,000/s", stall{time.Second, 5 * time.Second}, 2000, 2, 0},
		{"a second of every five, at 500/s", stall{time.Second, 5 * time.Second}, 500, 5, 0},
		{"half a second of every five", stall{500 * time.Millisecond, 5 * time.Second}, 1000, 3, 0},
		{"two seconds of every ten", stall{2 * time.Second, 10 * time.Second}, 1000, 2, 0},
		{"a second of every two", stall{time.Second, 2 * time.Second}, 1000, 6, 0},
		{"a tenth of a second of every second", stall{100 * time.Millisecond, time.Second}, 4000, 3, 0},
		{"attempts of 4 ms work off what has piled up at the workers' pace", stall{time.Second, 5 * time.Second}, 2000, 2, 4 * time.Millisecond},
		{"a second of ten, and attempts of 1 ms", stall{time.Second, 10 * time.Second}, 1000, 1, time.Millisecond},
	}
	// The last rows are those of which each tells something else.
	for _, row := range rows[len(rows)-resultstest.Cases(3, len(rows)):] {
		for _, workers := range []int{64, 2000} {
			synctest.Test(t, func(t *testing.T) {
				sum := stalled(t, row.stall, row.rate, row.periods, row.takes, workers, false).sum
				capacity := math.Inf(1)
				if row.takes > 0 {
					capacity = float64(workers) / row.takes.Seconds()
				}
				for _, q := range []float64{.5, .9, .95, .99, .999} {
					micros, told := sum.Response.Quantile(q)
					assert.Truef(t, told, "%s, %d workers: response p%g rests on too few operations", row.name, workers, 100*q)
					got, want := time.Duration(micros)*time.Microsecond, row.waited(q, row.rate, capacity)+row.takes
					// An operation's place among its neighbours, the histogram's three
					// figures, and the turn of those that are answered together.
					slack := time.Duration(float64(time.Second)/row.rate) + want/500 + row.takes
					assert.Truef(t, (got-want).Abs() <= slack,
						"%s, %d workers: response p%g = %v; want %v ± %v", row.name, workers, 100*q, got, want, slack)
				}
				share := float64(workers) / (row.rate * row.every.Seconds())
				if p99, told := sum.Service[results.Ok].Quantile(.99); told && share < .009 && p99 > row.takes.Microseconds()*1001/1000 {
					t.Errorf("%s, %d workers: service p99 = %d µs; want what an attempt takes of itself", row.name, workers, p99)
				}
			})
		}
	}
}

// stalled runs a constant rate over a service that stalls, in the bubble of the calling synctest,
// and checks that every operation succeeds.
func stalled(t *testing.T, s stall, rate float64, periods int, takes time.Duration, workers int, vegeta bool) ran {
	t.Helper()
	clk := clock.NewReal()
	delay := engine.FaultRule{Kind: engine.FaultDelay, Share: engine.WholeShare, To: time.Hour, By: takes}
	atOnce := targettest.After(0, targettest.Served).On(clk)
	to := target.WrapFaults(atOnce, s.plan(periods, []engine.FaultRule{delay}[:min(1, takes)]...), 1, clk)
	var runner drive.Runner = &drive.Live{Clock: clk, Target: to, Workers: workers}
	if vegeta {
		runner = byVegeta(clk, to, workers)
	}
	stage := openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: rate, Length: time.Duration(periods) * s.every})
	all := run(t, runner, stage)
	assert.EqualValuesf(t, stage.Schedule.Len(), all.sum.Succeeded, "%v of every %v: operations succeeded", s.lasts, s.every)
	return all
}

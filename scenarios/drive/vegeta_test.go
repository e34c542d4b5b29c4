package drive_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// byVegeta returns the runner that sends over a target by vegeta.
func byVegeta(clk clock.Real, t target.Target, workers int) *drive.Vegeta {
	return &drive.Vegeta{Live: &drive.Live{Clock: clk, Target: t, Workers: workers}, Epoch: clk.Started()}
}

// A service stands still for a second of every five. Of that, what vegeta calls latency knows only by
// the few requests that were under way. The response times are as computed, and operations are sent in
// the order of their instants and numbers.
func TestVegetaStallOracle(t *testing.T) {
	const rate, workers, periods = 1000, 64, 2
	five := stall{time.Second, 5 * time.Second}
	synctest.Test(t, func(t *testing.T) {
		all := stalled(t, five, rate, periods, time.Millisecond, workers, true)
		sent := time.Duration(0)
		for k, one := range all.attempts.list {
			require.EqualValuesf(t, 500+k, one.Number, "number of attempt %d", k)
			require.GreaterOrEqualf(t, one.Sent, max(sent, one.Intended), "instant of attempt %d", k)
			sent = one.Sent
		}
		capacity := workers / time.Millisecond.Seconds()
		for _, q := range []float64{.5, .9, .99} {
			micros, _ := all.sum.Response.Quantile(q)
			want := (five.waited(q, rate, capacity) + time.Millisecond).Microseconds()
			assert.InDeltaf(t, want, micros, 3000+float64(want)/200, "response p%g in µs", 100*q)
		}
		service := all.sum.Service[results.Ok]
		hidden, _ := service.Quantile(.98)
		assert.LessOrEqual(t, hidden, int64(2000), "service p98 in µs: an attempt takes 1 ms")
		longest, _ := service.Quantile(.99)
		assert.GreaterOrEqual(t, longest, int64(900_000), "service p99 in µs: that of the requests under way")
	})
}

// What cannot be sent in time is dropped, and the books close.
func TestVegetaDropsWhatItCannotSend(t *testing.T) {
	inBubble(t, func(t *testing.T, clk clock.Real) {
		f := &targettest.Fake{Clock: clk, Takes: 500 * time.Millisecond}
		runner := byVegeta(clk, f, 4)
		sum := run(t, runner, openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 100, Length: 2 * time.Second})).sum
		assert.Zero(t, runner.Load().Free, "workers that were free at the least")
		assert.EqualValues(t, 4, runner.Load().Free, "workers that are free after the end")
		checkBooks(t, "four workers", sum, f.Attempts())
		assert.Truef(t, sum.Scheduled == 200 && sum.Dropped >= 170 && sum.Sent >= 20 && sum.Attempts == sum.Ok,
			"%+v; want 200 scheduled, of which 4 workers send about 24", sum)
	})
}

// A stop ends a run at once, though its workers were asleep for minutes, or vegeta, and waits for what
// is under way. So do a load that has settled, or a budget that is exceeded, and a target that says nothing.
func TestRunnersEnd(t *testing.T) {
	enough := errors.New("enough")
	for _, row := range []struct {
		name string
		rate float64
		took time.Duration // 0 where the target never answers
		err  error
		// ends is when the run ends at the earliest, within how long after it may.
		ends, within time.Duration
	}{
		{"stopped, with a hit in a hundred seconds", .01, time.Millisecond, context.Canceled, 0, 3560 * time.Millisecond},
		{"stopped, with many hits", 1000, time.Millisecond, context.Canceled, 3500 * time.Millisecond, 60 * time.Millisecond},
		{"stopped, while attempts take half a second", 100, 500 * time.Millisecond, context.Canceled, 3500 * time.Millisecond, 600 * time.Millisecond},
		{"stopped, while all workers are busy for a minute", 100, time.Minute, context.Canceled, 3500 * time.Millisecond, 2060 * time.Millisecond},
		{"enough after three seconds", 100, time.Millisecond, enough, 3 * time.Second, 1200 * time.Millisecond},
		{"settled after three seconds", 100, time.Millisecond, nil, 3 * time.Second, 1200 * time.Millisecond},
		{"a target that says nothing", 1, 0, drive.ErrSilent, 10 * time.Second, 2 * time.Minute},
	} {
		for _, vegeta := range []bool{false, true} {
			inBubble(t, func(t *testing.T, clk clock.Real) {
				f := &targettest.Fake{Clock: clk, Takes: row.took}
				var to target.Target = f
				if row.took == 0 {
					to = targettest.Func(targettest.Silent)
				}
				var runner drive.Runner = &drive.Live{Clock: clk, Target: to, Workers: 16}
				if vegeta {
					runner = byVegeta(clk, to, 16)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				stage := openStage(t, backoff.Policy{}, time.Minute, arrival.Step{Rate: row.rate, Length: time.Hour})
				switch row.err {
				case context.Canceled:
					defer time.AfterFunc(3500*time.Millisecond, cancel).Stop()
				case enough, nil:
					stage.Enough = func(start, now clock.Instant, overdue func() uint64) error {
						if now.Sub(start) < 3*time.Second || overdue() > 0 {
							return nil
						}
						return cmp.Or(row.err, drive.ErrSettled)
					}
				}
				all, err := runWith(t, ctx, runner, stage)
				assert.ErrorIsf(t, err, row.err, row.name)
				assert.Truef(t, all.Duration >= row.ends && all.Duration <= row.ends+row.within,
					"%s, by vegeta %t: ended after %v; want %v, and %v more at most", row.name, vegeta, all.Duration, row.ends, row.within)
				assert.Equalf(t, row.err != nil, all.Events[len(all.Events)-2].What == results.Interrupted, "%s, by vegeta %t: marked as interrupted", row.name, vegeta)
				if checkBooks(t, row.name, all.sum, all.sum.Attempts); row.took > 0 {
					assert.Equalf(t, f.Attempts(), all.sum.Attempts, "%s: attempts", row.name)
				}
			})
		}
	}
}

// Whatever becomes of a request, it is sent once: why it has no reply is told wherever it broke
// off, what would take a second request is cut after the first, and no policy retries it.
func TestVegetaSendsAnOperationOnce(t *testing.T) {
	for _, row := range []struct {
		name    string
		outcome target.Outcome
		cut     int64
		want    results.Cause
	}{
		{"nobody listens", target.Outcome{Fault: target.ConnectionRefused, Detail: "x"}, 0, results.Cause{Code: "ConnectionRefused"}},
		{"the reply broke off", target.Outcome{Fault: target.ReplyCutOff}, 0, results.Cause{Code: "ReplyCutOff"}},
		{"an answer", target.Outcome{Status: 400, Code: entity.InvalidInput}, 0, results.Cause{Status: 400, Code: "InvalidInput"}},
		{"a redirection", target.Outcome{Status: 307}, 0, results.Cause{Status: 307}},
		{"a refusal, with a policy that retries", target.Outcome{Status: 503, Code: entity.ServerBusy}, 0,
			results.Cause{Class: results.Throttled, Status: 503, Code: "ServerBusy"}},
		{"a query with a second page", target.Outcome{Status: 200, Next: target.Token{Present: true, NextRowKey: "b"}}, 50, results.Cause{}},
	} {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			stage := openStage(t, short, time.Second, arrival.Step{Rate: 50, Length: time.Second})
			stage.Build = func(_ uint64, w *drive.Work) { w.Pages, w.Operation.Verb = true, entity.Query }
			sum := run(t, byVegeta(clk, targettest.After(0, targettest.Always(row.outcome)).On(clk), 32), stage).sum
			want := results.Causes{}
			if row.cut == 0 {
				if row.want.Attempts = 50; row.want.Class == 0 {
					row.want.Class = results.Failed
				}
				want = results.Causes{row.want}
			}
			if sum.Attempts != 50 || sum.Operations != 50 || sum.Cut != row.cut || sum.Succeeded != 0 || !slices.Equal(sum.Causes, want) {
				t.Errorf("%s: %d attempts, %d operations, %d cut, %d succeeded, causes %+v; want 50, 50, %d, 0, %+v",
					row.name, sum.Attempts, sum.Operations, sum.Cut, sum.Succeeded, sum.Causes, row.cut, want)
			}
		})
	}
}

//go:build long

package drive_test

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// maxWorkers is how many connections a driver of these tests has at most.
const maxWorkers = 2000

// server answers every request with 204, on a free port of this machine.
type server struct{ *httptest.Server }

// newServer opens a server that calls hold before it answers.
func newServer(t *testing.T, hold func(context.Context)) server {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hold(r.Context())
		w.WriteHeader(http.StatusNoContent)
	}))
	host.Client().Transport = &http.Transport{MaxIdleConnsPerHost: maxWorkers}
	t.Cleanup(host.Close)
	return server{host}
}

// Do implements [target.Target]: a get, whatever the operation is.
func (s server) Do(ctx context.Context, _ *target.Operation) target.Outcome {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return target.Outcome{Detail: err.Error()}
	}
	response, err := s.Client().Do(request)
	if err != nil {
		return target.Outcome{Detail: err.Error()}
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	return target.Outcome{Status: response.StatusCode, Counted: 1}
}

// capacity returns how many operations per second so many workers send without pauses.
func (s server) capacity(t *testing.T, workers int) float64 {
	t.Helper()
	const count = 8000
	var took time.Duration
	// The first run opens the connections.
	for range 2 {
		runner := &drive.Live{Clock: clock.NewReal(), Target: s, Workers: workers}
		run(t, runner, closedStage(backoff.Policy{}, workers, count, time.Minute))
		took = runner.Now().Offset()
	}
	return count / took.Seconds()
}

// inThreeTries fails the test unless one of three tries succeeds.
func inThreeTries(t *testing.T, name string, try func() bool) {
	t.Helper()
	for range 3 {
		if try() {
			return
		}
	}
	t.Errorf("%s: none of three tries was within its bounds", name)
}

// The service freezes for one second of five, over sockets. For any number of workers the response
// times are those that are computed.
func TestLiveStallOracle(t *testing.T) {
	inThreeTries(t, "64 workers", func() bool { return stalledLive(t, 64) })
	inThreeTries(t, "2000 workers", func() bool { return stalledLive(t, maxWorkers) })
}

// stalledLive reports whether the response times of a run are as computed.
func stalledLive(t *testing.T, workers int) bool {
	t.Helper()
	const rate = 2000
	five, clk := stall{time.Second, 5 * time.Second}, clock.NewReal()
	// The instant at which the service freezes is known later.
	var from atomic.Int64
	from.Store(int64(clock.Never))
	s := newServer(t, func(ctx context.Context) {
		begin := clock.Instant(from.Load())
		if now := clk.Now(); now >= begin && now < begin.Add(five.lasts) {
			clk.Sleep(ctx, begin.Add(five.lasts))
		}
	})
	before := s.capacity(t, workers)
	start := clk.Now().Add(time.Second).NextSecond()
	from.Store(int64(start.Add(3 * time.Second)))
	require.NoError(t, clk.Sleep(t.Context(), start.Add(-500*time.Millisecond)))
	stage := openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: rate, Length: five.every})
	sum := run(t, &drive.Live{Clock: clk, Target: s, Workers: workers, Fine: true}, stage).sum
	assert.EqualValuesf(t, stage.Schedule.Len(), sum.Succeeded, "%d workers: operations succeeded", workers)
	// The machine is not the same from one second to the next.
	capacity := (before + s.capacity(t, workers)) / 2
	good := true
	for _, row := range []struct{ q, within float64 }{{.9, .1}, {.99, .05}, {.999, .05}} {
		micros, _ := sum.Response.Quantile(row.q)
		got, want := time.Duration(micros)*time.Microsecond, five.waited(row.q, rate, capacity)
		off := float64(got)/float64(want) - 1
		good = good && math.Abs(off) <= row.within
		t.Logf("%d workers, capacity %.0f/s: response p%g = %v; computed %v (%+.1f%%)", workers, capacity, 100*row.q, got, want, 100*off)
	}
	service, _ := sum.Service[results.Ok].Quantile(.99)
	t.Logf("%d workers: service p99 = %d µs", workers, service)
	return good
}

const (
	pacingWorkers = 64
	pacingLength  = 1200 * time.Millisecond
)

// pacedLags returns how long after their instants the live runner sends the operations of a constant rate.
func pacedLags(t *testing.T, s server, rate float64) (lags []time.Duration) {
	t.Helper()
	stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: rate, Length: pacingLength})
	all := run(t, &drive.Live{Clock: clock.NewReal(), Target: s, Workers: pacingWorkers, Fine: true}, stage)
	require.EqualValues(t, stage.Schedule.Len(), all.sum.Succeeded, "operations succeeded")
	for _, a := range all.attempts.list {
		lags = append(lags, a.Sent-a.Intended)
	}
	return lags
}

// beginning is a pacer of vegeta that notes when the attack began.
type beginning struct {
	vegeta.Pacer
	clock clock.Real
	at    clock.Instant
	begun bool
}

// Pace implements vegeta.Pacer.
func (b *beginning) Pace(elapsed time.Duration, hits uint64) (time.Duration, bool) {
	if !b.begun {
		b.begun, b.at = true, b.clock.Now().Add(-elapsed)
	}
	return b.Pacer.Pace(elapsed, hits)
}

// vegetaLags is pacedLags of vegeta's own attacker. Hits are numbered in the order of their ticks.
func vegetaLags(t *testing.T, s server, rate int) (lags []time.Duration) {
	t.Helper()
	pacer := &beginning{Pacer: vegeta.ConstantPacer{Freq: rate, Per: time.Second}, clock: clock.NewReal()}
	attacker := vegeta.NewAttacker(vegeta.Workers(pacingWorkers), vegeta.MaxWorkers(pacingWorkers), vegeta.Connections(pacingWorkers), vegeta.HTTP2(false))
	for hit := range attacker.Attack(vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: s.URL}), pacer, pacingLength, "") {
		require.Empty(t, hit.Error)
		intended := pacer.at.Add(time.Duration(hit.Seq+1) * (time.Second / time.Duration(rate)))
		lags = append(lags, clock.Instant(hit.Timestamp.Sub(pacer.clock.Started())).Sub(intended))
	}
	return lags
}

// percentile returns a percentile of some lags, early and late alike.
func percentile(lags []time.Duration, percent int) time.Duration {
	for i := range lags {
		lags[i] = lags[i].Abs()
	}
	slices.Sort(lags)
	return lags[len(lags)*percent/100].Round(time.Microsecond)
}

// The median error of the instants at which operations are sent is at most a fifth of vegeta's, at the
// rates at which both are mostly idle. The drivers take turns.
func TestLivePacing(t *testing.T) {
	s := newServer(t, func(context.Context) {})
	for _, row := range []struct {
		name  string
		rate  int
		bound float64 // of vegeta's median error; 0 where both are only logged
	}{{"2,000/s", 2000, .2}, {"5,000/s", 5000, .2}, {"10,000/s", 10_000, 0}, {"20,000/s", 20_000, 0}} {
		inThreeTries(t, row.name, func() bool {
			var own, other []time.Duration
			for range 3 {
				own = append(own, pacedLags(t, s, float64(row.rate))...)
				other = append(other, vegetaLags(t, s, row.rate)...)
			}
			for _, p := range []int{50, 90, 99} {
				t.Logf("%s: p%d is %v; vegeta's %v", row.name, p, percentile(own, p), percentile(other, p))
			}
			return row.bound == 0 || float64(percentile(own, 50)) <= row.bound*float64(percentile(other, 50))
		})
	}
}

// overslept returns the median of how much too late a sleeper wakes.
func overslept(clk clock.Real, sleeper clock.Sleeper) time.Duration {
	defer sleeper.Close()
	var list []time.Duration
	for range 500 {
		until := clk.Now().Add(500 * time.Microsecond)
		for clk.Now() < until {
			sleeper.Sleep(until)
		}
		list = append(list, clk.Now().Sub(until))
	}
	return percentile(list, 50)
}

// A busy process polls its connections, and the timers of the kernel, only every 10 ms. There a fine
// sleep is no coarser than the runtime's.
func TestLiveFineSleepWhileBusy(t *testing.T) {
	clk := clock.NewReal()
	var busy sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer busy.Wait()
	defer stop()
	for range 3 * runtime.GOMAXPROCS(0) {
		busy.Go(func() {
			for ctx.Err() == nil {
				for until := clk.Now().Add(30 * time.Microsecond); clk.Now() < until; {
				}
				runtime.Gosched()
			}
		})
	}
	inThreeTries(t, "fine sleep", func() bool {
		fine, coarse := overslept(clk, clk.Fine()), overslept(clk, clock.NewSleeper(clk))
		t.Logf("median error while busy: fine %v, by alarms %v", fine, coarse)
		return fine <= 5*coarse
	})
}

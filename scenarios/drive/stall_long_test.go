//go:build long

package drive_test

import (
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// mostWorkers is how many connections a driver of these tests has at most.
const mostWorkers = 2000

// server answers every request with 204, on a free port of this machine.
type server struct {
	url    string
	client *http.Client
}

// newServer opens a server that calls hold, unless that is nil, before it answers.
func newServer(t *testing.T, hold func(context.Context)) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	host := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hold != nil {
			hold(r.Context())
		}
		w.WriteHeader(http.StatusNoContent)
	})}
	var serving sync.WaitGroup
	serving.Go(func() { host.Serve(listener) })
	transport := &http.Transport{MaxIdleConnsPerHost: mostWorkers}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		host.Close()
		serving.Wait()
	})
	return &server{"http://" + listener.Addr().String() + "/", &http.Client{Transport: transport}}
}

// Do implements [target.Target]: a get, whatever the operation is.
func (s *server) Do(ctx context.Context, _ *target.Operation) target.Outcome {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return target.Outcome{Detail: err.Error()}
	}
	response, err := s.client.Do(request)
	if err != nil {
		return target.Outcome{Detail: err.Error()}
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	return target.Outcome{Status: response.StatusCode, Counted: 1}
}

// capacity returns how many operations a second that many workers come to, flat
// out.
func capacity(t *testing.T, s *server, workers int) float64 {
	t.Helper()
	const count = 8000
	var took time.Duration
	// The first time opens the connections.
	for range 2 {
		runner := &drive.Live{Clock: clock.NewReal(), Target: s, Workers: workers}
		run(t, runner, closedStage(backoff.Policy{}, workers, count, time.Minute))
		took = runner.Now().Offset()
	}
	return count / took.Seconds()
}

// A service that stands still for a second of five, over sockets: however many
// workers there are, the report says what the arithmetic does.
func TestLiveStallOracle(t *testing.T) {
	five := stall{time.Second, 5 * time.Second}
	for _, workers := range []int{64, mostWorkers} {
		for n := 1; ; n++ {
			if stalledLive(t, five, 2000, workers) {
				break
			}
			if n == 3 {
				t.Errorf("%d workers: in none of three tries as computed", workers)
				break
			}
		}
	}
}

// stalledLive reports whether the response times of a run are as computed.
func stalledLive(t *testing.T, f stall, rate float64, workers int) bool {
	t.Helper()
	clk := clock.NewReal()
	// The service stands still from its instant on, once that is known.
	var from atomic.Int64
	from.Store(int64(clock.Never))
	s := newServer(t, func(ctx context.Context) {
		begin := clock.Instant(from.Load())
		if now := clk.Now(); now >= begin && now < begin.Add(f.lasts) {
			clk.Sleep(ctx, begin.Add(f.lasts))
		}
	})
	c := capacity(t, s, workers)
	start := clk.Now().Add(time.Second).NextSecond()
	from.Store(int64(start.Add(3 * time.Second)))
	require.NoError(t, clk.Sleep(t.Context(), start.Add(-500*time.Millisecond)))
	stage := openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: rate, Length: f.every})
	sum := run(t, &drive.Live{Clock: clk, Target: s, Workers: workers, Fine: true}, stage).sum
	// The machine is not the same from one second to the next.
	c = (c + capacity(t, s, workers)) / 2
	if sum.Succeeded != int64(stage.Schedule.Len()) {
		t.Errorf("%d workers: %d operations succeeded; want all %d", workers, sum.Succeeded, stage.Schedule.Len())
	}
	good := true
	for _, row := range []struct{ q, within float64 }{{.9, .1}, {.99, .05}, {.999, .05}} {
		micros, _ := sum.Response.Quantile(row.q)
		got, want := time.Duration(micros)*time.Microsecond, f.waited(row.q, rate, c)
		off := float64(got)/float64(want) - 1
		good = good && math.Abs(off) <= row.within
		t.Logf("%d workers, capacity %.0f/s: response p%g = %v; computed %v (%+.1f %%)", workers, c, 100*row.q, got, want, 100*off)
	}
	service, _ := sum.Service[results.Ok].Quantile(.99)
	t.Logf("%d workers: service p99 = %v", workers, time.Duration(service)*time.Microsecond)
	return good
}

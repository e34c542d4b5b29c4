//go:build long

package drive_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
)

const (
	pacingWorkers = 64
	pacingLength  = 1200 * time.Millisecond
	pacingPairs   = 3
)

// lags are how long after their instants the operations of a run were sent.
type lags []time.Duration

// quantiles returns the 50th, 90th and 99th of a hundred, early and late alike.
func (l lags) quantiles() quantiles {
	for i := range l {
		l[i] = l[i].Abs()
	}
	slices.Sort(l)
	n := len(l)
	return quantiles{l[n/2], l[n*90/100], l[n*99/100]}
}

// quantiles are the 50th, 90th and 99th of a hundred.
type quantiles [3]time.Duration

// median returns, quantile by quantile, the median of some runs, and with it the
// least and the greatest of them.
func median(runs []quantiles) (middle, least, most quantiles) {
	for q := range middle {
		var list []time.Duration
		for _, run := range runs {
			list = append(list, run[q])
		}
		slices.Sort(list)
		middle[q], least[q], most[q] = list[len(list)/2], list[0], list[len(list)-1]
	}
	return middle, least, most
}

// ours paces a constant rate by the live runner.
func ours(t *testing.T, s *server, rate int) quantiles {
	t.Helper()
	stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: float64(rate), Length: pacingLength})
	stage.Build = benchGet
	all := run(t, &drive.Live{Clock: clock.NewReal(), Target: s, Workers: pacingWorkers, Fine: true}, stage)
	if all.sum.Succeeded != int64(stage.Schedule.Len()) {
		t.Fatalf("%d of %d operations succeeded", all.sum.Succeeded, stage.Schedule.Len())
	}
	var sent lags
	for _, a := range all.attempts.list {
		sent = append(sent, a.Sent-a.Intended)
	}
	return sent.quantiles()
}

// vegetas paces a constant rate by vegeta's attacker.
func vegetas(t *testing.T, s *server, rate int) quantiles {
	t.Helper()
	alone := drive.Alone{Method: http.MethodGet, URL: s.url, Workers: pacingWorkers}
	list, err := alone.Paced(clock.NewReal(), rate, pacingLength)
	require.NoError(t, err)
	return lags(list).quantiles()
}

// paced runs both drivers in turn, the machine being what it is in the minute, and
// returns the median of each and a row of the table.
func paced(t *testing.T, s *server, rate int) (own, other quantiles) {
	t.Helper()
	var owns, others []quantiles
	for range pacingPairs {
		owns = append(owns, ours(t, s, rate))
		others = append(others, vegetas(t, s, rate))
	}
	var row strings.Builder
	for i, runs := range [][]quantiles{owns, others} {
		middle, least, most := median(runs)
		fmt.Fprintf(&row, "  %-8s", [...]string{"loadgen", "vegeta"}[i])
		for q, name := range []string{"p50", "p90", "p99"} {
			fmt.Fprintf(&row, "  %s %v (%v-%v)", name, micros(middle[q]), micros(least[q]), micros(most[q]))
		}
	}
	own, _, _ = median(owns)
	other, _, _ = median(others)
	t.Logf("%6d/s%s", rate, &row)
	return own, other
}

// micros rounds to what the machine can tell apart.
func micros(d time.Duration) time.Duration { return d.Round(time.Microsecond) }

// An operation is sent within a fifth of the error with which vegeta's are, at the
// rates at which both are mostly idle.
func TestLivePacing(t *testing.T) {
	s := newServer(t, nil)
	for _, row := range []struct {
		rate int
		// bound is the greatest share of vegeta's median error, 0 where both are only
		// to be told.
		bound float64
	}{{2000, .2}, {5000, .2}, {10000, 0}, {20000, 0}} {
		for n := 1; ; n++ {
			own, other := paced(t, s, row.rate)
			share := float64(own[0]) / float64(other[0])
			if row.bound == 0 || share <= row.bound {
				break
			}
			if n == 3 {
				t.Errorf("at %d/s, in none of three tries: median error %v is %.2f of vegeta's %v; want at most %.1f",
					row.rate, own[0], share, other[0], row.bound)
				break
			}
		}
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
	slices.Sort(list)
	return list[len(list)/2]
}

// A process that is busy polls its connections, and timers of the kernel, every 10
// ms only: there a fine sleep is no coarser than the runtime's.
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
	for n := 1; ; n++ {
		fine, coarse := overslept(clk, clk.Fine()), overslept(clk, clock.NewSleeper(clk))
		t.Logf("median error while busy: fine %v, by alarms %v", fine, coarse)
		if fine <= 5*coarse {
			return
		}
		require.Truef(t, n != 3,
			"in none of three tries: a fine sleep of a busy process ends %v late; want at most five times %v", fine, coarse)
	}
}

package clock_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
)

func TestRealSleep(t *testing.T) {
	for _, row := range []struct {
		name    string
		until   time.Duration // of the clock
		giveUp  time.Duration // of the context; 0 never, -1 before the sleep
		want    error
		awakeAt time.Duration
	}{
		{"until an instant to come", 250 * ms, 0, nil, 250 * ms},
		{"until the present instant", 0, 0, nil, 0},
		{"until an instant gone by", -s, 0, nil, 0},
		{"a context that ends first ends the sleep", 250 * ms, 100 * ms, context.DeadlineExceeded, 100 * ms},
		{"a context that ends later does not matter", 250 * ms, 300 * ms, nil, 250 * ms},
		{"a context that is done", 250 * ms, -1, context.DeadlineExceeded, 0},
		{"a context that is done, until an instant gone by", 0, -1, context.DeadlineExceeded, 0},
		{"until never, by the context alone", 1<<63 - 1, 90 * s, context.DeadlineExceeded, 90 * s},
	} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			ctx := t.Context()
			if row.giveUp != 0 {
				limited, cancel := context.WithTimeout(ctx, row.giveUp)
				defer cancel()
				ctx = limited
			}
			err := clk.Sleep(ctx, clock.Instant(row.until))
			assert.Truef(t, errors.Is(err, row.want) && (err == nil) == (row.want == nil) && clk.Now().Offset() == row.awakeAt,
				"%s: Sleep = %v at %v; want %v at %v", row.name, err, clk.Now().Offset(), row.want, row.awakeAt)
		})
	}
}

func TestRealCountsFromWhenItWasBuilt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		built := time.Now()
		first := clock.NewReal()
		require.NoError(t, first.Sleep(t.Context(), clock.Instant(s)))
		second := clock.NewReal()
		if first.Now().Offset() != s || second.Now() != 0 || !first.Started().Equal(built) || !second.Started().Equal(built.Add(s)) {
			t.Errorf("two clocks tell %v since %v and %v since %v; want 1s and 0s since a second apart",
				first.Now().Offset(), first.Started(), second.Now().Offset(), second.Started())
		}
	})
}

func TestAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		alarm := clk.Alarm(clock.Instant(250 * ms))
		<-alarm.C
		assert.Equal(t, 250*ms, clk.Now().Offset(), "an alarm for 250ms rang at")
		alarm.Stop() // allowed after it has rung

		past := clk.Alarm(0)
		<-past.C
		assert.Equal(t, 250*ms, clk.Now().Offset(), "an alarm for an instant gone by rang at")
		past.Stop()

		stopped := clk.Alarm(clock.Instant(s))
		stopped.Stop()
		require.NoError(t, clk.Sleep(t.Context(), clock.Instant(2*s)))
		select {
		case <-stopped.C:
			t.Error("a stopped alarm rang")
		default:
		}
	})
}

func TestSleeper(t *testing.T) {
	for _, row := range []struct {
		name    string
		until   time.Duration
		wakes   []time.Duration
		awakeAt []time.Duration // one after another, each until the same instant
	}{
		{"until its instant", 250 * ms, nil, []time.Duration{250 * ms}},
		{"until an instant gone by", -s, nil, []time.Duration{0}},
		{"a call wakes it", 250 * ms, []time.Duration{100 * ms}, []time.Duration{100 * ms, 250 * ms}},
		{"each call wakes it once", 250 * ms, []time.Duration{100 * ms, 200 * ms}, []time.Duration{100 * ms, 200 * ms, 250 * ms}},
		{"until never, by a call alone", 1<<63 - 1, []time.Duration{90 * s}, []time.Duration{90 * s}},
	} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			sleeper := clock.NewSleeper(clk)
			defer sleeper.Close()
			for _, at := range row.wakes {
				go func() {
					if err := clk.Sleep(t.Context(), clock.Instant(at)); err == nil {
						sleeper.Wake()
					}
				}()
			}
			for i, want := range row.awakeAt {
				sleeper.Sleep(clock.Instant(row.until))
				assert.Equalf(t, want, clk.Now().Offset(), "%s: Sleep %d ended at", row.name, i)
			}
		})
	}
}

// In a bubble a sleep on the machine's time would never end.
func TestFineKnowsWhenTimeIsNotTheMachines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		sleeper := clk.Fine()
		defer sleeper.Close()
		if sleeper.Sleep(clock.Instant(24 * time.Hour)); clk.Now().Offset() != 24*time.Hour {
			t.Errorf("Sleep until a day has passed ended at %v", clk.Now().Offset())
		}
	})
}

// sleepers are both kinds; the fine one knows the machine's time only, so that
// these tests rest on calls and not on time.
func sleepers(t *testing.T) map[string]clock.Sleeper {
	t.Helper()
	clk := clock.NewReal()
	both := map[string]clock.Sleeper{"by alarms": clock.NewSleeper(clk), "fine": clk.Fine()}
	t.Cleanup(func() {
		for _, sleeper := range both {
			sleeper.Close()
		}
	})
	return both
}

func TestWakeThatComesBeforeTheSleepCounts(t *testing.T) {
	for _, sleeper := range sleepers(t) {
		for range 100 {
			sleeper.Wake()
			sleeper.Wake()
			// Without that it would be the end of the test.
			sleeper.Sleep(clock.Never)
		}
		sleeper.Sleep(0)
	}
}

// However a call and a sleep cross each other, none is lost: a sleep that nobody
// wakes would last for ever.
func TestNoWakeIsLost(t *testing.T) {
	const turns = 5000
	for _, sleeper := range sleepers(t) {
		var group sync.WaitGroup
		awake := make(chan struct{})
		group.Go(func() {
			for range turns {
				sleeper.Sleep(clock.Never)
				awake <- struct{}{}
			}
		})
		for range turns {
			sleeper.Wake()
			<-awake
		}
		group.Wait()
	}
}

// A fine sleep may end early for no reason, yet whoever sleeps until the instant
// has come gets there, whatever calls come between.
func TestFineSleepReachesItsInstant(t *testing.T) {
	clk := clock.NewReal()
	sleeper := clk.Fine()
	defer sleeper.Close()
	for i := range 200 {
		until := clk.Now().Add(time.Duration(i%7) * time.Microsecond)
		for n := 0; clk.Now() < until; n++ {
			if n == 1 {
				sleeper.Wake()
			}
			sleeper.Sleep(until)
			if n > 100_000 {
				t.Fatalf("Sleep(%v) returned %d times and the clock stands at %v", until.Offset(), n, clk.Now().Offset())
			}
		}
	}
}

// A call wakes one sleep: what comes after it is slept through, in a few turns and
// not by asking the clock over and over.
func TestFineSleepIsSleptThrough(t *testing.T) {
	const few, tries = 5, 50
	clk := clock.NewReal()
	sleeper := clk.Fine()
	defer sleeper.Close()
	fewest := tries * few
	for range tries {
		sleeper.Wake()
		sleeper.Sleep(clock.Never)
		turns := 0
		for until := clk.Now().Add(100 * time.Microsecond); clk.Now() < until; turns++ {
			sleeper.Sleep(until)
		}
		if fewest = min(fewest, turns); fewest <= few {
			return
		}
	}
	t.Errorf("to sleep for 100µs took %d turns at the least; want at most %d", fewest, few)
}

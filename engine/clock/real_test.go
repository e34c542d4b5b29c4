package clock_test

import (
	"context"
	"errors"
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

func TestManySleepersWakeEachAtTheirInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		woke := make(chan time.Duration, 100)
		for n := range 100 {
			go func() {
				until := clock.Instant(time.Duration(n*37%100) * ms)
				err := clk.Sleep(t.Context(), until)
				assert.Truef(t, err == nil, "Sleep(%v) = %v; want nil", until.Offset(), err)
				woke <- clk.Now().Sub(until)
			}()
		}
		for range 100 {
			assert.EqualValues(t, 0, <-woke, "a sleeper woke after its instant")
		}
	})
}

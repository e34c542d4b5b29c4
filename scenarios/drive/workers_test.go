package drive_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// A worker sleeps until the next operation, ten seconds off; a retry that comes
// before it is sent at its own instant all the same.
func TestRetryWakesWhoSleepsForLonger(t *testing.T) {
	inBubble(t, func(t *testing.T, clk clock.Real) {
		stage := openStage(t, retrying(1, 50*time.Millisecond), 5*time.Second, arrival.Step{Rate: .1, Length: 20 * time.Second})
		sent := run(t, &drive.Live{Clock: clk, Target: throttlingFirst.On(clk), Workers: 3}, stage).attempts.byOperation()
		for k := range uint64(2) {
			due := time.Duration(k) * 10 * time.Second
			list := sent[500+k]
			require.Lenf(t, list, 2, "attempts of operation %d", k)
			assert.Equal(t, []time.Duration{due, due + 51*time.Millisecond}, []time.Duration{list[0].Sent, list[1].Sent}, "attempts")
		}
	})
}

// What is due at the very instant at which a stage ends is not sent any more, on
// neither clock.
func TestNothingIsSentAtTheDeadline(t *testing.T) {
	busy := targettest.After(0, targettest.Busy)
	for range 20 {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			stage := openStage(t, retrying(9, 2*time.Second), time.Second, arrival.Step{Rate: 1, Length: time.Second})
			sum := run(t, &drive.Live{Clock: clk, Target: busy.On(clk), Workers: 2}, stage).sum
			assert.Truef(t, sum.Attempts == 1 && sum.Cut == 1,
				"%d attempts, %d operations cut; want 1 and 1", sum.Attempts, sum.Cut)
		})
	}
}

// How many workers were free at the least, and for how long something was due and none free:
// by arithmetic on the instants at which operations, of 99 ms each, are due and workers come
// back.
func TestLoadOfTheWorkers(t *testing.T) {
	for _, row := range []struct {
		name    string
		rate    float64
		workers int
		free    int64
		starved time.Duration
	}{
		{"one at a time", 10, 4, 3, 0},
		{"two at a time", 19, 4, 2, 0},
		{"as many as there are", 40, 4, 0, 0},
		{"one at a time, and one worker", 10, 1, 0, 0},
		{"two at a time, and two workers", 20, 2, 0, 0},
		// During the first one the second is due after 50 ms, during that the third after 1.
		{"two at a time, and one worker: all of the time but for those 51 ms and the last operation", 20, 1, 0, (39*99 - 51) * time.Millisecond},
	} {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			slow := targettest.After(99*time.Millisecond, targettest.Served).On(clk)
			runner := &drive.Live{Clock: clk, Target: slow, Workers: row.workers}
			assert.EqualValuesf(t, row.workers, runner.Load().Free, "%s: free before the run", row.name)
			run(t, runner, openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: row.rate, Length: 2 * time.Second}))
			load := runner.Load()
			assert.Truef(t, load.Free == row.free && load.Starved == row.starved,
				"%s: %d were free, starved for %v; want %d and %v", row.name, load.Free, load.Starved, row.free, row.starved)
			assert.EqualValuesf(t, row.workers, runner.Load().Free, "%s: free after the run", row.name)
		})
	}
}

// answersUntil answers until an instant and from another one on; in between it
// says nothing for as long as it is waited for, or refuses to be connected to.
func answersUntil(clk clock.Clock, until, from time.Duration, refuses bool) targettest.Func {
	return func(ctx context.Context, op *target.Operation) target.Outcome {
		if now := clk.Now().Offset(); now < until || now >= from {
			return targettest.Served(op)
		}
		if refuses {
			return target.Outcome{Detail: "no reply"}
		}
		return targettest.Silent(ctx, op)
	}
}

func TestTargetThatDies(t *testing.T) {
	const short = 10 * time.Second
	rows := []struct {
		name        string
		length      time.Duration
		until, from time.Duration
		refuses     bool
		want        error
		ends        time.Duration
		cutShort    int64
	}{
		{"one that says nothing any more is waited for 10 s after its stage and the grace",
			short, 3 * time.Second, day, false, drive.ErrSilent, 25 * time.Second, 16},
		{"and no longer than a minute in the midst of a stage",
			time.Hour, 3 * time.Second, day, false, drive.ErrSilent, 65 * time.Second, 16},
		{"one that refuses connections until the end", short, 7 * time.Second, day, true, drive.ErrSilent, short, 0},
		{"one that refuses them for a minute", time.Hour, 3 * time.Second, day, true, drive.ErrSilent, 63 * time.Second, 0},
		{"one that comes back is not dead", short, 3 * time.Second, 9 * time.Second, true, nil, short, 0},
		{"nor is one that was away for a moment at the end", short, 9 * time.Second, day, true, nil, short, 0},
	}
	for _, row := range rows {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			stage := openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: 100, Length: row.length})
			all, err := runWith(t, t.Context(), &drive.Live{
				Clock: clk, Target: answersUntil(clk, row.until, row.from, row.refuses), Workers: 16}, stage)
			assert.ErrorIs(t, err, row.want, row.name)
			// A run may notice 200 ms later than it could.
			assert.Truef(t, all.Duration >= row.ends && all.Duration <= row.ends+200*time.Millisecond,
				"%s: ended at %v; want %v", row.name, all.Duration, row.ends)
			checkBooks(t, row.name, all.sum, all.sum.Attempts)
			assert.Falsef(t, row.cutShort > 0 && all.sum.Failed != row.cutShort,
				"%s: %d attempts failed; want the %d that were under way", row.name, all.sum.Failed, row.cutShort)
			assert.Equalf(t, row.want != nil, all.Events[len(all.Events)-2].What == results.Interrupted, "%s: marked as interrupted", row.name)
		})
	}
}

// A service that takes half a minute for each of a few operations is slow, and
// not dead.
func TestSlowTargetIsNotDead(t *testing.T) {
	inBubble(t, func(t *testing.T, clk clock.Real) {
		slow := targettest.After(30*time.Second, targettest.Served).On(clk)
		stage := openStage(t, backoff.Policy{}, time.Minute, arrival.Step{Rate: .01, Length: 10 * time.Minute})
		assert.EqualValues(t, 6, run(t, &drive.Live{Clock: clk, Target: slow, Workers: 4}, stage).sum.Succeeded,
			"operations succeeded")
	})
}

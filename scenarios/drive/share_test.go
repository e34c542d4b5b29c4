package drive_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// nowhere answers every attempt by its number alone: whether it is throttled, and after how
// long, so that what becomes of an operation is the same whoever sends it.
func nowhere(throttled int, slowest time.Duration) targettest.Immediate {
	return func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
		draw := clock.NewStream(9, "null").Try(op.Number, op.Attempt)
		if slowest > 0 {
			now = now.Add(time.Duration(draw.IntN(int(slowest))))
		}
		if draw.IntN(1000) < throttled {
			return targettest.Busy(op), now
		}
		return targettest.Served(op), now
	}
}

// splitCase is some stages that follow one another, and in how many parts they are sent.
type splitCase struct {
	target targettest.Immediate
	of     int
	stages []func() *drive.Stage
}

func drawSplit(t testing.TB, rng *rand.Rand) *splitCase {
	c := &splitCase{target: nowhere(rng.IntN(3)*150, time.Duration(rng.IntN(3))*40*time.Millisecond), of: 1 + rng.IntN(6)}
	policies := []backoff.Policy{{}, short}
	for range 1 + rng.IntN(3) {
		policy := policies[rng.IntN(len(policies))]
		switch rng.IntN(4) {
		case 0: // a closed loop of a number of operations
			lanes, count := c.of+rng.IntN(9), uint64(rng.IntN(200))
			c.stages = append(c.stages, func() *drive.Stage { return closedStage(policy, lanes, count, day) })
		case 1: // users that think, as many for each part, of a target that takes no time
			c.target = nowhere(0, 0)
			lanes := c.of * (1 + rng.IntN(3))
			c.stages = append(c.stages, func() *drive.Stage { return thinkingStage(lanes, 210*time.Millisecond, 3*time.Second) })
		default:
			var list []arrival.Step
			for range 1 + rng.IntN(3) {
				list = append(list, arrival.Step{Rate: 1 + float64(rng.IntN(90)), Length: time.Duration(1+rng.IntN(3)) * time.Second})
			}
			jitter, grace := rng.IntN(2) == 0, time.Duration(rng.IntN(2))*5*time.Second
			c.stages = append(c.stages, func() *drive.Stage {
				stage := openStage(t, policy, grace, list...)
				if jitter {
					stage.Schedule = arrival.NewJittered(steps(t, list...), clock.NewStream(4, "arrivals"))
				}
				return stage
			})
		}
	}
	return c
}

func thinkingStage(lanes int, think, lasts time.Duration) *drive.Stage {
	stage := closedStage(backoff.Policy{}, lanes, uint64(lanes)*1000, 0)
	stage.Think, stage.For, stage.Grace, stage.WholeSecond = func(uint64) time.Duration { return think }, lasts, 5*time.Second, true
	stage.Phases = []results.Phase{{Name: "users", End: lasts, Reported: true}}
	return stage
}

// part is one of the processes.
type part struct {
	runner *drive.Virtual
	ledger *drive.Ledger
	folder *results.Memory
}

// play sends the stages in so many parts, each stage of which begins where all have ended
// the one before, and returns their records.
func (c *splitCase) play(t testing.TB, of int) []results.MergePart {
	t.Helper()
	parts := make([]part, max(1, of))
	for i := range parts {
		folder := new(results.Memory)
		recorder := resultstest.Open(t, folder, results.Manifest{Operations: kinds})
		parts[i] = part{&drive.Virtual{Target: c.target}, &drive.Ledger{Recorder: recorder}, folder}
	}
	first := uint64(0)
	begins := clock.Instant(time.Second)
	for _, stage := range c.stages {
		for i, p := range parts {
			one := stage()
			one.First, one.At = first, begins
			if of > 0 {
				one.Share = drive.Share{Index: i, Of: of}
			}
			require.NoError(t, p.runner.Run(context.Background(), one, p.ledger))
		}
		first += stage().Operations()
		for _, p := range parts {
			begins = max(begins, p.runner.Now().NextSecond())
		}
	}
	var list []results.MergePart
	for i, p := range parts {
		resultstest.Finish(t, p.ledger.Recorder, begins.Offset())
		list = append(list, results.MergePart{Name: fmt.Sprint("share ", i), Record: resultstest.Read(t, p.folder)})
	}
	return list
}

// Drawn stages that are sent in parts and put together again are those that one process
// sends: count for count, bucket for bucket, and of open loops second for second.
func TestSharesAreTheWhole(t *testing.T) {
	for seed := range uint64(resultstest.Cases(3, 16)) {
		c := drawSplit(t, rand.New(rand.NewPCG(seed, 28)))
		name := fmt.Sprintf("seed %d, %d parts", seed, c.of)
		whole, parts := c.play(t, 0)[0].Record, c.play(t, c.of)
		sum, err := results.Merge(parts)
		require.NoError(t, err, name)
		timed := !slices.ContainsFunc(whole.Phases, func(p results.Phase) bool { return !p.Reported })
		for p := range whole.Phases {
			got, want := &sum.Phases[p], &whole.Phases[p]
			assert.Truef(t, !want.Reported || got.Begin == want.Begin && got.End == want.End,
				"%s: phase %d is from %v to %v; want %v to %v", name, p, got.Begin, got.End, want.Begin, want.End)
			for k := range want.Kinds {
				assert.Equalf(t, plain(want.Kinds[k]), plain(got.Kinds[k]), "%s: phase %d, kind %d", name, p, k)
			}
		}
		assert.Truef(t, !timed || slices.EqualFunc(sum.Intervals, whole.Intervals, sameSecond),
			"%s: the seconds are\n%+v; want\n%+v", name, sum.Intervals, whole.Intervals)
		assert.Equalf(t, whole.Lag.Bars(), sum.Lag.Bars(), "%s: lag", name)
		assert.Equalf(t, whole.RetryWaits.Bars(), sum.RetryWaits.Bars(), "%s: waits", name)
		assert.Truef(t, c.of != 1 || reflect.DeepEqual(parts[0].Record, whole), "%s: one share is not the whole", name)
	}
}

// plain returns the counts of a kind, and its histograms by their buckets.
func plain(k results.KindStats) []any {
	var bars [][]results.Bar
	for _, h := range append(k.Service[:], k.Response, k.Lost) {
		bars = append(bars, h.Bars())
	}
	k.Response, k.Lost, k.Service = nil, nil, results.ByClass{}
	return []any{k, bars}
}

// sameSecond compares what was counted in two seconds.
func sameSecond(a, b results.Interval) bool {
	for _, one := range []*results.Interval{&a, &b} {
		one.Response, one.Service, one.Lag = results.Quantiles{}, results.Quantiles{}, results.Quantiles{}
	}
	return reflect.DeepEqual(a, b)
}

// A share that is none is named.
func TestShareValidate(t *testing.T) {
	for _, row := range []struct {
		share drive.Share
		sound bool
	}{
		{drive.Share{}, true}, {drive.Share{Index: 0, Of: 1}, true}, {drive.Share{Index: 2, Of: 3}, true},
		{drive.Share{Index: 3, Of: 3}, false}, {drive.Share{Index: -1, Of: 3}, false}, {drive.Share{Index: 1}, false},
	} {
		assert.Equalf(t, row.sound, len(row.share.Validate()) == 0, "%+v is sound", row.share)
	}
}

// A share of a closed loop has its own lanes and no more: twelve operations on six lanes take
// two rounds, whoever sends them. Of more shares than operations some have nothing to do, and end.
func TestShareOfLanes(t *testing.T) {
	for _, of := range []int{1, 2, 3, 6} {
		for i := range of {
			stage := closedStage(backoff.Policy{}, 6, 12, day)
			stage.Share = drive.Share{Index: i, Of: of}
			all := virtually(t, targettest.After(100*time.Millisecond, targettest.Served), stage)
			assert.Truef(t, all.sum.Scheduled == int64(12/of) && all.Duration == 200*time.Millisecond,
				"share %d of %d: %d operations in %v; want %d in 200ms", i, of, all.sum.Scheduled, all.Duration, 12/of)
		}
	}
	stage := openStage(t, short, time.Second, arrival.Step{Rate: 2, Length: time.Second})
	stage.Share = drive.Share{Index: 4, Of: 5}
	assert.Zero(t, virtually(t, nowhere(0, 0), stage).sum.Scheduled, "operations of the fifth share of two")
}

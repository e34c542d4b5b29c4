package drive_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
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

// Of more parts than there are operations, some have nothing to do, and end.
func TestShareOfLittle(t *testing.T) {
	for i, want := range []int64{1, 1, 0, 0, 0} {
		stage := openStage(t, short, time.Second, arrival.Step{Rate: 2, Length: time.Second})
		stage.Share = drive.Share{Index: i, Of: 5}
		assert.Equalf(t, want, virtually(t, nowhere(0, 0), stage).sum.Scheduled, "share %d", i)
	}
}

// Shares of users that think, or of a load at random instants, send together what one process
// sends, each operation as often and as late.
func TestSharesAreTheWhole(t *testing.T) {
	for name, stage := range map[string]func() *drive.Stage{
		"users that think": func() *drive.Stage { return thinkingStage(6, 210*time.Millisecond, 3*time.Second) },
		"random instants": func() *drive.Stage {
			step := arrival.Step{Rate: 80, Length: 3 * time.Second}
			stage := openStage(t, short, 5*time.Second, step)
			stage.Schedule = arrival.NewJittered(steps(t, step), clock.NewStream(4, "arrivals"))
			return stage
		},
	} {
		to := nowhere(150, 40*time.Millisecond)
		if name == "users that think" {
			to = nowhere(0, 0)
		}
		whole, parts := virtually(t, to, stage()), []results.Attempt(nil)
		for i := range 3 {
			one := stage()
			one.Share = drive.Share{Index: i, Of: 3}
			parts = append(parts, virtually(t, to, one).attempts.list...)
		}
		same := func(list []results.Attempt) []results.Attempt {
			for i := range list {
				list[i].Sequence = 0
			}
			slices.SortFunc(list, func(a, b results.Attempt) int {
				return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Try, b.Try))
			})
			return list
		}
		assert.Equal(t, same(whole.attempts.list), same(parts), name)
	}
}

func thinkingStage(lanes int, think, lasts time.Duration) *drive.Stage {
	stage := closedStage(backoff.Policy{}, lanes, uint64(lanes)*1000, 0)
	stage.Think, stage.For, stage.Grace, stage.WholeSecond = func(uint64) time.Duration { return think }, lasts, 5*time.Second, true
	stage.Phases = []results.Phase{{Name: "users", End: lasts, Reported: true}}
	return stage
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
// two rounds, whoever sends them.
func TestShareOfLanes(t *testing.T) {
	for _, of := range []int{1, 2, 3, 6} {
		for i := range of {
			stage := closedStage(backoff.Policy{}, 6, 12, day)
			stage.Share = drive.Share{Index: i, Of: of}
			all := virtually(t, targettest.After(100*time.Millisecond, targettest.Served), stage)
			if got := all.sum.Scheduled; got != int64(12/of) || all.Duration != 200*time.Millisecond {
				t.Errorf("share %d of %d: %d operations in %v; want %d in 200ms", i, of, got, all.Duration, 12/of)
			}
		}
	}
}

// A load that comes to rest ends for all shares with the same second.
func TestSharesThatSettle(t *testing.T) {
	sent := func(share drive.Share) int64 {
		stage := openStage(t, backoff.Policy{}, 0, arrival.Step{Rate: 90, Length: 9 * time.Second})
		stage.Share, stage.Settling = share, true
		stage.Enough = func(start, now clock.Instant, _ func() uint64) error {
			if now.Sub(start) < 4*time.Second {
				return nil
			}
			return drive.ErrSettled
		}
		return virtually(t, nowhere(0, 0), stage).sum.Scheduled
	}
	sum := int64(0)
	for i := range 4 {
		sum += sent(drive.Share{Index: i, Of: 4})
	}
	if whole := sent(drive.Share{}); sum != whole || whole != 360 {
		t.Errorf("four shares send %d until the load settles, one process %d; want 360 each", sum, whole)
	}
}

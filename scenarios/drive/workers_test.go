package drive_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// service is a target that does what a function says.
type service func(ctx context.Context, op *target.Operation) target.Outcome

// Do implements [target.Target].
func (s service) Do(ctx context.Context, op *target.Operation) target.Outcome { return s(ctx, op) }

// sentAt keeps when attempts were sent, by operation and try.
type sentAt map[[2]uint64]time.Duration

// Attempt implements [drive.Observer]. The test's workers never end two at once.
func (s sentAt) Attempt(a *results.Attempt) { s[[2]uint64{a.Number, uint64(a.Try)}] = a.Sent }

// Completed implements [drive.Observer].
func (s sentAt) Completed(*results.Completed) {}

// A worker sleeps until the next operation, ten seconds off; a retry that comes
// before it is sent at its own instant all the same.
func TestRetryWakesWhoSleepsForLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		once := refuseFirst{clk}
		policy := backoff.Policy{Name: "fixed", Retries: 1, Delay: backoff.Fixed{Every: 50 * time.Millisecond}}
		stage := openStage(t, policy, 5*time.Second, arrival.Step{Rate: .1, Length: 20 * time.Second})
		sent := sentAt{}
		_, _, err := outing(t, context.Background(), &drive.Live{Clock: clk, Target: once, Workers: 3}, []drive.Observer{sent}, stage)
		if err != nil {
			t.Fatal(err)
		}
		for k := range uint64(2) {
			due := time.Duration(k) * 10 * time.Second
			if first, again := sent[[2]uint64{500 + k, 0}], sent[[2]uint64{500 + k, 1}]; first != due || again != due+51*time.Millisecond {
				t.Errorf("operation %d was sent at %v and again at %v; want %v and 51ms later", k, first, again, due)
			}
		}
	})
}

// What is due at the very instant at which a stage ends is not sent any more, on
// neither clock.
func TestNothingIsSentAtTheDeadline(t *testing.T) {
	refuses := service(func(context.Context, *target.Operation) target.Outcome {
		return target.Outcome{Status: 503, Code: entity.ServerBusy}
	})
	policy := backoff.Policy{Name: "fixed", Retries: 9, Delay: backoff.Fixed{Every: 2 * time.Second}}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			runner := &drive.Live{Clock: clock.NewReal(), Target: refuses, Workers: 2}
			stage := openStage(t, policy, time.Second, arrival.Step{Rate: 1, Length: time.Second})
			record, _, err := outing(t, context.Background(), runner, nil, stage)
			if sum := record.Total(results.Everything); err != nil || sum.Attempts != 1 || sum.Cut != 1 {
				t.Errorf("Run = %v, %d attempts, %d operations cut; want 1 and 1", err, sum.Attempts, sum.Cut)
			}
		})
	}
}

func TestFreeWorkers(t *testing.T) {
	rows := []struct {
		name    string
		rate    float64
		workers int
		want    int64
	}{
		{"a tenth of a second each at ten a second: one at a time", 10, 4, 3},
		{"at twenty a second: two", 19, 4, 2},
		{"as many as there are", 40, 4, 0},
		{"more than there are", 80, 4, 0},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			slow := service(func(ctx context.Context, op *target.Operation) target.Outcome {
				clk.Sleep(ctx, clk.Now().Add(99*time.Millisecond))
				return target.Outcome{Status: 204, Counted: 1}
			})
			runner := &drive.Live{Clock: clk, Target: slow, Workers: row.workers}
			if got := runner.Load().Free; got != int64(row.workers) {
				t.Errorf("%s: Load().Free before the run = %d; want all %d", row.name, got, row.workers)
			}
			stage := openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: row.rate, Length: 2 * time.Second})
			if _, _, err := outing(t, context.Background(), runner, nil, stage); err != nil {
				t.Fatal(err)
			}
			if got := runner.Load().Free; got != row.want {
				t.Errorf("%s: Load().Free = %d; want %d", row.name, got, row.want)
			}
			if got := runner.Load().Free; got != int64(row.workers) {
				t.Errorf("%s: Load().Free asked again = %d; want all %d", row.name, got, row.workers)
			}
		})
	}
}

// answersUntil answers until an instant and from another one on; in between it
// says nothing for as long as it is waited for, or refuses to be connected to.
func answersUntil(clk clock.Clock, until, from time.Duration, refuses bool) service {
	return func(ctx context.Context, op *target.Operation) target.Outcome {
		if now := clk.Now().Offset(); now < until || now >= from {
			return target.Outcome{Status: 204, Counted: op.Entities()}
		}
		if !refuses {
			<-ctx.Done()
		}
		return target.Outcome{Detail: "no reply"}
	}
}

func TestTargetThatDies(t *testing.T) {
	short := 10 * time.Second
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
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			stage := openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: 100, Length: row.length})
			record, _, err := outing(t, context.Background(), &drive.Live{
				Clock: clk, Target: answersUntil(clk, row.until, row.from, row.refuses), Workers: 16}, nil, stage)
			if !errors.Is(err, row.want) || (err == nil) != (row.want == nil) {
				t.Errorf("%s: Run = %v; want %v", row.name, err, row.want)
			}
			if got := record.Duration; got < row.ends || got > row.ends+lookAtMost {
				t.Errorf("%s: the run ended at %v; want %v", row.name, got, row.ends)
			}
			sum := record.Total(results.Everything)
			if sum.Scheduled != sum.Sent+sum.Dropped || sum.Operations != sum.Sent || sum.Attempts != sum.Ok+sum.Throttled+sum.Failed {
				t.Errorf("%s: the books do not close: %+v", row.name, sum)
			}
			if row.cutShort > 0 && sum.Failed != row.cutShort {
				t.Errorf("%s: %d attempts failed; want the %d that were under way", row.name, sum.Failed, row.cutShort)
			}
			marked := record.Events[len(record.Events)-2].What == results.Interrupted
			if marked != (row.want != nil) {
				t.Errorf("%s: marked as interrupted: %v; want %v", row.name, marked, row.want != nil)
			}
		})
	}
}

// lookAtMost is how much later than it could a run may notice.
const lookAtMost = 200 * time.Millisecond

// A service that takes half a minute for each of a few operations is slow, and
// not dead.
func TestSlowTargetIsNotDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		slow := service(func(ctx context.Context, op *target.Operation) target.Outcome {
			clk.Sleep(ctx, clk.Now().Add(30*time.Second))
			return target.Outcome{Status: 204, Counted: 1}
		})
		stage := openStage(t, backoff.Policy{}, time.Minute, arrival.Step{Rate: .01, Length: 10 * time.Minute})
		record, _, err := outing(t, context.Background(), &drive.Live{Clock: clk, Target: slow, Workers: 4}, nil, stage)
		if sum := record.Total(results.Everything); err != nil || sum.Succeeded != 6 {
			t.Errorf("Run = %v, %d operations succeeded; want 6 and no error", err, sum.Succeeded)
		}
	})
}

// Something is due and no worker free: by arithmetic on the instants at which operations
// are due and workers come back.
func TestStarvedTime(t *testing.T) {
	for _, row := range []struct {
		name    string
		rate    float64
		workers int
		want    time.Duration
	}{
		// Each operation takes 99 ms.
		{"one at a time", 10, 1, 0},
		{"two at a time, and two workers", 20, 2, 0},
		// During the first one the second is due after 50 ms, during that the third after 1.
		{"two at a time, and one worker: all of the time but for those 51 ms and the last operation", 20, 1, (39*99 - 51) * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			slow := service(func(ctx context.Context, op *target.Operation) target.Outcome {
				clk.Sleep(ctx, clk.Now().Add(99*time.Millisecond))
				return target.Outcome{Status: 204, Counted: 1}
			})
			runner := &drive.Live{Clock: clk, Target: slow, Workers: row.workers}
			stage := openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: row.rate, Length: 2 * time.Second})
			if _, _, err := outing(t, context.Background(), runner, nil, stage); err != nil {
				t.Fatal(err)
			}
			if got := runner.Load().Starved; got != row.want {
				t.Errorf("%s: starved for %v; want %v", row.name, got, row.want)
			}
		})
	}
}

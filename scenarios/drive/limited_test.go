package drive_test

import (
	"context"
	"slices"
	"testing"
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

// limited is a stage of 300 operations a second whose gets may send 100 attempts a second, 20
// at once; inserts go as they come.
func limited(t testing.TB, grace time.Duration) *drive.Stage {
	stage := openStage(t, short, grace, arrival.Step{Rate: 300, Length: 3 * time.Second})
	stage.Limits = []*drive.RateLimit{{Rate: 100, Burst: 20}, nil}
	return stage
}

// What a rate limit lets go is bounded in every stretch of time; what it holds back waits from
// the intended instant on, which response times show and the generator's lag does not.
func TestOperationsAreHeldToTheirLimit(t *testing.T) {
	all := virtually(t, fake(nil, 200), limited(t, time.Minute))
	var gets []time.Duration
	for _, one := range all.attempts.list {
		if one.Kind == 0 {
			gets = append(gets, one.Sent)
		}
	}
	for from := range gets {
		for to := from; to < len(gets); to++ {
			if most := 20 + int64((gets[to]-gets[from])*100/time.Second); int64(to-from+1) > most {
				t.Fatalf("%d gets were sent within %v; want at most %d", to-from+1, gets[to]-gets[from], most)
			}
		}
	}
	get, insert := all.Phases[0].Kinds[0], all.Phases[0].Kinds[1]
	if get.Scheduled != 720 || get.Sent != 720 || get.Operations != 720 || get.Attempts != int64(len(gets)) || get.Attempts <= 720 || get.Cut != 0 {
		t.Errorf("gets: %d due, %d sent, %d ended, %d attempts of %d that were seen; want 720 of all, and their retries",
			get.Scheduled, get.Sent, get.Operations, get.Attempts, len(gets))
	}
	assert.Truef(t, get.Late == 0 && insert.Late == 0 && insert.LimitHeld == 0,
		"%d gets and %d inserts were late, %d inserts held back; want none: the generator was on time", get.Late, insert.Late, insert.LimitHeld)
	assert.Equal(t, get.LimitHeld, all.LimitWaits.Count(), "waits for the limit")
	assert.GreaterOrEqual(t, get.LimitHeld, int64(600), "gets that were held back, most of them")
	// 720 gets and their retries at 100/s take more than 6 s, and the last were due after 3.
	assert.GreaterOrEqual(t, get.Response.Max(), int64(4_000_000), "µs of the slowest get from its intended instant")
	p50, _ := insert.Response.Quantile(.5)
	assert.LessOrEqual(t, p50, int64(10_000), "µs of half of the inserts, as without a limit")
}

// What is still held back when the stage ends was never sent: offered less what was held is
// what the target saw, and the accounts close.
func TestWhatIsHeldToTheEndIsCut(t *testing.T) {
	f := fake(nil, 0)
	all := virtually(t, f, limited(t, time.Second))
	checkBooks(t, "limited", all.sum, f.Attempts())
	get := all.Phases[0].Kinds[0]
	assert.Truef(t, get.Scheduled-get.Cut == get.Attempts && get.Cut != 0 && get.Dropped == 0 && get.Succeeded == get.Attempts,
		"%d gets due, %d cut, %d attempts, %d succeeded; want due less cut to be sent and to succeed", get.Scheduled, get.Cut, get.Attempts, get.Succeeded)
	// Four seconds at 100/s and the burst of 20.
	assert.Truef(t, get.Attempts >= 415 && get.Attempts <= 420,
		"%d gets were sent; want four seconds of the limit, 420 with its burst", get.Attempts)
	for _, row := range all.Intervals {
		assert.Truef(t, row.InFlight >= 0 && row.InFlight <= 10,
			"second %d: %d attempts under way; want the few that take a millisecond, not those held back", row.Second, row.InFlight)
	}
}

// patientInserts is a stage whose inserts try again by a formula of their own.
func patientInserts(t testing.TB) *drive.Stage {
	policy, err := backoff.ByName("exponential z=200ms min=30ms max=4s tries=6 first=0")
	require.NoError(t, err)
	stage := openStage(t, short, time.Minute, arrival.Step{Rate: 300, Length: 2 * time.Second})
	stage.Retries = []*backoff.Policy{nil, &policy}
	return stage
}

// On both clocks an operation waits by the formula of its policy and nothing else, to the nanosecond:
// by every preset, chained or not, and by the policy of its kind.
func TestBothRunnersWaitByTheFormula(t *testing.T) {
	list := []*drive.Stage{patientInserts(t)}
	own, err := backoff.Choose("waits 2s 0s 1s", "exponential base=100ms multiplier=1.6 jitter=50% max=2s elapsed=5s")
	require.NoError(t, err)
	for _, preset := range append(own, backoff.Presets()...) {
		list = append(list, openStage(t, preset.Policy, 30*time.Minute, arrival.Step{Rate: 20, Length: time.Second}))
	}
	for _, stage := range list {
		check := func(t *testing.T, clock string, all ran) {
			for number, list := range all.attempts.byOperation() {
				policy := stage.Retry
				if kind := list[0].Kind; kind < len(stage.Retries) && stage.Retries[kind] != nil {
					policy = *stage.Retries[kind]
				}
				var want []time.Duration
				var previous time.Duration
				for x := 1; x <= policy.Retries; x++ {
					draw := stage.Chance.Try(number, x-1)
					previous, _ = policy.Next(x, previous, draw.Float64())
					if after := list[min(x, len(list))-1].Done - list[0].Sent; policy.Elapsed > 0 && after+previous > policy.Elapsed {
						break
					}
					want = append(want, previous)
				}
				assert.Equalf(t, want, waits(list), "%s, %s clock: waits of operation %d", policy.Name, clock, number)
			}
			assert.EqualValuesf(t, stage.Schedule.Len(), all.sum.Operations, "%s, %s clock: operations", stage.Retry.Name, clock)
		}
		check(t, "virtual", virtually(t, fake(nil, 1000), stage))
		inBubble(t, func(t *testing.T, clk clock.Real) {
			check(t, "real", run(t, &drive.Live{Clock: clk, Target: fake(clk, 1000), Workers: 64}, stage))
		})
	}
}

// Retry-After is a floor below a policy's waits, and does not count as one of them
// where the next follows from the last.
func TestRetryAfterIsAFloor(t *testing.T) {
	const s = time.Second
	for _, row := range []struct {
		name  string
		delay backoff.Delay
		after time.Duration
		want  []time.Duration
	}{
		{"no wish", backoff.Ladder{2 * s}, 0, []time.Duration{2 * s, 2 * s}},
		{"a wish below the wait", backoff.Ladder{2 * s}, s, []time.Duration{2 * s, 2 * s}},
		{"a wish above it", backoff.Ladder{2 * s}, 3 * s, []time.Duration{3 * s, 3 * s}},
		{"between two waits of a ladder", backoff.Ladder{s, 5 * s}, 3 * s, []time.Duration{3 * s, 5 * s}},
		{"no wait at all", backoff.Ladder{}, s, []time.Duration{s, s}},
	} {
		stage := openStage(t, backoff.Policy{Retries: 2, Delay: row.delay}, time.Minute, arrival.Step{Rate: 1, Length: s})
		busy := target.Outcome{Status: 503, Code: entity.ServerBusy, RetryAfter: row.after}
		all := virtually(t, targettest.After(0, targettest.Always(busy)), stage)
		got := waits(all.attempts.list)
		assert.Truef(t, slices.Equal(got, row.want), "%s: waited %v; want %v", row.name, got, row.want)
	}
}

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

package target_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/targettest"
)

// account is the one of an engine that most tests use.
const account = "one"

var names = []string{account, "two", "three"}

// modelOf returns a profile's model, changed so: NAME=VALUE.
func modelOf(t testing.TB, profile string, settings ...string) *model.Model {
	t.Helper()
	m, err := model.New(profile)
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		err = errors.Join(err, m.Set(name, value))
	}
	require.NoError(t, err)
	return m
}

// newEngine returns an engine of such a model, with all accounts.
func newEngine(t testing.TB, profile string, settings ...string) *engine.Engine {
	t.Helper()
	return engine.New(engine.Options{Model: modelOf(t, profile, settings...), Accounts: names, Seed: 1})
}

// patient are faults that hold replies back and lose none: a target under them
// is slow, and otherwise like any other.
func patient() engine.FaultPlan {
	freeze := all(engine.FaultFreeze, 0, time.Second)
	some := delayAll(20 * ms)
	some.Share = engine.WholeShare / 2
	return engine.FaultPlan{Rules: []engine.FaultRule{freeze, some}}
}

func blocking(e *engine.Engine, clk clock.Clock) *target.LiveShards {
	var each []target.Target
	for _, name := range names {
		each = append(each, target.NewInProcess(e, name, clk))
	}
	return target.NewShards(each)
}

func immediate(e *engine.Engine) *target.VirtualShards {
	var each []target.Immediate
	for _, name := range names {
		each = append(each, target.NewInProcess(e, name, nil))
	}
	return target.NewImmediateShards(each)
}

// sendTo has every operation of a suite go to one account.
func sendTo(account int, s targettest.Subject) targettest.Subject {
	for _, do := range []*func(*target.Operation) target.Outcome{&s.Do, &s.Cancelled} {
		if inner := *do; inner != nil {
			*do = func(op *target.Operation) target.Outcome {
				sent := *op
				sent.Account = account
				return inner(&sent)
			}
		}
	}
	return s
}

// The engine by itself, under faults that lose nothing, and as the last of three accounts: by
// both faces.
func TestConforms(t *testing.T) {
	for _, row := range []struct {
		name    string
		virtual func(*engine.Engine) targettest.Subject
		live    func(*engine.Engine, clock.Clock) targettest.Subject
	}{
		{"in process", func(e *engine.Engine) targettest.Subject {
			return targettest.Virtual(target.NewInProcess(e, account, nil))
		}, func(e *engine.Engine, clk clock.Clock) targettest.Subject {
			return targettest.Live(target.NewInProcess(e, account, clk))
		}},
		{"patient faults", func(e *engine.Engine) targettest.Subject {
			return targettest.Virtual(target.WrapImmediateFaults(target.NewInProcess(e, account, nil), patient(), 1))
		}, func(e *engine.Engine, clk clock.Clock) targettest.Subject {
			return targettest.Live(target.WrapFaults(target.NewInProcess(e, account, clk), patient(), 1, clk))
		}},
		{"shards", func(e *engine.Engine) targettest.Subject {
			return sendTo(2, targettest.Virtual(immediate(e)))
		}, func(e *engine.Engine, clk clock.Clock) targettest.Subject {
			return sendTo(2, targettest.Live(blocking(e, clk)))
		}},
	} {
		for _, profile := range model.Profiles() {
			for _, check := range targettest.Checks() {
				t.Run(row.name+", "+profile+": "+check.Name, func(t *testing.T) {
					subject := row.virtual(newEngine(t, profile))
					subject.Unlimited = profile == model.Off
					check.Run(t, subject)
					synctest.Test(t, func(t *testing.T) {
						subject := row.live(newEngine(t, profile), clock.NewReal())
						subject.Unlimited = profile == model.Off
						check.Run(t, subject)
					})
				})
			}
		}
	}
}

const table = "Registrations"

// event is one attempt of a random sequence and what came of it.
type event struct {
	verb    entity.Verb
	outcome target.Outcome
	// done is when the outcome was there.
	done clock.Instant
}

// play sends a random sequence, each operation when the one before has come back
// and a pause is over.
func play(seed uint64, do func(*target.Operation) (target.Outcome, clock.Instant), pause func(time.Duration)) []event {
	walk := targettest.NewWalk(seed)
	var events []event
	for n := range 400 {
		op := walk.Next()
		outcome, done := do(op)
		events = append(events, event{op.Verb, outcome, done})
		walk.Saw(op, outcome)
		pause(time.Duration(n%3) * time.Millisecond)
	}
	return events
}

func playVirtual(t *testing.T, e *engine.Engine, seed uint64) ([]event, target.Counts) {
	t.Helper()
	embedded := target.NewInProcess(e, account, nil)
	var now clock.Virtual
	events := play(seed, func(op *target.Operation) (target.Outcome, clock.Instant) {
		outcome, done := embedded.Submit(now.Now(), op)
		now.AdvanceTo(done)
		return outcome, done
	}, func(d time.Duration) { now.AdvanceTo(now.Now().Add(d)) })
	return events, embedded.Counts()
}

func playLive(t *testing.T, e *engine.Engine, seed uint64) ([]event, target.Counts) {
	t.Helper()
	clk := clock.NewReal()
	embedded := target.NewInProcess(e, account, clk)
	events := play(seed, func(op *target.Operation) (target.Outcome, clock.Instant) {
		outcome := embedded.Do(t.Context(), op)
		return outcome, clk.Now()
	}, func(d time.Duration) {
		if err := clk.Sleep(t.Context(), clk.Now().Add(d)); err != nil {
			t.Error(err)
		}
	})
	return events, embedded.Counts()
}

// Both faces give the same outcomes at the same instants, and keep the same
// books, which are what the outcomes add up to. One caller alone would hardly
// reach the documented limits, so that they are lowered.
func TestLiveEqualsVirtual(t *testing.T) {
	for _, test := range []struct {
		profile   string
		settings  []string
		throttles bool
	}{
		{model.Documented, []string{"partition_target=200"}, true},
		{model.Off, nil, false},
	} {
		statuses := map[int]int{}
		for seed := range uint64(4) {
			virtual, counts := playVirtual(t, newEngine(t, test.profile, test.settings...), seed)
			synctest.Test(t, func(t *testing.T) {
				live, liveCounts := playLive(t, newEngine(t, test.profile, test.settings...), seed)
				for i := range virtual {
					if !reflect.DeepEqual(live[i], virtual[i]) {
						t.Fatalf("profile %s, seed %d: live event %d = %+v; want the virtual %+v", test.profile, seed, i, live[i], virtual[i])
					}
				}
				assert.Equalf(t, counts, liveCounts, "profile %s, seed %d: live Counts", test.profile, seed)
			})
			assert.Equalf(t, counter(virtual), counts, "profile %s, seed %d: Counts", test.profile, seed)
			for _, e := range virtual {
				statuses[e.outcome.Status]++
			}
		}
		for _, status := range []int{200, 202, 204, 404, 409, 412} {
			assert.Truef(t, statuses[status] != 0,
				"profile %s: no status %d among %v: the sequences show too little", test.profile, status, statuses)
		}
		assert.Equalf(t, statuses[503] > 0, test.throttles,
			"profile %s: %d attempts were refused; that it throttles is %v", test.profile, statuses[503], test.throttles)
	}
}

func counter(events []event) (sum target.Counts) {
	for _, e := range events {
		targettest.Enter(&sum, &e.outcome)
	}
	return sum
}

func single(verb entity.Verb, row string) *target.Operation {
	return &target.Operation{Verb: verb, Table: table, Change: entity.Change{Verb: verb, Key: entity.Key{Partition: "p", Row: row}}}
}

// A caller who gives up during an insert, which takes 3 ms or more, is told so at once, and
// does not learn that the insert was carried out.
func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		embedded := target.NewInProcess(newEngine(t, model.Documented), account, clk)
		embedded.Do(t.Context(), &target.Operation{Verb: entity.CreateTable, Table: table})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		defer cancel()
		began := clk.Now()
		outcome := embedded.Do(ctx, single(entity.Insert, "1"))
		assert.Equal(t, 2*time.Millisecond, clk.Now().Sub(began), "time until Do returned")
		assert.Truef(t, outcome.Class(target.Expected{}) == results.Failed && outcome.Status == 0 && outcome.Counted == 0 &&
			strings.Contains(outcome.Detail, context.DeadlineExceeded.Error()), "Do = %+v; want a failure without a status", outcome)
		assert.Equal(t, 200, embedded.Do(t.Context(), single(entity.Get, "1")).Status, "get of what was inserted")
		assert.Equal(t, target.Counts{Requests: 3, Ok: 3, Entities: 2}, embedded.Counts(), "as the engine saw it")
	})
}

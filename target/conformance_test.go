package target_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
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
			var sum target.Counts
			for _, e := range virtual {
				targettest.Enter(&sum, &e.outcome)
				statuses[e.outcome.Status]++
			}
			assert.Equalf(t, sum, counts, "profile %s, seed %d: Counts", test.profile, seed)
		}
		for _, status := range []int{200, 202, 204, 404, 409, 412} {
			assert.Truef(t, statuses[status] != 0,
				"profile %s: no status %d among %v: the sequences show too little", test.profile, status, statuses)
		}
		assert.Equalf(t, statuses[503] > 0, test.throttles,
			"profile %s: %d attempts were refused; that it throttles is %v", test.profile, statuses[503], test.throttles)
	}
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

// spy is a target that notes which operations reached it.
type spy struct {
	mu   sync.Mutex
	seen []uint64
	// books are what it says that it counted.
	books target.Counts
}

func (s *spy) Do(_ context.Context, op *target.Operation) target.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, op.Number)
	return target.Outcome{Status: 200 + op.Account}
}

func (s *spy) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return s.Do(context.Background(), op), now.Add(time.Duration(op.Account) * time.Second)
}

// keeper is a spy with books.
type keeper struct{ spy }

func (k *keeper) Counts() target.Counts { return k.books }

func TestEachAttemptReachesItsAccountAlone(t *testing.T) {
	spies := []*spy{{}, {}, {}}
	live := target.NewShards([]target.Target{spies[0], spies[1], spies[2]})
	virtual := target.NewImmediateShards([]target.Immediate{spies[0], spies[1], spies[2]})
	for number := range uint64(300) {
		op := &target.Operation{Number: number, Account: int(number * 7 % 3)}
		if number%2 == 0 {
			if got := live.Do(t.Context(), op); got.Status != 200+op.Account {
				t.Errorf("Do(account %d) = %d; want that account's %d", op.Account, got.Status, 200+op.Account)
			}
		} else if got, done := virtual.Submit(5, op); got.Status != 200+op.Account || done != clock.Instant(5).Add(time.Duration(op.Account)*time.Second) {
			t.Errorf("Submit(account %d) = %d at %v; want that account's", op.Account, got.Status, done)
		}
	}
	for account, s := range spies {
		assert.Lenf(t, s.seen, 100, "attempts that account %d saw", account)
		for _, number := range s.seen {
			assert.Truef(t, int(number*7%3) == account,
				"account %d saw operation %d; want it in account %d", account, number, number*7%3)
		}
	}
}

func TestAnAccountThatIsNotThere(t *testing.T) {
	one := &spy{}
	live, virtual := target.NewShards([]target.Target{one}), target.NewImmediateShards([]target.Immediate{one})
	for name, call := range map[string]func(){
		"one behind the last":   func() { live.Do(t.Context(), &target.Operation{Account: 1}) },
		"a negative one":        func() { virtual.Submit(0, &target.Operation{Account: -1}) },
		"no account at all":     func() { target.NewShards(nil) },
		"none for a simulation": func() { target.NewImmediateShards(nil) },
	} {
		func() {
			defer func() { assert.Regexpf(t, "^target: ", fmt.Sprint(recover()), "%s: panic", name) }()
			call()
		}()
	}
	assert.Len(t, one.seen, 0, "attempts that the only account saw")
}

func TestBooksAreTheSumOfThoseThatAreKept(t *testing.T) {
	kept := &keeper{spy{books: target.Counts{Requests: 7, Ok: 4, Throttled: 2, Failed: 1, Entities: 90}}}
	more := &keeper{spy{books: target.Counts{Requests: 100, Ok: 50, Throttled: 20, Failed: 30, Entities: 60}}}
	both := target.Counts{Requests: 107, Ok: 54, Throttled: 22, Failed: 31, Entities: 150}
	assert.Equal(t, both, target.NewShards([]target.Target{kept, more}).Counts(), "two that keep books")
	assert.Equal(t, both, target.NewImmediateShards([]target.Immediate{kept, &spy{}, more}).Counts(), "one of three that keeps none")
	assert.Zero(t, target.NewShards([]target.Target{&spy{}}).Counts(), "nobody keeps any")
}

// An account has a limit of its own: what is sent to one takes nothing from another.
func TestAnAccountsLimitIsItsOwn(t *testing.T) {
	e := newEngine(t, model.Documented, "account_target=300", "account_burst=100ms", "partition_target=0")
	router := immediate(e)
	for account := range 2 {
		router.Submit(0, &target.Operation{Verb: entity.CreateTable, Account: account, Table: "Races"})
	}
	// For 10 s the first account is asked for three times its limit, the second for
	// two thirds of it.
	throttled, number := [2]int{}, uint64(10)
	send := func(now clock.Instant, account int) {
		number++
		op := &target.Operation{Verb: entity.InsertOrReplace, Account: account, Table: "Races", Number: number}
		op.Change = entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: fmt.Sprint(number)}}
		if outcome, _ := router.Submit(now, op); outcome.Class(target.Expected{}) == results.Throttled {
			throttled[account]++
		}
	}
	for k := range 9000 {
		now := clock.Instant(time.Second).Add(time.Duration(k) * 10 * time.Second / 9000)
		send(now, 0)
		if k%9 < 2 {
			send(now, 1)
		}
	}
	// The first is served 300/s for 10 s and what it had saved up, 30.
	if want := 9000 - 3030; throttled[0] < want-2 || throttled[0] > want+2 {
		t.Errorf("the account with three times its limit refused %d of 9,000; want %d", throttled[0], want)
	}
	assert.Equal(t, 0, throttled[1], "the account within its limit refused of 2,000")
	if got, want := router.Counts(), target.Counts(e.Counts()); got != want || got.Requests != 11002 {
		t.Errorf("Counts() = %+v; want the engine's %+v, of 11,002 requests", got, want)
	}
}

package target_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/targettest"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

// service is an inner target whose answer to an operation and whose latency
// depend on the operation's number alone. It keeps books.
type service struct {
	clock  clock.Clock
	lock   sync.Mutex
	counts target.Counts
}

func (s *service) Counts() target.Counts {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.counts
}

func latency(op *target.Operation) time.Duration {
	return time.Duration(5+op.Number%7) * ms
}

func (s *service) answer(op *target.Operation) target.Outcome {
	outcome := target.Outcome{Status: 204, Counted: op.Entities(), Version: entity.Ticks(op.Number + 1)}
	switch op.Number % 10 {
	case 8:
		outcome = target.Outcome{Status: 503, Code: entity.ServerBusy, Detail: "busy"}
	case 9:
		outcome = target.Outcome{Status: 409, Code: entity.EntityAlreadyExists, Detail: "exists", Counted: 1}
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	targettest.Enter(&s.counts, &outcome)
	return outcome
}

func (s *service) Do(ctx context.Context, op *target.Operation) target.Outcome {
	until := s.clock.Now().Add(latency(op))
	outcome := s.answer(op)
	if err := s.clock.Sleep(ctx, until); err != nil {
		return target.Outcome{Detail: err.Error()}
	}
	return outcome
}

func (s *service) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return s.answer(op), now.Add(latency(op))
}

func faultedInsert(number uint64, partition string) *target.Operation {
	return &target.Operation{Verb: entity.Insert, Table: "T", Number: number,
		Change: entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: partition}}}
}

func all(kind engine.FaultKind, from, to time.Duration) engine.FaultRule {
	return engine.FaultRule{Kind: kind, From: from, To: to, Share: engine.WholeShare}
}

// lateAll returns a rule of an hour that holds every attempt up for a time.
func lateAll(kind engine.FaultKind, by time.Duration) engine.FaultRule {
	rule := all(kind, 0, time.Hour)
	rule.By = by
	return rule
}

func delayAll(by time.Duration) engine.FaultRule { return lateAll(engine.FaultDelay, by) }

func dropAll(moment engine.FaultMoment, by time.Duration) engine.FaultRule {
	rule := lateAll(engine.FaultDrop, by)
	rule.Moment = moment
	return rule
}

// Until an injector is begun, and once it is ended, everything passes; its windows count
// from where it was begun first. What goes beside the tables meets no fault at all.
func TestAnInjectorIsBegunAndEnded(t *testing.T) {
	var told []target.Injection
	i := target.NewInjector(engine.FaultPlan{Rules: []engine.FaultRule{all(engine.FaultRefuse, s, 3*s)}}, 1, func(one target.Injection) { told = append(told, one) })
	inner := &service{}
	wrapped := i.BeforeImmediate(inner)
	send := func(at time.Duration, op *target.Operation, want int) {
		t.Helper()
		outcome, _ := wrapped.Submit(clock.Instant(at), op)
		assert.Truef(t, outcome.Status == want && (outcome.Injected == engine.FaultRefuse) == (want == 503),
			"at %v: %d, injected %v; want %d", at, outcome.Status, outcome.Injected, want)
	}
	send(2*s, faultedInsert(0, "p"), 204)
	i.Begin(clock.Instant(10 * s))
	send(10*s, faultedInsert(0, "p"), 204)
	send(11*s, faultedInsert(0, "p"), 503)
	send(11*s, &target.Operation{Beside: new(target.Beside)}, 204)
	i.End()
	send(11*s, faultedInsert(0, "p"), 204)
	i.Begin(clock.Instant(12 * s))
	send(12*s, faultedInsert(0, "p"), 503)
	send(13*s, faultedInsert(0, "p"), 204)
	want := target.Injection{Kind: engine.FaultRefuse, At: 11 * s, Status: 503, Code: "ServerBusy", Table: "T", PartitionKey: "p"}
	later := want
	later.At = 12 * s
	assert.Equal(t, []target.Injection{want, later}, told, "injections that it told of")
}

// Every attempt is number 0, which the service answers with 204 after 5 ms.
func TestWhatAFaultDoesToAnAttempt(t *testing.T) {
	onlyRaces := delayAll(s)
	onlyRaces.KeyPrefix = "race"
	for _, row := range []struct {
		name    string
		rules   []engine.FaultRule
		status  int
		at      time.Duration
		reached bool
	}{
		{"no plan, no fault", nil, 204, 5 * ms, true},
		{"frozen until the window ends", []engine.FaultRule{all(engine.FaultFreeze, 0, s)}, 204, s, true},
		{"delayed", []engine.FaultRule{delayAll(s)}, 204, 1005 * ms, true},
		{"delayed into a freeze", []engine.FaultRule{delayAll(s), all(engine.FaultFreeze, s, 3*s)}, 204, 3 * s, true},
		{"delayed past a freeze", []engine.FaultRule{delayAll(s), all(engine.FaultFreeze, 0, s)}, 204, 1005 * ms, true},
		{"dropped before, noticed by a time-out", []engine.FaultRule{dropAll(engine.FaultBefore, 30*s)}, 0, 30 * s, false},
		{"dropped before it arrives", []engine.FaultRule{dropAll(engine.FaultBefore, 0)}, 0, 0, false},
		{"dropped after it is carried out", []engine.FaultRule{dropAll(engine.FaultAfter, 0)}, 0, 5 * ms, true},
		{"dropped after, noticed by a time-out", []engine.FaultRule{dropAll(engine.FaultAfter, s)}, 0, 1005 * ms, true},
		{"refused", []engine.FaultRule{all(engine.FaultRefuse, 0, s)}, 503, 0, false},
		{"refused, and then the reply is lost", []engine.FaultRule{all(engine.FaultRefuse, 0, s), dropAll(engine.FaultAfter, 0)}, 0, 0, false},
		{"cut off", []engine.FaultRule{all(engine.FaultCut, 0, s)}, 0, 5 * ms, true},
		{"slow to come, and late", []engine.FaultRule{lateAll(engine.FaultDrip, s), delayAll(s)}, 204, 2005 * ms, true},
		{"slow to come", []engine.FaultRule{lateAll(engine.FaultDrip, s)}, 204, 1005 * ms, true},
		{"dropped before it could be refused", []engine.FaultRule{all(engine.FaultRefuse, 0, s), dropAll(engine.FaultBefore, 0)}, 0, 0, false},
		{"another partition's fault", []engine.FaultRule{onlyRaces}, 204, 5 * ms, true},
	} {
		inner := &service{}
		wrapped := target.WrapImmediateFaults(inner, engine.FaultPlan{Rules: row.rules}, 1)
		outcome, done := wrapped.Submit(0, faultedInsert(0, "p"))
		assert.Truef(t, outcome.Status == row.status && done.Offset() == row.at,
			"%s: Submit = status %d at %v; want %d at %v", row.name, outcome.Status, done.Offset(), row.status, row.at)
		assert.Equalf(t, row.reached, inner.counts.Requests == 1, "%s: reached the inner target", row.name)
		assert.Truef(t, outcome.Kept != row.reached,
			"%s: kept from the inner target %v; want %v", row.name, outcome.Kept, !row.reached)
		if got := wrapped.Counts(); got.Requests != 1 || got.Ok+got.Throttled+got.Failed != 1 {
			t.Errorf("%s: Counts() = %+v; want one request of one class", row.name, got)
		}
		if row.status == 0 && (outcome.Class(target.Expected{}) != results.Failed || outcome.Detail == "" || outcome.Code != "") {
			t.Errorf("%s: lost outcome = %+v; want Failed with a detail and no code", row.name, outcome)
		}
	}
}

// reply is what came of an operation, and when.
type reply struct {
	Outcome target.Outcome
	At      clock.Instant
}

// traffic is a random plan with random operations, in the order of their
// instants.
func traffic(seed uint64) (engine.FaultPlan, []*target.Operation, []clock.Instant) {
	rng := rand.New(rand.NewPCG(seed, 0))
	keys := []string{"", "a", "ab", "b"}
	var plan engine.FaultPlan
	for range 1 + rng.IntN(6) {
		from := time.Duration(rng.IntN(1500)) * ms
		rule := engine.FaultRule{
			Kind: engine.FaultKinds()[rng.IntN(6)], From: from, To: from + time.Duration(1+rng.IntN(400))*ms,
			KeyPrefix: keys[rng.IntN(len(keys))], Share: 1 + rng.IntN(engine.WholeShare),
		}
		switch rule.Kind {
		case engine.FaultDrop:
			rule.Moment, rule.By = engine.FaultMoment(1+rng.IntN(2)), time.Duration(rng.IntN(50))*ms
		case engine.FaultDelay, engine.FaultDrip:
			rule.By = time.Duration(1+rng.IntN(300)) * ms
		case engine.FaultRefuse:
			rule.Code = engine.FaultCodes()[rng.IntN(3)]
		}
		plan.Rules = append(plan.Rules, rule)
	}
	operations, instants := make([]*target.Operation, 300), make([]clock.Instant, 300)
	for i := range operations {
		operations[i] = faultedInsert(rng.Uint64(), keys[rng.IntN(len(keys))])
		operations[i].Attempt = rng.IntN(4)
		instants[i] = clock.Instant(time.Duration(i*5) * ms)
	}
	return plan, operations, instants
}

func TestBothFacesDoTheSame(t *testing.T) {
	met := map[engine.FaultKind]int{}
	for seed := range uint64(80) {
		plan, operations, instants := traffic(seed)
		faults := plan.Validate()
		require.Truef(t, len(faults) == 0, "seed %d: the test's own plan is invalid: %v", seed, faults)
		virtualInner := &service{}
		virtual := target.WrapImmediateFaults(virtualInner, plan, seed)
		want := make([]reply, len(operations))
		for i, op := range operations {
			want[i].Outcome, want[i].At = virtual.Submit(instants[i], op)
			met[want[i].Outcome.Injected]++
		}
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			liveInner := &service{clock: clk}
			live := target.WrapFaults(liveInner, plan, seed, clk)
			got := make([]reply, len(operations))
			var group sync.WaitGroup
			for i, op := range operations {
				group.Go(func() {
					clk.Sleep(t.Context(), instants[i])
					got[i].Outcome = live.Do(t.Context(), op)
					got[i].At = clk.Now()
				})
			}
			group.Wait()
			for i := range got {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("seed %d, operation %d: live %+v, virtual %+v; want the same", seed, i, got[i], want[i])
				}
			}
			if live.Counts() != virtual.Counts() || liveInner.counts != virtualInner.counts {
				t.Fatalf("seed %d: live %+v over %+v; virtual %+v over %+v; want the same", seed,
					live.Counts(), liveInner.counts, virtual.Counts(), virtualInner.counts)
			}
		})
		// The books of the inner target, corrected by what was done to its attempts, are the sender's.
		if got, want := virtual.Corrected(virtualInner).Counts(), virtual.Counts(); got != want {
			t.Errorf("seed %d: under %+v the corrected books are %+v; want %+v", seed, plan.Rules, got, want)
		}
	}
	for _, kind := range engine.FaultKinds() {
		assert.Greaterf(t, met[kind], 20, "outcomes of %v, or the test shows too little", kind)
	}
}

// Every retry of an operation has a chance of its own, and every seed.
func TestAttemptsDrawApart(t *testing.T) {
	rule := dropAll(engine.FaultBefore, 0)
	rule.Share = engine.WholeShare / 2
	plan := engine.FaultPlan{Rules: []engine.FaultRule{rule}}
	first, second := target.WrapImmediateFaults(&service{}, plan, 1), target.WrapImmediateFaults(&service{}, plan, 2)
	differ, dropped := 0, 0
	for attempt := range 200 {
		op := faultedInsert(0, "p")
		op.Attempt = attempt
		a, _ := first.Submit(0, op)
		b, _ := second.Submit(0, op)
		if a.Status != b.Status {
			differ++
		}
		if a.Status == 0 {
			dropped++
		}
	}
	// 200 tosses of a coin; 60 to 140 is more than five standard deviations.
	for what, got := range map[string]int{"dropped": dropped, "not the same with another seed": differ} {
		assert.Truef(t, got >= 60 && got <= 140, "of 200 attempts of one operation %d are %s; want about half", got, what)
	}
}

// A sender that gives up is freed at once, while a reply is held back and while a loss that it
// will not hear of is still to be waited out.
func TestASenderThatGivesUpIsFreedAtOnce(t *testing.T) {
	for _, rule := range []engine.FaultRule{all(engine.FaultFreeze, 0, time.Hour), dropAll(engine.FaultBefore, time.Hour)} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			inner := &service{clock: clk}
			live := target.WrapFaults(inner, engine.FaultPlan{Rules: []engine.FaultRule{rule}}, 1, clk)
			ctx, cancel := context.WithTimeout(t.Context(), 50*ms)
			defer cancel()
			outcome := live.Do(ctx, faultedInsert(0, "p"))
			assert.Truef(t, clk.Now().Offset() == 50*ms && outcome.Class(target.Expected{}) == results.Failed,
				"%v: Do = %+v at %v; want Failed for the deadline at 50ms", rule.Kind, outcome, clk.Now().Offset())
			assert.Equalf(t, live.Counts(), live.Corrected(inner).Counts(), "%v: the corrected counters", rule.Kind)
		})
	}
}

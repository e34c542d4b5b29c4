package target

import (
	"context"
	"sync"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/results"
)

// Injection is one attempt with a fault, as its sender saw it.
type Injection struct {
	Kind engine.FaultKind
	// At is the time of the reply, by the clock of the target.
	At     time.Duration
	Status int
	// Code is that of a record, empty for a success.
	Code         string
	Table        string
	PartitionKey string
}

// Injector applies a plan of faults to one target, see [Injector.Inject] and [Injector.BeforeImmediate], after Begin. It is
// safe for concurrent use.
type Injector struct {
	plan   engine.FaultPlan
	chance clock.Stream
	tell   func(Injection)

	lock sync.Mutex
	// since is the start of the plan's windows, once begun; while resting there are no faults.
	since          clock.Instant
	begun, resting bool
	counts         Counts
	// altered is the difference between the sender's counters and the inner target's.
	altered Counts
}

// NewInjector returns an injector of a valid plan, which must not be altered. Unless nil, tell is called for every
// attempt with a fault at the time of its reply, one call at a time.
func NewInjector(plan engine.FaultPlan, seed uint64, tell func(Injection)) *Injector {
	return &Injector{plan: plan, chance: clock.NewStream(seed, "fault"), tell: tell, resting: true}
}

// Begin starts faults. The windows of the plan are relative to the first call.
func (i *Injector) Begin(at clock.Instant) {
	i.lock.Lock()
	defer i.lock.Unlock()
	if !i.begun {
		i.begun, i.since = true, at
	}
	i.resting = false
}

// End stops faults for later attempts.
func (i *Injector) End() {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.resting = true
}

// Counts implements [Counter]: the attempts as their sender saw them, as ok by their status, since a target does not know
// the expected statuses of an operation.
func (i *Injector) Counts() Counts {
	i.lock.Lock()
	defer i.lock.Unlock()
	return i.counts
}

// Corrected returns the counters of the inner target, corrected by the faults.
func (i *Injector) Corrected(inner Counter) Counter { return corrected{i, inner} }

type corrected struct {
	*Injector
	inner Counter
}

// Counts implements [Counter].
func (c corrected) Counts() Counts {
	counts := c.inner.Counts()
	c.lock.Lock()
	defer c.lock.Unlock()
	counts = counts.Plus(c.altered, 1)
	return counts
}

// decide returns the verdict of an attempt sent at now, and the start of the windows.
func (i *Injector) decide(now clock.Instant, op *Operation) (engine.FaultVerdict, clock.Instant) {
	i.lock.Lock()
	since, resting := i.since, i.resting
	i.lock.Unlock()
	if resting || op.Beside != nil {
		return engine.FaultVerdict{}, since
	}
	key, _ := op.PartitionKey()
	draw := i.chance.Try(op.Number, op.Attempt)
	return i.plan.Decide(now.Sub(since), key, draw.Uint64()), since
}

// enter counts an attempt when its sender has the outcome.
func (i *Injector) enter(a *attempt, op *Operation) Outcome {
	kind := a.verdict.Kind(a.done.Offset(), a.released.Offset())
	a.seen.Injected, a.seen.Kept = kind, kind != 0 && !a.arrived
	i.lock.Lock()
	defer i.lock.Unlock()
	told := countsOf(&a.seen)
	i.counts = i.counts.Plus(told, 1)
	if a.arrived {
		told = told.Plus(countsOf(&a.inner), -1)
	}
	if kind != 0 || a.abandoned {
		i.altered = i.altered.Plus(told, 1)
	}
	if i.tell != nil && kind != 0 {
		key, _ := op.PartitionKey()
		i.tell(Injection{Kind: kind, At: a.released.Offset(), Status: a.seen.Status, Code: a.seen.Cause(), Table: op.Table, PartitionKey: key})
	}
	return a.seen
}

// countsOf returns the counters of a single attempt.
func countsOf(o *Outcome) Counts {
	counts := Counts{Requests: 1, Entities: o.Counted}
	switch o.Class(Expected{}) {
	case results.Ok:
		counts.Ok = 1
	case results.Throttled:
		counts.Throttled = 1
	default:
		counts.Failed = 1
	}
	return counts
}

// VirtualFaults applies a plan of faults to an immediate target. It belongs to one goroutine; its counters are safe for
// concurrent use.
type VirtualFaults struct {
	inner Immediate
	*Injector
}

var (
	_ Immediate = (*VirtualFaults)(nil)
	_ Counter   = (*VirtualFaults)(nil)
)

// WrapImmediateFaults returns the inner target with a plan of faults whose windows are relative to instant zero.
func WrapImmediateFaults(inner Immediate, plan engine.FaultPlan, seed uint64) *VirtualFaults {
	i := NewInjector(plan, seed, nil)
	i.Begin(0)
	return i.BeforeImmediate(inner)
}

// BeforeImmediate returns the inner target with the injector's faults.
func (i *Injector) BeforeImmediate(inner Immediate) *VirtualFaults {
	return &VirtualFaults{inner: inner, Injector: i}
}

// Submit implements [Immediate].
func (v *VirtualFaults) Submit(now clock.Instant, op *Operation) (Outcome, clock.Instant) {
	verdict, since := v.decide(now, op)
	var inner Outcome
	if verdict.Arrives() {
		inner, now = v.inner.Submit(now, op)
	}
	a := answered(verdict, since, inner, now)
	return v.enter(&a, op), a.released
}

// LiveFaults applies a plan of faults to a blocking target. It is safe for concurrent use.
type LiveFaults struct {
	inner Target
	clock clock.Clock
	*Injector
}

var (
	_ Target  = (*LiveFaults)(nil)
	_ Counter = (*LiveFaults)(nil)
)

// WrapFaults returns the inner target with a plan of faults whose windows are relative to instant zero of the clock.
func WrapFaults(inner Target, plan engine.FaultPlan, seed uint64, clk clock.Clock) *LiveFaults {
	i := NewInjector(plan, seed, nil)
	i.Begin(0)
	return i.Inject(inner, clk)
}

// Inject returns the inner target with the injector's faults.
func (i *Injector) Inject(inner Target, clk clock.Clock) *LiveFaults {
	return &LiveFaults{inner: inner, clock: clk, Injector: i}
}

// Do implements [Target]. It waits for a delayed reply; if the context ends first, the outcome is Failed although the
// inner target answered.
func (l *LiveFaults) Do(ctx context.Context, op *Operation) Outcome {
	now := l.clock.Now()
	verdict, since := l.decide(now, op)
	var inner Outcome
	if verdict.Arrives() {
		inner = l.inner.Do(ctx, op)
		now = l.clock.Now()
	}
	a := answered(verdict, since, inner, now)
	if a.released > now {
		if err := l.clock.Sleep(ctx, a.released); err != nil {
			a.abandoned = true
			a.seen = Outcome{Fault: Cancelled, Detail: "gave up before a reply came: " + err.Error()}
		}
	}
	return l.enter(&a, op)
}

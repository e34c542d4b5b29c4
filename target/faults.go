package target

import (
	"context"
	"sync"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/results"
)

// FaultLog is what an injector did to the attempts. The books of the inner target
// follow from it: its requests are the sender's less DroppedBefore and Refused, and its
// entities are the sender's and EntitiesLost.
type FaultLog struct {
	// DroppedBefore counts the requests that never reached the inner target.
	DroppedBefore int64
	// Refused counts the requests that were answered in place of the inner target.
	Refused int64
	// DroppedAfter counts the replies lost after the inner target had answered
	// the request, whatever its outcome, Cut those of which only a part came.
	DroppedAfter, Cut int64
	// Frozen counts the replies that a frozen window held back.
	Frozen int64
	// Delayed counts the replies that a delay held back, whether or not a
	// frozen window then did too, Dripped those of which some came slowly.
	Delayed, Dripped int64
	// Abandoned counts the attempts whose sender gave up while they were held
	// back; each is counted under what held it back as well.
	Abandoned int64
	// EntitiesLost is how many entities the inner target counted for attempts
	// whose reply was lost, cut or abandoned.
	EntitiesLost int64
}

// Injection is one attempt that met a fault, and what its sender learned.
type Injection struct {
	Kind engine.FaultKind
	// At is when the sender had the reply, or was to give up waiting for it, by the clock
	// of the target.
	At     time.Duration
	Status int
	// Code is as a record has it, empty where all went well.
	Code         string
	Table        string
	PartitionKey string
}

// Injector is a plan of faults with its chance and its accounts. It stands before one
// target, by [Injector.Before] or [Injector.BeforeImmediate], and lets everything pass
// until it is begun. It is safe for concurrent use.
type Injector struct {
	plan   engine.FaultPlan
	chance clock.Stream
	tell   func(Injection)

	lock sync.Mutex
	// since is where the plan's windows count from, once begun; resting has attempts
	// pass.
	since          clock.Instant
	begun, resting bool
	counts         Counts
	// altered is what the sender's books have that those of the inner target lack.
	altered Counts
	log     FaultLog
}

// NewInjector returns an injector of a plan that is valid by its own Validate and not
// altered afterwards. Tell is told of every attempt that meets a fault, when its sender
// learns of it, one call at a time; it may be nil.
func NewInjector(plan engine.FaultPlan, seed uint64, tell func(Injection)) *Injector {
	return &Injector{plan: plan, chance: clock.NewStream(seed, "fault"), tell: tell, resting: true}
}

// Begin has attempts meet faults from now on. The windows of the plan count from the
// instant of the first call.
func (i *Injector) Begin(at clock.Instant) {
	i.lock.Lock()
	defer i.lock.Unlock()
	if !i.begun {
		i.begun, i.since = true, at
	}
	i.resting = false
}

// End has what is sent from now on pass.
func (i *Injector) End() {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.resting = true
}

// Counts implements [Counter]: the attempts as their sender saw them. An
// attempt counts as ok by its status alone, since a target does not know what
// the operation expects.
func (i *Injector) Counts() Counts {
	i.lock.Lock()
	defer i.lock.Unlock()
	return i.counts
}

// Log returns what was done to the attempts so far.
func (i *Injector) Log() FaultLog {
	i.lock.Lock()
	defer i.lock.Unlock()
	return i.log
}

// Corrected returns the books of the inner target with what it could not know of: what
// never reached it, and of whose reply its sender did not learn.
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

// decide returns what becomes of an attempt sent at now, and where its windows count
// from.
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

// enter takes down an attempt whose sender has learned of it.
func (i *Injector) enter(a *attempt, op *Operation) Outcome {
	kind := a.verdict.Kind(a.done.Offset(), a.released.Offset())
	a.told.Injected, a.told.Kept = kind, kind != 0 && !a.arrived
	i.lock.Lock()
	defer i.lock.Unlock()
	told := countsOf(&a.told)
	i.counts = i.counts.Plus(told, 1)
	if a.arrived {
		told = told.Plus(countsOf(&a.inner), -1)
	}
	if kind != 0 || a.abandoned {
		i.altered = i.altered.Plus(told, 1)
		i.log.EntitiesLost += a.inner.Counted - a.told.Counted
	}
	i.log.enter(a, kind)
	if i.tell != nil && kind != 0 {
		key, _ := op.PartitionKey()
		i.tell(Injection{Kind: kind, At: a.released.Offset(), Status: a.told.Status, Code: a.told.Cause(), Table: op.Table, PartitionKey: key})
	}
	return a.told
}

// countsOf returns the books of a single attempt.
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

// enter counts an attempt.
func (l *FaultLog) enter(a *attempt, kind engine.FaultKind) {
	if a.abandoned {
		l.Abandoned++
	}
	switch {
	case a.verdict.Lost == engine.FaultBefore:
		l.DroppedBefore++
	case a.verdict.Refused:
		l.Refused++
	case kind == engine.FaultDrop:
		l.DroppedAfter++
	case kind == engine.FaultCut:
		l.Cut++
	default:
		if kind == engine.FaultDrip {
			l.Dripped++
		}
		if a.verdict.By > a.verdict.Drip {
			l.Delayed++
		}
		if a.released.Sub(a.done) > a.verdict.By {
			l.Frozen++
		}
	}
}

// VirtualFaults applies a plan of faults before an immediate target. Like that, it
// belongs to one goroutine; its books may be read from others.
type VirtualFaults struct {
	inner Immediate
	*Injector
}

var (
	_ Immediate = (*VirtualFaults)(nil)
	_ Counter   = (*VirtualFaults)(nil)
)

// WrapImmediateFaults returns the inner target under a plan of faults whose windows count from
// instant zero, see [NewInjector].
func WrapImmediateFaults(inner Immediate, plan engine.FaultPlan, seed uint64) *VirtualFaults {
	i := NewInjector(plan, seed, nil)
	i.Begin(0)
	return i.BeforeImmediate(inner)
}

// BeforeImmediate returns the inner target under the injector's plan.
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

// LiveFaults applies a plan of faults before a blocking target. It is safe for
// concurrent use.
type LiveFaults struct {
	inner Target
	clock clock.Clock
	*Injector
}

var (
	_ Target  = (*LiveFaults)(nil)
	_ Counter = (*LiveFaults)(nil)
)

// WrapFaults returns the inner target under a plan of faults whose windows count from instant
// zero of the clock, see [NewInjector].
func WrapFaults(inner Target, plan engine.FaultPlan, seed uint64, clk clock.Clock) *LiveFaults {
	i := NewInjector(plan, seed, nil)
	i.Begin(0)
	return i.Before(inner, clk)
}

// Before returns the inner target under the injector's plan.
func (i *Injector) Before(inner Target, clk clock.Clock) *LiveFaults {
	return &LiveFaults{inner: inner, clock: clk, Injector: i}
}

// Do implements [Target]. A reply that is held back keeps the caller
// waiting until it is released or the context is done; the outcome is then
// Failed, though the inner target answered.
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
			a.told = Outcome{Fault: Cancelled, Detail: "gave up before a reply came: " + err.Error()}
		}
	}
	return l.enter(&a, op)
}

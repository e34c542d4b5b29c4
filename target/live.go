package target

import (
	"context"

	"loadgen/engine"
	"loadgen/engine/clock"
)

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
			a.abandon(err)
		}
	}
	return l.enter(&a, op)
}

package fault

import (
	"context"

	"loadgen/engine/clock"
	"loadgen/engine/fault"
	"loadgen/target"
)

// Live applies a plan of faults before a blocking target. It is safe for
// concurrent use.
type Live struct {
	inner target.Target
	clock clock.Clock
	*Injector
}

var (
	_ target.Target  = (*Live)(nil)
	_ target.Counter = (*Live)(nil)
)

// Wrap returns the inner target under a plan of faults whose windows count from instant
// zero of the clock, see [NewInjector].
func Wrap(inner target.Target, plan fault.Plan, seed uint64, clk clock.Clock) *Live {
	i := NewInjector(plan, seed, nil)
	i.Begin(0)
	return i.Before(inner, clk)
}

// Before returns the inner target under the injector's plan.
func (i *Injector) Before(inner target.Target, clk clock.Clock) *Live {
	return &Live{inner: inner, clock: clk, Injector: i}
}

// Do implements [target.Target]. A reply that is held back keeps the caller
// waiting until it is released or the context is done; the outcome is then
// Failed, though the inner target answered.
func (l *Live) Do(ctx context.Context, op *target.Operation) target.Outcome {
	now := l.clock.Now()
	verdict, since := l.decide(now, op)
	var inner target.Outcome
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

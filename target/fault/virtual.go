package fault

import (
	"loadgen/engine/clock"
	"loadgen/engine/fault"
	"loadgen/target"
)

// Virtual applies a plan of faults before an immediate target. Like that, it
// belongs to one goroutine; its books may be read from others.
type Virtual struct {
	inner target.Immediate
	*Injector
}

var (
	_ target.Immediate = (*Virtual)(nil)
	_ target.Counter   = (*Virtual)(nil)
)

// WrapImmediate returns the inner target under a plan of faults whose windows count from
// instant zero, see [NewInjector].
func WrapImmediate(inner target.Immediate, plan fault.Plan, seed uint64) *Virtual {
	i := NewInjector(plan, seed, nil)
	i.Begin(0)
	return i.BeforeImmediate(inner)
}

// BeforeImmediate returns the inner target under the injector's plan.
func (i *Injector) BeforeImmediate(inner target.Immediate) *Virtual {
	return &Virtual{inner: inner, Injector: i}
}

// Submit implements [target.Immediate].
func (v *Virtual) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	verdict, since := v.decide(now, op)
	var inner target.Outcome
	if verdict.Arrives() {
		inner, now = v.inner.Submit(now, op)
	}
	a := answered(verdict, since, inner, now)
	return v.enter(&a, op), a.released
}

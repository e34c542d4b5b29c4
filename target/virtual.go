package target

import (
	"loadgen/engine"
	"loadgen/engine/clock"
)

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

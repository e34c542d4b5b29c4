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
	book
}

var (
	_ target.Immediate = (*Virtual)(nil)
	_ target.Counter   = (*Virtual)(nil)
)

// WrapImmediate returns the inner target under a plan of faults. The plan,
// valid by its own Validate, must not be altered afterwards; its windows count
// from instant zero.
func WrapImmediate(inner target.Immediate, plan fault.Plan, seed uint64) *Virtual {
	return &Virtual{inner: inner, book: newBook(plan, seed)}
}

// Submit implements [target.Immediate].
func (v *Virtual) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	verdict := v.decide(now, op)
	var inner target.Outcome
	if verdict.Arrives() {
		inner, now = v.inner.Submit(now, op)
	}
	a := answered(verdict, inner, now)
	return v.enter(a), a.released
}

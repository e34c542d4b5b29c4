package run

import (
	"context"
	"sync/atomic"

	"loadgen/target"
)

// budgeted is a target whose run ends when so many attempts have been sent. What
// is under way then goes on, and the table is dropped: so many more are billed.
type budgeted struct {
	target.Target
	left  atomic.Int64
	spent func()
}

var _ target.Target = (*budgeted)(nil)

// bound returns the target with the budget of the plan, and the context that
// ends with it.
func (p *Plan) bound(ctx context.Context, t target.Target) (context.Context, target.Target, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() { cancel(nil) }
	if p.Budget <= 0 {
		return ctx, t, stop
	}
	b := &budgeted{Target: t, spent: func() { cancel(ErrBudget) }}
	b.left.Store(p.Budget)
	return ctx, b, stop
}

// Do implements target.Target.
func (b *budgeted) Do(ctx context.Context, op *target.Operation) target.Outcome {
	b.spend()
	return b.Target.Do(ctx, op)
}

// spend takes down that an attempt is sent.
func (b *budgeted) spend() {
	if b.left.Add(-1) == 0 {
		b.spent()
	}
}

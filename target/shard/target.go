package shard

import (
	"context"
	"fmt"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Live hands attempts to blocking targets. It is safe for concurrent use, as they
// are.
type Live struct{ accounts[target.Target] }

// Virtual hands attempts to immediate targets. Like them, it belongs to one
// goroutine.
type Virtual struct{ accounts[target.Immediate] }

var (
	_ target.Target    = (*Live)(nil)
	_ target.Counter   = (*Live)(nil)
	_ target.Immediate = (*Virtual)(nil)
	_ target.Counter   = (*Virtual)(nil)
)

// New returns the blocking targets of several accounts as one. There is one target
// at least; the slice must not be altered afterwards.
func New(each []target.Target) *Live { return &Live{newAccounts(each)} }

// NewImmediate returns the immediate targets of several accounts as one. There is
// one target at least; the slice must not be altered afterwards.
func NewImmediate(each []target.Immediate) *Virtual { return &Virtual{newAccounts(each)} }

// Do implements [target.Target]. It panics where no target is that of the
// operation's account.
func (l *Live) Do(ctx context.Context, op *target.Operation) target.Outcome {
	return l.of(op.Account).Do(ctx, op)
}

// Submit implements [target.Immediate]. It panics where no target is that of the
// operation's account.
func (v *Virtual) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return v.of(op.Account).Submit(now, op)
}

// accounts are the targets by the numbers of their accounts.
type accounts[T any] struct{ each []T }

func newAccounts[T any](each []T) accounts[T] {
	if len(each) == 0 {
		panic("shard: there is no account")
	}
	return accounts[T]{each}
}

func (a *accounts[T]) of(account int) T {
	if account < 0 || account >= len(a.each) {
		panic(fmt.Sprintf("shard: an operation goes to account %d of %d, the first being 0", account, len(a.each)))
	}
	return a.each[account]
}

// Counts implements [target.Counter] with the sum over the accounts. A target that
// keeps no books adds nothing, so that the sum tells of all attempts only where each
// keeps its own.
func (a *accounts[T]) Counts() target.Counts {
	var sum target.Counts
	for _, one := range a.each {
		counter, keeps := any(one).(target.Counter)
		if !keeps {
			continue
		}
		c := counter.Counts()
		sum.Requests += c.Requests
		sum.Ok += c.Ok
		sum.Throttled += c.Throttled
		sum.Failed += c.Failed
		sum.Entities += c.Entities
	}
	return sum
}

package target

import (
	"context"
	"fmt"

	"loadgen/engine/clock"
)

// LiveShards hands attempts to blocking targets. It is safe for concurrent use, as they
// are.
type LiveShards struct{ accounts[Target] }

// VirtualShards hands attempts to immediate targets. Like them, it belongs to one
// goroutine.
type VirtualShards struct{ accounts[Immediate] }

var (
	_ Target    = (*LiveShards)(nil)
	_ Counter   = (*LiveShards)(nil)
	_ Immediate = (*VirtualShards)(nil)
	_ Counter   = (*VirtualShards)(nil)
)

// NewShards returns the blocking targets of several accounts as one. There is one target
// at least; the slice must not be altered afterwards.
func NewShards(each []Target) *LiveShards { return &LiveShards{newAccounts(each)} }

// NewImmediateShards returns the immediate targets of several accounts as one. There is
// one target at least; the slice must not be altered afterwards.
func NewImmediateShards(each []Immediate) *VirtualShards { return &VirtualShards{newAccounts(each)} }

// Do implements [Target]. It panics where no target is that of the
// operation's account.
func (l *LiveShards) Do(ctx context.Context, op *Operation) Outcome {
	return l.target(op.Account).Do(ctx, op)
}

// Submit implements [Immediate]. It panics where no target is that of the
// operation's account.
func (v *VirtualShards) Submit(now clock.Instant, op *Operation) (Outcome, clock.Instant) {
	return v.target(op.Account).Submit(now, op)
}

// accounts are the targets by the numbers of their accounts.
type accounts[T any] struct{ each []T }

func newAccounts[T any](each []T) accounts[T] {
	if len(each) == 0 {
		panic("target: there is no account")
	}
	return accounts[T]{each}
}

func (a *accounts[T]) target(account int) T {
	if account < 0 || account >= len(a.each) {
		panic(fmt.Sprintf("target: an operation goes to account %d of %d, the first being 0", account, len(a.each)))
	}
	return a.each[account]
}

// Counts implements [Counter] with the sum over the accounts, without targets that are no [Counter].
func (a *accounts[T]) Counts() Counts {
	var sum Counts
	for _, one := range a.each {
		counter, keeps := any(one).(Counter)
		if !keeps {
			continue
		}
		sum = sum.Plus(counter.Counts(), 1)
	}
	return sum
}

package target

import (
	"context"
	"slices"
	"sync"
)

// Parallel bounds the requests under way: to one account, and to one partition; 0 is no bound.
type Parallel struct{ Account, Partition int }

// Gate lets requests pass within the bounds of a [Parallel], in the order in which they come where both
// bounds allow it. It is safe for concurrent use.
type Gate struct {
	bounds   Parallel
	mu       sync.Mutex
	underWay map[lane]int
	waiting  []*waiter
}

// lane is an account, or a partition of it.
type lane struct {
	account      int
	partition    bool
	table, value string
}

type waiter struct {
	op    *Operation
	ready func()
}

// NewGate returns the gate of some bounds, nil for none.
func NewGate(p Parallel) *Gate {
	if p == (Parallel{}) {
		return nil
	}
	return &Gate{bounds: p, underWay: make(map[lane]int)}
}

func lanesOf(op *Operation) (account lane, partition lane, hasPartition bool) {
	key, has := op.PartitionKey()
	return lane{account: op.Account}, lane{op.Account, true, op.Table, key}, has
}

// Enter reports whether a request may be sent now. Otherwise ready is called once it may, by the
// goroutine of a [Gate.Leave]. Whoever enters must leave.
func (g *Gate) Enter(op *Operation, ready func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.take(op) {
		return true
	}
	g.waiting = append(g.waiting, &waiter{op, ready})
	return false
}

// take counts a request as under way, unless that exceeds a bound.
func (g *Gate) take(op *Operation) bool {
	account, partition, has := lanesOf(op)
	if full := func(n, bound int) bool { return bound > 0 && n >= bound }; full(g.underWay[account], g.bounds.Account) ||
		has && full(g.underWay[partition], g.bounds.Partition) {
		return false
	}
	g.underWay[account]++
	if has {
		g.underWay[partition]++
	}
	return true
}

// Leave says that the reply of a request is there, and lets others in.
func (g *Gate) Leave(op *Operation) {
	g.mu.Lock()
	account, partition, has := lanesOf(op)
	g.underWay[account]--
	if has {
		if g.underWay[partition]--; g.underWay[partition] == 0 {
			delete(g.underWay, partition)
		}
	}
	var entered *waiter
	// What left makes room for one more at most.
	if at := slices.IndexFunc(g.waiting, func(w *waiter) bool { return g.take(w.op) }); at >= 0 {
		entered = g.waiting[at]
		g.waiting = slices.Delete(g.waiting, at, at+1)
	}
	g.mu.Unlock()
	if entered != nil {
		entered.ready()
	}
}

// remove gives up a wait, and reports whether it was one still.
func (g *Gate) remove(op *Operation) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := len(g.waiting)
	g.waiting = slices.DeleteFunc(g.waiting, func(w *waiter) bool { return w.op == op })
	return len(g.waiting) < before
}

// gated is a blocking target behind a gate. An attempt's time includes its wait there.
type gated struct {
	inner Target
	gate  *Gate
}

// WrapGate returns a blocking target behind a gate, the target itself where the gate is nil.
func WrapGate(inner Target, g *Gate) Target {
	if g == nil {
		return inner
	}
	return &gated{inner, g}
}

// Do implements [Target].
func (t *gated) Do(ctx context.Context, op *Operation) Outcome {
	ready := make(chan struct{})
	if !t.gate.Enter(op, func() { close(ready) }) {
		select {
		case <-ready:
		case <-ctx.Done():
			if t.gate.remove(op) {
				return Outcome{Fault: NotSent, Detail: "gave up waiting for requests under way: " + ctx.Err().Error()}
			}
			<-ready
		}
	}
	defer t.gate.Leave(op)
	return t.inner.Do(ctx, op)
}

package target

import (
	"context"
	"slices"
	"sync"
)

// Parallel bounds the requests in flight to one account and to one partition; 0 is no bound.
type Parallel struct{ Account, Partition int }

// Gate admits requests within the bounds of a [Parallel], first come, first served where both bounds
// allow it. It is safe for concurrent use.
type Gate struct {
	bounds   Parallel
	mu       sync.Mutex
	inFlight map[lane]int
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

// NewGate returns a gate, nil without a bound.
func NewGate(p Parallel) *Gate {
	if p == (Parallel{}) {
		return nil
	}
	return &Gate{bounds: p, inFlight: make(map[lane]int)}
}

func lanesOf(op *Operation) (account lane, partition lane, hasPartition bool) {
	key, has := op.PartitionKey()
	return lane{account: op.Account}, lane{op.Account, true, op.Table, key}, has
}

// Enter reports whether a request may be sent now. Otherwise it calls ready once it may, in the
// goroutine of a [Gate.Leave]. Callers must call Leave after each admitted request.
func (g *Gate) Enter(op *Operation, ready func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.admit(op) {
		return true
	}
	g.waiting = append(g.waiting, &waiter{op, ready})
	return false
}

// admit counts a request as in flight, unless that exceeds a bound.
func (g *Gate) admit(op *Operation) bool {
	account, partition, has := lanesOf(op)
	if full := func(n, bound int) bool { return bound > 0 && n >= bound }; full(g.inFlight[account], g.bounds.Account) ||
		has && full(g.inFlight[partition], g.bounds.Partition) {
		return false
	}
	g.inFlight[account]++
	if has {
		g.inFlight[partition]++
	}
	return true
}

// Leave ends a request, and admits one that waits.
func (g *Gate) Leave(op *Operation) {
	g.mu.Lock()
	account, partition, has := lanesOf(op)
	g.inFlight[account]--
	if has {
		if g.inFlight[partition]--; g.inFlight[partition] == 0 {
			delete(g.inFlight, partition)
		}
	}
	var admitted *waiter // one request makes room for at most one
	if at := slices.IndexFunc(g.waiting, func(w *waiter) bool { return g.admit(w.op) }); at >= 0 {
		admitted = g.waiting[at]
		g.waiting = slices.Delete(g.waiting, at, at+1)
	}
	g.mu.Unlock()
	if admitted != nil {
		admitted.ready()
	}
}

// remove ends a wait, and reports whether the request still waited.
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
				return Outcome{Fault: NotSent, Detail: "still waited for requests in flight: " + ctx.Err().Error()}
			}
			<-ready
		}
	}
	defer t.gate.Leave(op)
	return t.inner.Do(ctx, op)
}

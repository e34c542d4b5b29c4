package drive

import (
	"sync"
	"time"

	"loadgen/results"
)

// gauge measures one step of a search, as an observer of all that happens while
// it lasts. It is safe for concurrent use.
type gauge struct {
	mu sync.Mutex
	// first counts first attempts; refused, failed and heldBack of them were so.
	first, refused, failed, heldBack int64
	// counted are entities by the documented rule, due those that were to be
	// touched by the operations that ended.
	counted, ended, due int64
	// response is of operations that succeeded.
	response results.Histogram
}

var _ Observer = (*gauge)(nil)

// Attempt implements [Observer].
func (g *gauge) Attempt(a *results.Attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counted += a.Counted
	if a.Try > 0 {
		return
	}
	g.first++
	switch a.Class {
	case results.Refused:
		g.refused++
	case results.Failed:
		g.failed++
	}
	if a.Sent-a.Intended > results.HeldBackAfter {
		g.heldBack++
	}
}

// Completed implements [Observer].
func (g *gauge) Completed(c *results.Completed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended++
	g.due += c.Entities
	if c.Class == results.Ok {
		g.response.Record(c.Done - c.Intended)
	}
}

// step returns what was measured of a step with so many operations. What was due
// and never ended was dropped.
func (g *gauge) step(phase string, rate float64, length time.Duration, scheduled int64) *results.LimitStep {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := float64(max(1, g.first))
	step := &results.LimitStep{Phase: phase, Rate: rate, Seconds: length.Seconds(), Scheduled: scheduled,
		Dropped: scheduled - g.ended, HeldBack: g.heldBack, RefusedShare: float64(g.refused) / first,
		FailedShare: float64(g.failed) / first, Entities: g.counted,
		// Dropped operations were due as many as the others, on the average.
		Offered: rate * float64(g.due) / float64(max(1, g.ended))}
	if micros, told := g.response.Quantile(.99); told {
		step.P99 = &micros
	}
	return step
}

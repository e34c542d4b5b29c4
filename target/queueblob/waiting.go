package queueblob

import (
	"context"
	"sync"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Waiting are stand-ins in real time. It is safe for concurrent use.
type Waiting struct {
	clock  clock.Clock
	mu     sync.Mutex
	memory *Memory
}

var (
	_ target.Target  = (*Waiting)(nil)
	_ target.Counter = (*Waiting)(nil)
)

// NewWaiting returns stand-ins that answer by a clock.
func NewWaiting(c clock.Clock) *Waiting { return &Waiting{clock: c, memory: NewMemory()} }

// Do implements [target.Target] for what goes beside the table. It has been carried out
// even where the wait for its reply is cut short.
func (w *Waiting) Do(ctx context.Context, op *target.Operation) target.Outcome {
	w.mu.Lock()
	outcome, done := w.memory.Submit(w.clock.Now(), op)
	w.mu.Unlock()
	if err := w.clock.Sleep(ctx, done); err != nil {
		return target.Outcome{Fault: target.Cancelled, Detail: "gave up waiting for the reply: " + err.Error()}
	}
	return outcome
}

// Counts implements [target.Counter].
func (w *Waiting) Counts() target.Counts {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.memory.Counts()
}

package targettest

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
)

// Func adapts a function to [target.Target]. It returns when the outcome is known.
type Func func(ctx context.Context, op *target.Operation) target.Outcome

// Do implements [target.Target].
func (f Func) Do(ctx context.Context, op *target.Operation) target.Outcome { return f(ctx, op) }

// Immediate adapts a function to [target.Immediate]. It returns the outcome and the instant of
// the reply.
type Immediate func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant)

// Submit implements [target.Immediate].
func (f Immediate) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return f(now, op)
}

// On returns a target that waits on a clock for the instant of each reply.
func (f Immediate) On(clk clock.Clock) Func {
	return func(ctx context.Context, op *target.Operation) target.Outcome {
		outcome, done := f(clk.Now(), op)
		_ = clk.Sleep(ctx, done) // a caller that gives up checks the context
		return outcome
	}
}

// After returns a target that answers each attempt after the same delay.
func After(took time.Duration, answer func(op *target.Operation) target.Outcome) Immediate {
	return func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
		return answer(op), now.Add(took)
	}
}

// Silent never answers: it returns when the context is done.
func Silent(ctx context.Context, _ *target.Operation) target.Outcome {
	<-ctx.Done()
	return target.Outcome{Detail: "no reply"}
}

// Served is the outcome of an operation that succeeds.
func Served(op *target.Operation) target.Outcome {
	return target.Outcome{Status: 204, Counted: op.Entities()}
}

// Busy is the outcome of a throttled operation.
func Busy(*target.Operation) target.Outcome {
	return target.Outcome{Status: 503, Code: entity.ServerBusy}
}

// Always returns a function that answers every operation alike.
func Always(outcome target.Outcome) func(*target.Operation) target.Outcome {
	return func(*target.Operation) target.Outcome { return outcome }
}

// Fake is both a [target.Target] and a [target.Immediate]. The outcome of an attempt depends
// only on the operation's number and the attempt's index, so it is the same on every clock
// and in every order.
type Fake struct {
	// Clock is used by Do; Submit needs none.
	Clock clock.Clock
	// Throttled is the number of throttled attempts in a thousand.
	Throttled int
	// Takes is the minimum duration of an attempt. Up to two milliseconds are added, so that no
	// two replies coincide.
	Takes time.Duration

	mu   sync.Mutex
	seen []Seen
}

// Seen is an attempt as the target saw it.
type Seen struct {
	Number  uint64
	Attempt int
	Key     entity.Key
}

// Submit implements [target.Immediate].
func (f *Fake) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	f.mu.Lock()
	f.seen = append(f.seen, Seen{op.Number, op.Attempt, op.Change.Key})
	f.mu.Unlock()
	draw := clock.NewStream(3, "fake").Try(op.Number, op.Attempt)
	done := now.Add(f.Takes + time.Duration(draw.IntN(1_999_993)))
	if draw.IntN(1000) < f.Throttled {
		return Busy(op), done
	}
	return Served(op), done
}

// Do implements [target.Target].
func (f *Fake) Do(ctx context.Context, op *target.Operation) target.Outcome {
	return Immediate(f.Submit).On(f.Clock)(ctx, op)
}

// Attempts returns how many attempts the target saw.
func (f *Fake) Attempts() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(len(f.seen))
}

// Seen returns the attempts, sorted by number.
func (f *Fake) Seen() []Seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(slices.Values(f.seen), func(a, b Seen) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Attempt, b.Attempt))
	})
}

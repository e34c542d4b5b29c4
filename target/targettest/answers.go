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

// Func is a target that answers by a function, which returns when the outcome is there.
type Func func(ctx context.Context, op *target.Operation) target.Outcome

// Do implements [target.Target].
func (f Func) Do(ctx context.Context, op *target.Operation) target.Outcome { return f(ctx, op) }

// Immediate is a target that answers by a function, which returns the outcome and the instant
// at which it comes back.
type Immediate func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant)

// Submit implements [target.Immediate].
func (f Immediate) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return f(now, op)
}

// On returns the same target on a clock.
func (f Immediate) On(clk clock.Clock) Func {
	return func(ctx context.Context, op *target.Operation) target.Outcome {
		outcome, done := f(clk.Now(), op)
		_ = clk.Sleep(ctx, done) // who gave up looks at the context
		return outcome
	}
}

// After returns a target that answers by a function, each attempt after the same time.
func After(took time.Duration, answer func(op *target.Operation) target.Outcome) Immediate {
	return func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
		return answer(op), now.Add(took)
	}
}

// Silent waits until its caller gives up.
func Silent(ctx context.Context, _ *target.Operation) target.Outcome {
	<-ctx.Done()
	return target.Outcome{Detail: "no reply"}
}

// Served is the outcome of an operation that succeeds.
func Served(op *target.Operation) target.Outcome {
	return target.Outcome{Status: 204, Counted: op.Entities()}
}

// Busy is the outcome of any operation at a server that throttles.
func Busy(*target.Operation) target.Outcome {
	return target.Outcome{Status: 503, Code: entity.ServerBusy}
}

// Always returns the answer that is the same for every operation.
func Always(outcome target.Outcome) func(*target.Operation) target.Outcome {
	return func(*target.Operation) target.Outcome { return outcome }
}

// Fake is a target of both faces. What becomes of an attempt is a function of its operation's
// number and of which attempt it is, so that it is the same on every clock and in every order.
type Fake struct {
	// Clock is what Do waits on; Submit needs none.
	Clock clock.Clock
	// Throttled is how many of a thousand attempts are throttled.
	Throttled int
	// Takes is the least time of an attempt. Up to two milliseconds are added, odd to the
	// nanosecond, so that no two instants coincide.
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

// Seen returns the attempts in the order of their numbers.
func (f *Fake) Seen() []Seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(slices.Values(f.seen), func(a, b Seen) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Attempt, b.Attempt))
	})
}

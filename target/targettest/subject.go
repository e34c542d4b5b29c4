package targettest

import (
	"context"
	"time"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Subject is a target under test, whichever face it has.
type Subject struct {
	// Do performs one attempt and returns when its outcome is there.
	Do func(*target.Operation) target.Outcome
	// Counts returns the target's own books; nil where it keeps none.
	Counts func() target.Counts
	// Pause waits, on the target's clock, before a throttled attempt is made
	// again.
	Pause func(time.Duration)
	// Cancelled performs an attempt whose caller has already given up; nil
	// where the target does not wait.
	Cancelled func(*target.Operation) target.Outcome
	// Unlimited says that the target throttles nothing: a throttled attempt is
	// then a failure of the check, and otherwise made again.
	Unlimited bool
	// Derived says that the target is not told what an attempt counts, and derives
	// it from what came back: what a filter drops it cannot know of.
	Derived bool
	// Concurrent says that Do is safe for concurrent use.
	Concurrent bool
	// Prefix begins the names of the tables that the suite creates: 1 to 40
	// letters and digits, a letter first; empty stands for "conform". A target
	// that outlives the test needs another for each run.
	Prefix string
}

// Live returns a blocking target as a subject that may throttle.
func Live(t target.Target) Subject {
	wall := clock.NewReal()
	return Subject{
		Do: func(op *target.Operation) target.Outcome {
			return t.Do(context.Background(), op)
		},
		Cancelled: func(op *target.Operation) target.Outcome {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return t.Do(ctx, op)
		},
		Pause: func(d time.Duration) {
			_ = wall.Sleep(context.Background(), wall.Now().Add(d)) // nothing ends that context
		},
		Counts:     countsOf(t),
		Concurrent: true,
	}
}

// Virtual returns an immediate target as a subject that may throttle. Each
// attempt is sent at the instant at which the one before had come back.
func Virtual(t target.Immediate) Subject {
	var now clock.Virtual
	return Subject{
		Do: func(op *target.Operation) target.Outcome {
			outcome, done := t.Submit(now.Now(), op)
			now.AdvanceTo(done)
			return outcome
		},
		Pause:  func(d time.Duration) { now.AdvanceTo(now.Now().Add(d)) },
		Counts: countsOf(t),
	}
}

func countsOf(t any) func() target.Counts {
	if counter, ok := t.(target.Counter); ok {
		return counter.Counts
	}
	return nil
}

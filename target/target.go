package target

import (
	"context"
	"errors"

	"loadgen/engine/clock"
	"loadgen/results"
)

// Target performs one attempt and returns when its outcome is there. Do is safe
// for concurrent use. A done context ends the wait; the outcome is then Failed.
type Target interface {
	Do(ctx context.Context, op *Operation) Outcome
}

// Immediate says at once what the outcome of an attempt sent at now is, and at
// which instant it will have come back. Calls must come in the order of their
// instants, from one goroutine.
type Immediate interface {
	Submit(now clock.Instant, op *Operation) (Outcome, clock.Instant)
}

// Counts is what a target itself saw.
type Counts = results.TargetCounts

// Counter is a target that keeps its own books.
type Counter interface {
	Counts() Counts
}

var (
	// ErrToken is wrapped by the error for a text that is no continuation token.
	ErrToken = errors.New("target: no continuation token")
	// ErrFilter is wrapped by the error for a text that is no $filter.
	ErrFilter = errors.New("target: no $filter")
)

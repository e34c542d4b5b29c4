package drive

import (
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// Stage is a stretch of load that a runner carries out: it begins, all its
// operations become due, and it ends when each of them has ended. A stage is
// not altered once it runs.
type Stage struct {
	Name string
	// Table is the name of the test table, with which the names of its other tables begin: their suffix is part of the
	// name of a partition. If it is empty, all tables count as one.
	Table string
	// Schedule makes an open loop: operations become due whatever has become
	// of those before. It is nil in a closed loop.
	Schedule arrival.Schedule
	// Lanes and Count make a closed loop: Count operations, of which at most
	// Lanes are under way; one becomes due when a lane is free.
	Lanes int
	Count uint64
	// Think, where set, is how long a lane pauses after each operation, by that
	// operation's number; the first of each lane comes after a part of a pause, so
	// that the lanes do not begin in step. Operations then become due for no longer
	// than For, however many of Count have.
	Think func(k uint64) time.Duration
	For   time.Duration
	// Share is what this process sends of it, where others send the rest.
	Share Share
	// First is the run's number of the stage's operation 0.
	First uint64
	// Build puts operation k of the stage into w, which is empty. It is a pure function,
	// safe for concurrent use, that may be called more than once for an operation.
	Build func(k uint64, w *Work)
	// Outline returns operation k without its request, for operations that are dropped or wait. It is a fast
	// pure function that sets Offers. If it is nil, Build is used.
	Outline func(k uint64) Work
	// Retry is the policy for throttled attempts, Chance what its jitter draws
	// from, by the operation's number and attempt.
	Retry  backoff.Policy
	Chance clock.Stream
	// Retries, where set, are the policies of operations that have one of their own, by the kind
	// in the manifest; nil for one that has not.
	Retries []*backoff.Policy
	// Once is how many of the stage's first operations are not retried whatever Retry says:
	// what only prepares a target is not to come back while it is measured.
	Once uint64
	// AccountOf, where set, returns the account of each request in place of what its [Work]
	// says: a pure function, safe for concurrent use.
	AccountOf func(op *target.Operation) int
	// Timeouts, where set, is how long the service may take for each request of an operation,
	// by the kind in the manifest; 0 leaves it to the service.
	Timeouts []time.Duration
	// Limits, where set, hold kinds of operation to a rate, by the kind in the manifest; nil for
	// one that goes as it comes.
	Limits []*RateLimit
	// Limiters, where set, hold the stage's clients back, each by a limiter of its
	// own.
	Limiters *Limiters
	// Phases are the parts that the stage is recorded as, in order; Begin and
	// End count from the stage's start. An operation belongs to that of its intended
	// instant. A closed loop without pauses has one, and
	// its End is set when it has ended.
	Phases []results.Phase
	// Enough, if not nil, is called regularly and returns an error if the stage ends early; start is when it
	// began, overdue counts the operations that should have been sent a second ago.
	// Calls are not concurrent. An error ends the run, except ErrSettled: then
	// no operation becomes due from the whole second before now on. Settling means
	// that the End of the last phase is set when it has ended, since that can be early.
	Enough   func(start, now clock.Instant, overdue func() uint64) error
	Settling bool
	// Grace is how long after its schedule's end an open loop, or one with pauses,
	// goes on, and
	// Limit how long a closed loop may take. What is then unsent is dropped,
	// what waits to retry is cut.
	Grace, Limit time.Duration
	// WholeSecond begins the stage on a whole second of the run, so that
	// the steps and the record's seconds coincide. At, if above 0, is when it
	// begins, even if that is in the past: operations are then late. On a virtual
	// clock it is not before now.
	WholeSecond bool
	At          clock.Instant
	// Begins is called with the instant at which the stage begins, before anything of it is
	// sent; it may be nil.
	Begins func(at clock.Instant)
	// Ended is called after each operation that was sent, as it ends, by several
	// goroutines at a time; it may be nil, and must not keep what it is given.
	Ended func(w *Work, c *results.Completed)
	// Observe is called after each attempt, one call at a time; it may be nil.
	Observe func(k uint64, outcome *target.Outcome, class results.Class)
}

// Work is one operation before it is sent.
type Work struct {
	// Kind indexes the manifest's operations.
	Kind      int
	Operation target.Operation
	// Expected are the refusals of a precondition that count as success.
	Expected target.Expected
	// Pages has a query go on with the next page until no continuation token
	// comes back, or until Rows entities were returned if Rows is positive, or
	// MaxPages pages read if that is.
	Pages    bool
	Rows     int64
	MaxPages int
	// Workflow, where set, takes the operation through several requests, of which
	// it gives the first in place of Operation. It is this operation's own.
	Workflow *workflow.Procedure
	// Offers is how many entities the operation is due to count, where that
	// differs from what its request says; 0 where it does not.
	Offers int64
}

// Work returns operation k.
func (s *Stage) Work(k uint64) (w Work) {
	s.Build(k, &w)
	return w
}

// Requests returns what the operation sends where all goes as it mostly does.
func (w *Work) Requests() []target.Operation {
	if w.Workflow == nil {
		return []target.Operation{w.Operation}
	}
	return w.Workflow.Requests()
}

// Operations returns the number of operations of the stage, with those of other processes.
func (s *Stage) Operations() uint64 {
	if s.Schedule != nil {
		return s.Schedule.Len()
	}
	return s.Count
}

// deadline returns when the stage ends at the latest if it starts then.
func (s *Stage) deadline(start clock.Instant) clock.Instant {
	if s.Timed() {
		return start.Add(s.Lasts() + s.Grace)
	}
	return start.Add(s.Limit)
}

// Lasts returns how long operations become due, 0 where that is not known beforehand.
func (s *Stage) Lasts() time.Duration {
	switch {
	case s.Schedule != nil:
		return s.Schedule.Length()
	case s.Think != nil:
		return s.For
	default:
		return 0
	}
}

// Timed reports whether it is known beforehand how long the stage lasts.
func (s *Stage) Timed() bool { return s.Schedule != nil || s.Think != nil }

// start returns the instant at which the stage begins if it is now.
func (s *Stage) start(now clock.Instant) clock.Instant {
	if s.At > 0 {
		return s.At
	}
	if s.WholeSecond {
		return now.NextSecond()
	}
	return now
}

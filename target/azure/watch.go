package azure

import (
	"context"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// watch ends attempts that time out or whose context ends. All have the same timeout, so that a list in the
// order of their start is in the order of their deadlines and needs one alarm: a timer per attempt would cost
// more.
type watch struct {
	limit time.Duration
	late  error

	mu          sync.Mutex
	first, last *attempt
	// callers are the contexts of attempts in progress by their Done channel, and resting the last one
	// without an attempt, since the next attempt usually has the same.
	callers map[<-chan struct{}]*caller
	resting *caller
	telling sync.WaitGroup
	closed  bool
}

// caller is a watched context, the number of its attempts, and the function that stops watching.
type caller struct {
	done     <-chan struct{}
	attempts int
	stop     func() bool
	// cause is the context's, nil before its end.
	cause error
}

// watched is an attempt's place in the list, guarded by the lock of the watch.
type watched struct {
	earlier, later *attempt
	listed         bool
	due            clock.Instant
	caller         *caller
	// cancel ends the opening of a connection, line is an open one; nil for none.
	cancel context.CancelCauseFunc
	line   *connection
	// cause is the reason for ending the attempt, nil otherwise.
	cause error
}

// begin adds an attempt to the list, with a connection, or with cancel while it is being opened.
func (w *watch) begin(ctx context.Context, a *attempt, now clock.Instant, line *connection,
	cancel context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a.watched = watched{earlier: w.last, listed: true, due: now.Add(w.limit), line: line, cancel: cancel}
	if w.last == nil {
		w.first = a
	} else {
		w.last.watched.later = a
	}
	w.last = a
	if w.closed {
		w.end(a, errClosed)
		return
	}
	if done := ctx.Done(); done != nil {
		c := w.listen(ctx, done)
		if a.watched.caller = c; c.cause != nil {
			w.end(a, c.cause)
		}
	}
}

// connected sets the connection of an attempt.
func (w *watch) connected(a *attempt, line *connection) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a.watched.line, a.watched.cancel = line, nil
	if a.watched.cause != nil {
		line.interrupt()
	}
}

// finish removes an attempt from the list, and returns why it was ended, nil otherwise.
func (w *watch) finish(a *attempt) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remove(a)
	if c := a.watched.caller; c != nil {
		if c.attempts--; c.attempts <= 0 {
			// One caller without an attempt is kept for the next.
			w.dropIdleCaller()
			w.resting = c
			if w.closed {
				w.dropIdleCaller()
			}
		}
	}
	cause := a.watched.cause
	a.watched = watched{}
	return cause
}

func (w *watch) remove(a *attempt) {
	place := &a.watched
	if !place.listed {
		return
	}
	if place.earlier == nil {
		w.first = place.later
	} else {
		place.earlier.watched.later = place.later
	}
	if place.later == nil {
		w.last = place.earlier
	} else {
		place.later.watched.earlier = place.earlier
	}
	place.earlier, place.later, place.listed = nil, nil, false
}

// end ends an attempt. The caller holds the lock, so that the attempt cannot be reused.
func (w *watch) end(a *attempt, cause error) {
	w.remove(a)
	a.watched.cause = cause
	if a.watched.cancel != nil {
		a.watched.cancel(cause)
	}
	if a.watched.line != nil {
		a.watched.line.interrupt()
	}
	// Last, since the woken goroutine reads the cause.
	a.reply.share.End()
}

// expire ends attempts that are due and returns the time of the next check. Later attempts are due after the
// first of the list, or after a whole timeout, so that they need not change that time.
func (w *watch) expire(now clock.Instant) clock.Instant {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.first != nil && w.first.watched.due <= now {
		w.end(w.first, w.late)
	}
	if w.first != nil {
		return w.first.watched.due
	}
	return now.Add(w.limit)
}

// listen returns the caller of a context, which ends its attempts with the context.
func (w *watch) listen(ctx context.Context, done <-chan struct{}) *caller {
	c, known := w.callers[done]
	if !known {
		c = &caller{done: done}
		w.callers[done] = c
		w.telling.Add(1)
		c.stop = context.AfterFunc(ctx, func() {
			defer w.telling.Done()
			cause := fmt.Errorf("%w: %w", errCancelled, context.Cause(ctx))
			w.mu.Lock()
			defer w.mu.Unlock()
			c.cause = cause
			for a := w.first; a != nil; {
				next := a.watched.later
				if a.watched.caller == c {
					w.end(a, cause)
				}
				a = next
			}
		})
	}
	if w.resting == c {
		w.resting = nil
	}
	c.attempts++
	return c
}

// dropIdleCaller stops watching the caller without an attempt.
func (w *watch) dropIdleCaller() {
	if w.resting != nil {
		c := w.resting
		delete(w.callers, c.done)
		if c.stop() {
			w.telling.Done()
		}
		w.resting = nil
	}
}

// close ends attempts in progress and later ones. It stops watching contexts, and waits for running callbacks.
func (w *watch) close() {
	w.mu.Lock()
	w.closed = true
	for w.first != nil {
		w.end(w.first, errClosed)
	}
	w.dropIdleCaller()
	w.mu.Unlock()
	w.telling.Wait()
}

package azure

import (
	"context"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// watch ends attempts that take too long, or whose caller gave up. All have the
// same time, so that a list in the order in which they began is in the order in
// which they are due, and one alarm serves them all: a timer for each attempt
// would cost more than the rest of its bookkeeping.
type watch struct {
	limit time.Duration
	late  error

	mu          sync.Mutex
	first, last *attempt
	// callers are the contexts of the attempts that are under way, by their Done,
	// and of the one that ended last, since the next has the same as a rule.
	callers map[<-chan struct{}]*caller
	resting *caller
	telling sync.WaitGroup
	closed  bool
}

// caller is a context that is listened to, how many attempts have it, and how to
// listen no more.
type caller struct {
	done     <-chan struct{}
	attempts int
	stop     func() bool
	// cause is why the context ended, nil while it has not.
	cause error
}

// watched is an attempt's place in the list. It is guarded by the lock of the
// watch.
type watched struct {
	earlier, later *attempt
	listed         bool
	due            clock.Instant
	caller         *caller
	// cancel ends the making of a connection, line what goes on over one; nil
	// where there is none.
	cancel context.CancelCauseFunc
	line   *connection
	// cause is why the attempt was ended, nil where it was not.
	cause error
}

// begin lists an attempt that begins now, on a connection, or without one while
// cancel ends the making of it.
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

// connected says that an attempt has its connection now.
func (w *watch) connected(a *attempt, line *connection) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a.watched.line, a.watched.cancel = line, nil
	if a.watched.cause != nil {
		line.interrupt()
	}
}

// done takes an attempt off the list, and returns why it was ended, nil where it
// was not.
func (w *watch) done(a *attempt) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remove(a)
	if c := a.watched.caller; c != nil {
		if c.attempts--; c.attempts <= 0 {
			// One caller without an attempt is listened to for the next.
			w.rest()
			w.resting = c
			if w.closed {
				w.rest()
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

// end ends an attempt that is listed. Under the lock it cannot be another by
// then.
func (w *watch) end(a *attempt, cause error) {
	w.remove(a)
	a.watched.cause = cause
	if a.watched.cancel != nil {
		a.watched.cancel(cause)
	}
	if a.watched.line != nil {
		a.watched.line.interrupt()
	}
	// Last: who is woken by it asks why.
	a.reply.share.End()
}

// expire ends what is due and returns when to look again. An attempt that begins
// meanwhile is due later than the first of the list, and where there is none,
// not before a whole limit has passed: nobody has to wake whoever waits for it.
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

// listen returns the caller whose context that is. The attempts of one who gives up end then.
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

// rest listens to nobody who has no attempt under way.
func (w *watch) rest() {
	if w.resting != nil {
		c := w.resting
		delete(w.callers, c.done)
		if c.stop() {
			w.telling.Done()
		}
		w.resting = nil
	}
}

// close ends what is under way, or begins from now on: nobody would see it late.
// It listens to nobody any more, and waits for who is being told.
func (w *watch) close() {
	w.mu.Lock()
	w.closed = true
	for w.first != nil {
		w.end(w.first, errClosed)
	}
	w.rest()
	w.mu.Unlock()
	w.telling.Wait()
}

package azure

import (
	"context"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// watch ends attempts that take too long. All have the same time, so that a
// list in the order in which they began is in the order in which they are due,
// and one goroutine and one alarm serve them all: a timer for each attempt would
// cost more than the rest of its bookkeeping.
type watch struct {
	clock clock.Clock
	limit time.Duration
	late  error
	stop  chan struct{}
	alone sync.WaitGroup

	mu          sync.Mutex
	first, last *attempt
}

// watched is an attempt's place in the list.
type watched struct {
	earlier, later *attempt
	listed         bool
	due            clock.Instant
	cancel         context.CancelCauseFunc
}

// newWatch starts the watch; the caller owes it an end.
func newWatch(c clock.Clock, limit time.Duration) *watch {
	w := &watch{clock: c, limit: limit, stop: make(chan struct{}),
		late: fmt.Errorf("%w within %v", errLate, limit)}
	w.alone.Go(w.keep)
	return w
}

// end stops the watch and waits for it.
func (w *watch) end() {
	close(w.stop)
	w.alone.Wait()
}

// begin lists an attempt that begins now.
func (w *watch) begin(a *attempt, now clock.Instant, cancel context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a.watched = watched{earlier: w.last, listed: true, due: now.Add(w.limit), cancel: cancel}
	if w.last == nil {
		w.first = a
	} else {
		w.last.watched.later = a
	}
	w.last = a
}

// done takes an attempt off the list, if the watch has not done so.
func (w *watch) done(a *attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remove(a)
}

func (w *watch) remove(a *attempt) {
	place := a.watched
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
	a.watched = watched{}
}

// keep sleeps until the oldest attempt is due. An attempt that begins meanwhile
// is due later than that, and where there is none, not before a whole limit has
// passed: nobody has to wake it.
func (w *watch) keep() {
	for {
		alarm := w.clock.Alarm(w.expire(w.clock.Now()))
		select {
		case <-alarm.C:
		case <-w.stop:
			alarm.Stop()
			return
		}
	}
}

// expire ends what is due and returns when to look again.
func (w *watch) expire(now clock.Instant) clock.Instant {
	var expired []context.CancelCauseFunc
	w.mu.Lock()
	for w.first != nil && w.first.watched.due <= now {
		expired = append(expired, w.first.watched.cancel)
		w.remove(w.first)
	}
	next := now.Add(w.limit)
	if w.first != nil {
		next = w.first.watched.due
	}
	w.mu.Unlock()
	for _, cancel := range expired {
		cancel(w.late)
	}
	return next
}

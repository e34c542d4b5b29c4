package drive

import (
	"context"
	"sync"

	"loadgen/engine/clock"
	"loadgen/target"
)

// workers are the workers of one stage under way in real time. One of those that
// have nothing to do is the lead: it sleeps until the next operation is due,
// calls another to lead in its place, and sends the operation itself, so that
// none is late by the time it takes to be handed over. The others wait to be
// called, and a worker whose operation has ended continues with one that is already due.
type workers struct {
	*Live
	opened *opened
	stage  *Stage
	ledger *Ledger
	// ctx carries the caller's values and outlives its end: what is under way
	// when the run is stopped is let finish, within a grace.
	ctx     context.Context
	sleeper clock.Sleeper
	// ended holds a token when the stage's last operation may have ended.
	ended   chan struct{}
	running sync.WaitGroup

	// The mutex of Live guards what follows, and the stage's observer.
	deadline clock.Instant
	// begun is how many workers there are; idle are those that wait to be called,
	// the last one first; called says that one has been and is on its way.
	begun  int
	idle   []chan struct{}
	called bool
	// leading says that a worker sleeps until the next operation, awake when it
	// means to wake.
	leading   bool
	awake     clock.Instant
	dismissed bool
	silence   silence
}

func (c *workers) serve() {
	call := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called = false
	var outcome target.Outcome // reused for all operations
	for {
		s, sent := c.next(call)
		if s == nil {
			return
		}
		c.mu.Unlock()
		s.Step(sent, Due, nil)
		outcome = c.Target.Do(c.ctx, s.Operation())
		now := c.Clock.Now()
		effect := s.Step(now, Replied, &outcome)
		c.ledger.recordEffect(s, effect)
		c.mu.Lock()
		c.released(now, outcome.Status != 0)
		c.silence.end(now, outcome.Status != 0, c.busy)
		s.observe(&outcome)
		c.agenda.follow(now, s, effect, c.ledger)
		if c.agenda.isOver(now) {
			c.notifyEnded()
		}
	}
}

// next returns the session that the worker sends next, and when; nil if the stage is over. The caller holds the mutex,
// which next releases while it waits.
func (c *workers) next(call chan struct{}) (*Session, clock.Instant) {
	for !c.dismissed {
		now := c.Clock.Now()
		if now >= c.deadline {
			break
		}
		if s := c.agenda.takeNext(now); s != nil {
			c.delegate()
			return s, c.begin(s)
		}
		wake := c.deadline
		if due, _, any := c.agenda.nextDue(now); any {
			wake = min(wake, due)
		}
		if !c.leading {
			c.leading, c.awake = true, wake
			c.mu.Unlock()
			c.sleeper.Sleep(wake)
			c.mu.Lock()
			c.leading = false
			continue
		}
		if wake < c.awake {
			c.awake = wake
			c.sleeper.Wake()
		}
		c.idle = append(c.idle, call)
		c.mu.Unlock()
		<-call
		c.mu.Lock()
		c.called = false
	}
	return nil, 0
}

// begin records that a session's next attempt is sent, and returns when. The caller holds the mutex: otherwise the
// second to which the attempt belongs could be written before.
func (c *workers) begin(s *Session) clock.Instant {
	now := c.ledger.stamp(s, c.Clock.Now)
	c.busy++
	c.busiest = max(c.busiest, c.busy)
	if c.busy == c.Workers {
		c.exhausted = now
	}
	c.silence.begin(now)
	c.ledger.began(s, now)
	return now
}

// delegate calls a worker to lead, unless one does or is on its way; a new one where
// all that there are have something to do.
func (c *workers) delegate() {
	if c.leading || c.called {
		return
	}
	last := len(c.idle) - 1
	switch {
	case last >= 0:
		c.idle[last] <- struct{}{}
		c.idle = c.idle[:last]
	case c.begun < c.Workers:
		c.begun++
		c.running.Go(c.serve)
	default:
		return
	}
	c.called = true
}

// notifyEnded wakes the goroutine that waits for the end of the stage.
func (c *workers) notifyEnded() {
	select {
	case c.ended <- struct{}{}:
	default:
	}
}

// dismiss ends the stage: what is under way is let finish, nothing is begun.
func (c *workers) dismiss() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dismissed = true
	c.agenda.abandon(c.Clock.Now(), c.ledger)
	for _, call := range c.idle {
		call <- struct{}{}
	}
	c.idle = nil
	c.sleeper.Wake()
}

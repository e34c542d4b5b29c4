package drive

import (
	"context"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Live runs stages in real time. One dispatcher hands out what is due to a fixed
// number of workers, each of which sends one attempt at a time; an operation
// that waits to retry holds none of them. All goroutines of a stage end with it.
type Live struct {
	Clock  clock.Clock
	Target target.Target
	// Workers is the greatest number of attempts under way at once.
	Workers int
}

var _ Runner = (*Live)(nil)

// Now implements [Runner].
func (l *Live) Now() clock.Instant { return l.Clock.Now() }

// writeBehind is how far the record's seconds are written behind the clock, so
// that a worker that has just stamped a reply can still record it.
const writeBehind = 2 * time.Second

// inFlightGrace is how long the attempts that are under way when a run is stopped
// may take to end by themselves.
const inFlightGrace = 2 * time.Second

// lookEvery bounds how long the dispatcher sleeps, so that the record is written
// and a deadline seen.
const lookEvery = 250 * time.Millisecond

// crew is one stage under way in real time.
type crew struct {
	*Live
	opened *opened
	ledger *Ledger
	// ctx carries the caller's values and outlives its end: what is under way
	// when the run is stopped is let finish, within a grace.
	ctx  context.Context
	work chan *Session
	// handed is when the session that the dispatcher gave away last was due,
	// and handedAt when it did.
	handed, handedAt clock.Instant
	// changed holds a token when something became due earlier than the
	// dispatcher means to wake.
	changed chan struct{}
	workers sync.WaitGroup

	// mu guards the agenda, the stage's observer, and the instant until which
	// the dispatcher sleeps.
	mu     sync.Mutex
	agenda *agenda
	asleep clock.Instant
}

// Run implements [Runner].
func (l *Live) Run(ctx context.Context, stage *Stage, ledger *Ledger) error {
	start := stage.start(l.Clock.Now())
	if err := l.Clock.Sleep(ctx, start); err != nil {
		return err
	}
	inFlight, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	c := &crew{
		Live: l, ledger: ledger, opened: ledger.open(stage, start),
		ctx:     inFlight,
		work:    make(chan *Session),
		changed: make(chan struct{}, 1),
	}
	c.agenda = newAgenda(c.opened)
	for range l.Workers {
		c.workers.Go(c.serve)
	}
	failure := c.dispatch(ctx, stage.deadline(start))
	c.mu.Lock()
	c.agenda.abandon(l.Clock.Now(), ledger)
	c.mu.Unlock()
	close(c.work)
	if failure == nil {
		c.workers.Wait()
	} else {
		c.await(cut)
	}
	c.opened.close(l.Clock.Now(), failure != nil)
	return failure
}

// await waits for the workers of a stage that was stopped, and cuts short what
// they are still at after a grace.
func (c *crew) await(cut context.CancelFunc) {
	idle := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		alarm := c.Clock.Alarm(c.Clock.Now().Add(inFlightGrace))
		defer alarm.Stop()
		select {
		case <-alarm.C:
			cut()
		case <-idle:
		}
	})
	c.workers.Wait()
	close(idle)
	waiting.Wait()
}

// dispatch hands out sessions in the order in which they are due until the
// stage is over or its deadline has passed.
func (c *crew) dispatch(ctx context.Context, deadline clock.Instant) error {
	for {
		now := c.Clock.Now()
		if err := c.look(ctx, now); err != nil {
			return err
		}
		if now >= deadline {
			return nil
		}
		c.mu.Lock()
		session := c.agenda.take(now)
		over := c.agenda.over(now)
		wake := min(now.Add(lookEvery), deadline)
		if c.agenda.end > now {
			wake = min(wake, c.agenda.end)
		}
		if due, _, any := c.agenda.due(now); any {
			wake = min(wake, due)
		}
		c.asleep = wake
		c.mu.Unlock()
		switch {
		case session != nil:
			if err := c.hand(ctx, session, deadline); err != nil {
				return err
			}
		case over:
			return nil
		default:
			c.sleep(ctx, wake)
		}
	}
}

// look writes what the record can have by now and returns why the stage cannot
// go on.
func (c *crew) look(ctx context.Context, now clock.Instant) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.opened.pass(now)
	c.mu.Lock()
	reached := c.agenda.untaken(now)
	c.mu.Unlock()
	reached = reached.Add(-writeBehind)
	if now < c.handedAt.Add(writeBehind) {
		// The worker may be about to record it.
		reached = min(reached, c.handed)
	}
	return c.ledger.Recorder.Advance(reached.Offset())
}

// hand gives a session to the next free worker. Where there is none by the
// deadline, or the run is stopped, the session is dropped or cut.
func (c *crew) hand(ctx context.Context, s *Session, deadline clock.Instant) error {
	c.handed = s.intended
	select {
	case c.work <- s:
		c.handedAt = c.Clock.Now()
		return nil
	default:
	}
	alarm := c.Clock.Alarm(deadline)
	defer alarm.Stop()
	select {
	case c.work <- s:
		c.handedAt = c.Clock.Now()
		return nil
	case <-alarm.C:
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.agenda.refuse(c.Clock.Now(), s, c.ledger)
	return ctx.Err()
}

// sleep waits for an instant, a change of the agenda, or the end of the run.
func (c *crew) sleep(ctx context.Context, until clock.Instant) {
	alarm := c.Clock.Alarm(until)
	defer alarm.Stop()
	select {
	case <-alarm.C:
	case <-c.changed:
	case <-ctx.Done():
	}
}

// serve is one worker.
func (c *crew) serve() {
	for s := range c.work {
		now := c.ledger.stamp(s, c.Clock.Now)
		if s.firstAttempt() {
			c.ledger.Recorder.Scheduled(s.scheduled(now, false))
		}
		s.Step(now, Due, nil)
		outcome := c.Target.Do(c.ctx, s.Operation())
		now = c.Clock.Now()
		effect := s.Step(now, Replied, &outcome)
		c.ledger.settle(s, effect)

		c.mu.Lock()
		s.observe(effect, &outcome)
		c.agenda.follow(now, s, effect, c.ledger)
		due, _, any := c.agenda.due(now)
		earlier := any && due < c.asleep || c.agenda.over(now)
		c.mu.Unlock()
		if earlier {
			select {
			case c.changed <- struct{}{}:
			default:
			}
		}
	}
}

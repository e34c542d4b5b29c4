package drive

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Live runs stages in real time, one at a time. A fixed number of workers send
// one attempt at a time each; an operation that waits to retry holds none of
// them. All goroutines of a stage end with it.
type Live struct {
	Clock  clock.Clock
	Target target.Target
	// Workers is the greatest number of attempts under way at once. Each is a
	// goroutine, which begins when it is first needed.
	Workers int
	// Fine has operations awaited by a [clock.Sleeper] that is finer than the
	// clock's alarms, if the clock has one.
	Fine bool

	// mu guards what follows, and what its workers says of the stage under way.
	mu sync.Mutex
	// busy counts the workers that have an operation in hand, busiest is the most
	// of them since it was last asked for.
	busy, busiest int
	// exhausted is since when all of them have, where they do; starved how long
	// something was due meanwhile, up to the last time that one became free.
	exhausted clock.Instant
	starved   time.Duration
	answered  int64
	// agenda is that of the current stage, nil without one.
	agenda *agenda
}

var _ Runner = (*Live)(nil)

// Now implements [Runner].
func (l *Live) Now() clock.Instant { return l.Clock.Now() }

// Load is the utilization of the workers of a [Live].
type Load struct {
	// Free is the least number of workers that were without an operation at any
	// moment since it was last asked for: it says how far the load was from being
	// held up by the generator.
	Free int64
	// Starved is for how long, so far, something was due and no worker was free.
	Starved time.Duration
	// UnderWay is how many attempts there are now, Answered how many have had a
	// reply so far.
	UnderWay, Answered int64
}

// Load returns the utilization of the workers. It is safe for concurrent use, but each call resets the minimum number
// of free workers.
func (l *Live) Load() Load {
	l.mu.Lock()
	defer l.mu.Unlock()
	load := Load{Free: int64(l.Workers - l.busiest), Starved: l.starved + l.starving(l.Clock.Now()),
		UnderWay: int64(l.busy), Answered: l.answered}
	l.busiest = l.busy
	return load
}

// starving returns for how long something has been due now while no worker is free.
// Only a worker can put anything onto the agenda, so that it was due all that time.
func (l *Live) starving(now clock.Instant) time.Duration {
	if l.busy < l.Workers || l.agenda == nil || l.agenda.stage.Schedule == nil {
		return 0
	}
	due, _, any := l.agenda.nextDue(now)
	if !any {
		return 0
	}
	return max(0, now.Sub(max(due, l.exhausted)))
}

// released counts a worker that is free again, with a reply or without. It comes
// before what the reply puts onto the agenda.
func (l *Live) released(now clock.Instant, reply bool) {
	l.starved += l.starving(now)
	l.busy--
	if reply {
		l.answered++
	}
}

// writeBehind is how far the record's seconds are written behind the clock, so
// that a worker that has just stamped a reply can still record it.
const writeBehind = 2 * time.Second

// inFlightGrace is how long the attempts that are under way when a run is stopped
// may take to end by themselves; replyGrace is how long they may where a stage
// has come to its end, retries included.
const (
	inFlightGrace = 2 * time.Second
	replyGrace    = 10 * time.Second
)

// lookEvery is how often the record is written, and a deadline seen at the
// latest.
const lookEvery = 100 * time.Millisecond

// Run implements [Runner]. Its error wraps [ErrSilent] where the target has
// stopped answering.
func (l *Live) Run(ctx context.Context, stage *Stage, ledger *Ledger) error {
	return l.attend(ctx, stage, ledger, func(c *workers) (stop func()) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.delegate()
		return c.dismiss
	})
}

// attend runs a stage to its end. begin starts sending operations, in goroutines
// that are counted, and sends nothing more once it is stopped.
func (l *Live) attend(ctx context.Context, stage *Stage, ledger *Ledger, begin func(*workers) (stop func())) error {
	start := stage.start(l.Clock.Now())
	if err := l.Clock.Sleep(ctx, start); err != nil {
		return err
	}
	inFlight, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	o := ledger.open(stage, start)
	c := &workers{Live: l, opened: o, stage: stage, ledger: ledger, ctx: inFlight,
		deadline: stage.deadline(start), ended: make(chan struct{}, 1)}
	l.mu.Lock()
	l.agenda = newAgenda(o)
	l.mu.Unlock()
	if fine, offers := l.Clock.(interface{ Fine() clock.Sleeper }); offers && l.Fine {
		c.sleeper = fine.Fine()
	} else {
		c.sleeper = clock.NewSleeper(l.Clock)
	}
	defer c.sleeper.Close()
	stop := begin(c)
	failure := c.watch(ctx)
	stop()
	grace := replyGrace
	if failure != nil {
		grace = inFlightGrace
	}
	unanswered := c.await(grace, cut)
	l.mu.Lock()
	lasted := c.silence.lasting(l.Clock.Now())
	dead := stage.Timed() && c.silence.dead(lasted)
	l.mu.Unlock()
	switch {
	case failure != nil:
	case unanswered > 0:
		failure = fmt.Errorf("%w: %d attempts were still under way %v after the end of stage %q",
			ErrSilent, unanswered, replyGrace, stage.Name)
	case dead:
		failure = fmt.Errorf("%w for the last %v of stage %q", ErrSilent, lasted.Round(100*time.Millisecond), stage.Name)
	}
	c.opened.close(l.Clock.Now(), failure != nil)
	return failure
}

// await waits for the workers, cuts short what they are still at after a grace,
// and returns how many attempts that were.
func (c *workers) await(grace time.Duration, cut context.CancelFunc) (unanswered int) {
	idle := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		alarm := c.Clock.Alarm(c.Clock.Now().Add(grace))
		defer alarm.Stop()
		select {
		case <-alarm.C:
			c.mu.Lock()
			unanswered = c.busy
			c.mu.Unlock()
			cut()
		case <-idle:
		}
	})
	c.running.Wait()
	close(idle)
	waiting.Wait()
	return unanswered
}

// watch looks after the stage until it is over or its deadline has passed, and
// returns why it cannot go on.
func (c *workers) watch(ctx context.Context) error {
	for {
		now := c.Clock.Now()
		if err := ctx.Err(); err != nil {
			return err
		}
		c.opened.pass(now)
		c.mu.Lock()
		reached := now
		if intended, unsent := c.agenda.nextIntended(now); unsent {
			reached = min(now, intended)
		}
		silent := c.silence.lasting(now)
		c.mu.Unlock()
		if silent >= silenceLimit {
			return fmt.Errorf("%w for %v", ErrSilent, silent.Round(time.Second))
		}
		// The record is written as far as it can be by now: up to the oldest operation that has not
		// been taken.
		if err := c.ledger.Recorder.Advance(reached.Add(-writeBehind).Offset()); err != nil {
			return err
		}
		if now >= c.deadline {
			return nil
		}
		c.mu.Lock()
		err := c.agenda.stopReason(now)
		c.deadline = c.agenda.latest(c.deadline)
		over, end := c.agenda.isOver(now), c.agenda.end
		c.mu.Unlock()
		if err != nil {
			return err
		}
		if over {
			return nil
		}
		wake := min(now.Add(lookEvery), c.deadline)
		if end > now {
			wake = min(wake, end)
		}
		alarm := c.Clock.Alarm(wake)
		select {
		case <-alarm.C:
		case <-c.ended:
		case <-ctx.Done():
		}
		alarm.Stop()
	}
}

// Runner carries out stages, one after another.
type Runner interface {
	// Run carries a stage out and returns when each of its operations has
	// ended. A done context ends it early: what is under way is waited for,
	// the rest dropped or cut, and the context's error returned. Any other
	// error is a failure of the harness: the record could not be written.
	Run(ctx context.Context, stage *Stage, ledger *Ledger) error
	// Now returns the runner's present instant.
	Now() clock.Instant
}

var (
	// ErrStopped is wrapped where a budget of the scenario was exceeded, so that it
	// ended the run.
	ErrStopped = errors.New("drive: stopped")
	// ErrSilent is wrapped where the target has stopped answering.
	ErrSilent = errors.New("drive: the target has not answered")
	// ErrSettled is wrapped where a stage has come to rest, so that it need not go on.
	ErrSettled = errors.New("drive: the load has come to rest")
)

// Stop is the end of a run whose scenario sets a budget that was exceeded. It wraps
// [ErrStopped].
type Stop struct {
	// Second is how long the run had lasted, Why the budget and what was observed.
	Second int64
	Why    error
}

// Error implements error.
func (s *Stop) Error() string { return "drive: " + s.Reason() }

// Reason says why the run was stopped, for a sentence.
func (s *Stop) Reason() string { return fmt.Sprintf("stopped %d s into the run: %v", s.Second, s.Why) }

// Unwrap returns [ErrStopped].
func (s *Stop) Unwrap() error { return ErrStopped }

// silence is how long a target has owed a reply: since the first attempt that was
// sent after its last one. A lost attempt is not a reply.
type silence struct {
	// open says that something was sent since the last reply, since when.
	open  bool
	since clock.Instant
	// lost counts the attempts that have ended without a reply since the last one.
	lost int
}

// silenceLimit ends a stage in its midst: it lies above the time after which a
// client gives up on a single attempt. A stage that comes to its end has met a
// dead target where a silence of deadAfter, over deadAttempts, is its last word.
const (
	silenceLimit = time.Minute
	deadAfter    = 2 * time.Second
	deadAttempts = 20
)

// begin records that an attempt is sent.
func (s *silence) begin(now clock.Instant) {
	if !s.open {
		s.open, s.since = true, now
	}
}

// end records that an attempt has ended, with a reply or without, while others
// are under way.
func (s *silence) end(now clock.Instant, reply bool, others int) {
	if !reply {
		s.lost++
		return
	}
	s.open, s.since, s.lost = others > 0, now, 0
}

// lasting returns how long the silence has lasted, 0 without one.
func (s *silence) lasting(now clock.Instant) time.Duration {
	if !s.open {
		return 0
	}
	return now.Sub(s.since)
}

// dead reports whether a silence that lasted so long is that of a dead target.
func (s *silence) dead(lasted time.Duration) bool {
	return lasted >= deadAfter && s.lost >= deadAttempts
}

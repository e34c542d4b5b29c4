package drive

import (
	"context"
	"time"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Virtual runs stages in virtual time, in one goroutine, over an event queue. It
// stands for a generator without bounds: every operation is sent at its
// intended instant. The zero value is ready once it has a target.
type Virtual struct {
	Target target.Immediate
	// Line lies before the target, nil where nothing does.
	Line *target.Line
	// Gate bounds the requests under way, nil for no bounds.
	Gate *target.Gate

	clock clock.Virtual
}

var _ Runner = (*Virtual)(nil)

// Now implements [Runner].
func (v *Virtual) Now() clock.Instant { return v.clock.Now() }

// inFlight is an attempt whose reply is on its way, or which is on another leg of it.
type inFlight struct {
	session *Session
	outcome target.Outcome
	leg     leg
	// waited is how long request and reply have waited for the line.
	waited time.Duration
}

// leg is where an attempt is: on its way to the client, to the target, or at the target.
// Without a line, all is the first.
type leg uint8

const (
	toClient leg = iota
	toTarget
	atTarget
)

// course is one stage under way in virtual time.
type course struct {
	*Virtual
	agenda  *agenda
	opened  *opened
	ledger  *Ledger
	replies clock.Queue[*inFlight]
	free    pool[inFlight]
}

// checkEvery is how many events pass between two looks at the context and the
// record.
const checkEvery = 256

// Run implements [Runner].
func (v *Virtual) Run(ctx context.Context, stage *Stage, ledger *Ledger) error {
	ledger.alone = true
	ledger.Recorder.DisableLocks()
	v.clock.AdvanceTo(stage.start(v.clock.Now()))
	c := &course{Virtual: v, ledger: ledger, opened: ledger.open(stage, v.clock.Now())}
	c.agenda = newAgenda(c.opened)
	c.agenda.eager = true
	deadline := stage.deadline(v.clock.Now())
	var failure error
	for n := 1; failure == nil && !c.agenda.isOver(v.Now()); n++ {
		if stage.Enough != nil {
			// The stage is judged as of the next event.
			at, _, any := c.peek()
			if !any {
				at = c.Now()
			}
			if failure = c.agenda.stopReason(at); failure != nil {
				break
			}
		}
		if deadline != clock.Never {
			deadline = c.agenda.latest(deadline)
		}
		if !c.next(deadline) {
			v.clock.AdvanceTo(deadline)
			c.agenda.abandon(deadline, ledger)
			deadline = clock.Never
		}
		if n%checkEvery == 0 {
			c.opened.pass(v.Now())
			failure = ledger.Recorder.Advance(v.Now().Offset())
			if failure == nil {
				failure = ctx.Err()
			}
		}
	}
	if failure != nil {
		c.agenda.abandon(v.Now(), ledger)
		for c.replies.Len() > 0 {
			c.reply()
		}
	}
	c.opened.close(v.Now(), failure != nil)
	return failure
}

// peek returns the time of the earliest event, of simultaneous events that with the lowest number, and whether it is an
// operation that is due. any is false if there is none.
func (c *course) peek() (at clock.Instant, isDue, any bool) {
	replyAt, replying, replies := c.replies.Peek()
	dueAt, due, some := c.agenda.nextDue(c.Now())
	if some && (!replies || dueAt < replyAt || dueAt == replyAt && due < replying) {
		return dueAt, true, true
	}
	return replyAt, false, replies
}

// next carries out the earliest event. It returns false where the deadline comes first.
func (c *course) next(deadline clock.Instant) bool {
	at, isDue, any := c.peek()
	if isDue {
		if at >= deadline {
			return false
		}
		c.clock.AdvanceTo(at)
		s := c.agenda.takeNext(at)
		if s == nil {
			return true
		}
		c.ledger.began(s, c.Now())
		s.Step(c.ledger.stamp(s, c.Now), Due, nil)
		flight := c.free.get()
		flight.session, flight.leg, flight.waited = s, toClient, 0
		if c.Gate == nil || c.Gate.Enter(s.Operation(), func() { c.send(flight) }) {
			c.send(flight)
		}
		return true
	}
	if any && (at < deadline || deadline == clock.Never) {
		c.reply()
		return true
	}
	if c.agenda.active == 0 {
		// Nothing is left but to let the schedule come to its end.
		c.clock.AdvanceTo(c.agenda.end)
		return true
	}
	if !any {
		panic("drive: operations are under way but nothing is to happen")
	}
	return false
}

// send sends the request of a flight, over the line if there is one.
func (c *course) send(flight *inFlight) {
	s := flight.session
	if c.Line != nil {
		flight.leg = toTarget
		var arrives clock.Instant
		arrives, flight.waited = c.Line.Sends(c.Now(), s.Operation())
		c.replies.Push(arrives, s.number, flight)
		return
	}
	var done clock.Instant
	flight.outcome, done = c.Target.Submit(c.Now(), s.Operation())
	c.replies.Push(max(done, c.Now()), s.number, flight)
}

func (c *course) reply() {
	at, flight := c.replies.Pop()
	c.clock.AdvanceTo(at)
	s := flight.session
	if flight.leg != toClient {
		// It has a line to cross from one leg to the next.
		var next clock.Instant
		if flight.leg == toTarget {
			flight.outcome, next = c.Target.Submit(c.Now(), s.Operation())
			flight.leg = atTarget
		} else {
			var waits time.Duration
			next, waits = c.Line.Receives(c.Now(), s.Operation(), &flight.outcome)
			flight.leg, flight.outcome.LineWait = toClient, flight.waited+waits
		}
		c.replies.Push(max(next, c.Now()), s.number, flight)
		return
	}
	if c.Gate != nil {
		c.Gate.Leave(s.Operation())
	}
	effect := s.Step(c.Now(), Replied, &flight.outcome)
	c.ledger.recordEffect(s, effect)
	s.observe(&flight.outcome)
	c.agenda.follow(c.Now(), s, effect, c.ledger)
	if flight.outcome.Rows != nil || flight.outcome.Found != nil {
		flight.outcome = target.Outcome{}
	}
	c.free.release(flight)
}

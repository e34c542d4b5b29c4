package drive

import (
	"errors"
	"fmt"
	"sort"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/invariants"
)

// agenda is what is still to be done in a stage: the operations that have not
// been sent, as a position in the schedule and not as a queue, and those that
// wait to retry. It decides in which order simultaneous ones come: by instant,
// then by number. It belongs to one goroutine at a time.
type agenda struct {
	stage  *Stage
	opened *opened
	// start is when the stage begins; an open loop lasts until end, even where
	// its last operation is over before.
	start, end clock.Instant
	phases     []int
	// next is the first operation not yet taken, count how many there are, those of
	// others among them; lanes are those of a closed loop.
	next, count uint64
	lanes       int
	// intended is when the next operation of a schedule is due, where that is
	// known already.
	intended clock.Instant
	known    bool
	// active counts the operations that were taken and have not ended.
	active  int
	waiting clock.Queue[*Session]
	// pausing are the lanes that think, by the instant at which they are ready.
	pausing clock.Queue[struct{}]
	free    pool[Session]
	// eager forms an operation when it is taken, for a run of one goroutine. In other runs the worker that sends it
	// forms it.
	eager bool
	// abandoned says that nothing is to be begun or tried again.
	abandoned bool
}

func newAgenda(o *opened) *agenda {
	share := o.stage.Share
	a := &agenda{stage: o.stage, opened: o, start: o.start, end: o.start.Add(o.stage.Lasts()), phases: o.phases, count: o.stage.Operations(),
		next: uint64(share.Index), lanes: int(share.Count(uint64(o.stage.Lanes)))}
	if o.stage.Think != nil {
		// Each lane begins somewhere in a pause of its own.
		lanes := uint64(a.stage.Lanes)
		for lane := uint64(share.Index); lane < lanes; lane += share.step() {
			pause := a.stage.Think(lane)
			a.pausing.Push(a.start.Add(time.Duration(lane)*pause/time.Duration(lanes)), lane, struct{}{})
		}
	}
	return a
}

// nextIntended returns when the next unsent operation is due, if it is known:
// in a closed loop it is now if a lane is free.
func (a *agenda) nextIntended(now clock.Instant) (clock.Instant, bool) {
	switch {
	case a.next >= a.count:
		return clock.Never, false
	case a.stage.Schedule != nil:
		if !a.known {
			a.intended, a.known = a.start.Add(a.stage.Schedule.DueTime(a.next)), true
		}
		return a.intended, true
	case a.stage.Think != nil:
		at, _, some := a.pausing.Peek()
		if !some || at >= a.end {
			return clock.Never, false
		}
		return at, true
	case a.active < a.lanes:
		return now, true
	default:
		return clock.Never, false
	}
}

// nextDue returns the instant and number of the session that takeNext returns next, and false if nothing becomes due
// before another event.
func (a *agenda) nextDue(now clock.Instant) (clock.Instant, uint64, bool) {
	intended, unsent := a.nextIntended(now)
	number := a.stage.First + a.next
	again, retrying, waits := a.waiting.Peek()
	if waits && (!unsent || again < intended || again == intended && retrying < number) {
		return again, retrying, true
	}
	return intended, number, unsent
}

// takeNext returns the session that is due first, or nil if none is due yet.
func (a *agenda) takeNext(now clock.Instant) *Session {
	for {
		at, number, any := a.nextDue(now)
		if !any || at > now {
			return nil
		}
		var s *Session
		if retryAt, retrying, waits := a.waiting.Peek(); waits && retryAt == at && retrying == number {
			_, s = a.waiting.Pop()
		} else {
			s = a.free.get()
			s.begin(a.stage, a.next, at, a.phaseOf(at), a.eager)
			if a.stage.Think != nil {
				a.pausing.Pop()
			}
			a.next += a.stage.Share.step()
			a.known = false
			a.active++
		}
		if wait := a.reserveToken(now, s); wait > 0 {
			a.waiting.Push(now.Add(wait), s.number, s)
			continue
		}
		if a.stage.Limiters == nil || !s.firstAttempt() || s.admitted {
			return s
		}
		s.admitted = true
		hold, admitted := a.stage.Limiters.admit(s, now, 0, backoff.Try{})
		switch {
		case !admitted:
			a.stage.Limiters.withheld.Add(1)
			a.refuse(now, s, a.opened.ledger)
		case hold > 0:
			a.waiting.Push(now.Add(hold), s.number, s)
		default:
			return s
		}
	}
}

// phaseOf returns the phase of the record that an operation belongs to which is due then.
func (a *agenda) phaseOf(intended clock.Instant) int {
	phases := a.stage.Phases
	at := intended.Sub(a.start)
	after := sort.Search(len(phases), func(i int) bool { return phases[i].Begin > at })
	return a.phases[max(0, after-1)]
}

// stopReason returns why the stage ends early, nil if it continues. A load that has settled ends with the whole second
// before now.
func (a *agenda) stopReason(now clock.Instant) error {
	if a.stage.Enough == nil || a.abandoned {
		return nil
	}
	err := a.stage.Enough(a.start, now, func() uint64 { return a.dueBefore(now.Add(-time.Second)) })
	if !errors.Is(err, ErrSettled) {
		return err
	}
	at := max(a.start, clock.Instant(now.Offset().Truncate(time.Second)))
	a.count = a.next + a.dueBefore(at)*a.stage.Share.step()
	a.end = min(a.end, at)
	// The last phase ends before its time.
	a.opened.end = a.end
	for i := range a.opened.marks {
		a.opened.marks[i].At = min(a.opened.marks[i].At, int64(a.end))
	}
	return nil
}

// dueBefore counts the operations of a schedule that were not taken and are due
// before an instant.
func (a *agenda) dueBefore(at clock.Instant) uint64 {
	if a.stage.Schedule == nil {
		return 0
	}
	share := a.stage.Share
	return uint64(sort.Search(int(share.remaining(a.next, a.count)), func(n int) bool {
		return a.start.Add(a.stage.Schedule.DueTime(a.next+uint64(n)*share.step())) >= at
	}))
}

// latest returns when the stage ends at the latest if that was known before: sooner
// where its load has come to rest.
func (a *agenda) latest(deadline clock.Instant) clock.Instant {
	if !a.stage.Timed() {
		return deadline
	}
	return min(deadline, a.end.Add(a.stage.Grace))
}

// follow does with a session what its effect asks for after a reply: put it
// aside until its instant, or take it back because it has ended or is cut.
func (a *agenda) follow(now clock.Instant, s *Session, e Effect, ledger *Ledger) {
	switch {
	case e.Action != WaitUntil:
		a.finish(now, s)
	case a.abandoned:
		a.cut(now, s, ledger)
	default:
		s.releaseContent()
		a.waiting.Push(e.Until, s.number, s)
	}
}

// finish takes back a session that has ended; its lane begins to think.
func (a *agenda) finish(now clock.Instant, s *Session) {
	a.active--
	if a.stage.Think != nil {
		a.pausing.Push(now.Add(a.stage.Think(s.k)), s.number, struct{}{})
	}
	a.free.release(s)
}

// isOver reports whether every operation was sent and has ended, and the schedule of an open loop has ended, too.
func (a *agenda) isOver(now clock.Instant) bool {
	if a.active > 0 || now < a.end {
		return false
	}
	_, unsent := a.nextIntended(now)
	return !unsent
}

// abandon ends the stage: operations that wait to retry are cut, and operations that were due but never sent are
// recorded as dropped. Attempts in flight continue.
func (a *agenda) abandon(now clock.Instant, ledger *Ledger) {
	a.abandoned = true
	for a.waiting.Len() > 0 {
		_, s := a.waiting.Pop()
		a.cut(now, s, ledger)
	}
	if a.stage.Schedule == nil {
		a.next = a.count
		return
	}
	for ; a.next < a.count; a.next += a.stage.Share.step() {
		intended := a.start.Add(a.stage.Schedule.DueTime(a.next))
		if intended > now {
			a.next = a.count
			return
		}
		s := a.free.get()
		s.begin(a.stage, a.next, intended, a.phaseOf(intended), false)
		ledger.recordDue(s.scheduled(now, true))
		a.free.release(s)
	}
}

// cut ends a session that waits to retry.
func (a *agenda) cut(now clock.Instant, s *Session, ledger *Ledger) {
	ledger.recordEffect(s, s.Step(now, Stopped, nil))
	a.finish(now, s)
}

// refuse takes back a session that was taken but could not be sent: dropped if
// it never was sent, cut if it waited to retry.
func (a *agenda) refuse(now clock.Instant, s *Session, ledger *Ledger) {
	if s.firstAttempt() {
		ledger.recordDue(s.scheduled(now, true))
		a.finish(now, s)
		return
	}
	a.cut(now, s, ledger)
}

// Share is what one of several processes sends of a stage that they carry out together: the
// operations k with k mod Of = Index, and in a closed loop the lanes c with c mod Of = Index.
// An operation is the same in every process, because all its random draws depend on its number. The zero
// value is all of a stage, as is the share of one process.
type Share struct {
	// Of is how many processes there are, Index which of them this is, from 0.
	Index, Of int
}

// Validate returns what is wrong with the share.
func (s Share) Validate() []error {
	if s == (Share{}) || s.Of >= 1 && s.Index >= 0 && s.Index < s.Of {
		return nil
	}
	return []error{fmt.Errorf("drive: share %d of %d; expected one from 0 to below the number of shares", s.Index, s.Of)}
}

// Count returns how many of a number of operations, or of lanes, belong to the share.
func (s Share) Count(all uint64) uint64 { return s.remaining(uint64(s.Index), all) }

// step is the difference between the numbers of consecutive operations of the share.
func (s Share) step() uint64 { return uint64(max(1, s.Of)) }

// remaining returns how many numbers of the share there are from one of them on, below a bound.
func (s Share) remaining(from, below uint64) uint64 {
	if from >= below {
		return 0
	}
	return (below-from-1)/s.step() + 1
}

// pool keeps values for reuse. The caller of get resets the value. It is not safe for concurrent use.
type pool[T any] []*T

func (p *pool[T]) get() *T {
	last := len(*p) - 1
	if last < 0 {
		return new(T)
	}
	one := (*p)[last]
	*p = (*p)[:last]
	return one
}

func (p *pool[T]) release(one *T) {
	invariants.Poison(one)
	*p = append(*p, one)
}

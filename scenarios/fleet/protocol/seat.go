package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

const (
	// maxMessages is the maximum number of messages of a member in a second. One that catches up sends at most
	// maxQueuedSeconds and two times maxParts.
	maxMessages = 8192
	// maxRefusals is the number of refused members that are reported; further ones are counted.
	maxRefusals = 100
	// maxEarly is how far a second may be in the future: clocks move during a run.
	maxEarly = time.Minute
)

// seat is a member as its leader sees it.
type seat struct {
	Share
	heard clock.Instant
	// window is the begin of the second in which messages are counted.
	window   clock.Instant
	messages int
	// joined says that it has joined this run, ready what it reported, ended that its record is here, early that this was
	// before its time without a stop, gone that it knows of its end.
	joined, ready, ended, early, gone bool
	// result is its result of the current step, nil before it arrives.
	result json.RawMessage
	// first is its clock when the start was agreed.
	first offset
	// lastSecond is the last reported second, -1 before the first.
	lastSecond int64
	parts      collector
	final      *RecordPart
}

func newSeat(epoch string, m results.FleetMember, now clock.Instant) *seat {
	return &seat{Share: Share{FleetMember: m, Epoch: epoch}, heard: now, lastSecond: -1}
}

// isActive reports whether the seat has a member that is neither lost nor done.
func (s *seat) isActive() bool { return s != nil && s.Lost == "" && !s.ended }

// isFlooding counts a message, and reports whether the member sends more than it may.
func (s *seat) isFlooding(now clock.Instant) bool {
	if s.messages++; now.Sub(s.window) >= time.Second {
		s.window, s.messages = now, 1
	}
	return s.messages > maxMessages
}

// handle confirms a member's place: the same whenever it asks. Without an assignment the member has to wait.
func (*Join) handle(l *Leader, now clock.Instant, s *seat) *Reply {
	if !s.joined {
		s.joined = true
		l.memberEvent(MemberJoined, s, fmt.Sprintf("%s has joined, %d of %d", s.Name, l.joined(), l.plan.Members))
		l.prepareIfComplete()
	}
	if l.assignment == nil {
		return &Reply{}
	}
	return &Reply{Joined: &Joined{Index: s.Index, Of: l.plan.Members, Parts: len(l.assignment), SHA256: l.digest}}
}

func (*Probe) handle(*Leader, clock.Instant, *seat) *Reply { return &Reply{} }

func (f *Fetch) handle(l *Leader, _ clock.Instant, _ *seat) *Reply {
	if f.Part >= len(l.assignment) {
		return &Reply{}
	}
	return &Reply{Part: &AssignmentPart{Part: f.Part, Bytes: l.assignment[f.Part]}}
}

// handle notes the state of a member and returns its directives. With the last member that is ready the start is agreed.
func (b *Heartbeat) handle(l *Leader, now clock.Instant, s *seat) *Reply {
	if b.Ready && !s.ready && l.phase == preparing {
		b.setReady(l, now, s)
	}
	if s.ready && b.Ready {
		s.ClockBound = b.Bound
		s.ClockDrift = max(s.ClockDrift, (b.Offset-s.first.ahead).Abs()-b.Bound-s.first.bound)
	}
	directives := &Directives{Prepare: l.phase >= preparing, Stop: l.stop}
	if l.phase == running {
		directives.Start, directives.Step = new(l.start), l.step
	}
	return &Reply{Directives: directives}
}

func (b *Heartbeat) setReady(l *Leader, now clock.Instant, s *seat) {
	if b.Bound > MaxClockBound {
		l.memberEvent(MemberRefused, s, "its clock is not known well enough")
		l.abort(now, ErrUnready, fmt.Sprintf("the clock of %s is known to within %v only; %v at most", s.Name, b.Bound.Round(10*time.Microsecond), MaxClockBound))
		return
	}
	s.ready, s.Planned, s.first = true, new(int64(b.Planned)), offset{b.Offset, b.Bound}
	l.memberEvent(MemberReady, s, s.Name+" is ready")
	if slices.ContainsFunc(l.seats, func(other *seat) bool { return !other.ready }) {
		return
	}
	l.phase, l.start = running, now.Add(l.plan.StartAfter)
	l.event(Event{Kind: RunStarted, Member: -1, Wait: l.plan.StartAfter, Text: fmt.Sprintf("all %d are ready, and begin in %v", l.plan.Members, l.plan.StartAfter)})
	l.orderStep(now)
}

// handle counts a second, once and in order. One that follows a report that got lost has no reply, so that the member sends
// both again.
func (r *SecondReport) handle(l *Leader, now clock.Instant, s *seat) *Reply {
	second, elapsed := r.Second.Interval.Second, now.Sub(l.start)
	var reason string
	switch {
	case r.Sequence < s.Seconds:
		l.notes[duplicateNote]++
		return &Reply{}
	case r.Sequence > s.Seconds+maxSecondsInFlight:
		reason = fmt.Sprintf("%d reports before it are missing", r.Sequence-s.Seconds)
	case r.Sequence > s.Seconds:
		return nil
	case second <= s.lastSecond:
		reason = fmt.Sprintf("second %d is out of order", second)
	case l.phase < running || second > int64((elapsed+maxEarly)/time.Second):
		reason = fmt.Sprintf("second %d, %v after the start", second, elapsed.Truncate(time.Second))
	}
	if reason != "" {
		return l.expel(now, s, fmt.Sprintf("its report %d is invalid: %s", r.Sequence, reason))
	}
	s.Seconds, s.lastSecond = s.Seconds+1, second
	s.Counts.Add(&r.Second.Interval.Counts)
	if s.BeganLate == nil {
		s.BeganLate = r.Second.BeganLate
	}
	s.Stall = max(s.Stall, r.Second.Stall)
	l.event(Event{Kind: SecondReported, Member: s.Index, Name: s.Name, Second: &r.Second})
	return &Reply{}
}

// handle keeps a member's result of the current step.
func (r *StepResult) handle(l *Leader, now clock.Instant, s *seat) *Reply {
	if l.step == nil || r.Step != l.step.Number || s.result != nil {
		return &Reply{}
	}
	if err := l.plan.Search.Check(r.Result); err != nil {
		return l.expel(now, s, clip(fmt.Sprintf("its result of step %d is invalid: %v", r.Step, err)))
	}
	s.result = r.Result
	l.orderStep(now)
	return &Reply{}
}

// handle keeps a part of a record. With the last part the member has ended.
func (r *RecordPart) handle(l *Leader, now clock.Instant, s *seat) *Reply {
	if s.ended {
		return &Reply{}
	}
	if s.final == nil {
		s.final, s.parts = r, newCollector(r.Parts)
	}
	if r.Parts != s.final.Parts || r.SHA256 != s.final.SHA256 {
		return l.expel(now, s, "it sent parts of two records")
	}
	s.parts.put(r.Part, r.Bytes)
	if s.parts.missing > 0 {
		return &Reply{}
	}
	record, intact := s.parts.join(r.SHA256)
	if s.parts = (collector{}); !intact {
		return l.expel(now, s, "the digest of its record is wrong")
	}
	s.Record, s.ended, s.Partial = record, true, r.Partial
	s.early = r.Partial != "" && l.stop == ""
	if l.phase < running {
		l.abort(now, ErrUnready, s.Name+" ended before the start")
		return &Reply{}
	}
	s.Missing = r.Reported - min(r.Reported, s.Seconds) + r.Unreported
	l.memberEvent(MemberEnded, s, s.Name+" has ended, and its record is here")
	if s.early && !l.plan.FinishOnLoss {
		l.abort(now, ErrUnready, fmt.Sprintf("%s ended early: %s", s.Name, r.Partial))
	}
	l.orderStep(now)
	l.endIfDone(now)
	return &Reply{}
}

// handle notes that a member leaves. One without a record is lost.
func (r *Leave) handle(l *Leader, now clock.Instant, s *seat) *Reply {
	if s.gone = true; s.ended {
		return &Reply{}
	}
	reason := r.Reason
	if reason == "" {
		reason = "it left"
	}
	l.lose(now, s, reason)
	return &Reply{}
}

// expel loses a member that breaks the protocol, and refuses it with the reason.
func (l *Leader) expel(now clock.Instant, s *seat, reason string) *Reply {
	l.lose(now, s, reason)
	return &Reply{Refused: s.Lost}
}

// lose gives a member up. No other member gets its load.
func (l *Leader) lose(now clock.Instant, s *seat, reason string) {
	s.Lost, s.parts = reason, collector{}
	text := fmt.Sprintf("%s was lost: %s", s.Name, reason)
	l.memberEvent(MemberLost, s, text)
	switch {
	case l.phase == lobby && l.run == 0:
		l.seats[s.Index] = nil
	case l.phase < running, l.phase == running && !l.plan.FinishOnLoss:
		l.abort(now, ErrUnready, text)
	}
	l.orderStep(now)
	l.endIfDone(now)
}

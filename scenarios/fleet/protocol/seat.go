package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// seat is a member as its leader sees it.
type seat struct {
	Share
	heard clock.Instant
	// joined says that it has joined this run, ready is what it said, ended that its record is
	// here, early that this was before its time and nobody asked for it, gone that it knows of
	// its end.
	joined, ready, ended, early, gone bool
	// came is what it measured of the turn that goes on, nil before it said so.
	came json.RawMessage
	// first is its clock as the start was agreed on.
	first  offset
	counts results.Counts
	took   sequence
	// latest is the greatest sequence number so far, latestSecond its second.
	latest       uint64
	latestSecond int64
	parts        gathered
	final        *Final
	record       []byte
}

// beat takes a sign of life, and says what there is to do. With the last member that is ready
// it agrees on the start.
func (l *Leader) beat(now clock.Instant, s *seat, b *Beat) Answer {
	if b.Ready && !s.ready && l.phase == preparing {
		if b.Bound > MaxClockBound {
			l.concerns(now, MemberRefused, s, "its clock is not known well enough")
			l.halt(now, fmt.Sprintf("the clock of %s is known to within %v only; %v at most", s.Name, b.Bound.Round(10*time.Microsecond), MaxClockBound))
		} else {
			s.ready, s.Planned, s.first = true, b.Planned, offset{b.Offset, b.Bound}
			l.concerns(now, MemberReady, s, s.Name+" is ready")
			if !slices.ContainsFunc(l.seats, func(other *seat) bool { return !other.ready }) {
				l.phase, l.start = running, now.Add(l.plan.StartAfter)
				l.event(now, Event{Kind: RunStarted, Member: -1, Wait: l.plan.StartAfter, Text: fmt.Sprintf("all %d are ready, and begin in %v", l.plan.Members, l.plan.StartAfter)})
				l.order(now)
			}
		}
	}
	if s.ready && b.Ready {
		s.Offset, s.Bound = b.Offset, b.Bound
		moved := max(0, (b.Offset-s.first.ahead).Abs()-b.Bound-s.first.bound)
		s.Drift = max(s.Drift, moved)
	}
	orders := &Orders{Prepare: l.phase >= preparing, Stop: l.stop}
	if l.phase == running {
		orders.Start, orders.Turn = new(l.start), l.turn
	}
	return Answer{Orders: orders}
}

// told takes a second, once.
func (l *Leader) told(now clock.Instant, s *seat, r *Report) Answer {
	second := r.Second.Interval.Second
	first, sound := s.took.accept(r.Sequence, second)
	switch {
	case first && !s.inOrder(r.Sequence, second):
		l.lose(now, s, fmt.Sprintf("it reported second %d out of order", second))
		return Answer{Refused: s.Lost}
	case !sound:
		l.lose(now, s, fmt.Sprintf("it told its second %d, and %d before are missing", r.Sequence, r.Sequence-s.took.next))
		return Answer{Refused: s.Lost}
	case !first:
		l.notes.doubled++
		return Answer{}
	}
	s.counts.Add(&r.Second.Interval.Counts)
	s.Seconds, s.Scheduled = s.took.count, s.counts.Scheduled
	if late := r.Second.BeganLate; late != nil && s.BeganLate == nil {
		s.BeganLate = new(*late)
	}
	s.Stall = max(s.Stall, r.Second.Stall)
	l.event(now, Event{Kind: SecondTold, Member: s.Index, Name: s.Name, Second: &r.Second, Through: s.took.through})
	return Answer{}
}

// inOrder reports whether seconds increase with sequence numbers. Reports may arrive out of order, and a member drops
// seconds when its queue is full.
func (s *seat) inOrder(sequence uint64, second int64) bool {
	if second < int64(sequence) || second-int64(sequence) > maxSkipped {
		return false
	}
	if s.took.count == 1 || sequence > s.latest {
		ordered := s.took.count == 1 || second > s.latestSecond
		s.latest, s.latestSecond = sequence, second
		return ordered
	}
	return second < s.latestSecond
}

// final takes a part of a record.
func (l *Leader) final(now clock.Instant, s *seat, f *Final) Answer {
	if s.ended {
		return Answer{}
	}
	if s.final == nil {
		s.final, s.parts = f, gather(f.Parts)
	}
	if f.Parts != s.final.Parts || f.SHA256 != s.final.SHA256 {
		l.lose(now, s, "it sent parts of two records")
		return Answer{Refused: s.Lost}
	}
	s.parts.put(f.Part, f.Bytes)
	if s.parts.misses > 0 {
		return Answer{}
	}
	record, sound := s.parts.whole(f.SHA256)
	if s.parts = (gathered{}); !sound {
		l.lose(now, s, "the digest of its record is wrong")
		return Answer{Refused: s.Lost}
	}
	s.record, s.ended, s.Partial = record, true, f.Partial
	s.early = f.Partial != "" && l.stop == ""
	if l.phase < running {
		l.halt(now, s.Name+" ended before the start")
		return Answer{}
	}
	s.Missing = f.Told - min(f.Told, s.took.count) + f.Untold
	l.concerns(now, MemberEnded, s, s.Name+" has ended, and its record is here")
	if s.early && !l.plan.FinishOnLoss {
		l.halt(now, fmt.Sprintf("%s ended early: %s", s.Name, f.Partial))
	}
	l.order(now)
	l.endIfDone(now)
	return Answer{}
}

// leave takes a goodbye. Of a member without a record it is a loss.
func (l *Leader) leave(now clock.Instant, s *seat, leave *Leave) Answer {
	if s.gone = true; s.ended {
		return Answer{}
	}
	reason := leave.Reason
	if reason == "" {
		reason = "it left"
	}
	l.lose(now, s, reason)
	return Answer{}
}

// lose gives a member up. Its load is handed to nobody.
func (l *Leader) lose(now clock.Instant, s *seat, why string) {
	s.Lost, s.parts = why, gathered{}
	s.LostAt = now.Sub(l.start)
	text := fmt.Sprintf("%s was lost: %s", s.Name, why)
	l.concerns(now, MemberLost, s, text)
	switch {
	case l.phase == lobby && l.run > 0:
		l.fail(now, fmt.Errorf("%w: %s", ErrUnready, text))
	case l.phase == lobby:
		l.seats[s.Index] = nil
	case l.phase == preparing, l.phase == running && !l.plan.FinishOnLoss:
		l.halt(now, text)
	}
	l.order(now)
	l.endIfDone(now)
}

// maxSkipped bounds the seconds that a member drops: a month.
const maxSkipped = 31 * 24 * 3600

// maxAhead is the maximum distance of a report from the first one that is missing. A member has
// fewer under way.
const maxAhead = 4096

// sequence has the sequence numbers of the reports that have arrived, in bounded memory: all below next, and some
// above, each with its second.
type sequence struct {
	next  uint64
	above map[uint64]int64
	count uint64
	// through is the second of the last report before next, -1 before the first.
	through int64
}

func newSequence() sequence { return sequence{above: make(map[uint64]int64), through: -1} }

// accept reports whether a number is new, and whether it is close enough to the others.
func (s *sequence) accept(number uint64, second int64) (isNew, ok bool) {
	if number < s.next {
		return false, true
	}
	if number-s.next >= maxAhead {
		return false, false
	}
	if _, had := s.above[number]; had {
		return false, true
	}
	s.above[number] = second
	s.count++
	for {
		second, had := s.above[s.next]
		if !had {
			return true, true
		}
		delete(s.above, s.next)
		s.next, s.through = s.next+1, second
	}
}

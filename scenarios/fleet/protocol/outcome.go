package protocol

import (
	"fmt"
	"time"

	"loadgen/engine/clock"
)

// Outcome is what a run came to, once it is over.
type Outcome struct {
	// Shares are the members' in the order of their places, each with its record where that
	// arrived.
	Shares []Share
	// Start is the agreed instant by the leader's clock, 0 where it did not come to one.
	Start clock.Instant
	// Skew is the greatest difference of the instants at which two members began, of those
	// who said.
	Skew time.Duration
	// Faults are what keeps the run from being whole; none where it is. Notes are what else
	// there is to say. Each is a sentence.
	Faults []string
	Notes  []string
}

// notes are what a leader counts beside.
type notes struct {
	// malformed messages were none of the protocol, or in another's name; doubled seconds came
	// more than once; refused are asks to join, returned what members said that were given up.
	malformed, doubled, refused, returned int
	// late are of an earlier run of the series.
	late int
	// stood is the longest time for which the leader itself did not run.
	stood time.Duration
}

// Outcome returns what the run came to, and why it did not come to one.
func (l *Leader) Outcome() (Outcome, error) {
	o := Outcome{Start: l.start}
	if l.stopped {
		o.Faults = append(o.Faults, "The run was stopped: "+l.stop+".")
	}
	var first, last time.Duration
	said := 0
	for _, s := range l.seats {
		if s == nil {
			continue
		}
		share := s.Share
		share.Counts, share.Record = s.counts, s.record
		o.Shares = append(o.Shares, share)
		faults, notes := s.remarks()
		o.Faults, o.Notes = append(o.Faults, faults...), append(o.Notes, notes...)
		if late := s.BeganLate; late != nil {
			if said == 0 {
				first, last = *late, *late
			}
			first, last, said = min(first, *late), max(last, *late), said+1
		}
	}
	if l.short {
		o.Faults = append(o.Faults, "Stopped: the remaining members would send less load.")
	}
	o.Skew = last - first
	for _, one := range []struct {
		count int
		text  string
	}{
		{l.notes.refused, "Asks to join that were refused: %d."},
		{l.notes.returned, "Ignored messages of expelled members: %d."},
		{l.notes.doubled, "Ignored duplicate seconds: %d."},
		{l.notes.late, "Ignored messages of the previous run: %d."},
		{l.notes.malformed, "Dropped messages of other fleets: %d."},
	} {
		if one.count > 0 {
			o.Notes = append(o.Notes, fmt.Sprintf(one.text, one.count))
		}
	}
	if l.notes.stood > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("The leader itself stood still for %v.", l.notes.stood.Round(time.Millisecond)))
	}
	return o, l.err
}

// remarks are what keeps a member's share from being whole, and what else there is to say of it.
func (s *seat) remarks() (faults, notes []string) {
	said := func(format string, args ...any) string { return s.Name + " " + fmt.Sprintf(format, args...) + "." }
	if s.BeganLate != nil && *s.BeganLate > MaxLate {
		notes = append(notes, said("began %v after the agreed instant", s.BeganLate.Round(time.Millisecond)))
	}
	if s.Lost != "" {
		return []string{said("was lost: %s; %d of its seconds arrived, with %d operations due; its other load is unknown",
			s.Lost, s.Seconds, s.Scheduled)}, notes
	}
	if s.early {
		faults = append(faults, said("ended early: %s", s.Partial))
	}
	if s.final != nil && s.Missing == 0 && !s.counts.Equal(&s.final.Counts) {
		faults = append(faults, said("told seconds of %d operations due and %d attempts, and its record has %d and %d",
			s.counts.Scheduled, s.counts.Attempts, s.final.Counts.Scheduled, s.final.Counts.Attempts))
	}
	if s.Drift > MaxClockDrift {
		faults = append(faults, said("has a clock that drifted by %v against the leader's: its seconds do not match", s.Drift.Round(time.Millisecond)))
	}
	if s.Missing > 0 {
		notes = append(notes, said("had %d seconds missing from the live view; its record has them", s.Missing))
	}
	return faults, notes
}

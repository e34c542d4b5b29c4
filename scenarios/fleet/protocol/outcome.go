package protocol

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"loadgen/engine/clock"
)

// Outcome is the result of a run that is over.
type Outcome struct {
	// Shares are the members in the order of their places.
	Shares []Share
	// Start is the agreed instant by the leader's clock, 0 for none.
	Start clock.Instant
	// Skew is the maximum difference of the instants at which two members started, of those that reported it.
	Skew time.Duration
	// Faults are why the run is incomplete, and Notes further remarks, as sentences.
	Faults []string
	Notes  []string
}

// The notes on messages that a leader counts.
const (
	refusedNote   = "Asks to join that were refused: %d."
	ignoredNote   = "Ignored messages of expelled members: %d."
	duplicateNote = "Ignored duplicate seconds: %d."
	lateNote      = "Ignored messages of the previous run: %d."
	malformedNote = "Dropped invalid messages: %d."
)

// Outcome returns the result of the run, and why it did not start.
func (l *Leader) Outcome() (Outcome, error) {
	o := Outcome{Start: l.start}
	if l.stopped {
		o.Faults = append(o.Faults, "The run was stopped: "+l.stop+".")
	}
	var delays []time.Duration
	for _, s := range l.seats {
		if s == nil {
			continue
		}
		o.Shares = append(o.Shares, s.Share)
		faults, notes := s.remarks()
		o.Faults, o.Notes = append(o.Faults, faults...), append(o.Notes, notes...)
		if s.BeganLate != nil {
			delays = append(delays, *s.BeganLate)
		}
	}
	if len(delays) > 0 {
		o.Skew = slices.Max(delays) - slices.Min(delays)
	}
	if l.short {
		o.Faults = append(o.Faults, "Stopped: the remaining members would send less load.")
	}
	for _, note := range slices.Sorted(maps.Keys(l.notes)) {
		o.Notes = append(o.Notes, fmt.Sprintf(note, l.notes[note]))
	}
	if l.stood > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("The leader itself stood still for %v.", l.stood.Round(time.Millisecond)))
	}
	return o, l.err
}

// remarks returns why a member's share is incomplete, and further remarks on it.
func (s *seat) remarks() (faults, notes []string) {
	sentence := func(format string, args ...any) string { return s.Name + " " + fmt.Sprintf(format, args...) + "." }
	if s.BeganLate != nil && *s.BeganLate > MaxLate {
		notes = append(notes, sentence("began %v after the agreed instant", s.BeganLate.Round(time.Millisecond)))
	}
	if s.Lost != "" {
		return []string{sentence("was lost: %s; %d of its seconds arrived, with %d operations due; its other load is unknown",
			s.Lost, s.Seconds, s.Counts.Scheduled)}, notes
	}
	if s.early {
		faults = append(faults, sentence("ended early: %s", s.Partial))
	}
	if s.final != nil && s.Missing == 0 && !s.Counts.Equal(&s.final.Counts) {
		faults = append(faults, sentence("reported seconds of %d operations due and %d attempts, and its record has %d and %d",
			s.Counts.Scheduled, s.Counts.Attempts, s.final.Counts.Scheduled, s.final.Counts.Attempts))
	}
	if s.ClockDrift > MaxClockDrift {
		faults = append(faults, sentence("has a clock that drifted by %v against the leader's: its seconds do not match", s.ClockDrift.Round(time.Millisecond)))
	}
	if s.Missing > 0 {
		notes = append(notes, sentence("had %d seconds missing from the live view; its record has them", s.Missing))
	}
	return faults, notes
}

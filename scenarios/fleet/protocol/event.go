package protocol

import (
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// Event is something that happened to a fleet, for whoever looks on.
type Event struct {
	Kind EventKind
	// At is when, by the leader's clock.
	At clock.Instant
	// Member is whom it concerns, the place of a member; -1 for none.
	Member int
	Name   string
	// Text says it in a sentence.
	Text string
	// Of is the member as it stands, nil where it concerns none that has a place.
	Of *Share
	// Second is what a member told, for [SecondTold].
	Second *Second
	// Through is the second up to which all of its reports have arrived, -1 for none.
	Through int64
	// Wait is how long from now the run starts, for [RunStarted], or a turn, for [TurnOrdered].
	Wait time.Duration
}

// EventKind is what kind of event it is.
type EventKind int

// The kinds of event: what became of a member, or of the run.
const (
	MemberJoined EventKind = iota
	MemberReady
	RunStarted
	TurnOrdered
	SecondTold
	MemberEnded
	MemberLost
	MemberRefused
	RunStopped
)

// Share is a member, and how it fared.
type Share struct {
	Index  int               `json:"index"`
	Name   string            `json:"name"`
	Epoch  string            `json:"epoch"`
	Labels map[string]string `json:"labels,omitempty"`
	// Planned is the number of operations that its share comes to, as it reckons.
	Planned uint64 `json:"planned_operations"`
	// Offset is how far the leader's clock is ahead of its own, to within Bound; Drift is
	// how far that moved during the run.
	Offset time.Duration `json:"clock_offset_ns"`
	Bound  time.Duration `json:"clock_bound_ns"`
	Drift  time.Duration `json:"clock_drift_ns"`
	// BeganLate is how long after the agreed instant it began, nil where it did not say.
	BeganLate *time.Duration `json:"began_late_ns"`
	// Seconds is how many of its seconds arrived, Scheduled the operations due in them;
	// Missing are those that did not.
	Seconds   uint64 `json:"seconds"`
	Missing   uint64 `json:"seconds_missing"`
	Scheduled int64  `json:"scheduled"`
	// Stall is the longest time in a second for which its process did not run.
	Stall time.Duration `json:"stall_ns"`
	// Partial is why its record is not of its whole share, Lost why there is none, and LostAt
	// how long after the start that was found, negative before; empty where that is not so.
	Partial string        `json:"partial,omitempty"`
	Lost    string        `json:"lost,omitempty"`
	LostAt  time.Duration `json:"lost_at_ns,omitempty"`
	// Counts are of the seconds that arrived, Record the bytes that the member sent at last.
	Counts results.Counts `json:"counts"`
	Record []byte         `json:"-"`
}

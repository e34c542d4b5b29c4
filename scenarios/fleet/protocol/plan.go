package protocol

import (
	"encoding/json"
	"errors"
	"time"

	"loadgen/results"
)

// The times of the protocol.
const (
	// Lease is for how long one that is not heard of is waited for: longer than CI and virtual
	// machines stand still, and short enough for a loss to be named within ten seconds.
	Lease = 5 * time.Second
	// beatEvery is how often a member says that it is there, resendAfter how long it waits for
	// an answer before it asks again.
	beatEvery   = 500 * time.Millisecond
	resendAfter = time.Second
	// standstill is a time without a tick that shows that the process itself stood still.
	standstill = 2 * time.Second
	// startAfter is how long after the last is ready the run starts, unless the plan says
	// otherwise: each has asked several times by then.
	startAfter = 2 * time.Second
	// linger is how long a leader whose run is over answers those who have not said goodbye.
	linger = 3 * time.Second
	// MaxClockBound is the maximum uncertainty of a member's clock at the start, MaxClockDrift the maximum
	// drift during the run.
	MaxClockBound = 5 * time.Millisecond
	MaxClockDrift = 100 * time.Millisecond
	// MaxLate is the delay after the agreed instant from which on a note is made.
	MaxLate = 50 * time.Millisecond
)

// Errors of a fleet that has not come to a run, and of a member that has to go.
var (
	ErrFewer      = errors.New("not all members have joined")
	ErrStopped    = errors.New("stopped before the run began")
	ErrUnready    = errors.New("the fleet did not get ready")
	ErrRefused    = errors.New("the leader refuses this member")
	ErrNoLeader   = errors.New("no leader of this fleet answers")
	ErrLeaderLost = errors.New("the leader of the fleet was lost")
)

// Plan is what a leader goes by.
type Plan struct {
	// Members is how many the run has, all of which have to join within Deadline of the first
	// tick.
	Members  int
	Deadline time.Duration
	// Version is the build's: no other is taken.
	Version string
	// Charge is what each is charged with, but for Index and Of.
	Charge Charge
	// Search, where set, chooses what the run offers turn by turn.
	Search Search
	// FinishOnLoss has the others go on where a member is lost during the run.
	FinishOnLoss bool
	// StartAfter is how long after the last is ready the run starts, 2 s where it is 0.
	StartAfter time.Duration
	// Drain is how long after a stop the records are waited for, a minute where it is 0.
	Drain time.Duration
}

// Search chooses what a fleet offers next by what came of what it offered last.
type Search interface {
	// Next returns the next turn, nil after the last, by what each of the members measured of
	// the one before, in the order of their places; nothing before the first. An error stops
	// the run.
	Next(came []json.RawMessage) (json.RawMessage, error)
}

// MaxMembers is the maximum number of members.
const MaxMembers = 10_000

// Charge is what a member is to do: its share of a plan.
type Charge struct {
	// Scenario is the text of the plan, and SHA256 its hash in hexadecimal digits.
	Scenario []byte `json:"scenario"`
	SHA256   string `json:"sha256"`
	// Index is the member's place, from 0, among Of of them.
	Index int `json:"index"`
	Of    int `json:"of"`
	// Target is the address of the leader's engine on loopback, empty where a member has a
	// target of its own.
	Target string `json:"target,omitempty"`
	// Table is the one that all of them use.
	Table string `json:"table"`
	Seed  uint64 `json:"seed"`
	// Options are what else a run is told, as the command writes them. No secret may be in them.
	Options json.RawMessage `json:"options,omitempty"`
	// Follows says that another run follows, which the member joins by itself.
	Follows bool `json:"follows,omitempty"`
}

// Second is a whole second of a member's run, as its recorder tells a listener.
type Second struct {
	Interval results.Interval `json:"interval"`
	// Response are the response times of the operations that succeeded, by kind in their order.
	Response []*results.Histogram `json:"response"`
	// BeganLate is how long after the agreed instant the member began, in the second in
	// which it did; Stall is the longest time for which its process did not run in it.
	BeganLate *time.Duration `json:"began_late_ns,omitempty"`
	Stall     time.Duration  `json:"stall_ns,omitempty"`
}

package protocol

import (
	"encoding/json"
	"errors"
	"time"

	"loadgen/results"
)

// The times of the protocol.
const (
	// Lease is the time after which a silent peer is lost: longer than CI and virtual machines stall, and short enough
	// to name a loss within ten seconds.
	Lease = 5 * time.Second
	// beatEvery is the time between two heartbeats, resendAfter the time after which a request without a reply is sent again.
	beatEvery   = 500 * time.Millisecond
	resendAfter = time.Second
	// standstill is a time without a tick that shows that the process itself did not run.
	standstill = 2 * time.Second
	// startAfter is the default time from the last ready member to the start: each sends several heartbeats in it.
	startAfter = 2 * time.Second
	// linger is how long a leader whose run is over replies to members that have not left.
	linger = 3 * time.Second
	// MaxClockBound is the maximum uncertainty of a member's clock at the start, MaxClockDrift the maximum
	// drift during the run.
	MaxClockBound = 5 * time.Millisecond
	MaxClockDrift = 100 * time.Millisecond
	// MaxLate is the delay of a member's start above which it is noted.
	MaxLate = 50 * time.Millisecond
)

// Errors of a run that did not start, and of a member that has to leave.
var (
	ErrFewer      = errors.New("not all members have joined")
	ErrStopped    = errors.New("stopped before the run began")
	ErrUnready    = errors.New("the fleet did not get ready")
	ErrRefused    = errors.New("the leader refuses this member")
	ErrNoLeader   = errors.New("no leader of this fleet answers")
	ErrLeaderLost = errors.New("the leader of the fleet was lost")
)

// MaxMembers is the maximum number of members.
const MaxMembers = 10_000

// Plan configures a leader.
type Plan struct {
	// Members is the number of members, at most MaxMembers, which have to join within Deadline of the first tick.
	Members  int
	Deadline time.Duration
	// Version is the build; members of another build are refused.
	Version string
	// Assignment is what each member gets, except for SHA256, Index and Of.
	Assignment Assignment
	// Search chooses the steps of a search, nil for any other run.
	Search Search
	// FinishOnLoss continues a run after the loss of a member.
	FinishOnLoss bool
	// StartAfter is the time from the last ready member to the start, 0 for startAfter.
	StartAfter time.Duration
	// Drain is how long the leader waits for records after a stop, 0 for a minute.
	Drain time.Duration
}

// Search chooses each step of a run by the results of the one before.
type Search interface {
	// Check returns an error if a member's result is invalid.
	Check(result json.RawMessage) error
	// Next returns the next step, nil after the last, by the results of the members in the order of their places, none
	// before the first step. An error stops the run.
	Next(results []json.RawMessage) (json.RawMessage, error)
}

// Assignment is a member's share of a plan.
type Assignment struct {
	// Scenario is the text of the plan, and SHA256 its hash in hexadecimal digits.
	Scenario []byte `json:"scenario"`
	SHA256   string `json:"sha256"`
	// Index is the member's place, from 0, among Of members.
	Index int `json:"index"`
	Of    int `json:"of"`
	// Target is the address of the leader's engine on loopback, empty if members have targets of their own.
	Target string `json:"target,omitempty"`
	// Table is the name of the table that all members use.
	Table string `json:"table"`
	Seed  uint64 `json:"seed"`
	// Options are further options of the run, written by the caller, without secrets.
	Options json.RawMessage `json:"options,omitempty"`
	// Follows says that another run follows, which members join by themselves.
	Follows bool `json:"follows,omitempty"`
}

// EventKind is a kind of [Event].
type EventKind int

// The kinds of event.
const (
	MemberJoined EventKind = iota
	MemberReady
	RunStarted
	StepOrdered
	SecondReported
	MemberEnded
	MemberLost
	MemberRefused
	RunStopped
)

// Event is something that happened to a fleet.
type Event struct {
	Kind EventKind
	// Member is the place of the member, -1 for none.
	Member int
	Name   string
	// Text describes the event.
	Text string
	// Share is the state of the member, nil without one that has a place.
	Share *Share
	// Second is the reported second, for [SecondReported]. The seconds of a member are in order.
	Second *Second
	// Wait is the time to the start, for [RunStarted] and [StepOrdered].
	Wait time.Duration
}

// Share is a member and its part of a run.
type Share struct {
	// FleetMember has the planned operations as the member reports them, nil before, and the counts of its seconds that
	// arrived.
	results.FleetMember
	Epoch string
	// Seconds is the number of its seconds that arrived, Missing that of the others.
	Seconds, Missing uint64
	// Partial is why its record does not have the whole share, empty if it does.
	Partial string
	// Record is what it sent at the end, nil if that did not arrive.
	Record []byte
}

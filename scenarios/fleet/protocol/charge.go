package protocol

import (
	"encoding/json"
	"time"

	"loadgen/results"
)

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
	// Operations are what the interval does not say of each of its kinds, in their order.
	Operations []Operation `json:"operations"`
	// BeganLate is how long after the agreed instant the member began, in the second in
	// which it did; Stall is the longest that its process was kept from running in it.
	BeganLate *time.Duration `json:"began_late_ns,omitempty"`
	Stall     time.Duration  `json:"stall_ns,omitempty"`
}

// Operation is one kind of operation in a second.
type Operation struct {
	Retries int64 `json:"retries"`
	// Response is of the operations that succeeded.
	Response *results.Histogram `json:"response"`
}

package fault

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// Whole is the share of a rule that meets every attempt: shares are in parts
// per million.
const Whole = 1_000_000

// Kind is what goes wrong.
type Kind uint8

const (
	// Freeze lets no reply leave inside the window: one that would leaves at
	// the window's end. Requests are carried out meanwhile.
	Freeze Kind = iota + 1
	// Drop loses the reply of an attempt sent inside the window.
	Drop
	// Delay lets the reply of an attempt sent inside the window leave later.
	Delay
	// Refuse answers an attempt sent inside the window that the server is busy
	// (503 ServerBusy), without carrying it out: a partition that is offline while
	// it is handed to another server.
	Refuse
)

// kindNames is indexed by Kind.
var kindNames = [...]string{"", "freeze", "drop", "delay", "refuse"}

// String returns the kind as a scenario spells it.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// Moment is when a reply was lost; the sender cannot tell.
type Moment uint8

const (
	// Before: the request never arrives.
	Before Moment = iota + 1
	// After: the request is carried out, then the reply is lost.
	After
)

// String returns the moment as a scenario spells it.
func (m Moment) String() string {
	switch m {
	case Before:
		return "before"
	case After:
		return "after"
	default:
		return "unknown"
	}
}

// Rule is one fault: what happens, when, to whom.
type Rule struct {
	Kind Kind
	// From and To are the window [From, To), since the start of the run.
	From, To time.Duration
	// KeyPrefix is how the PartitionKey of an attempt begins that the rule
	// meets; the empty prefix meets every attempt, with a key or without.
	KeyPrefix string
	// Share is how many of a million such attempts the rule meets, 1 to
	// [Whole].
	Share int
	// Moment is when a Drop loses the reply; the other kinds have none.
	Moment Moment
	// By is how much later a delayed reply leaves. For a Drop it is how long
	// the sender takes to notice: 0 is a connection that breaks at once, a
	// client's time-out is one that goes silent. For a Refuse it is how long the
	// refusal takes. A Freeze has none.
	By time.Duration
}

// validate returns the faults of the rule, each behind its place in the plan.
func (r Rule) validate(place int) []error {
	var faults []error
	fail := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: rules[%d].%s", ErrInvalid, place, fmt.Sprintf(format, args...)))
	}
	if r.Kind < Freeze || r.Kind > Refuse {
		fail("kind is missing; it must be freeze, drop, delay or refuse")
	}
	if r.From < 0 {
		fail("from is %v; the run starts at 0", r.From)
	}
	if r.To <= r.From {
		fail("to is %v; it must be after from, %v", r.To, r.From)
	}
	if r.Share < 1 || r.Share > Whole {
		fail("share is %d; it must be 1 to %d parts per million", r.Share, Whole)
	}
	if r.Kind == Drop && r.Moment != Before && r.Moment != After {
		fail("moment is missing; a drop must be before or after the request is carried out")
	}
	if r.Kind != Drop && r.Moment != 0 {
		fail("moment is %v; only a drop has one", r.Moment)
	}
	switch {
	case r.By < 0:
		fail("by is %v; a reply cannot leave earlier", r.By)
	case r.Kind == Delay && r.By == 0:
		fail("by is 0; a delay must be positive")
	case r.Kind == Freeze && r.By != 0:
		fail("by is %v; a freeze ends with its window", r.By)
	}
	return faults
}

// holds reports whether the instant lies in the rule's window.
func (r *Rule) holds(at time.Duration) bool { return r.From <= at && at < r.To }

// meets reports whether the rule at that place in the plan meets an attempt
// with this key and these random bits, whatever the time. Each rule takes its
// own chance from the bits, so that the shares of two rules are independent.
func (r *Rule) meets(place int, partitionKey string, draw uint64) bool {
	if !strings.HasPrefix(partitionKey, r.KeyPrefix) {
		return false
	}
	// The high word of bits · Whole is uniform over 0 … Whole−1.
	chance, _ := bits.Mul64(spread(draw+uint64(place+1)*0x9e3779b97f4a7c15), Whole)
	return chance < uint64(max(r.Share, 0))
}

// spread is the finaliser of SplitMix64 (Steele and others 2014): a bijection
// that spreads every input bit over all output bits.
func spread(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

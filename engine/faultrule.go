package engine

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
)

// WholeShare is the share of a rule that meets every attempt: shares are in parts
// per million.
const WholeShare = 1_000_000

// FaultKind is what goes wrong.
type FaultKind uint8

const (
	// FaultFreeze lets no reply leave inside the window: one that would leaves at
	// the window's end. Requests are carried out meanwhile.
	FaultFreeze FaultKind = iota + 1
	// FaultDrop loses the reply of an attempt sent inside the window.
	FaultDrop
	// FaultDelay lets the reply of an attempt sent inside the window leave later.
	FaultDelay
	// FaultRefuse answers an attempt sent inside the window with one of [FaultCodes],
	// without carrying it out: a partition that is offline while it is handed to
	// another server, or a front end that fails for a moment.
	FaultRefuse
	// FaultCut ends the connection in the middle of the reply's body. The request is
	// carried out.
	FaultCut
	// FaultDrip has the reply's body come in small pieces, so that its end comes later.
	FaultDrip
)

// kindNames is indexed by Kind.
var kindNames = [...]string{"", "freeze", "drop", "delay", "refuse", "cut", "drip"}

// String returns the kind as a scenario spells it.
func (k FaultKind) String() string {
	if k == 0 || int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// FaultKinds returns all kinds, in the order of their values.
func FaultKinds() []FaultKind {
	return []FaultKind{FaultFreeze, FaultDrop, FaultDelay, FaultRefuse, FaultCut, FaultDrip}
}

// FaultCodes returns what a [FaultRefuse] can answer, the default first: 503 ServerBusy, 500
// OperationTimedOut and 500 InternalError.
func FaultCodes() []entity.Code {
	return []entity.Code{entity.ServerBusy, entity.OperationTimedOut, entity.InternalError}
}

// FaultMoment is when a reply was lost; the sender cannot tell.
type FaultMoment uint8

const (
	// FaultBefore: the request never arrives.
	FaultBefore FaultMoment = iota + 1
	// FaultAfter: the request is carried out, then the reply is lost.
	FaultAfter
)

// String returns the moment as a scenario spells it.
func (m FaultMoment) String() string {
	switch m {
	case FaultBefore:
		return "before"
	case FaultAfter:
		return "after"
	default:
		return "unknown"
	}
}

// FaultRule is one fault: its kind, its window and the attempts that it meets.
type FaultRule struct {
	_    struct{}  `object:"a fault"`
	Kind FaultKind `yaml:"kind,required" form:"kind" says:"What happens: another answer (refuse), a lost request or reply (drop), a reply cut off (cut), delayed (delay) or sent slowly (drip), or all replies held until the window ends (freeze)."`
	// Share is how many of a million such attempts the rule meets, 1 to
	// [WholeShare].
	Share int `yaml:"share,default=100%" says:"Share of attempts affected; all by default." form:"share"`
	// Code is what a Refuse answers, one of [FaultCodes]; empty is the first. The other
	// kinds have none.
	Code entity.Code `yaml:"code" says:"A refuse's answer, ServerBusy (503) by default; others have status 500." form:"code"`
	// FaultMoment is when a Drop loses the reply; the other kinds have none.
	Moment FaultMoment `yaml:"moment" says:"Whether a drop loses the request, or the reply (the default)." form:"moment"`
	// By is how much later a delayed reply leaves. For a Drop it is how long
	// the sender takes to notice: 0 is a connection that breaks at once, a
	// client's time-out is one that goes silent. For a Refuse it is how long the
	// refusal takes, for a Drip how long the body. A Freeze and a Cut have none.
	By time.Duration `yaml:"by,omitempty" says:"Duration: the delay, the drip's body, an unnoticed drop, or the refuse." range:"0s..24h"`
	// Key is the PartitionKey of the attempts that the rule meets, empty for any. A
	// rule has no more than one of the two.
	Key string `yaml:"key,omitempty" says:"The PartitionKey affected; any by default." max:"1536"`
	// KeyPrefix is how the PartitionKey of an attempt begins that the rule
	// meets; the empty prefix meets every attempt, with a key or without.
	KeyPrefix string `yaml:"key_prefix,omitempty" says:"PartitionKey prefix affected." max:"1536"`
	// From and To are the window [From, To), since the start of the run.
	From time.Duration `yaml:"from,omitempty" says:"Start, since the first phase with operations or the service's start." range:"0s..24h"`
	To   time.Duration `yaml:"to" says:"End; required by freeze." form:"end"`
	// Seed, where it is not 0, draws the attempts of the rule independently of its place.
	Seed uint64 `yaml:"seed,omitempty" says:"Seed of the attempts affected; the run's by default."`
}

// Fails reports whether no attempt that the rule meets succeeds.
func (r *FaultRule) Fails() bool {
	return r.Kind == FaultDrop || r.Kind == FaultRefuse || r.Kind == FaultCut
}

// validate returns the faults of the rule, each behind its place in the plan.
func (r FaultRule) validate(place int) []error {
	var faults []error
	fail := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: rules[%d].%s", ErrInvalidFault, place, fmt.Sprintf(format, args...)))
	}
	if r.Kind < FaultFreeze || r.Kind > FaultDrip {
		fail("kind is missing; it must be freeze, drop, delay, refuse, cut or drip")
	}
	if r.Key != "" && r.KeyPrefix != "" {
		fail("key and prefix are mutually exclusive")
	}
	if r.From < 0 {
		fail("from is %v; the run starts at 0", r.From)
	}
	if r.To <= r.From {
		fail("to is %v; it must be after from, %v", r.To, r.From)
	}
	if r.Share < 1 || r.Share > WholeShare {
		fail("share is %d; it must be 1 to %d parts per million", r.Share, WholeShare)
	}
	if r.Kind == FaultDrop && r.Moment != FaultBefore && r.Moment != FaultAfter {
		fail("moment is missing; a drop must be before or after the execution")
	}
	if r.Kind != FaultDrop && r.Moment != 0 {
		fail("moment is %v; only a drop has one", r.Moment)
	}
	switch {
	case r.By < 0:
		fail("by is %v; a reply cannot leave earlier", r.By)
	case (r.Kind == FaultDelay || r.Kind == FaultDrip) && r.By == 0:
		fail("by is 0; a %v must be positive", r.Kind)
	case r.Kind == FaultFreeze && r.By != 0:
		fail("by is %v; a freeze ends with its window", r.By)
	case r.Kind == FaultCut && r.By != 0:
		fail("by is %v; a reply is cut when it comes", r.By)
	}
	if r.Code != "" && (r.Kind != FaultRefuse || !slices.Contains(FaultCodes(), r.Code)) {
		fail("code is %.40q; only kind refuse has one, of %v", r.Code, FaultCodes())
	}
	return faults
}

// covers reports whether the instant lies in the rule's window.
func (r *FaultRule) covers(at time.Duration) bool { return r.From <= at && at < r.To }

// meets reports whether the rule at that place in the plan meets an attempt
// with this key and these random bits, whatever the time. Each rule takes its
// own chance from the bits, so that the shares of two rules are independent.
func (r *FaultRule) meets(place int, partitionKey string, draw uint64) bool {
	if !strings.HasPrefix(partitionKey, r.KeyPrefix) || r.Key != "" && partitionKey != r.Key {
		return false
	}
	// The finaliser of SplitMix64 (Steele and others 2014): a bijection that spreads every input
	// bit over all output bits.
	z := draw + uint64(place+1)*0x9e3779b97f4a7c15 + r.Seed*0xd1342543de82ef95
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	// The high word of bits · Whole is uniform over 0 … Whole−1.
	chance, _ := bits.Mul64(z^z>>31, WholeShare)
	return chance < uint64(max(r.Share, 0))
}

package engine

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"loadgen/engine/entity"
)

// MaxFaultRules is the greatest number of rules in a valid plan: each attempt looks
// at all of them.
const MaxFaultRules = 100

// FaultPlan is all that goes wrong in a run. The zero value is a run without faults.
type FaultPlan struct {
	// Rules may overlap: their delays add up, a loss before the request
	// arrives goes before a loss after it and either before a refusal, of several
	// refusals the first one in the list answers, and a reply that leaves one frozen
	// window into another waits for the end of that too. Each draws for itself; except
	// that their order matters to chance: a rule's draw depends on its place.
	Rules []FaultRule
}

// Validate returns everything that is wrong with the plan, each wrapped around
// [ErrInvalidFault] and with the path of the faulty field; nil where nothing is.
func (p FaultPlan) Validate() []error {
	var faults []error
	if len(p.Rules) > MaxFaultRules {
		faults = append(faults, fmt.Errorf("%w: rules has %d entries; at most %d are allowed", ErrInvalidFault, len(p.Rules), MaxFaultRules))
	}
	for place, rule := range p.Rules[:min(len(p.Rules), MaxFaultRules)] {
		faults = append(faults, rule.validate(place)...)
	}
	return faults
}

// Decide returns the verdict on an attempt on a partition that is sent at this
// time since the start of the run. The draw is 64 uniform random bits that
// belong to the attempt. An attempt on no partition or on several has the empty
// key.
func (p FaultPlan) Decide(at time.Duration, partitionKey string, draw uint64) FaultVerdict {
	verdict := FaultVerdict{rules: p.Rules, partitionKey: partitionKey, draw: draw}
	var delay, notice, refusal time.Duration
	for place := range p.Rules {
		rule := &p.Rules[place]
		if rule.Kind == FaultFreeze || !rule.covers(at) || !rule.meets(place, partitionKey, draw) {
			continue
		}
		switch rule.Kind {
		case FaultDelay:
			delay = later(delay, rule.By)
			continue
		case FaultDrip:
			delay, verdict.Drip = later(delay, rule.By), later(verdict.Drip, rule.By)
			continue
		case FaultCut:
			verdict.Cut = true
			continue
		case FaultRefuse:
			if !verdict.Refused {
				verdict.Code = cmp.Or(rule.Code, FaultCodes()[0])
			}
			verdict.Refused, refusal = true, max(refusal, rule.By)
			continue
		}
		if verdict.Lost == 0 || rule.Moment < verdict.Lost {
			verdict.Lost, notice = rule.Moment, rule.By
		}
	}
	verdict.By = delay
	if verdict.Refused {
		verdict.By = later(delay, refusal)
	}
	if verdict.Lost != 0 {
		verdict.By = notice
	}
	return verdict
}

// FaultVerdict is the effect of a plan on one attempt. It refers to the plan that gave it.
type FaultVerdict struct {
	// Lost says that no reply will come, and when it was lost; 0 where one
	// will.
	Lost FaultMoment
	// Refused says that the request is not carried out, but answered with Code.
	Refused bool
	Code    entity.Code
	// Cut says that the connection ends within the reply, if that is not lost whole.
	Cut bool
	// Drip is how long the reply's body takes to come, a part of By.
	Drip time.Duration
	// By is how much later than without faults the reply leaves, or a lost one
	// is noticed; freezes come on top.
	By time.Duration

	rules        []FaultRule
	partitionKey string
	draw         uint64
}

// Arrives reports whether the request reaches who would carry it out.
func (v FaultVerdict) Arrives() bool { return v.Lost != FaultBefore && !v.Refused }

// Kind returns what befell the attempt, by what its sender learns of it: the first of
// a loss, a cut, a refusal, a drip, a delay and a freeze, for which alone it has to be
// known when the reply would have left, done, and when it does; 0 where nothing did.
func (v FaultVerdict) Kind(done, released time.Duration) FaultKind {
	switch {
	case v.Lost != 0:
		return FaultDrop
	case v.Cut:
		return FaultCut
	case v.Refused:
		return FaultRefuse
	case v.Drip > 0:
		return FaultDrip
	case v.By > 0:
		return FaultDelay
	case released > done:
		return FaultFreeze
	default:
		return 0
	}
}

// Release returns when the reply leaves that would have left at done without
// faults: later by the delay, and not inside a frozen window that meets the
// attempt. A lost reply is not frozen; Release is then when the sender notices.
func (v FaultVerdict) Release(done time.Duration) time.Duration {
	leaves := later(done, v.By)
	if v.Lost != 0 {
		return leaves
	}
	// The end of one window may lie inside another. Each pass but the last
	// ends at least one rule for good, so there are no more than rules + 1.
	for moved := true; moved; {
		moved = false
		for place := range v.rules {
			rule := &v.rules[place]
			if rule.Kind == FaultFreeze && rule.covers(leaves) && rule.meets(place, v.partitionKey, v.draw) {
				leaves, moved = rule.To, true
			}
		}
	}
	return leaves
}

// later returns the time d after at; it saturates at the greatest Duration.
func later(at, d time.Duration) time.Duration {
	if d > 0 && at > math.MaxInt64-d {
		return math.MaxInt64
	}
	return at + d
}

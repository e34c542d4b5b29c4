package suggest

import (
	"fmt"
	"math"

	"loadgen/scenarios"
	"loadgen/scenarios/advise"
)

// Proposal is what is proposed for a scenario. It is not altered once made.
type Proposal struct {
	// Candidates are in the order in which they seem best, most first, none of them under
	// the keys of a design of the scenario where those are kept beside. There is one at least,
	// unless nothing else than those keys can be proposed.
	Candidates []Candidate
	// Own are the scenario's own designs that were held against them, that in use first,
	// and Keep is the best of them where no candidate is better; both are empty where
	// nothing was tried.
	Own  []Owned
	Keep string
	// Rejected are designs that the rule would have come to and that were left out, at
	// most 30 of them; Unlisted is how many more there are.
	Rejected []Rejection
	Unlisted int
	// hasOwn says that a design of the scenario has keys that the rule comes to.
	hasOwn  bool
	of      *scenarios.Scenario
	options Options
}

// Candidate is a design with the reasons for it. All its figures but Tried are derived:
// they follow from the documents' counting rule and from what is offered.
type Candidate struct {
	Design scenarios.Design
	// Why are sentences for a person.
	Why []string
	// Tried is what a short simulation came to, nil where none was made. Worse says that
	// it is worse than the scenario's own, and there is nothing better to hold that against.
	Tried *Tried
	Worse bool
	// Buckets is over how many partitions each value of its leading properties is spread,
	// the fewest that hold the peak; 1 for none.
	Buckets int
	// Hottest is what its busiest partition is due to count at the peak, in entities per
	// second, Account the same of the busiest account; Holds says that the one leaves the
	// headroom and the other is within its target.
	Hottest, Account float64
	Holds            bool
	// Cost is what an operation comes to on the average, in requests and counted
	// entities, those with a bounded response time weighing four times as much.
	Cost float64
	// Reads is what each query comes to, in the order of the scenario.
	Reads []ReadCost
}

// ReadCost is what one query of an operation comes to under a design.
type ReadCost struct {
	Operation string
	// Class is that of the query in the documents' words ("point", "row range scan",
	// "partition scan", "table scan"…), Requests how many are sent, Counted how many
	// entities are counted, on the average; both are 0 where the operation is so seldom
	// that a sample of the load met none.
	Class             string
	Requests, Counted float64
}

// Rejection is a design that was left out, and why, as a sentence.
type Rejection struct {
	Name, PartitionKey string
	Why                string
}

// mostRejected bounds how many rejections are listed.
const mostRejected = 30

// reject takes down that a design was left out.
func (p *Proposal) reject(d *scenarios.Design, why string) {
	if len(p.Rejected) == mostRejected {
		p.Unlisted++
		return
	}
	p.Rejected = append(p.Rejected, Rejection{Name: d.Name, PartitionKey: d.PartitionKey, Why: why})
}

// Scenario returns the scenario with the proposed designs: in place of its own, or behind
// them where [Options.Beside] says so. In use is the one to be kept, or else the first
// proposed. It is sound and can be printed by [loadgen/scenarios.Scenario.Text]; files that it names
// have yet to be read. Of its expectations those are kept that any design should bear out:
// bounds of times, losses and rates, and no examples about requests or counts. The error is
// that of a scenario that is not sound after all.
func (p *Proposal) Scenario() (*scenarios.Scenario, error) {
	s := *p.of
	s.Designs, s.Use = nil, p.Keep
	if p.options.Beside {
		s.Designs = ownDesigns(p.of)
	}
	for i := range p.Candidates {
		s.Designs = append(s.Designs, p.Candidates[i].Design)
	}
	switch {
	case len(p.Candidates) > 0 && (s.Use == "" || !p.options.Beside):
		s.Use = p.Candidates[0].Design.Name
	case s.Use == "":
		s.Use = s.Designs[0].Name
	}
	s.Choose(s.Use)
	// An example's anti-pattern names a design of its own, and its pattern is of that design.
	s.AntiPattern, s.Pattern, s.Expect = nil, nil, generally(p.of.Expect)
	return scenarios.Parse(s.Name+".yaml", s.Text())
}

// Options says how designs are proposed. The zero value is usable.
type Options struct {
	// Most is how many candidates are proposed at most, 1 to 20; 0 stands for 5.
	Most int
	// Headroom is which share of a partition's target is to be left free at the peak,
	// above 0 and below 1; 0 stands for 0.2.
	Headroom float64
	// Targets are what partitions and accounts are to hold, in entities per second, of
	// which 0 is no limit; nil stands for those of the scenario's own model.
	Targets *advise.Targets
	// Times are how long the target takes, by which clients of a closed loop wait;
	// answers come at once where it is zero.
	Times advise.Times
	// Beside has [Proposal.Scenario] keep the scenario's own designs before the proposed
	// ones, rather than put those in their place. What has their keys is then not proposed.
	Beside bool
	// Try plays a sound scenario in a short simulation and says what it came to. The
	// candidates, and the scenario's own designs, are then tried before they are named; an
	// error ends that. Nil leaves it at what is derived.
	Try func(*scenarios.Scenario) (Tried, error)
}

const (
	usualMost     = 5
	mostMost      = 20
	usualHeadroom = 0.2
)

// Validate returns everything that is wrong with the options, each wrapping
// [ErrOptions].
func (o Options) Validate() []error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...))
	}
	if o.Most < 0 || o.Most > mostMost {
		fault("most is %d; expected 1 to %d candidates, or 0 for %d", o.Most, mostMost, usualMost)
	}
	if math.IsNaN(o.Headroom) || o.Headroom < 0 || o.Headroom >= 1 {
		fault("headroom is %v; expected a share below 1, or 0 for %v", o.Headroom, usualHeadroom)
	}
	if t := o.Targets; t != nil && (t.Partition < 0 || t.Account < 0 || t.Accounts < 0) {
		fault("targets are %d, %d and %d accounts; expected 0 or more", t.Partition, t.Account, t.Accounts)
	}
	return faults
}

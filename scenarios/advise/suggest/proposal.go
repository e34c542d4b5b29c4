package suggest

import (
	"errors"
	"fmt"
	"math"

	"loadgen/scenarios"
	"loadgen/scenarios/advise"
)

// Proposal is the result for a scenario. It does not change once made.
type Proposal struct {
	// Candidates are the proposed designs, the most promising first, without those whose keys a design of
	// the scenario has if those take part. There is at least one unless only such keys can be proposed.
	Candidates []Candidate
	// Own are the scenario's own designs that were tried, the one in use first. Keep is the best of them
	// if no candidate is better. Both are empty without trials.
	Own  []Candidate
	Keep string
	// Rejected are up to 30 designs that were left out, Unlisted is the number of others.
	Rejected []Rejection
	Unlisted int
	// hasOwn reports that a design of the scenario has keys that the rule proposes.
	hasOwn  bool
	of      *scenarios.Scenario
	options Options
}

// Candidate is a design with the reasons for it. All its figures but Tried are derived from the documents'
// counting rule and the load.
type Candidate struct {
	Design scenarios.Design
	// Why are sentences for people.
	Why []string
	// Tried is the result of a short simulation, nil without one.
	Tried *Tried
	// Cannot is why one of the scenario's own designs cannot serve it, Appends how its inserts come if they
	// fall on one place that moves; empty otherwise.
	Cannot, Appends string
	// Buckets is the number of partitions of each value of its leading properties, 1 for no buckets.
	Buckets int
	// Hottest and Account are the rates of the hottest partition and the busiest account at the peak, in
	// entities per second. Holds reports that they leave the headroom and are within the target.
	Hottest, Account float64
	Holds            bool
	// Cost is the average of an operation in requests and counted entities, with four times the weight for
	// bounded response times.
	Cost float64
	// Reads are the costs of the queries, in the order of the scenario.
	Reads []ReadCost
}

// ReadCost is the cost of one query under a design.
type ReadCost struct {
	Operation string
	// Class is how the documents rate the query, Requests and Counted are averages; both are 0 if the
	// sample has none of it.
	Class             string
	Requests, Counted float64
}

// Rejection is a design that was left out, and a sentence that says why.
type Rejection struct {
	Name, PartitionKey string
	Why                string
}

// maxRejected is the number of rejections that are listed.
const maxRejected = 30

// Scenario returns the scenario with the proposed designs instead of its own, or after them if
// [Options.Beside]. The one to keep is in use, or else the first proposed. Of its expectations it keeps
// bounds of times, losses and rates, which apply to any design. Files that it names have not been read.
// The error is that of an invalid scenario.
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
	// The anti-pattern and the pattern name designs of the scenario.
	s.AntiPattern, s.Pattern, s.Expect = nil, nil, generalChecks(p.of.Expect)
	return scenarios.Parse(s.Name+".yaml", s.Text())
}

// Options describe how designs are proposed. The zero value is usable.
type Options struct {
	// Most is the maximum number of candidates, 1 to 20; 0 stands for 5.
	Most int
	// Headroom is the share of a partition's target that is left free at the peak, above 0 and below 1; 0
	// stands for 0.2.
	Headroom float64
	// Targets are the limits of partitions and accounts, in entities per second, 0 for none; nil stands for
	// those of the scenario's model.
	Targets *advise.Targets
	// Beside keeps the scenario's own designs in [Proposal.Scenario], before the proposed ones. Their keys
	// are then not proposed.
	Beside bool
	// Try runs a valid scenario in a short simulation. The candidates and the scenario's own designs are
	// tried before they are ranked. An error ends the proposal; nil skips the trials.
	Try func(*scenarios.Scenario) (Tried, error)
}

const (
	defaultMost     = 5
	maxMost         = 20
	defaultHeadroom = 0.2
)

// Validate returns all faults of the options, each wrapping [ErrOptions].
func (o Options) Validate() []error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...))
	}
	if o.Most < 0 || o.Most > maxMost {
		fault("most is %d; expected 1 to %d candidates, or 0 for %d", o.Most, maxMost, defaultMost)
	}
	if math.IsNaN(o.Headroom) || o.Headroom < 0 || o.Headroom >= 1 {
		fault("headroom is %v; expected a share below 1, or 0 for %v", o.Headroom, defaultHeadroom)
	}
	if t := o.Targets; t != nil && (t.Partition < 0 || t.Account < 0 || t.Accounts < 0) {
		fault("targets are %d, %d and %d accounts; expected 0 or more", t.Partition, t.Account, t.Accounts)
	}
	return faults
}

// ErrUnsuited is wrapped by the error for a scenario for which no design can be proposed. Its text is one
// line that says what is missing and what is expected. ErrOptions is wrapped by every fault of
// [Options.Validate].
var (
	ErrUnsuited = errors.New("suggest: no designs can be proposed")
	ErrOptions  = errors.New("suggest: invalid options")
)

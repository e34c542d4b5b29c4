package suggest

import (
	"cmp"
	"errors"

	"loadgen/scenarios"
)

// Proposal is the result for a scenario. It does not change once made.
type Proposal struct {
	// Candidates are the proposed designs, the most promising first, without those whose keys a design of
	// the scenario has. There is at least one unless only such keys can be proposed.
	Candidates []Candidate
	// Own are the scenario's own designs that were tried, the one in use first. Keep is the best of them
	// if no candidate is better. Both are empty without trials.
	Own  []Candidate
	Keep string
	// Rejected are the PartitionKeys that were left out, and why.
	Rejected []string
	// hasOwn reports that a design of the scenario has keys that the rule proposes.
	hasOwn bool
	// tried is the number of trials.
	tried int
	of    *scenarios.Scenario
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

// reject lists a design that was left out, with the reason.
func (p *Proposal) reject(d *scenarios.Design, why string) {
	p.Rejected = append(p.Rejected, d.PartitionKey+": "+why)
}

// Scenario returns the scenario with the proposed designs after its own. The one to keep is in use, or else
// the first proposed. Of its expectations it keeps bounds of times, losses and rates, which apply to any
// design. Files that it names have not been read. The error is that of an invalid scenario.
func (p *Proposal) Scenario() (*scenarios.Scenario, error) {
	s := *p.of
	s.Designs, s.Use = ownDesigns(p.of), p.Keep
	for i := range p.Candidates {
		s.Designs = append(s.Designs, p.Candidates[i].Design)
		s.Use = cmp.Or(s.Use, p.Candidates[i].Design.Name)
	}
	s.Use = cmp.Or(s.Use, s.Designs[0].Name)
	s.Choose(s.Use)
	// The anti-pattern and the pattern name designs of the scenario.
	s.AntiPattern, s.Pattern, s.Expect = nil, nil, generalChecks(p.of.Expect)
	return scenarios.Parse(s.Name+".yaml", s.Text())
}

// Try runs a valid scenario in a short simulation. An error ends the proposal.
type Try func(*scenarios.Scenario) (Tried, error)

// The number of candidates, and the share of a partition's target that is left free at the peak.
const (
	maxProposed = 5
	headroom    = 0.2
)

// ErrUnsuited is wrapped by the error for a scenario for which no design can be proposed. Its text is one
// line that says what is missing and what is expected.
var ErrUnsuited = errors.New("suggest: no designs can be proposed")

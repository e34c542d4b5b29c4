package suggest

import (
	"slices"

	"loadgen/results/figure"
	"loadgen/results/figure/check"
	"loadgen/scenarios"
)

// Proposal is what is proposed for a scenario. It is not altered once made.
type Proposal struct {
	// Candidates are in the order in which they seem best, most first; there is one at
	// least.
	Candidates []Candidate
	// Rejected are designs that the rule would have come to and that were left out, at
	// most 30 of them; Unlisted is how many more there are.
	Rejected []Rejection
	Unlisted int
	of       *scenarios.Scenario
	options  Options
}

// Candidate is a design with the reasons for it. All its figures are derived: they
// follow from the documents' counting rule and from what is offered, and nothing was run.
type Candidate struct {
	Design scenarios.Design
	// Why are sentences for a person.
	Why []string
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

// Scenario returns the scenario with the proposed designs, the best of them in use: in
// place of its own, or before them where [Options.Beside] says so. It is sound and can be
// printed by [scenarios.Scenario.Text]; files that it names have yet to be read. Of its
// expectations those are kept that any design should bear out: bounds of times, losses
// and rates, and no examples about requests or counts. The error is that of a scenario
// that is not sound after all.
func (p *Proposal) Scenario() (*scenarios.Scenario, error) {
	s := *p.of
	s.Designs = nil
	for i := range p.Candidates {
		s.Designs = append(s.Designs, p.Candidates[i].Design)
	}
	if p.options.Beside {
		s.Designs = append(s.Designs, own(p.of, s.Designs)...)
	}
	s.Use, s.Design = s.Designs[0].Name, s.Designs[0]
	// An example's anti-pattern names a design of its own, and its pattern is of that design.
	s.AntiPattern, s.Pattern, s.Expect = nil, nil, nil
	for _, text := range p.of.Expect {
		if claim, err := check.Parse(text); err == nil && general(claim) {
			s.Expect = append(s.Expect, text)
		}
	}
	return scenarios.Parse(s.Name+".yaml", s.Text())
}

// own returns the scenario's own designs that are none of some others, each with a name
// that none of them has.
func own(s *scenarios.Scenario, others []scenarios.Design) []scenarios.Design {
	list := slices.Clone(s.Designs)
	if len(list) == 0 {
		list = []scenarios.Design{s.Design}
	}
	list = slices.DeleteFunc(list, func(d scenarios.Design) bool {
		return slices.ContainsFunc(others, func(o scenarios.Design) bool { return sameKeys(&d, &o) })
	})
	for i := range list {
		d := &list[i]
		if d.Name == "" {
			d.Name = "own"
		}
		for slices.ContainsFunc(others, func(o scenarios.Design) bool { return o.Name == d.Name }) {
			d.Name = cut(d.Name, longestName) + "-own"
		}
	}
	return list
}

func sameKeys(a, b *scenarios.Design) bool {
	same := func(a, b scenarios.Copy) bool {
		return a.Table == b.Table && a.PartitionKey == b.PartitionKey && a.RowKey == b.RowKey && slices.Equal(a.Properties, b.Properties)
	}
	return a.PartitionKey == b.PartitionKey && a.RowKey == b.RowKey && slices.EqualFunc(a.Copies, b.Copies, same) && len(a.Places)+len(b.Places) == 0
}

// general reports whether a claim is one that any design should bear out.
func general(c *check.Claim) bool {
	figures := c.Figures()
	if len(figures) != 1 || figures[0].Part == figure.Partition {
		return false
	}
	name := figures[0].Name
	d, _ := figure.Find(name)
	times := d.Times != ""
	bad := times || slices.Contains([]string{"throttled", "failed", "dropped", "late", "share_lost", "retries", "tries", "lost_writes", "doubled_writes", "offered"}, name)
	good := slices.Contains([]string{"succeeded", "ok", "served", "saturation"}, name)
	return bad && bounds(c) || good && assures(c)
}

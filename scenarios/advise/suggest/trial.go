package suggest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"loadgen/scenarios"
)

// Tried is what a short simulation of a design came to.
type Tried struct {
	// Failed is how many of the checks that concern any design did not hold.
	Failed int
	// Lost is which share of the operations came to nothing, Throttled which of the
	// attempts were throttled.
	Lost, Throttled float64
	// Requests and Counted are what an operation that came about took, in requests and
	// in counted entities.
	Requests, Counted float64
}

// Owned is a design of the scenario itself, as it was held against what is proposed.
type Owned struct {
	Design scenarios.Design
	// Tried is nil where it was not tried: Cannot then says why.
	Tried  *Tried
	Cannot string
	// Appends says how its inserts come where they go to one place that moves, empty
	// where they do not.
	Appends string
	// cost is as of [Candidate].
	cost float64
}

// The bounds of what is tried.
const (
	// mostTrials is how many proposals are tried, and how many of the scenario's own
	// designs.
	mostTrials = 8
	// aPart is by which part a proposal has to cost less than a design to be better, and
	// aShare how much less of it has to be lost or throttled.
	aPart  = 0.05
	aShare = 0.01
)

// cost is in requests and counted entities together.
func (t *Tried) cost() float64 { return t.Requests + t.Counted }

// against is below 0 where one trial is better than another by more than chance may bring
// about, above 0 where it is worse: by the checks that failed, by what was lost, by what
// was throttled, and by what an operation took.
func (t *Tried) against(other *Tried) int {
	apart := func(a, b float64) int {
		if math.Abs(a-b) <= aShare {
			return 0
		}
		return cmp.Compare(a, b)
	}
	cost := 0
	if low, high := min(t.cost(), other.cost()), max(t.cost(), other.cost()); high > low*(1+aPart) {
		cost = cmp.Compare(t.cost(), other.cost())
	}
	return cmp.Or(cmp.Compare(t.Failed, other.Failed), apart(t.Lost, other.Lost), apart(t.Throttled, other.Throttled), cost)
}

// ownDesigns returns the scenario's own designs under their own names, the one in use
// first. The only one of a scenario may have none and is called own.
func ownDesigns(s *scenarios.Scenario) []scenarios.Design {
	list := slices.Clone(s.Designs)
	if len(list) == 0 {
		list = []scenarios.Design{s.Design}
	}
	for i := range list {
		list[i].Name = cmp.Or(list[i].Name, "own")
	}
	return list
}

// try plays the candidates and the scenario's own designs, that in use first, puts the candidates in the
// order of what came of them, and keeps those that are no worse than the best of the own.
func (r *rule) try(p *Proposal) error {
	own := ownDesigns(r.scenario)
	if at := slices.IndexFunc(own, func(d scenarios.Design) bool { return d.Name == r.scenario.Use }); at > 0 {
		used := own[at]
		own = slices.Insert(slices.Delete(own, at, at+1), 0, used)
	}
	dearest := 1.0
	for i := range own[:min(len(own), mostTrials)] {
		a, err := r.explain(&own[i])
		if err != nil {
			return err
		}
		one := Owned{Design: own[i], Cannot: a.cannot, cost: a.cost}
		if r.moves(&a) {
			one.Appends = a.order
		}
		p.Own = append(p.Own, one)
		dearest = max(dearest, a.cost)
	}
	for i := range p.Candidates {
		dearest = max(dearest, p.Candidates[i].Cost)
	}
	short := r.short(dearest)
	play := func(d *scenarios.Design) (*Tried, error) {
		with := short
		with.Design = *d
		tried, err := r.options.Try(&with)
		if err != nil {
			return nil, fmt.Errorf("suggest: design %s: %w", d.Name, err)
		}
		return &tried, nil
	}
	var err error
	for i := range p.Candidates {
		if p.Candidates[i].Tried, err = play(&p.Candidates[i].Design); err != nil {
			return err
		}
	}
	for i := range p.Own {
		if one := &p.Own[i]; one.Cannot == "" {
			if one.Tried, err = play(&one.Design); err != nil {
				return err
			}
		}
	}
	r.judge(p)
	return nil
}

// judge says which of the own designs is the best, puts the candidates in order, and drops
// those that are worse than it.
func (r *rule) judge(p *Proposal) {
	// Unlike [Tried.against] this is an order, for it rounds.
	step := func(share float64) float64 { return math.Round(share / (2 * aShare)) }
	slices.SortStableFunc(p.Candidates, func(a, b Candidate) int {
		t, other := a.Tried, b.Tried
		return cmp.Or(cmp.Compare(t.Failed, other.Failed), cmp.Compare(step(t.Lost), step(other.Lost)),
			cmp.Compare(step(t.Throttled), step(other.Throttled)), cmp.Compare(coarse(t.cost(), 1+aPart), coarse(other.cost(), 1+aPart)))
	})
	best := p.bestOwn()
	kept := p.Candidates[:0:0]
	if best != nil {
		p.Keep = best.Design.Name
	}
	for i := range p.Candidates {
		c := &p.Candidates[i]
		worse := best != nil && c.Tried.against(best.Tried) > 0
		switch {
		case worse && (len(p.Own) > 1 || len(kept) > 0 || i > 0):
			p.reject(&c.Design, "it is worse than your own: "+c.Tried.apart(best.Tried, best.Design.Name)+".")
			continue
		case worse:
			// It is what the only design of the scenario is held against.
			c.Worse = true
		case best != nil && c.Tried.against(best.Tried) < 0:
			p.Keep = ""
		}
		if len(kept) < r.options.Most {
			kept = append(kept, *c)
		}
	}
	p.Candidates = kept
}

// bestOwn returns the best of the scenario's own designs that were tried, the first of
// several alike; nil where none was.
func (p *Proposal) bestOwn() *Owned {
	var best *Owned
	for i := range p.Own {
		if one := &p.Own[i]; one.Tried != nil && (best == nil || one.Tried.against(best.Tried) < 0) {
			best = one
		}
	}
	return best
}

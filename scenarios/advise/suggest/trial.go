package suggest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios"
)

// Tried is the result of a short simulation of a design.
type Tried struct {
	// Failed is the number of failed checks, of those that apply to any design.
	Failed int
	// Lost is the share of lost operations, Throttled that of throttled attempts.
	Lost, Throttled float64
	// Requests and Counted are the requests and counted entities of a successful operation.
	Requests, Counted float64
}

// The limits of trials.
const (
	// maxTrials is the number of proposals that are tried, and that of the scenario's own designs.
	maxTrials = 8
	// minPart is the minimum difference in cost for a better design, minShare that in lost or throttled
	// shares.
	minPart  = 0.05
	minShare = 0.01
	// shortOperations are due in all phases of traffic together, shortCounted is the maximum of counted
	// entities, shortEntities that of loaded ones.
	shortOperations = 20_000
	shortCounted    = 8_000_000
	shortEntities   = 20_000
	// shortest is the minimum length of a phase, if it is not shorter anyway.
	shortest = 3 * time.Second
)

// cost is the sum of requests and counted entities.
func (t *Tried) cost() float64 { return t.Requests + t.Counted }

// compare orders two trials by the first relevant difference: failed checks, lost and throttled shares, cost.
// It is below 0 if this one is better. It also describes the difference from the other, which has a name.
func (t *Tried) compare(other *Tried, name string) (order int, difference string) {
	for _, one := range []struct {
		condition    string
		figure, than float64
		minimum      float64
	}{
		{"trial/failed", float64(t.Failed), float64(other.Failed), 0},
		{"trial/lost", t.Lost, other.Lost, minShare},
		{"trial/throttled", t.Throttled, other.Throttled, minShare},
		{"trial/cost", t.cost(), other.cost(), minPart * min(t.cost(), other.cost())},
	} {
		difference = sentence(one.condition, one.figure, one.than, name)
		if math.Abs(one.figure-one.than) > one.minimum {
			return cmp.Compare(one.figure, one.than), difference
		}
	}
	return 0, difference
}

// isBetter reports whether a trial is better by a relevant difference.
func (t *Tried) isBetter(other *Tried) bool {
	order, _ := t.compare(other, "")
	return order < 0
}

// ownDesigns returns the scenario's own designs under their names. The only one may have none and is called
// own.
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

// try runs the candidates and the scenario's own designs, ranks the candidates by the results, and drops
// those that are worse than the best own design.
func (r *rule) try(p *Proposal, try Try) error {
	own := ownDesigns(r.scenario)
	if at := slices.IndexFunc(own, func(d scenarios.Design) bool { return d.Name == r.scenario.Use }); at > 0 {
		used := own[at]
		own = slices.Insert(slices.Delete(own, at, at+1), 0, used)
	}
	maxCost := 1.0
	for i := range own[:min(len(own), maxTrials)] {
		a, err := r.explain(&own[i])
		if err != nil {
			return err
		}
		if a.Design = own[i]; !r.moves(&a) {
			a.Appends = ""
		}
		p.Own = append(p.Own, a.Candidate)
		maxCost = max(maxCost, a.Cost)
	}
	for i := range p.Candidates {
		maxCost = max(maxCost, p.Candidates[i].Cost)
	}
	short := r.short(maxCost)
	for _, list := range [][]Candidate{p.Candidates, p.Own} {
		for i := range list {
			one := &list[i]
			if one.Cannot != "" {
				continue
			}
			with := short
			with.Design = one.Design
			tried, err := try(&with)
			if err != nil {
				return fmt.Errorf("suggest: design %s: %w", one.Design.Name, err)
			}
			one.Tried = &tried
			p.tried++
		}
	}
	r.rank(p)
	return nil
}

// rank selects the best own design, sorts the candidates, and drops those that are worse than it.
func (r *rule) rank(p *Proposal) {
	// Rounded shares are an order, unlike [Tried.compare].
	step := func(share float64) float64 { return math.Round(share / (2 * minShare)) }
	slices.SortStableFunc(p.Candidates, func(a, b Candidate) int {
		t, other := a.Tried, b.Tried
		return cmp.Or(cmp.Compare(t.Failed, other.Failed), cmp.Compare(step(t.Lost), step(other.Lost)),
			cmp.Compare(step(t.Throttled), step(other.Throttled)), cmp.Compare(coarse(t.cost(), 1+minPart), coarse(other.cost(), 1+minPart)))
	})
	best := p.bestOwn()
	kept := p.Candidates[:0:0]
	if best != nil {
		p.Keep = best.Design.Name
	}
	for i := range p.Candidates {
		c := &p.Candidates[i]
		// A contest needs one candidate to compare the only own design with.
		if best != nil {
			switch order, difference := c.Tried.compare(best.Tried, best.Design.Name); {
			case order > 0 && (len(p.Own) > 1 || len(kept) > 0 || i > 0):
				p.reject(&c.Design, sentence("reject/worse", difference))
				continue
			case order < 0:
				p.Keep = ""
			}
		}
		if len(kept) < maxProposed {
			kept = append(kept, *c)
		}
	}
	p.Candidates = kept
}

// bestOwn returns the best own design that was tried, the first of equal ones; nil without any.
func (p *Proposal) bestOwn() (best *Candidate) {
	for i := range p.Own {
		if one := &p.Own[i]; one.Tried != nil && (best == nil || one.Tried.isBetter(best.Tried)) {
			best = one
		}
	}
	return best
}

// short returns the scenario for a trial: the same rates in phases with a limited number of operations, by a
// seed that no run of a contest has. maxCost is that of an operation under the most expensive design. It has
// the checks that apply to any design.
func (r *rule) short(maxCost float64) scenarios.Scenario {
	s := *r.scenario
	stream := clock.NewStream(s.Seed, "suggest").Draw(0)
	s.Seed = stream.Uint64() >> 11
	s.AntiPattern, s.Pattern, s.Gate, s.Designs, s.Use = nil, nil, nil, nil, ""
	s.Expect = generalChecks(s.Expect)
	s.Phases = slices.Clone(s.Phases)
	offering := 0
	for i := range s.Phases {
		if s.Phases[i].Traffic != nil {
			offering++
		}
	}
	each := min(shortOperations, shortCounted/max(1, maxCost)) / float64(max(1, offering))
	for i := range s.Phases {
		p := &s.Phases[i]
		if p.Load != nil && p.Load.Entities > shortEntities {
			load := *p.Load
			load.Entities = shortEntities
			p.Load = &load
		}
		if p.Traffic != nil {
			p.Traffic = shortened(p.Traffic, each)
		}
	}
	return s
}

// shortened returns a phase with about a maximum of operations at the same rates: a ramp gets steeper, and
// of too many steps the highest remains.
func shortened(whole *scenarios.Traffic, limit float64) *scenarios.Traffic {
	all := operationsOf(whole)
	if all <= limit {
		return whole
	}
	t := *whole
	part := limit / all
	t.StopWhenStable = 0
	cut := func(length time.Duration) time.Duration {
		return max(min(length, shortest), time.Duration(float64(length)*part).Round(time.Second))
	}
	switch {
	case t.Count > 0:
		t.Count = max(t.Clients, int(float64(t.Count)*part))
	case t.Arrivals != nil && t.Arrivals.Steps != nil:
		arrivals, steps := *t.Arrivals, *t.Arrivals.Steps
		if steps.Each = cut(steps.Each); float64(steps.Each)*all > limit*float64(t.Arrivals.Steps.Each) {
			steps.Rates = []float64{slices.Max(steps.Rates)}
		}
		arrivals.Steps = &steps
		t.Arrivals = &arrivals
	default:
		t.For = cut(t.For)
	}
	if t.WarmUp = min(t.WarmUp, t.Lasts()/3); t.WarmUp < time.Second {
		t.WarmUp = 0
	}
	return &t
}

package suggest

import (
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/results/figure"
	"loadgen/scenarios"
)

// How long a trial is, at the rates of the scenario.
const (
	// shortOperations are due in its phases of traffic together, about, and shortCounted
	// entities are counted by the design that counts most.
	shortOperations = 20_000
	shortCounted    = 8_000_000
	shortEntities   = 20_000
	// shortest is how long a phase of it lasts at least, unless it is shorter: in less no
	// target tells anything.
	shortest = 3 * time.Second
)

// short returns the scenario for a trial: its rates, in phases cut to a bounded number of
// operations, by a seed that no run of a contest has. An operation of the dearest design
// costs so much. Of its checks those are kept that concern any design.
func (r *rule) short(dearest float64) scenarios.Scenario {
	s := *r.scenario
	stream := clock.NewStream(s.Seed, "suggest").At(0)
	s.Seed = stream.Uint64() >> 11
	s.AntiPattern, s.Pattern, s.Gate, s.Designs, s.Use = nil, nil, nil, nil, ""
	s.Expect = generally(s.Expect)
	s.Phases = slices.Clone(s.Phases)
	offering := 0
	for i := range s.Phases {
		if s.Phases[i].Traffic != nil {
			offering++
		}
	}
	each := min(shortOperations, shortCounted/max(1, dearest)) / float64(max(1, offering))
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

// shortened returns a phase of about so many operations at the same rates, if it has more:
// what rises rises faster, and of too many steps the steepest is left.
func shortened(whole *scenarios.Traffic, most float64) *scenarios.Traffic {
	all := due(whole)
	if all <= most {
		return whole
	}
	t := *whole
	part := most / all
	t.StopWhenStable = 0
	cut := func(length time.Duration) time.Duration {
		return max(min(length, shortest), time.Duration(float64(length)*part).Round(time.Second))
	}
	switch {
	case t.Count > 0:
		t.Count = max(t.Clients, int(float64(t.Count)*part))
	case t.Arrivals != nil && t.Arrivals.Steps != nil:
		arrivals, steps := *t.Arrivals, *t.Arrivals.Steps
		if steps.Each = cut(steps.Each); float64(steps.Each)*all > most*float64(t.Arrivals.Steps.Each) {
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

// badFigures are those that had better be small, beside times.
var badFigures = []string{"throttled", "failed", "dropped", "late", "share_lost", "retries", "tries", "lost_writes",
	"doubled_writes", "offered"}

// generally returns the checks that any design should bear out.
func generally(expect []string) []string {
	return slices.DeleteFunc(slices.Clone(expect), func(text string) bool {
		claim, err := figure.ParseClaim(text)
		if err != nil || len(claim.Figures()) != 1 || claim.Figures()[0].Part == figure.Partition {
			return true
		}
		name := claim.Figures()[0].Name
		d, _ := figure.Find(name)
		bad := d.Times != "" || slices.Contains(badFigures, name)
		good := slices.Contains([]string{"succeeded", "ok", "served", "saturation"}, name)
		small := bad && bounds(claim)
		great := good && !claim.Judge(constantly(0)).Pass && claim.Judge(constantly(vast)).Pass
		return !small && !great
	})
}

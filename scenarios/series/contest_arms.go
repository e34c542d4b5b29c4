package series

import (
	"errors"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/report/compare/contest"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/fields"
)

// arm is one design that takes part.
type arm struct {
	design string
	// scenario is the one with the design in use, its files read.
	scenario *scenarios.Scenario
	cannot   []contest.Obstacle
	order    string
	// trials and others are what its runs came to, by the number of the run; nil where
	// it has not come to its end.
	trials, others []*contest.Trial
	// first is the record of the first of its runs that did, number that run's number;
	// memory holds it where nothing else does.
	first  *results.Record
	number int
	memory *results.Memory
}

// able returns the designs that can be run.
func (c *contestRun) able() []*arm {
	return slices.DeleteFunc(slices.Clone(c.arms), func(one *arm) bool { return len(one.cannot) > 0 })
}

// enter enters the designs: each with what it cannot do, or ready to run. Faults that
// are the scenario's own are the error.
func (c *contestRun) enter(names []string) error {
	var unread []fields.Faults
	for _, name := range names {
		one := &arm{design: name, trials: make([]*contest.Trial, c.plan.Seeds), others: make([]*contest.Trial, c.plan.Seeds)}
		c.arms = append(c.arms, one)
		var err error
		if one.scenario, err = c.scenario.Under(name); err != nil {
			return err
		}
		if one.cannot = obstacles(c.scenario.Obstacles(name)); len(one.cannot) > 0 {
			continue
		}
		err = c.files.Read(one.scenario)
		var faults fields.Faults
		if err != nil && !errors.As(err, &faults) {
			return err
		}
		one.cannot = obstacles(c.scenario.ObstaclesOf(faults))
		unread = append(unread, faults)
	}
	if len(unread) > 0 && len(unread[0]) > 0 && !slices.ContainsFunc(unread, func(f fields.Faults) bool { return !slices.Equal(f, unread[0]) }) {
		// Whatever the design, the files cannot be read.
		return unread[0]
	}
	c.needs = needsOf(c.scenario)
	for _, one := range c.able() {
		// How new PartitionKeys come, as explain tells it: empty where it cannot.
		told, err := advise.OrderOf(advise.Options{Scenario: one.scenario, Read: c.files.Read})
		switch {
		case err != nil, told == keystatistics.Unknown.String():
		case told == keystatistics.OnePartition.String():
			one.order = results.OnePartition
		default:
			one.order = told
		}
	}
	return nil
}

func obstacles(list []scenarios.Obstacle) []contest.Obstacle {
	var all []contest.Obstacle
	for _, one := range list {
		all = append(all, contest.Obstacle(one))
	}
	return all
}

// needsOf returns what the application asks of its operations: what they are about, and
// how long they may take by what the scenario expects.
func needsOf(s *scenarios.Scenario) figure.Needs {
	n := figure.Needs{Within: make(map[string]int64), Entities: make(map[string]int64), Reads: make(map[string]bool)}
	for p, o := range s.EachOperation {
		n.Entities[o.Name] = int64(max(1, o.Entities))
		if o.Workflow == "" && (o.Verb == entity.Get || o.Verb == entity.Query) {
			n.Reads[o.Name] = true
		}
		if within, some := withinOf(s, p, o.Name); some {
			n.Within[o.Name] = within
		}
	}
	return n
}

// bounding are the quantiles of response times that say how long an operation may take,
// the most telling first: of several bounds that of the first counts.
func bounding() []float64 { return []float64{.99, .999, .95, .9, 1} }

// withinOf returns how long an operation of a phase may take, in microseconds: the least
// bound of the most telling quantile that the scenario expects to lie below one.
func withinOf(s *scenarios.Scenario, p *scenarios.Phase, operation string) (int64, bool) {
	place, least := len(bounding()), 0.0
	for _, text := range s.Expect {
		claim, err := figure.ParseClaim(text)
		if err != nil {
			continue
		}
		of, below, some := claim.Bound()
		d, _ := figure.Find(of.Name)
		at := slices.Index(bounding(), d.Quantile)
		if !some || d.Times != "response" || at < 0 || at > place || !concerns(&of, p, operation) {
			continue
		}
		if at < place || below < least {
			place, least = at, below
		}
	}
	return int64(least / float64(time.Microsecond)), place < len(bounding())
}

// concerns reports whether a figure is of an operation of a phase, perhaps among others.
func concerns(f *figure.Reference, p *scenarios.Phase, operation string) bool {
	if f.Part != figure.Whole {
		return false
	}
	return (f.Of == "" || f.Of == operation || p.Is(f.Of)) &&
		(f.Operation == "" || f.Operation == operation) && (f.Phase == "" || p.Is(f.Phase))
}

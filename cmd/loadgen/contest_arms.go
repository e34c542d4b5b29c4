package main

import (
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/ranking"
	"loadgen/results"
	"loadgen/results/expectation"
	"loadgen/scenarios"
	explanation "loadgen/scenarios/explain"
	"loadgen/scenarios/suggest"
	"loadgen/scenarios/survey"
)

// tournament is a contest under way: the designs and what has come of their runs.
type tournament struct {
	scenario *scenarios.Scenario
	// root is the seed that those of the runs are drawn from.
	root  uint64
	needs ranking.Needs
	arms  []*contender
	seeds int
	// other is the profile that the verdict is held against, empty for none.
	other  string
	repeat string
	// source is the folder that paths in the scenario count from.
	source string
	// proposal is what --suggest came to, nil without.
	proposal *suggest.Proposal
	folder   results.Dir
	told     io.Writer
	clock    clock.Real

	// mu guards what runs come to, and what was told of them last.
	mu   sync.Mutex
	done int
	last time.Duration
}

// contender is one design that takes part.
type contender struct {
	design string
	// scenario is the one with the design in use, its files read.
	scenario *scenarios.Scenario
	cannot   []ranking.Obstacle
	order    string
	// trials and others are what its runs came to, by the number of the run; nil where
	// it has not come to its end.
	trials, others []*ranking.Trial
	// first is the first of its runs that did, number its number.
	first  *finished
	number int
}

// seedOf returns the seed of a design's run: a pure function of the root, the design's
// name and the number of the run. So no two runs of a contest share one, and neither
// the order of the designs nor which others there are changes anything. It has 53 bits,
// which every reader of JSON keeps.
func seedOf(root uint64, design string, run int) uint64 {
	draw := clock.NewStream(root, "contest/"+design).At(uint64(run))
	return draw.Uint64() >> 11
}

// openContested reads a scenario as [openScenario] does, which may use a design that
// cannot serve it.
func openContested(name string) (*scenarios.Scenario, string, error) {
	return scenarios.OpenContested(name)
}

// enrol enters the designs: each with what it cannot do, or ready to run. Faults that
// are the scenario's own are the error.
func (t *tournament) enrol(s *scenarios.Scenario, names []string, read func(*scenarios.Scenario) error) error {
	t.scenario = s
	var unread []scenarios.Faults
	var late []*contender
	for _, name := range names {
		one := &contender{design: name}
		t.arms = append(t.arms, one)
		var err error
		if one.scenario, err = s.Under(name); err != nil {
			return err
		}
		if one.cannot = obstacles(s.Obstacles(name)); len(one.cannot) > 0 {
			continue
		}
		err = read(one.scenario)
		var faults scenarios.Faults
		if err != nil && !errors.As(err, &faults) {
			return err
		}
		one.cannot = obstacles(s.ObstaclesOf(faults))
		unread, late = append(unread, faults), append(late, one)
	}
	if len(unread) > 0 && len(unread[0]) > 0 && !slices.ContainsFunc(unread, func(f scenarios.Faults) bool { return !slices.Equal(f, unread[0]) }) {
		// Whatever the design, the files cannot be read.
		return unread[0]
	}
	t.needs = needsOf(s)
	t.orders(late, read)
	return nil
}

func obstacles(list []scenarios.Obstacle) []ranking.Obstacle {
	var all []ranking.Obstacle
	for _, one := range list {
		all = append(all, ranking.Obstacle(one))
	}
	return all
}

// orders takes down how new PartitionKeys come under each design that can be run, as
// explain tells it. Where it cannot, nothing is said.
func (t *tournament) orders(arms []*contender, read func(*scenarios.Scenario) error) {
	for _, one := range arms {
		if len(one.cannot) > 0 {
			continue
		}
		targets, times, err := targetsOf(one.scenario)
		if err != nil {
			continue
		}
		told, err := explanation.OrderOf(explanation.Options{Scenario: one.scenario, Read: read, Targets: targets, Times: times})
		if err == nil {
			one.order = orderInWords(told)
		}
	}
}

// orderInWords returns how keys come as a contest names it, empty where it is not known.
func orderInWords(told string) string {
	switch told {
	case survey.Unknown.String():
		return ""
	case survey.OnePartition.String():
		return "one partition"
	default:
		return told
	}
}

// needsOf returns what the application asks of its operations: what they are about, and
// how long they may take by what the scenario expects.
func needsOf(s *scenarios.Scenario) ranking.Needs {
	n := ranking.Needs{Within: make(map[string]int64), Entities: make(map[string]int64), Reads: make(map[string]bool)}
	for i := range s.Phases {
		for _, o := range s.Phases[i].Operations() {
			n.Entities[o.Name] = int64(max(1, o.Entities))
			if o.Procedure == "" && (o.Verb == entity.Get || o.Verb == entity.Query) {
				n.Reads[o.Name] = true
			}
			if within, some := withinOf(s, &s.Phases[i], o.Name); some {
				n.Within[o.Name] = within
			}
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
		claim, err := expectation.Parse(text)
		if err != nil {
			continue
		}
		figure, below, some := claim.Bound()
		of, quantile, timed := expectation.Statistic(figure.Name)
		at := slices.Index(bounding(), quantile)
		if !some || !timed || of != "response" || at < 0 || at > place || !concerns(&figure, p, operation) {
			continue
		}
		if at < place || below < least {
			place, least = at, below
		}
	}
	return int64(least / float64(time.Microsecond)), place < len(bounding())
}

// concerns reports whether a figure is of an operation of a phase, perhaps among others.
func concerns(f *expectation.Figure, p *scenarios.Phase, operation string) bool {
	if f.Part != expectation.Whole {
		return false
	}
	return (f.Of == "" || f.Of == operation || p.Is(f.Of)) &&
		(f.Operation == "" || f.Operation == operation) && (f.Phase == "" || p.Is(f.Phase))
}

package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// question is an operation that asks by what it knows: a query, or a write that has to find the key of its
// entity.
type question struct {
	spec *scenarios.OperationSpec
	// frequency is the number of operations; needed reports that an expectation bounds their time.
	frequency float64
	needed    bool
}

// needWeight is the weight of an operation whose response time is bounded: the documents rank queries by
// frequency and by latency need, and give no figure.
const needWeight = 4

func (q *question) score() float64 {
	if q.needed {
		return needWeight * q.frequency
	}
	return q.frequency
}

// isLatest reports whether the question stops at the first of what it could read, so that the latest should
// come first.
func (q *question) isLatest() bool {
	// From manyRows on a question does not ask for the latest few.
	const manyRows = 1000
	return q.spec.Top > 0 && q.spec.Pages > 0 || q.spec.Rows > 0 && q.spec.Rows < manyRows
}

// checkSuited returns why designs cannot be proposed for a scenario, nil if they can.
func checkSuited(s *scenarios.Scenario) error {
	events := false
	for i := range s.Phases {
		p := &s.Phases[i]
		t := p.Traffic
		if t != nil && t.Arrivals != nil && t.Arrivals.Trace != "" {
			return fmt.Errorf("%w: phase %s replays a trace, whose rows have keys; expected arrivals such as {constant: 500}, or clients", ErrUnsuited, p.Name)
		}
		for _, op := range p.Operations() {
			if op.Workflow != "" {
				return fmt.Errorf("%w: operation %s is the workflow %s with its own keys; expected operations with a verb", ErrUnsuited, op.Name, op.Workflow)
			}
		}
		events = events || t != nil && t.Events()
	}
	if !events {
		return fmt.Errorf("%w: no event traffic; expected a phase of traffic that names no partitions", ErrUnsuited)
	}
	return nil
}

// questions returns the questions of a scenario's event traffic, the dominant first, and the share of its
// operations that insert.
func questions(s *scenarios.Scenario, needed func(string) bool) (list []question, inserts float64) {
	all := 0.0
	for i := range s.Phases {
		t := s.Phases[i].Traffic
		if t == nil || !t.Events() {
			continue
		}
		weights := 0
		for j := range t.Operations {
			weights += t.Operations[j].Weight
		}
		operations := operationsOf(t)
		for j := range t.Operations {
			op := &t.Operations[j]
			frequency := operations * float64(op.Weight) / float64(max(1, weights))
			all += frequency
			if op.Inserts() || s.Loaded(i) == 0 && (op.Verb == entity.InsertOrReplace || op.Verb == entity.InsertOrMerge) {
				inserts += frequency
			}
			if len(op.By) > 0 && op.Weight > 0 {
				list = append(list, question{spec: op, frequency: frequency, needed: needed(op.Name)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b question) int { return cmp.Compare(b.score(), a.score()) })
	return list, inserts / max(all, 1e-9)
}

// operationsOf returns about how many operations a phase has.
func operationsOf(t *scenarios.Traffic) float64 {
	if t.Count > 0 {
		return float64(t.Count)
	}
	if t.Arrivals == nil {
		return t.Lasts().Seconds() / t.Pace().Seconds() * float64(t.Clients)
	}
	schedule, err := t.Schedule(clock.NewStream(0, ""))
	if err != nil {
		return 0
	}
	return float64(schedule.Len())
}

// needs returns whether a response time is bounded for an operation: for all if an expectation names none.
func needs(s *scenarios.Scenario) func(operation string) bool {
	var names []string
	everywhere := false
	for _, text := range s.Expect {
		claim, err := figure.ParseClaim(text)
		if err != nil || len(claim.Figures()) != 1 || len(claim.Capped()) == 0 {
			continue
		}
		of := claim.Figures()[0]
		d, _ := figure.Find(of.Name)
		switch name := cmp.Or(of.Operation, of.Of); {
		case d.Times == "" || d.Times == "wait" || d.Times == "lag":
		case name == "" || slices.ContainsFunc(s.Phases, func(p scenarios.Phase) bool { return p.Name == name }):
			everywhere = true
		default:
			names = append(names, name)
		}
	}
	return func(operation string) bool { return everywhere || slices.Contains(names, operation) }
}

// generalChecks returns the checks that apply to any design.
func generalChecks(expect []string) []string {
	lowFigures := []string{"throttled", "failed", "dropped", "late", "share_lost", "retries", "tries", "lost_writes", "doubled_writes", "offered"}
	highFigures := []string{"succeeded", "ok", "served", "saturation"}
	return slices.DeleteFunc(slices.Clone(expect), func(text string) bool {
		claim, err := figure.ParseClaim(text)
		if err != nil || len(claim.Figures()) != 1 || claim.Figures()[0].Part == figure.Partition {
			return true
		}
		name := claim.Figures()[0].Name
		d, _ := figure.Find(name)
		low := len(claim.Capped()) > 0 && (d.Times != "" || slices.Contains(lowFigures, name))
		return !low && !(slices.Contains(highFigures, name) && strings.Contains(text, ">"))
	})
}

// access is how a question is answered under a design.
type access struct {
	class   filter.Class
	queries int
	// exact reports that it reads only what it wants.
	exact bool
}

func (r *rule) accessOf(q *question, d *scenarios.Design) (access, error) {
	with := *r.scenario
	with.Design = *d
	homes := make([]*keys.Generator, 0, 1+len(d.Copies))
	for _, at := range append([]scenarios.Copy{{PartitionKey: d.PartitionKey, RowKey: d.RowKey}}, d.Copies...) {
		g, err := at.Generator(r.attributes.generator)
		if err != nil {
			return access{}, err
		}
		homes = append(homes, g)
	}
	plan, _ := with.Plan(q.spec, homes)
	tells := plan.Tells()
	exact := !slices.ContainsFunc(q.spec.By, func(name string) bool {
		return !r.attributes.implies(tells, name) && !r.attributes.nature(name).constant
	})
	return access{plan.Class, plan.Queries(), exact}, nil
}

// isGood reports whether no design is much better: a point, or an exact range of rows or partition.
func (p access) isGood() bool {
	return p.class <= filter.ClassPoint || p.exact && p.class <= filter.ClassPartitionScan
}

// rank returns roughly the cost of a question, to select the designs whose figures are derived.
func (p access) rank() float64 {
	each := 1.0
	switch {
	case p.class <= filter.ClassPoint:
	case p.isGood():
		each = 2
	case p.class == filter.ClassRowRange:
		each = 10
	case p.class == filter.ClassPartitionScan:
		each = 30
	case p.class == filter.ClassPartitionRangeScan:
		each = 100
	default:
		each = 300
	}
	return each + 0.1*float64(p.queries-1)
}

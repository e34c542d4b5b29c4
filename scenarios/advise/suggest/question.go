package suggest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results/figure"
	"loadgen/scenarios"
)

// question is what an operation asks by what it knows: a query, or a write that has to
// find the key of its entity.
type question struct {
	spec *scenarios.OperationSpec
	// frequency is how many are due in all; needed says that an expectation bounds how
	// long it takes.
	frequency float64
	needed    bool
}

// needWeight is how many times as much an operation counts whose response time is
// bounded by an expectation: the documents rank queries by frequency and by latency
// need, and give no figure.
const needWeight = 4

func (q *question) score() float64 {
	if q.needed {
		return needWeight * q.frequency
	}
	return q.frequency
}

// latest reports whether the question stops at the first of what it could read, so that
// the latest had better come first.
func (q *question) latest() bool {
	return q.spec.Top > 0 && q.spec.Pages > 0 || q.spec.Rows > 0 && q.spec.Rows < manyRows
}

// manyRows is from how many rows on a question does not look for the latest few.
const manyRows = 1000

// suited returns why designs cannot be proposed for a scenario, nil where they can.
func suited(s *scenarios.Scenario) error {
	events, asks, weighs := false, false, false
	for i := range s.Phases {
		p := &s.Phases[i]
		t := p.Traffic
		if t != nil && t.Arrivals != nil && t.Arrivals.Trace != "" {
			return fmt.Errorf("%w: phase %s replays a trace, whose rows rather than the design say what is asked; expected arrivals such as {constant: 500}, or clients", ErrUnsuited, p.Name)
		}
		for _, op := range p.Operations() {
			if op.Workflow != "" {
				return fmt.Errorf("%w: operation %s is the workflow %s, which has keys of its own; expected operations with a verb", ErrUnsuited, op.Name, op.Workflow)
			}
			if t != nil && t.Events() {
				asks = asks || len(op.By) > 0
				weighs = weighs || len(op.By) > 0 && op.Weight > 0
			}
		}
		events = events || t != nil && t.Events()
	}
	switch {
	case !events:
		return fmt.Errorf("%w: the scenario has no event traffic, in which the design decides where an operation falls; expected a phase of traffic that names no partitions", ErrUnsuited)
	case !asks:
		return fmt.Errorf("%w: no operation says what it knows, by which a PartitionKey is chosen; expected a query such as {verb: query, by: [device]}", ErrUnsuited)
	case !weighs:
		return fmt.Errorf("%w: the operations that say what they know have weight 0; expected one with a weight", ErrUnsuited)
	}
	return nil
}

// questions returns what the event traffic of a scenario asks, the dominant first, and
// which share of its operations insert.
func questions(s *scenarios.Scenario) (list []question, inserts float64) {
	needs, all := needs(s), 0.0
	for i := range s.Phases {
		t := s.Phases[i].Traffic
		if t == nil || !t.Events() {
			continue
		}
		weights := 0
		for j := range t.Operations {
			weights += t.Operations[j].Weight
		}
		operations := due(t)
		for j := range t.Operations {
			op := &t.Operations[j]
			frequency := operations * float64(op.Weight) / float64(max(1, weights))
			all += frequency
			if op.Inserts() || s.Loaded(i) == 0 && (op.Verb == entity.InsertOrReplace || op.Verb == entity.InsertOrMerge) {
				inserts += frequency
			}
			if len(op.By) > 0 && op.Weight > 0 {
				list = append(list, question{spec: op, frequency: frequency, needed: needs(op.Name)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b question) int { return cmp.Compare(b.score(), a.score()) })
	return list, inserts / max(all, 1e-9)
}

// due returns about how many operations a phase has.
func due(t *scenarios.Traffic) float64 {
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

// needs returns of which operations a response time is bounded: of all of them where an
// expectation names none.
func needs(s *scenarios.Scenario) func(operation string) bool {
	var named []string
	everybody := false
	for _, text := range s.Expect {
		claim, err := figure.ParseClaim(text)
		if err != nil || !bounds(claim) {
			continue
		}
		for _, f := range claim.Figures() {
			d, _ := figure.Find(f.Name)
			switch name := cmp.Or(f.Operation, f.Of); {
			case d.Times == "" || d.Times == "wait" || d.Times == "lag":
			case name == "" || slices.ContainsFunc(s.Phases, func(p scenarios.Phase) bool { return p.Name == name }):
				everybody = true
			default:
				named = append(named, name)
			}
		}
	}
	return func(operation string) bool { return everybody || slices.Contains(named, operation) }
}

// constantly are the facts of a run in which every figure is the same.
type constantly float64

// Look implements [figure.ClaimFacts].
func (f constantly) Look(figure.Reference, figure.Unit) (float64, bool) {
	return float64(f), true
}

// vast is more than any figure of a run.
const vast = 1e18

// bounds reports whether a claim is of one figure that must not be too great.
func bounds(c *figure.Claim) bool {
	return len(c.Figures()) == 1 && c.Judge(constantly(0)).Pass && !c.Judge(constantly(vast)).Pass
}

// ErrUnsuited is wrapped by the error for a scenario that says too little to propose
// designs for it, or whose keys are not the design's alone. Its text is one line that
// says what is wanting and what was expected.
var ErrUnsuited = errors.New("suggest: no designs can be proposed")

// ErrOptions is wrapped by every fault of [Options.Validate].
var ErrOptions = errors.New("suggest: invalid options")

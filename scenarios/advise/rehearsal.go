package advise

import (
	"context"
	"slices"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// How a design is rehearsed: by how many attempts at most, and by how many seeds unless the
// first leaves no room for chance. Where attempts are few, chance has more room, and more
// seeds cost next to nothing.
const (
	mostRehearsed  = 4_000_000
	usualSeeds     = 3
	mostSeeds      = 7
	fewAttempts    = 50_000
	enoughAttempts = 1_000_000
	// otherSeed is how far the seeds lie apart.
	otherSeed = 0x9e3779b9
	// mostBytes is how much memory a rehearsal may take: of a run that takes more, the
	// first part is looked at.
	mostBytes = 1 << 30
)

// The share of first attempts throttled up to which a load is sustained, and those beyond
// which no chance brings much load, or any, back below.
const (
	mostThrottled   = figure.MostFirstThrottled
	mostlyThrottled = 0.05
	surelyThrottled = 0.2
)

// Rehearsal is what the model makes of all operations of a design: a run on the virtual
// clock, with the scenario's retries and its seed.
type Rehearsal struct {
	// Operations are those that became due, Attempts the requests that they came to.
	Operations int64 `json:"operations"`
	Attempts   int64 `json:"attempts"`
	// Whole is false where there are more of them than are looked at: only the first were.
	Whole bool `json:"whole"`
	// Phase is the phase with the largest share of throttled first attempts, or else of lost
	// operations. Throttled and Lost are these shares. By seed, Throttled lies between Least and
	// Most.
	Phase     string  `json:"phase"`
	Throttled float64 `json:"share_throttled"`
	Lost      float64 `json:"share_lost"`
	Least     float64 `json:"share_throttled_least"`
	Most      float64 `json:"share_throttled_most"`
	Seeds     int     `json:"seeds"`
	// ThrottledBy is how many attempts each limit of the model throttled, by its name.
	ThrottledBy map[string]int64 `json:"throttled_by,omitempty"`
	// Checks are the scenario's own, as the first seed has them.
	Checks []results.Check `json:"checks"`

	// loads has the state of the load by seed, checks the state of the checks; empty without
	// checks.
	loads, checks []string
	// failing are the stages of the first seed that the model does not sustain.
	failing map[string]bool
	// doubtful reports that it cannot be told of a phase whether it is sustained.
	doubtful bool
	// lined is the phase of an open loop whose attempts mostly wait for the client's line,
	// empty where there is none.
	lined  string
	record *results.Record
	// of is the run by the first seed.
	of *run.Rehearsal
}

// rehearsed has the model make what it does of a design of which so many operations become
// due, by one seed. The error is that of a run.
func rehearsed(ctx context.Context, s *scenarios.Scenario, due uint64) (*Rehearsal, error) {
	plan, most := run.Plan{Scenario: s}, int64(mostRehearsed)
	bytes, err := plan.Footprint()
	if err != nil {
		return nil, err
	}
	if bytes > mostBytes {
		most = min(most, int64(float64(due)*mostBytes/float64(bytes)))
	}
	of, err := plan.Rehearse(ctx, max(1, most))
	if err != nil {
		return nil, err
	}
	all := of.Record.Counts(results.Reported)
	r := &Rehearsal{Operations: all.Scheduled, Attempts: all.Attempts, Whole: of.Whole, Seeds: 1, failing: make(map[string]bool),
		Checks: of.Record.Summary.Checks, ThrottledBy: of.ThrottledBy, record: of.Record, of: of}
	for i, step := range figure.Reported(of.Record) {
		sum := step.Sum(nil)
		// Of a rehearsal that was ended early those are lost that ended without success.
		gone := sum.Operations - sum.Succeeded - sum.Cut
		if of.Whole {
			gone = sum.Scheduled - sum.Succeeded
		}
		throttled, lost := figure.ShareOf(sum.FirstThrottled, sum.Sent), figure.ShareOf(gone, sum.Scheduled)
		stage, holds := step.Phase.Stage, of.Record.Summary.Phases[i].Holds
		fails := throttled > mostThrottled || lost > 0
		if of.Whole {
			fails, r.doubtful = holds != nil && !*holds, r.doubtful || holds == nil
		}
		if r.Phase == "" || throttled > r.Throttled || throttled == r.Throttled && (lost > r.Lost || fails && !r.failing[r.Phase]) {
			r.Phase, r.Throttled, r.Lost = stage, throttled, lost
		}
		if fails {
			r.failing[stage] = true
		}
		if !step.Closed() && figure.ShareOf(sum.LineHeld, sum.Attempts) > 0.5 {
			r.lined = step.Phase.Stage
		}
	}
	r.Least, r.Most = r.Throttled, r.Throttled
	r.loads, r.checks = []string{r.load(float64(due))}, r.checked()
	return r, nil
}

// load returns whether one seed sustains the load, of which so many operations are due. Of
// a part on a cold table load balancing may relieve the rest: throttling then counts as a
// share of all operations.
func (r *Rehearsal) load(due float64) string {
	relieved := !r.Whole && r.record.Manifest.Start == scenarios.StartCold && r.Throttled*float64(r.Operations)/max(due, 1) <= mostThrottled
	switch {
	case len(r.failing) > 0 && !relieved:
		return results.DoesNotHold
	case !r.Whole, r.doubtful:
		return results.CannotTell
	default:
		return results.Holds
	}
}

// checked returns what the scenario's own checks come to by one seed, nothing where there
// are none.
func (r *Rehearsal) checked() []string {
	held, told := results.HeldOf(r.Checks)
	switch {
	case len(r.Checks) == 0:
		return nil
	case !r.Whole:
		return []string{results.CannotTell}
	case held < told:
		return []string{results.DoesNotHold}
	case told < len(r.Checks):
		return []string{results.CannotTell}
	default:
		return []string{results.Holds}
	}
}

// split reports whether seeds disagree about the load or the checks.
func (r *Rehearsal) split() bool { return split(r.loads) || split(r.checks) }

func split(states []string) bool {
	return slices.ContainsFunc(states, func(one string) bool { return one != states[0] })
}

// State returns whether the model sustains the load: that cannot be told where seeds
// disagree.
func (r *Rehearsal) State() string { return agreed(r.loads) }

// checkState is the same of the scenario's own checks, empty where there are none.
func (r *Rehearsal) checkState() string { return agreed(r.checks) }

func agreed(states []string) string {
	switch {
	case len(states) == 0:
		return ""
	case split(states):
		return results.CannotTell
	default:
		return states[0]
	}
}

// measured has the rates of a load be those of the rehearsal, in its busiest second.
func (l *Load) measured(r *Rehearsal) {
	steps := make(map[string]bool)
	var hottest Hottest
	for _, step := range figure.Reported(r.record) {
		p := step.Phase
		if p.Stage != l.Phase {
			continue
		}
		sum := step.Sum(nil)
		steps[p.Name], l.Throttled = true, max(l.Throttled, figure.ShareOf(sum.FirstThrottled, sum.Sent))
		if len(p.Offered) == 0 || float64(p.Offered[0].Busiest) <= hottest.Value {
			continue
		}
		one := p.Offered[0]
		hottest = Hottest{Rate: exactly(float64(one.Busiest)), PartitionKey: one.Key, Table: one.Table,
			Share: min(1, figure.ShareOf(one.Entities, sum.Offered))}
	}
	if len(steps) == 0 {
		return
	}
	due, operations := 0.0, 0.0
	for i := range r.record.Intervals {
		if row := &r.record.Intervals[i]; steps[row.Phase] {
			due, operations = max(due, row.PerSecond(row.Offered)), max(operations, row.PerSecond(row.Scheduled))
		}
	}
	if hottest.Value > 0 {
		l.Hottest = hottest
	}
	l.Account, l.PerSecond = exactly(due*r.busiestAccount(steps)), operations
	for i := range l.Approaches {
		one := &l.Approaches[i]
		sum := r.record.Counts(func(p *results.Phase, k results.Kind) bool { return steps[p.Name] && k.Name == one.Name })
		if sum.Scheduled == 0 || sum.Succeeded < sum.Scheduled {
			continue
		}
		one.Entities = figure.ShareOf(sum.Counted, sum.Succeeded)
		one.Requests = figure.ShareOf(sum.Attempts-sum.Retries, sum.Succeeded)
		one.AtLeast = false
	}
}

// exactly is a rate that was counted.
func exactly(value float64) Rate { return Rate{Value: value, Least: value, Most: value} }

// busiestAccount is the part of the load that falls to the account with most of it.
func (r *Rehearsal) busiestAccount(steps map[string]bool) float64 {
	most := 0.0
	for i := range r.record.Phases {
		p := &r.record.Phases[i]
		if at, several := p.Busiest(); several && steps[p.Name] {
			sum := int64(0)
			for j := range p.Accounts {
				sum += p.Accounts[j].Offered
			}
			most = max(most, figure.ShareOf(p.Accounts[at].Offered, sum))
		}
	}
	if most == 0 {
		return 1
	}
	return most
}

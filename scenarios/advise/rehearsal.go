package advise

import (
	"context"
	"fmt"
	"slices"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/figure/check"
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

// The share of attempts throttled up to which a load is held, and those beyond which no
// chance brings much load, or any, back below.
const (
	mostThrottled   = 0.005
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
	// Phase is the one of which most was throttled, Throttled the share of its attempts,
	// or of its first ones where that is more: between Least and Most by as many seeds.
	Phase     string  `json:"phase"`
	Throttled float64 `json:"share_throttled"`
	Least     float64 `json:"share_throttled_least"`
	Most      float64 `json:"share_throttled_most"`
	Seeds     int     `json:"seeds"`
	// ThrottledBy is how many attempts each limit of the model throttled, by its name.
	ThrottledBy map[string]int64 `json:"throttled_by,omitempty"`
	// Checks are the scenario's own, as the first seed has them.
	Checks []results.Check `json:"checks"`

	// states are what each seed came to.
	states []string
	// lined is the phase of an open loop whose attempts mostly wait for the client's line,
	// empty where there is none.
	lined  string
	record *results.Record
	// of is the run by the first seed.
	of *run.Rehearsal
}

// rehearse has the model make what it does of a design of which so many operations become
// due, by one seed, or by up to so many where chance may turn the answer. The error is that
// of a run.
func rehearse(ctx context.Context, s *scenarios.Scenario, due uint64, seeds int) (*Rehearsal, error) {
	first, err := rehearsed(ctx, s, due)
	if err != nil {
		return nil, err
	}
	attempts := first.Attempts
	for first.Seeds < seeds && first.chancy(attempts) {
		other := *s
		other.Seed += uint64(first.Seeds) * otherSeed
		one, err := rehearsed(ctx, &other, due)
		if err != nil {
			return nil, err
		}
		first.Seeds, attempts = first.Seeds+1, attempts+one.Attempts
		first.Least, first.Most = min(first.Least, one.Throttled), max(first.Most, one.Throttled)
		first.states = append(first.states, one.states...)
	}
	return first, nil
}

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
	all := of.Record.Total(results.Reported)
	r := &Rehearsal{Operations: all.Scheduled, Attempts: all.Attempts, Whole: of.Whole, Seeds: 1,
		Checks: of.Record.Summary.Checks, ThrottledBy: of.ThrottledBy, record: of.Record, of: of}
	worst := ""
	for _, step := range figure.Reported(of.Record) {
		if share := throttledIn(step.Sum(nil)); r.Phase == "" || share > r.Throttled {
			worst, r.Phase, r.Throttled = step.Phase.Name, step.Phase.Stage, share
		}
		if sum := step.Sum(nil); !step.Closed() && figure.ShareOf(sum.LineHeld, sum.Attempts) > 0.5 {
			r.lined = step.Phase.Stage
		}
	}
	r.Least, r.Most = r.Throttled, r.Throttled
	r.states = []string{r.state(tolerates(s, worst, r.Phase), float64(due))}
	return r, nil
}

// throttledIn returns the share of attempts that were throttled, or that of the first ones
// where it is more.
func throttledIn(sum results.KindStats) float64 {
	return max(figure.ShareOf(sum.Throttled, sum.Attempts), figure.ShareOf(sum.FirstThrottled, sum.Sent))
}

// state is what a rehearsal by one seed comes to, of so many operations that are due;
// tolerated says that the scenario's own checks judge what is throttled.
func (r *Rehearsal) state(tolerated bool, due float64) string {
	untold := false
	for i := range r.Checks {
		if r.Whole && r.Checks[i].Fails() {
			return results.DoesNotHold
		}
		untold = untold || !r.Checks[i].Told()
	}
	throttled := r.Throttled
	if !r.Whole && r.record.Manifest.Start == scenarios.StartCold {
		// Load balancing may relieve the rest, and then it is as much less of all.
		throttled *= float64(r.Operations) / max(due, 1)
	}
	switch {
	case throttled > mostThrottled && !tolerated:
		return results.DoesNotHold
	case untold, !r.Whole:
		return results.CannotTell
	default:
		return results.Holds
	}
}

// chancy reports whether another seed is to be asked, after so many attempts by all.
func (r *Rehearsal) chancy(attempts int64) bool {
	switch {
	case !r.Whole, r.split(), r.Least > surelyThrottled:
		return false
	case r.Seeds < usualSeeds:
		return r.Attempts < enoughAttempts || r.Throttled > 0 && r.Throttled < mostlyThrottled
	default:
		return attempts < fewAttempts
	}
}

// split reports whether seeds disagree.
func (r *Rehearsal) split() bool {
	return slices.ContainsFunc(r.states, func(one string) bool { return one != r.states[0] })
}

// State is what all seeds come to: nothing can be told where they disagree.
func (r *Rehearsal) State() string {
	if r.split() {
		return results.CannotTell
	}
	return r.states[0]
}

// tolerates reports whether the scenario's checks bound from above what is throttled where
// most of it is: how much of it there may be is then the user's word.
func tolerates(s *scenarios.Scenario, step, stage string) bool {
	judging := []string{"throttled", "throttled_per_second", "share_throttled_settled", "share_lost", "share_lost_settled"}
	there := func(name string) bool {
		only := slices.ContainsFunc(s.Phases, func(p scenarios.Phase) bool {
			return p.Name == stage && len(p.Operations()) == 1 && p.Operations()[0].Name == name
		})
		return name == "" || name == step || name == stage || only
	}
	for _, text := range s.Expect {
		claim, err := check.Parse(text)
		if err == nil && slices.ContainsFunc(claim.Capped(), func(f figure.Reference) bool {
			return slices.Contains(judging, f.Name) && there(f.Of) && (f.Phase == "" || there(f.Phase))
		}) {
			return true
		}
	}
	return false
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
		steps[p.Name], l.Throttled = true, max(l.Throttled, throttledIn(step.Sum(nil)))
		if len(p.Offered) == 0 || float64(p.Offered[0].Busiest) <= hottest.Value {
			continue
		}
		one, all := p.Offered[0], step.Sum(nil)
		hottest = Hottest{Rate: exactly(float64(one.Busiest)), PartitionKey: one.Key, Table: one.Table,
			Share: min(1, figure.ShareOf(one.Entities, all.Offered))}
	}
	if len(steps) == 0 {
		return
	}
	due, operations := int64(0), int64(0)
	for i := range r.record.Intervals {
		if row := &r.record.Intervals[i]; steps[row.Phase] {
			due, operations = max(due, row.Offered), max(operations, row.Scheduled)
		}
	}
	if hottest.Value > 0 {
		l.Hottest = hottest
	}
	l.Account, l.PerSecond = exactly(float64(due)*r.busiestAccount(steps)), float64(operations)
	l.perOperation(r, steps)
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

// perOperation has what operations count and send be what came of those that succeeded,
// where most did.
func (l *Load) perOperation(r *Rehearsal, steps map[string]bool) {
	for i := range l.Approaches {
		one := &l.Approaches[i]
		sum := r.record.Total(func(p *results.Phase, k results.Kind) bool { return steps[p.Name] && k.Name == one.Name })
		if sum.Scheduled == 0 || sum.Succeeded < sum.Scheduled {
			continue
		}
		one.Entities = figure.ShareOf(sum.Counted, sum.Succeeded)
		one.Requests = figure.ShareOf(sum.Attempts-sum.Retries, sum.Succeeded)
		one.AtLeast = false
	}
}

// failing returns the checks that fail, in words.
func (r *Rehearsal) failing() (list []string) {
	for i := range r.Checks {
		if one := &r.Checks[i]; one.Fails() {
			list = append(list, fmt.Sprintf("%s: %s", one.Expr, one.Said()))
		}
	}
	return list
}

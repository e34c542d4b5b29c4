package advise

import (
	"context"
	"slices"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// The limits of a rehearsal. There are more seeds for fewer attempts: chance has more influence there, and
// they cost little.
const (
	maxRehearsed = 4_000_000
	defaultSeeds = 3
	maxSeeds     = 7
	// Below fewAttempts of all seeds there are maxSeeds, below manyAttempts defaultSeeds.
	fewAttempts  = 50_000
	manyAttempts = 1_000_000
	// otherSeed is the distance between seeds.
	otherSeed = 0x9e3779b9
	// maxBytes limits the memory of a rehearsal: of a larger run only the first part is rehearsed.
	maxBytes = 1 << 30
)

// The shares of throttled first attempts: up to maxThrottled a load is sustained; above mostlyThrottled few
// other seeds sustain it, above surelyThrottled none.
const (
	maxThrottled    = results.MaxFirstThrottledShare
	mostlyThrottled = 0.05
	surelyThrottled = 0.2
)

// Rehearsal is a run of all operations of a design on the virtual clock, with the scenario's retries and
// its seed.
type Rehearsal struct {
	// Operations is the number of operations that became due, Attempts that of their requests.
	Operations int64 `json:"operations"`
	Attempts   int64 `json:"attempts"`
	// Whole is false if there are too many, and only the first were rehearsed.
	Whole bool `json:"whole"`
	// Phase is the phase with the largest share of throttled first attempts, or else of lost
	// operations. Throttled and Lost are these shares; Least and Most bound Throttled by seed.
	Phase     string  `json:"phase"`
	Throttled float64 `json:"share_throttled"`
	Lost      float64 `json:"share_lost"`
	Least     float64 `json:"share_throttled_least"`
	Most      float64 `json:"share_throttled_most"`
	Seeds     int     `json:"seeds"`
	// ThrottledBy is the number of attempts that each limit of the model throttled.
	ThrottledBy map[string]int64 `json:"throttled_by,omitempty"`
	// Checks are the scenario's own, by the first seed.
	Checks []results.Check `json:"checks"`

	// loads has the state of the load by seed, checks that of the checks, empty without checks.
	loads, checks []string
	// failing are the stages of the first seed that are not sustained.
	failing map[string]bool
	// doubtful reports that the state of some phase is unknown.
	doubtful bool
	// lineBound is the phase of an open loop whose attempts mostly wait for the client's line, empty for
	// none.
	lineBound string
	record    *results.Record
	// run is that of the first seed.
	run *run.Rehearsal
}

// needsSeed reports whether another seed may change the answer, after a number of attempts of all seeds.
func (r *Rehearsal) needsSeed(attempts int64) bool {
	needed := attempts < fewAttempts
	if r.Seeds < defaultSeeds {
		needed = r.Attempts < manyAttempts || r.Throttled > 0 && r.Throttled < mostlyThrottled
	}
	return needed && r.Whole && !r.isSplit() && r.Least <= surelyThrottled
}

// attemptLimit returns how many attempts of a design are rehearsed; due is the number of its operations.
func attemptLimit(s *scenarios.Scenario, due uint64) (int64, error) {
	plan := run.Plan{Scenario: s}
	bytes, err := plan.Footprint()
	if bytes > maxBytes {
		return max(1, min(maxRehearsed, int64(float64(due)*maxBytes/float64(bytes)))), err
	}
	return maxRehearsed, err
}

// rehearse runs a design on the virtual clock by one seed, for at most a number of attempts; due is the
// number of its operations. The error is that of a run.
func rehearse(ctx context.Context, s *scenarios.Scenario, due uint64, attempts int64) (*Rehearsal, error) {
	plan := run.Plan{Scenario: s}
	of, err := plan.Rehearse(ctx, attempts)
	if err != nil {
		return nil, err
	}
	all := of.Record.Counts(results.Reported)
	r := &Rehearsal{Operations: all.Scheduled, Attempts: all.Attempts, Whole: of.Whole, Seeds: 1, failing: make(map[string]bool),
		Checks: of.Record.Summary.Checks, ThrottledBy: of.ThrottledBy, record: of.Record, run: of}
	for i, step := range figure.Reported(of.Record) {
		sum := step.Sum(nil)
		// In a part of a run, operations are lost that ended without success.
		gone := sum.Operations - sum.Succeeded - sum.Cut
		if of.Whole {
			gone = sum.Scheduled - sum.Succeeded
		}
		throttled, lost := figure.ShareOf(sum.FirstThrottled, sum.Sent), figure.ShareOf(gone, sum.Scheduled)
		stage, holds := step.Phase.Stage, of.Record.Summary.Phases[i].Holds
		fails := throttled > maxThrottled || lost > 0
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
			r.lineBound = step.Phase.Stage
		}
	}
	r.Least, r.Most = r.Throttled, r.Throttled
	r.loads, r.checks = []string{r.load(float64(due))}, r.judgeChecks()
	return r, nil
}

// load returns whether one seed sustains the load of a number of operations that are due. If only a part
// was rehearsed on a cold table, load balancing may relieve the rest: throttling then counts as a share
// of all operations.
func (r *Rehearsal) load(due float64) string {
	relieved := !r.Whole && r.record.Manifest.Start == scenarios.StartCold && r.Throttled*float64(r.Operations)/max(due, 1) <= maxThrottled
	switch {
	case len(r.failing) > 0 && !relieved:
		return results.DoesNotHold
	case !r.Whole, r.doubtful:
		return results.CannotTell
	default:
		return results.Holds
	}
}

// judgeChecks returns the state of the scenario's own checks by one seed, nil without checks.
func (r *Rehearsal) judgeChecks() []string {
	held, judged := results.HeldOf(r.Checks)
	switch {
	case len(r.Checks) == 0:
		return nil
	case !r.Whole:
		return []string{results.CannotTell}
	case held < judged:
		return []string{results.DoesNotHold}
	case judged < len(r.Checks):
		return []string{results.CannotTell}
	default:
		return []string{results.Holds}
	}
}

// isSplit reports whether seeds disagree about the load or the checks.
func (r *Rehearsal) isSplit() bool { return differ(r.loads) || differ(r.checks) }

func differ(states []string) bool {
	return slices.ContainsFunc(states, func(one string) bool { return one != states[0] })
}

// State returns whether the model sustains the load, which is unknown if seeds disagree.
func (r *Rehearsal) State() string { return commonState(r.loads) }

// checkState returns the state of the scenario's own checks, empty without checks.
func (r *Rehearsal) checkState() string { return commonState(r.checks) }

func commonState(states []string) string {
	switch {
	case len(states) == 0:
		return ""
	case differ(states):
		return results.CannotTell
	default:
		return states[0]
	}
}

// busiestAccount returns the share of the load of the busiest account.
func (r *Rehearsal) busiestAccount(steps []string) float64 {
	most := 0.0
	for i := range r.record.Phases {
		p := &r.record.Phases[i]
		if at, several := p.Busiest(); several && slices.Contains(steps, p.Name) {
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

// mainLimit returns the limit that throttled most, empty for none.
func (r *Rehearsal) mainLimit() (limit string) {
	for name, n := range r.ThrottledBy {
		if best := r.ThrottledBy[limit]; n > best || n == best && name < limit {
			limit = name
		}
	}
	return limit
}

// limitPartition is the name of the limit of a partition's target.
const limitPartition = "partition busy"

// isElsewhere reports whether most was throttled by a limit that is neither a partition's target nor the
// account's.
func (r *Rehearsal) isElsewhere() bool {
	limit := r.mainLimit()
	return r.Throttled > maxThrottled && limit != limitPartition && limit != "account busy"
}

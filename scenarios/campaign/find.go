package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
)

// Find says that a campaign is to look for the highest rate at which the first of
// its phases that offers load can do so, and what holding a rate means.
type Find struct {
	// Of is results.LimitPartition, for one partition, or results.LimitAccount,
	// for all partitions of the scenario in turn.
	Of string
	// MaxRefused is the greatest share of a step's first attempts that may be
	// refused, or fail otherwise: 0 to below 1.
	MaxRefused float64
	// MaxP99 is the greatest response time that may be exceeded by a hundredth of a
	// step's successes; 0 asks nothing of it.
	MaxP99 time.Duration
	// From is the first rate, UpTo the highest that is tried, in operations per
	// second.
	From, UpTo float64
	// Step is the least length of a step. Steps of less than 1,100 operations last
	// longer, so that a share or a quantile does not rest on a few of them.
	Step time.Duration
	// Burst is how much of a second's allowance the target saves up while idle, 0
	// where that is not known. It is for the record.
	Burst time.Duration
}

// The bounds of a step's length.
const (
	ShortestStep = 2 * time.Second
	LongestStep  = time.Hour
)

// ErrFind is wrapped where a search has no load to try rates with.
var ErrFind = errors.New("drive: impossible search")

// Validate returns all that is wrong with the search, each a [scenarios.Fault] with the
// field that it concerns; nil where nothing is.
func (f *Find) Validate() []error {
	var faults []error
	add := func(field, format string, values ...any) {
		faults = append(faults, fields.Fault{Path: field, What: fmt.Sprintf(format, values...)})
	}
	if f.Of != results.LimitPartition && f.Of != results.LimitAccount {
		add("find-limit", "expected %s or %s", results.LimitPartition, results.LimitAccount)
	}
	if !(f.MaxRefused >= 0 && f.MaxRefused < 1) {
		add("max-refused", "expected 0 or more and less than 1")
	}
	if f.MaxP99 < 0 || f.MaxP99 > time.Hour {
		add("max-p99", "expected more than 0 and at most 1h, or 0 for none")
	}
	if !(f.From >= LowestRate && f.From <= HighestRate) {
		add("from", "expected operations/s from %v to %v", LowestRate, HighestRate)
	}
	if !(f.UpTo >= f.From && f.UpTo <= HighestRate) {
		add("up-to", "expected at least the first one, %v, and at most %v", f.From, HighestRate)
	}
	if f.Step < ShortestStep || f.Step > LongestStep {
		add("step", "expected %v to %v", ShortestStep, LongestStep)
	}
	return faults
}

// fewestOperations leaves ten of a hundredth beyond a p99, and some to be refused.
const fewestOperations = 1100

// length returns how long the step at a rate lasts, in whole seconds unless Step
// is not.
func (f *Find) length(rate float64) time.Duration {
	enough := time.Duration(math.Ceil(fewestOperations/rate)) * time.Second
	return max(f.Step, enough)
}

// between is how long a step waits before its load begins: what the step before
// left behind has then gone.
const between = 2 * time.Second

// paused is a schedule that begins after a pause.
type paused struct {
	arrival.Schedule
	pause time.Duration
}

var _ arrival.Schedule = paused{}

// At implements arrival.Schedule.
func (p paused) At(n uint64) time.Duration { return p.pause + p.Schedule.At(n) }

// Rate implements arrival.Schedule.
func (p paused) Rate(at time.Duration) float64 { return p.Schedule.Rate(at - p.pause) }

// Length implements arrival.Schedule.
func (p paused) Length() time.Duration { return p.pause + p.Schedule.Length() }

// findIn carries out a phase that offers load: the first of them is searched, the
// others left out.
func (c *Campaign) findIn(ctx context.Context, phase int) error {
	if first, any := findPhase(c.Scenario); !any || phase != first {
		return nil
	}
	return c.find(ctx, phase)
}

// find looks for the highest rate that a phase's operations can be offered at. The
// record holds what the search has come to after each step.
func (c *Campaign) find(ctx context.Context, phase int) error {
	over, err := c.findOver(phase)
	if err != nil {
		return err
	}
	limit := c.Find.record(len(over))
	finder := NewFinder(c.Find.From, c.Find.UpTo)
	for {
		rate, more := finder.Next()
		if !more {
			return nil
		}
		step, err := c.try(ctx, phase, len(limit.Steps)+1, rate, over)
		limit.Entities += step.Entities
		if err == nil {
			step.Outcome = c.Find.outcome(step)
			finder.Tell(step.Outcome)
			limit.Steps = append(limit.Steps, *step)
			answer(limit, finder.Answer())
		}
		c.ledger.Recorder.Limit(limit)
		if err != nil {
			return err
		}
	}
}

// tryGrace is how long the retries of a step may go on after it.
const tryGrace = 5 * time.Second

// try offers one rate for a step and returns what came of it, without its outcome.
func (c *Campaign) try(ctx context.Context, phase, number int, rate float64, over []settlement) (*results.LimitStep, error) {
	length := c.Find.length(rate)
	steps, err := arrival.NewSteps(arrival.Step{Rate: rate, Length: length})
	if err != nil {
		return &results.LimitStep{}, err
	}
	name := fmt.Sprintf("limit %d", number)
	schedule := arrival.NewJittered(steps, clock.NewStream(c.Scenario.Seed, "arrivals/"+name))
	phases := stepPhases(name+":", []arrival.Step{{Rate: rate, Length: length}}, 1)
	phases[0].Begin, phases[0].End = between, between+length
	stage := &drive.Stage{
		Name: name, Schedule: paused{schedule, between},
		Retry: c.policy, Grace: tryGrace, WholeSecond: true, Phases: phases,
	}
	if err := c.offerMix(stage, phase, over); err != nil {
		return &results.LimitStep{}, err
	}
	c.fresh += stage.Due() * stride(c.Scenario.Phases[phase].Operations())
	gauge := new(gauge)
	observers := c.ledger.Observers
	c.ledger.Observers = append(observers[:len(observers):len(observers)], gauge)
	err = c.run(ctx, stage)
	c.ledger.Observers = observers
	return gauge.step(phases[0].Name, rate, length, int64(stage.Due())), err
}

// record returns the search as it begins.
func (f *Find) record(partitions int) *results.Limit {
	limit := &results.Limit{Of: f.Of, Partitions: partitions, MaxRefused: f.MaxRefused, From: f.From, UpTo: f.UpTo,
		StepSeconds: f.Step.Seconds(), BurstSeconds: f.Burst.Seconds(), Steps: []results.LimitStep{}}
	if f.MaxP99 > 0 {
		micros := f.MaxP99.Microseconds()
		limit.MaxP99 = &micros
	}
	return limit
}

// answer enters what a search has come to.
func answer(limit *results.Limit, a Answer) {
	limit.Held, limit.NotHeld, limit.By, limit.Finished = nil, nil, a.By, a.Finished
	if a.Held > 0 {
		limit.Held = &a.Held
	}
	if a.NotHeld > 0 {
		limit.NotHeld = &a.NotHeld
	}
}

func (f *Find) outcome(s *results.LimitStep) string {
	slow := f.MaxP99 > 0 && (s.P99 == nil || *s.P99 > f.MaxP99.Microseconds())
	switch {
	case s.Dropped > 0 || float64(s.HeldBack) > results.MostHeldBack*float64(s.Scheduled-s.Dropped):
		return results.LimitClient
	case s.RefusedShare > f.MaxRefused:
		return results.LimitRefused
	case s.FailedShare > f.MaxRefused:
		return results.LimitFailed
	case slow:
		return results.LimitP99
	default:
		return results.LimitHeld
	}
}

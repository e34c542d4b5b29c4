package drive

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
)

// peakGrace is how long the retries of a peak may go on after its schedule.
const peakGrace = 5 * time.Second

// peakSteps returns the steps of a peak. The hold step, if it has one, lasts as
// long as a step, and long enough for every retry of the step before to meet the
// same load: where a policy waits for minutes, so does the hold.
func (c *Campaign) peakSteps(p *scenarios.Peak) []arrival.Step {
	var steps []arrival.Step
	for _, rate := range p.Rates {
		steps = append(steps, arrival.Step{Rate: rate, Length: p.Each})
	}
	if p.Hold {
		waits := c.policy.LongestWait().Truncate(time.Second) + 2*time.Second
		if c.policy.Retries == 0 {
			waits = 0
		}
		steps = append(steps, arrival.Step{Rate: p.Rates[len(p.Rates)-1], Length: max(p.Each, waits)})
	}
	return steps
}

// stride is how many entity numbers each of some operations may use.
func stride(operations []scenarios.OperationSpec) uint64 {
	most := 1
	for i := range operations {
		most = max(most, operations[i].Entities)
	}
	return uint64(most)
}

// peak offers a peak to its partition.
func (c *Campaign) peak(ctx context.Context, phase int) error {
	stage, err := c.peakStage(phase)
	if err != nil {
		return err
	}
	c.fresh += stage.count() * stride(c.Scenario.Phases[phase].Peak.Operations)
	return c.run(ctx, stage)
}

// peakStage returns the stage of a peak.
func (c *Campaign) peakStage(phase int) (*Stage, error) {
	spec := c.Scenario.Phases[phase].Peak
	list := c.peakSteps(spec)
	steps, err := arrival.NewSteps(list...)
	if err != nil {
		return nil, err
	}
	name := c.Scenario.Phases[phase].Name
	schedule := arrival.NewJittered(steps, clock.NewStream(c.Scenario.Seed, "arrivals/"+name))
	members := c.generator.Members(spec.PartitionKey, c.Scenario.Loaded(phase))
	if len(members) == 0 {
		return nil, fmt.Errorf("%w: no entity was loaded into partition %q", ErrPreparation, spec.PartitionKey)
	}
	mix, err := c.newMix(phase, settlement{members[0], members})
	if err != nil {
		return nil, err
	}
	mix.phaseOf = steps.StepOf
	return &Stage{
		Name: name, Schedule: schedule, Build: mix.work, Outline: mix.outline,
		Retry: c.policy, Grace: peakGrace, WholeSecond: true,
		Phases: peakPhases(name, list, len(spec.Rates)),
	}, nil
}

// peakPhases returns the steps of a peak as parts of the record, of which the
// first are reported.
func peakPhases(name string, steps []arrival.Step, reported int) []results.Phase {
	var phases []results.Phase
	seen := make(map[string]int)
	var begin time.Duration
	for i, step := range steps {
		phase := results.Phase{Begin: begin, End: begin + step.Length, Rate: step.Rate, Reported: i < reported}
		begin = phase.End
		phase.Name = name + " " + strconv.FormatFloat(step.Rate, 'f', -1, 64) + "/s"
		if !phase.Reported {
			phase.Name += " (hold)"
		}
		seen[phase.Name]++
		if again := seen[phase.Name]; again > 1 {
			phase.Name += fmt.Sprintf(" #%d", again)
		}
		phases = append(phases, phase)
	}
	return phases
}

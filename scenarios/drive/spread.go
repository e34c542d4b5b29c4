package drive

import (
	"context"
	"fmt"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
)

// spread offers load to several partitions at once.
func (c *Campaign) spread(ctx context.Context, phase int) error {
	stage, err := c.spreadStage(phase)
	if err != nil {
		return err
	}
	c.fresh += stage.count() * stride(c.Scenario.Phases[phase].Spread.Operations)
	return c.run(ctx, stage)
}

// spreadStage returns the stage of a spread.
func (c *Campaign) spreadStage(phase int) (*Stage, error) {
	spec, name := c.Scenario.Phases[phase].Spread, c.Scenario.Phases[phase].Name
	partitions, err := c.spreadOver(phase)
	if err != nil {
		return nil, err
	}
	mix, err := c.newMix(phase, partitions...)
	if err != nil {
		return nil, err
	}
	mix.homeOf = newTurns(len(partitions), clock.NewStream(c.Scenario.Seed, "partitions/"+name)).at
	mix.prepare()
	stage := &Stage{
		Name: name, Build: mix.work, Outline: mix.outline, Retry: c.policy, Grace: peakGrace, WholeSecond: true,
		Phases: []results.Phase{{Name: name, End: spec.For, Reported: true}},
	}
	if spec.Clients > 0 {
		stage.Lanes, stage.Count, stage.For = spec.Clients, mostThoughts(spec.Clients, spec.Think, spec.For), spec.For
		stage.Think = thinking(spec.Think, clock.NewStream(c.Scenario.Seed, "think/"+name))
	} else {
		rate := spec.Rate * float64(len(partitions))
		steps, err := arrival.NewSteps(arrival.Step{Rate: rate, Length: spec.For})
		if err != nil {
			return nil, err
		}
		stage.Schedule = arrival.NewJittered(steps, clock.NewStream(c.Scenario.Seed, "arrivals/"+name))
		stage.Phases[0].Rate = rate
	}
	return stage, nil
}

// spreadOver returns for each partition of a spread or traffic the entities that are worked
// on: those that were loaded into it, or some that are numbered on where nothing
// was loaded at all.
func (c *Campaign) spreadOver(phase int) ([]settlement, error) {
	entities, loaded := c.Scenario.Phases[phase].Entities(), c.Scenario.Loaded(phase)
	witnesses, err := c.Scenario.Witnesses(phase)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPreparation, err)
	}
	partitions := make([]settlement, len(witnesses))
	if loaded == 0 {
		// Entities of one number differ from partition to partition.
		numbers := make([]uint64, entities)
		for n := range numbers {
			numbers[n] = c.fresh + uint64(n)
		}
		for i, witness := range witnesses {
			partitions[i] = settlement{witness, numbers}
		}
		c.fresh += uint64(entities)
		return partitions, nil
	}
	index := make(map[string]int)
	for i, witness := range witnesses {
		partitions[i].witness = witness
		index[c.generator.PartitionKey(witness)] = i
	}
	for n := range loaded {
		if i, one := index[c.generator.PartitionKey(n)]; one {
			partitions[i].members = append(partitions[i].members, n)
		}
	}
	return partitions, nil
}

// thinking returns how long a lane pauses after an operation: from half of the
// mean to half more than that, so that lanes do not stay in step.
func thinking(mean time.Duration, chance clock.Stream) func(uint64) time.Duration {
	return func(k uint64) time.Duration {
		draw := chance.At(k)
		return mean/2 + time.Duration(draw.Float64()*float64(mean))
	}
}

// mostThoughts is how many operations a closed loop can have: those of clients
// that are answered at once and always pause for the shortest time.
func mostThoughts(clients int, think, length time.Duration) uint64 {
	return uint64(clients) * (uint64(length/(think/2)) + 2)
}

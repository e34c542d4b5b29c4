package drive

import (
	"fmt"
	"time"

	"loadgen/engine/clock"
)

// spreadOver returns for each partition that a phase offers to the entities that are
// worked on: those that were loaded into it, or some that are numbered on where nothing
// was loaded at all.
func (c *Campaign) spreadOver(phase int) ([]settlement, error) {
	entities, loaded := c.Scenario.Phases[phase].Offered().Entities, c.Scenario.Loaded(phase)
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

package campaign

import (
	"fmt"
	"strconv"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
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

// ladder returns the steps of traffic at one rate after another, nil where it has none.
// A step that holds the last rate lasts as long as a step, and long enough for every
// retry of the step before to meet the same load: where a policy waits for minutes, so
// does the hold.
func (c *Campaign) ladder(t *scenarios.Traffic) []arrival.Step {
	steps := t.Ladder()
	if len(steps) > 0 && t.Arrivals.Steps.Hold {
		waits := c.policy.LongestWait().Truncate(time.Second) + 2*time.Second
		if c.policy.Retries == 0 {
			waits = 0
		}
		last := steps[len(steps)-1]
		steps = append(steps, arrival.Step{Rate: last.Rate, Length: max(last.Length, waits)})
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

// stepPhases returns steps as parts of the record, of which the
// first are reported.
func stepPhases(name string, steps []arrival.Step, reported int) []results.Phase {
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

// turns decides which of several partitions an operation goes to: of as many
// operations as there are partitions, one each, in an order that is drawn anew
// for every such round. A partition's rate is thus exact, and no two follow one
// another for long. It is a pure function of the operation's number.
type turns struct {
	partitions uint64
	// strides are the steps by which a round can go about and meet each partition
	// once.
	strides []uint64
	chance  clock.Stream
}

// newTurns returns the turns of so many partitions, one at least.
func newTurns(partitions int, chance clock.Stream) *turns {
	t := &turns{partitions: uint64(partitions), chance: chance}
	const most = 1024
	for stride := uint64(1); stride <= t.partitions && len(t.strides) < most; stride++ {
		if coprime(stride, t.partitions) {
			t.strides = append(t.strides, stride)
		}
	}
	return t
}

func (t *turns) at(k uint64) int {
	round, turn := k/t.partitions, k%t.partitions
	draw := t.chance.At(round)
	first := uint64(draw.IntN(int(t.partitions)))
	stride := t.strides[draw.IntN(len(t.strides))]
	return int((first + turn*stride) % t.partitions)
}

func coprime(a, b uint64) bool {
	for b > 0 {
		a, b = b, a%b
	}
	return a == 1
}

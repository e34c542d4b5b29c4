package drive

import (
	"fmt"
	"strconv"
	"time"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
)

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

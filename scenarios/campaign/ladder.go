package campaign

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
)

// ladder returns the steps of traffic at one rate after another, nil where it has none.
// A step that holds the last rate lasts as long as a step, and long enough for every
// retry of the step before to meet the same load: where a policy waits for minutes, so
// does the hold.
func (c *Campaign) ladder(t *scenarios.Traffic) []arrival.Step {
	steps := t.Ladder()
	if len(steps) > 0 && t.Arrivals.Steps.Hold {
		waits, retries := c.patience.LongestWait()
		if waits = waits.Truncate(time.Second) + 2*time.Second; !retries {
			waits = 0
		}
		last := steps[len(steps)-1]
		steps = append(steps, arrival.Step{Rate: last.Rate, Length: max(last.Length, waits)})
	}
	return steps
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

// offerPeak offers a phase. If one of its steps has the rate of which it is asked whether
// it holds, and the generator did not send that in time, the step answers nothing and is
// offered once more, behind the others.
func (c *Campaign) offerPeak(ctx context.Context, d *dry) error {
	var step *results.Phase // the last that is reported at the rate that was asked for
	for i := range d.stage.Phases {
		if one := &d.stage.Phases[i]; c.Peak > 0 && one.Reported && !one.Varying && one.Rate == c.Peak {
			step = one
		}
	}
	again := c.again(d)
	if step == nil || again == nil {
		return c.run(ctx, d.stage)
	}
	due := func(at time.Duration) uint64 { return c.number + dueBefore(d.stage.Schedule, at) }
	sent := &dispatch{from: due(step.Begin), to: due(step.End), seconds: make(map[time.Duration]*[2]int64)}
	if err := c.observed(ctx, d.stage, sent); err != nil {
		return err
	}
	// The stage is over, and nobody tells what is sent any more. It was in time if all were sent, and in all but few seconds all but a hundredth soon enough.
	// What came later was another load, of which neither a success nor a refusal tells whether the
	// rate holds.
	late := 0
	for _, second := range sent.seconds {
		if float64(second[1]) > results.MostHeldBack*float64(second[0]) {
			late++
		}
	}
	if sent.sent == sent.to-sent.from && float64(late) <= results.MostSecondsHeldBack*float64(len(sent.seconds)) {
		return nil
	}
	if err := c.furnish(again); err != nil {
		return err
	}
	for i := range again.stage.Phases {
		again.stage.Phases[i].Name += " #2"
	}
	c.fresh += again.stage.Due() * stride(again.Operations)
	return c.run(ctx, again.stage)
}

// again is a second try of a phase's step at the rate that was asked for, nil where it has
// none.
func (c *Campaign) again(d *dry) *dry {
	asked := func(step arrival.Step) bool { return c.Peak > 0 && step.Rate == c.Peak }
	if d.stage == nil || d.Events() || !slices.ContainsFunc(d.Ladder(), asked) {
		return nil
	}
	t := d.Traffic
	alone, arrivals, steps := *t, *t.Arrivals, *t.Arrivals.Steps
	alone.Arrivals, arrivals.Steps, alone.WarmUp = &arrivals, &steps, 0
	for _, one := range t.Arrivals.Steps.Rates {
		if t.PerSecond(one) == c.Peak {
			steps.Rates = []float64{one}
		}
	}
	again, err := c.dryOf(d.phase, &alone)
	if err != nil {
		return nil
	}
	return again
}

// dispatch watches whether the operations of a step are sent when they are due. It is safe
// for concurrent use.
type dispatch struct {
	// from and to are the run's numbers of the first operation of the step and of the one
	// behind its last.
	from, to uint64

	mu   sync.Mutex
	sent uint64
	// seconds are those in which operations were due: how many were sent, and how many of
	// them more than results.HeldBackAfter later.
	seconds map[time.Duration]*[2]int64
}

var _ drive.Observer = (*dispatch)(nil)

// Attempt implements [drive.Observer].
func (s *dispatch) Attempt(a *results.Attempt) {
	if a.Try > 0 || a.Number < s.from || a.Number >= s.to {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
	second := a.Intended.Truncate(time.Second)
	if s.seconds[second] == nil {
		s.seconds[second] = new([2]int64)
	}
	s.seconds[second][0]++
	if a.HeldBack() {
		s.seconds[second][1]++
	}
}

// Completed implements [drive.Observer]: how an operation ends says nothing of when it was
// sent.
func (s *dispatch) Completed(*results.Completed) {}

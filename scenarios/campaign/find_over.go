package campaign

import (
	"fmt"
	"math"
	"sync"
	"time"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// findPhase returns the phase whose operations a search offers, the first that has
// some, and false where the scenario has none.
func findPhase(s *scenarios.Scenario) (int, bool) {
	for i := range s.Phases {
		if len(s.Phases[i].Operations()) > 0 {
			return i, true
		}
	}
	return 0, false
}

// FindOver returns the PartitionKeys that a campaign's search spreads its load
// over, one or more. Its error wraps [ErrFind] or [ErrPreparation].
func (c *Campaign) FindOver() ([]string, error) {
	phase, any := findPhase(c.Scenario)
	if !any {
		return nil, fmt.Errorf("%w: the scenario %s has no phase whose operations could be offered",
			ErrFind, c.Scenario.Name)
	}
	fresh := c.fresh
	over, err := c.findOver(phase)
	c.fresh = fresh
	if err != nil {
		return nil, err
	}
	var partitions []string
	for _, one := range over {
		partitions = append(partitions, c.generator.PartitionKey(one.witness))
	}
	return partitions, nil
}

// findOver returns the partitions that a search spreads its load over: the one
// that the phase is aimed at, or for an account all that the scenario has.
func (c *Campaign) findOver(phase int) ([]settlement, error) {
	if one := &c.Scenario.Phases[phase]; one.Traffic.Events() {
		return nil, fmt.Errorf("%w: the phase %s has no partitions: its design determines them; "+
			"expected partitions, such as phases.%s.partitions=all", ErrFind, one.Name, one.Name)
	}
	if c.Find.Of == results.LimitAccount && c.Scenario.Phases[phase].Form == scenarios.FormPeak && c.Scenario.Loaded(phase) > 0 {
		over := partitionsFrom(c.generator, 0, c.Scenario.Loaded(phase))
		return over[:min(len(over), mostPartitions)], nil
	}
	over, err := c.spreadOver(phase)
	if err == nil && c.Find.Of == results.LimitPartition {
		over = over[:1]
	}
	return over, err
}

// mostPartitions bounds how many partitions a search spreads its load over.
const mostPartitions = 10_000

// usualSteps is how many steps of the highest rate a search amounts to at most
// unless chance contradicts it: doubling comes to two, bisection to seven, and
// both ends are tried once more.
const usualSteps = 2 + 7 + 2

// amount returns how many operations so many steps at the highest rate have, with those
// that drain the target before each.
func (f *Find) amount(steps float64) float64 {
	first := f.drained(f.UpTo)
	return steps * (max(f.UpTo*f.Step.Seconds(), 2*fewestOperations) + math.Ceil(first.Rate*first.Length.Seconds()))
}

// lasts returns how long a search lasts at most unless chance contradicts it.
func (f *Find) lasts() time.Duration {
	steps := math.Ceil(math.Log2(f.UpTo/f.From)) + usualSteps
	return time.Duration(steps * float64(between+f.drained(f.From).Length+f.length(f.From)))
}

// footprintFind adds the memory of a search in a phase: operations at its maximum rate, the
// inserts of its usual steps, and the histograms of all steps.
func (c *Campaign) footprintFind(f *Footprint, d *dry, data bool) {
	first := c.Find.drained(c.Find.UpTo)
	length := first.Length + c.Find.length(c.Find.UpTo)
	w := flow{counts: make([]float64, waitBins), step: max(1, length/waitBins), entities: 1, service: quickAnswer}
	for i := range w.counts {
		rate := c.Find.UpTo
		if time.Duration(i)*w.step < first.Length {
			rate = first.Rate
		}
		w.counts[i] = rate * w.step.Seconds()
	}
	r := c.waitsOf(d, &w, c.policies(d))
	f.Waiting = max(f.Waiting, c.sessionBytes(d, &r))
	f.Record = addUp(f.Record, times(2*usualSteps*histogramsEach*int64(len(d.Operations)), histogramBytes))
	if !data {
		return
	}
	stored := c.Find.amount(usualSteps) * meanInserts(d.Operations) * float64(c.stored())
	f.Entities = addUp(f.Entities, clampBytes(stored+c.upserted(d)*float64(c.upsertedBytes(d))))
}

// meanInserts returns how many entities an operation of a mix inserts on the
// average.
func meanInserts(list []scenarios.OperationSpec) float64 {
	return meanEntities(list, (*scenarios.OperationSpec).Inserts)
}

// meanEntities returns how many entities an operation of a mix has on the average, of those
// that count.
func meanEntities(list []scenarios.OperationSpec, counts func(*scenarios.OperationSpec) bool) float64 {
	sum, all := 0.0, weights(list)
	for i := range list {
		if counts(&list[i]) {
			sum += float64(list[i].Weight) * float64(max(1, list[i].Entities))
		}
	}
	return sum / all
}

// weights returns the sum of the weights of operations, 1 at least.
func weights(list []scenarios.OperationSpec) float64 {
	sum := 0
	for i := range list {
		sum += list[i].Weight
	}
	return float64(max(1, sum))
}

// Measured is what one process measured of a step of a search, or several together.
type Measured struct {
	// Scheduled operations were due, of which Ended did; the others were dropped.
	Scheduled int64 `json:"scheduled"`
	Ended     int64 `json:"ended"`
	// First counts first attempts; Throttled, Failed and HeldBack of them were so.
	First     int64 `json:"first_attempts"`
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
	HeldBack  int64 `json:"over_100_ms_late"`
	// Counted are entities by the documented rule, of what drained the target before the step,
	// too; Due those that were to be touched by the operations that ended.
	Counted int64 `json:"entities_counted"`
	Due     int64 `json:"entities_due"`
	// QueueGrowth is the growth of the queue in front of the target during the step, Answered the
	// number of operations that succeeded during it, ServiceMicros the sum of the service times of
	// first attempts.
	QueueGrowth   int64 `json:"queue_growth"`
	Answered      int64 `json:"answered"`
	ServiceMicros int64 `json:"service_us"`
	// Response is of the operations that succeeded.
	Response results.Histogram `json:"response"`
}

// Validate reports a count that cannot be, of another process.
func (m *Measured) Validate() error {
	const most = 1_000_000_000_000_000
	for name, n := range map[string]int64{"scheduled": m.Scheduled, "ended": m.Ended, "first_attempts": m.First, "throttled": m.Throttled, "failed": m.Failed,
		"over_100_ms_late": m.HeldBack, "entities_counted": m.Counted, "entities_due": m.Due, "answered": m.Answered, "service_us": m.ServiceMicros} {
		if n < 0 || n > most {
			return fmt.Errorf("%s: %d; expected 0 to %d", name, n, int64(most))
		}
	}
	if m.QueueGrowth < -most || m.QueueGrowth > most {
		return fmt.Errorf("queue_growth: %d; expected at most %d", m.QueueGrowth, int64(most))
	}
	return nil
}

// Add adds what another process measured of the same step.
func (m *Measured) Add(more *Measured) {
	results.AddTimes(m, more, 1)
	m.Response.Merge(&more.Response)
}

// gauge measures one step of a search, as an observer of all that happens while
// it lasts. It is safe for concurrent use.
type gauge struct {
	mu sync.Mutex
	// from is the number of the first operation of the step; the ones before it drain the
	// target's allowance. The step begins when that operation is due.
	from   uint64
	begin  time.Duration
	begun  bool
	length time.Duration
	// waiting has the change of the queue in each tick, answered the number of operations that
	// succeeded in it.
	waiting, answered map[int64]int64
	Measured
}

// tick is the resolution in time of a gauge.
const tick = 50 * time.Millisecond

var _ drive.Observer = (*gauge)(nil)

// Attempt implements [drive.Observer].
func (g *gauge) Attempt(a *results.Attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.Counted += a.Counted
	if a.Try > 0 {
		return
	}
	g.waiting[int64(a.Intended/tick)]++
	g.waiting[int64(a.Done/tick)]--
	if a.Number < g.from {
		return
	}
	if !g.begun || a.Intended < g.begin {
		g.begun, g.begin = true, a.Intended
	}
	g.First++
	g.ServiceMicros += (a.Done - a.Sent).Microseconds()
	switch {
	case results.Refused(a.Class, a.Status):
		g.Throttled++
	case a.Class == results.Failed:
		g.Failed++
	}
	if a.HeldBack() {
		g.HeldBack++
	}
}

// Completed implements [drive.Observer].
func (g *gauge) Completed(c *results.Completed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.Class == results.Ok {
		g.answered[int64(c.Done/tick)]++
	}
	if c.Number < g.from {
		return
	}
	g.Ended++
	g.Due += c.Entities
	if c.Class == results.Ok {
		g.Response.Record(c.Done - c.Intended)
	}
}

// settlingTime is how long the number of attempts in flight takes to settle at a new rate.
const settlingTime = time.Second

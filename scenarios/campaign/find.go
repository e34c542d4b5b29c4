package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
)

// Find is a search for the highest rate that holds, in the first phase that offers load.
type Find struct {
	// Of is results.LimitPartition for one partition, or results.LimitAccount for all partitions of
	// the scenario in turn.
	Of string
	// MaxThrottled is the maximum share of a step's first attempts that is throttled, and that
	// fails otherwise, if the rate holds: 0 to below 1.
	MaxThrottled float64
	// MaxP99 is the maximum p99 of a step's response times, 0 for none.
	MaxP99 time.Duration
	// From is the first rate, UpTo the highest that is tried, in operations per second.
	From, UpTo float64
	// Step is the minimum length of a step. A step lasts longer if it would have fewer than 1,100
	// operations: shares and quantiles need that many.
	Step time.Duration
	// Burst is the part of a second's allowance that the target saves up while idle, 0 if unknown.
	// It is for the record.
	Burst time.Duration
}

// The bounds of a step's length.
const (
	ShortestStep = 2 * time.Second
	MaxStep      = time.Hour
)

// ErrFind is wrapped if a search has no load to try rates with.
var ErrFind = errors.New("--find-limit cannot search this scenario")

// Validate returns all faults of the search, each a [loadgen/scenarios/fields.Fault] with its
// field.
func (f *Find) Validate() []error {
	var faults []error
	for _, rule := range []struct {
		holds       bool
		field, what string
	}{
		{f.Of == results.LimitPartition || f.Of == results.LimitAccount, "", "expected " + results.LimitPartition + " or " + results.LimitAccount},
		{f.MaxThrottled >= 0 && f.MaxThrottled < 1, ".throttled", "throttled: expected 0 or more and less than 1"},
		{f.MaxP99 >= 0 && f.MaxP99 <= time.Hour, ".p99", "p99: expected more than 0 and at most 1h, or 0 for none"},
		{f.From >= LowestRate && f.From <= HighestRate, ".from", fmt.Sprintf("from is %v; expected operations/s from %v to %v", f.From, LowestRate, HighestRate)},
		{f.UpTo >= f.From && f.UpTo <= HighestRate, ".to", fmt.Sprintf("to is %v; expected at least the first rate, %v, and at most %v", f.UpTo, f.From, HighestRate)},
		{f.Step >= ShortestStep && f.Step <= MaxStep, ".step", fmt.Sprintf("step is %v; expected %v to %v", f.Step, ShortestStep, MaxStep)},
	} {
		if !rule.holds {
			faults = append(faults, fields.Fault{Path: "find-limit" + rule.field, What: rule.what})
		}
	}
	return faults
}

// minOperations leaves ten operations above a p99.
const minOperations = 1100

// length returns the length of the step at a rate, in whole seconds unless Step is not.
func (f *Find) length(rate float64) time.Duration {
	enough := time.Duration(math.Ceil(minOperations/rate)) * time.Second
	return max(f.Step, enough)
}

// stepPause is the pause before a step, in which the load of the step before ends.
const stepPause = 2 * time.Second

// drainLength is how long each step is preceded by a higher rate, drainFactor times its own. It uses up
// what an idle target has saved, a quarter of a second's allowance, which could otherwise carry a
// rate above the limit through a short step.
const (
	drainLength = 500 * time.Millisecond
	drainFactor = 1.5
)

// drainStep returns the load that drains the target before the step at a rate. Its length is 0 in a
// search with a maximum response time: a target that queues would answer late because of it.
func (f *Find) drainStep(rate float64) arrival.Step {
	if f.MaxP99 > 0 {
		return arrival.Step{Rate: rate}
	}
	return arrival.Step{Rate: min(drainFactor*rate, arrival.MaxRate), Length: drainLength}
}

// paused is a schedule that begins after a pause.
type paused struct {
	arrival.Schedule
	pause time.Duration
}

var _ arrival.Schedule = paused{}

// DueTime implements arrival.Schedule.
func (p paused) DueTime(n uint64) time.Duration { return p.pause + p.Schedule.DueTime(n) }

// Rate implements arrival.Schedule.
func (p paused) Rate(at time.Duration) float64 { return p.Schedule.Rate(at - p.pause) }

// Length implements arrival.Schedule.
func (p paused) Length() time.Duration { return p.pause + p.Schedule.Length() }

// find searches for the highest rate of a phase's operations. The record has the state of the
// search after each step.
func (c *Campaign) find(ctx context.Context, phase int) error {
	over, err := c.searchPartitions(phase)
	if err != nil {
		return err
	}
	if c.Member != nil {
		for {
			t, begins, more, err := c.Member.Search.Next(ctx)
			if err != nil || !more {
				return err
			}
			measured, err := c.measureStep(ctx, phase, t, over, begins)
			if err != nil {
				return err
			}
			c.Member.Search.Report(t, measured)
		}
	}
	search := c.Find.Search(len(over))
	for {
		t, more := search.Next()
		if !more {
			return nil
		}
		measured, err := c.measureStep(ctx, phase, t, over, 0)
		search.AddEntities(measured)
		if err == nil {
			search.AddStep(measured)
		}
		c.ledger.Recorder.Limit(search.Limit())
		if err != nil {
			return err
		}
	}
}

// stepGrace is how long after a step its operations can retry.
const stepGrace = 5 * time.Second

// stepStage returns the stage of a step, without its operations, and how many of them drain the
// target. The part that drains the target is not reported.
func (c *Campaign) stepStage(t SearchStep) (stage *drive.Stage, before uint64, err error) {
	first, step := c.Find.drainStep(t.Rate), arrival.Step{Rate: t.Rate, Length: c.Find.length(t.Rate)}
	begin := stepPause + first.Length
	parts := []arrival.Step{step}
	phases := []results.Phase{{Name: t.phase(), Begin: begin, End: begin + step.Length, Rate: t.Rate, Reported: true}}
	if first.Length > 0 {
		parts = []arrival.Step{first, step}
		phases = slices.Insert(phases, 0, results.Phase{Name: t.name() + " (drain)", Stage: t.name(), Begin: stepPause, End: begin, Rate: first.Rate})
	}
	steps, err := arrival.NewSteps(parts...)
	if err != nil {
		return nil, 0, err
	}
	before = dueBefore(steps, first.Length)
	schedule := arrival.NewJittered(steps, clock.NewStream(c.Scenario.Seed, "arrivals/"+t.name()))
	return &drive.Stage{Name: t.name(), Schedule: paused{schedule, stepPause}, Retry: *c.retries[""], Once: before,
		Grace: stepGrace, WholeSecond: true, Phases: phases}, before, nil
}

// measureStep offers one rate for a step, or a member's share of it, and returns what it measured.
func (c *Campaign) measureStep(ctx context.Context, phase int, t SearchStep, over []partition, begins clock.Instant) (*Measured, error) {
	stage, before, err := c.stepStage(t)
	if err != nil {
		return new(Measured), err
	}
	stage.At = begins
	if c.Member != nil {
		c.Member.limitToShare(stage, t.Number == 1, c)
	}
	operations := c.Scenario.Phases[phase].Operations()
	c.setOwnLimits(stage, operations)
	if err := c.offerMix(stage, phase, over); err != nil {
		return new(Measured), err
	}
	c.fresh += stage.Operations() * stride(operations)
	gauge := newGauge(c.number+before, math.MaxUint64)
	err = c.observed(ctx, stage, gauge)
	// The stage is over: nothing updates the gauge any more.
	m := gauge.Measured
	m.Scheduled = int64(stage.Share.Count(stage.Operations()) - stage.Share.Count(before))
	begin, end := int64((gauge.begin+settlingTime)/tick), int64((gauge.begin+c.Find.length(t.Rate))/tick)
	for at, more := range gauge.waiting {
		if at > begin && at <= end {
			m.QueueGrowth += more
		}
	}
	for at, number := range gauge.answered {
		if at >= begin && at < end {
			m.Answered += number
		}
	}
	return &m, err
}

// judge sets the outcome of every step from what all steps show together.
func (f *Find) judge(l *results.Limit) {
	l.Sporadic = f.sporadicShare(l.Steps)
	shown := evidence{serviceMean: math.MaxInt64}
	if l.Sporadic <= maxSporadicShare {
		shown.sporadic = l.Sporadic
	}
	for i := range l.Steps {
		if mean := l.Steps[i].ServiceMean; mean > 0 {
			shown.serviceMean = min(shown.serviceMean, mean)
		}
	}
	answered, seconds := 0.0, 0.0
	for i := range l.Steps {
		if s := &l.Steps[i]; f.queueGrows(s, shown) {
			answered, seconds = answered+float64(s.Answered), seconds+measuredSeconds(s)
		}
	}
	shown.capacity = answered / max(seconds, math.SmallestNonzeroFloat64)
	limit := math.Inf(1)
	for i := range l.Steps {
		s := &l.Steps[i]
		if s.Outcome = f.outcome(s, shown); s.Outcome == results.LimitThrottled && s.ThrottledShare > shown.sporadic+clearlyThrottled {
			limit = min(limit, float64(s.Answered)/measuredSeconds(s))
		}
	}
	for i := range l.Steps {
		// An application retries sporadic refusals, and those retries count against the limit.
		if s := &l.Steps[i]; shown.sporadic > 0 && s.Outcome == results.LimitHeld && s.Rate > (1+capacityMargin)*limit {
			s.Outcome = results.LimitThrottled
		}
	}
}

const (
	// capacityMargin is how far a rate may be above the answered rate, as a share of that, and
	// still hold.
	capacityMargin = 0.01
	// clearlyThrottled is the share of refusals above the sporadic share that only a limit
	// causes.
	clearlyThrottled = 0.05
	// maxSporadicShare is the largest sporadic share with which a rate can hold.
	maxSporadicShare = 0.1
)

// evidence is what all steps of a search show together.
type evidence struct {
	// sporadic is the share of first attempts that is refused at every rate.
	sporadic float64
	// capacity is the rate in operations per second that a queueing target answers, 0 if none
	// was seen to queue.
	capacity float64
	// serviceMean is the shortest mean service time of a step, in microseconds.
	serviceMean int64
}

// measuredSeconds returns the length of the part of a step in which its queue is measured.
func measuredSeconds(s *results.LimitStep) float64 { return s.Seconds - settlingTime.Seconds() }

// sporadicShare returns the share of first attempts that is refused at two rates alike, one of
// which is at least 1.5 times the other; 0 if a lower rate is refused less.
func (f *Find) sporadicShare(steps []results.LimitStep) float64 {
	const apart, deviations = 1.5, 3
	for i := range steps {
		low := &steps[i]
		if low.ThrottledShare <= f.MaxThrottled {
			continue
		}
		for j := range steps {
			high := &steps[j]
			variance := low.ThrottledShare / float64(max(1, min(low.Scheduled, high.Scheduled)))
			if high.Rate >= apart*low.Rate && high.ThrottledShare <= low.ThrottledShare+deviations*math.Sqrt(2*variance) {
				return (low.ThrottledShare + high.ThrottledShare) / 2
			}
		}
	}
	return 0
}

// queueGrows reports whether the queue in front of the target grows in a step, by more than
// chance. If the generator was late, the target must also have become slower.
func (f *Find) queueGrows(s *results.LimitStep, shown evidence) bool {
	const minShare, deviations, minGrowth = 0.024, 2, 3
	growth, due := float64(s.QueueGrowth), s.Rate*measuredSeconds(s)
	return growth >= max(minGrowth, minShare*due, deviations*math.Sqrt(due)) && (f.isOnTime(s) || s.ServiceMean >= 2*shown.serviceMean)
}

// isOnTime reports whether the generator sent the load of a step when it was due.
func (f *Find) isOnTime(s *results.LimitStep) bool {
	return s.Dropped == 0 && float64(s.HeldBack) <= results.MaxHeldBackShare*float64(s.Scheduled-s.Dropped)
}

func (f *Find) outcome(s *results.LimitStep, shown evidence) string {
	const deviations = 3
	slow := f.MaxP99 > 0 && (s.P99 == nil || *s.P99 > f.MaxP99.Microseconds())
	// Without a sporadic share the deviation is 0.
	deviation := math.Sqrt(shown.sporadic * (1 - shown.sporadic) / float64(max(1, s.Scheduled)))
	switch {
	case shown.capacity > 0 && s.Rate > (1+capacityMargin)*shown.capacity, shown.capacity == 0 && f.queueGrows(s, shown):
		return results.LimitQueued
	case !f.isOnTime(s):
		return results.LimitClient
	case s.ThrottledShare > shown.sporadic+max(f.MaxThrottled, deviations*deviation):
		return results.LimitThrottled
	case s.FailedShare > f.MaxThrottled:
		return results.LimitFailed
	case slow:
		return results.LimitP99
	default:
		return results.LimitHeld
	}
}

// findPhase returns the phase that a search offers, the first with operations, and false if there
// is none.
func findPhase(s *scenarios.Scenario) (int, bool) {
	for i := range s.Phases {
		if len(s.Phases[i].Operations()) > 0 {
			return i, true
		}
	}
	return 0, false
}

// SearchedPartitions returns the PartitionKeys of a search, at least one. Its error wraps [ErrFind] or
// [ErrPreparation].
func (c *Campaign) SearchedPartitions() ([]string, error) {
	phase, any := findPhase(c.Scenario)
	if !any {
		return nil, fmt.Errorf("%w: the scenario %s has no phase whose operations could be offered",
			ErrFind, c.Scenario.Name)
	}
	fresh := c.fresh
	over, err := c.searchPartitions(phase)
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

// searchPartitions returns the partitions of a search: the phase's own, or for an account all of the
// scenario.
func (c *Campaign) searchPartitions(phase int) ([]partition, error) {
	if one := &c.Scenario.Phases[phase]; one.Traffic.Events() {
		instead := "--peak RATE"
		if arrivals := one.Traffic.Arrivals; arrivals != nil && arrivals.Constant > 0 {
			instead += fmt.Sprintf(" or --sweep phases.%s.arrivals.constant=RATE,RATE,…", one.Name)
		}
		return nil, fmt.Errorf("%w: it loads partitions of phases of peak or spread, but the design determines those of phase %s; "+
			"use %s instead", ErrFind, one.Name, instead)
	}
	if c.Find.Of == results.LimitAccount && c.Scenario.Phases[phase].Form == scenarios.FormPeak && c.Scenario.Loaded(phase) > 0 {
		over := partitionsOf(c.locations[:1], 0, c.Scenario.Loaded(phase))
		return over[:min(len(over), maxPartitions)], nil
	}
	over, err := c.spreadOver(phase)
	if err == nil && c.Find.Of == results.LimitPartition {
		over = over[:1]
	}
	return over, err
}

// maxPartitions is the maximum number of partitions of a search.
const maxPartitions = 10_000

// typicalSteps is the maximum number of steps at the highest rate, unless chance adds some: doubling
// takes as long as two, bisection takes seven, and both ends are tried again.
const typicalSteps = 2 + 7 + 2

// operationsOf returns the number of operations of a number of steps at the highest rate, with those that
// drain the target.
func (f *Find) operationsOf(steps float64) float64 {
	first := f.drainStep(f.UpTo)
	return steps * (max(f.UpTo*f.Step.Seconds(), 2*minOperations) + math.Ceil(first.Rate*first.Length.Seconds()))
}

// lasts returns the maximum duration of a search, unless chance adds steps.
func (f *Find) lasts() time.Duration {
	steps := math.Ceil(math.Log2(f.UpTo/f.From)) + typicalSteps
	return time.Duration(steps * float64(stepPause+f.drainStep(f.From).Length+f.length(f.From)))
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
	// Scheduled operations were due, Ended of them ended; the others were dropped.
	Scheduled int64 `json:"scheduled"`
	Ended     int64 `json:"ended"`
	// First is the number of first attempts; Throttled, Failed and HeldBack are parts of it.
	First     int64 `json:"first_attempts"`
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
	HeldBack  int64 `json:"over_100_ms_late"`
	// Counted is the number of entities by the documented rule, with those that drained the target;
	// Due is the number that the operations that ended were to touch.
	Counted int64 `json:"entities_counted"`
	Due     int64 `json:"entities_due"`
	// QueueGrowth is the growth of the queue in front of the target during the step, Answered the
	// number of operations that succeeded during it, ServiceMicros the sum of the service times of
	// first attempts.
	QueueGrowth   int64 `json:"queue_growth"`
	Answered      int64 `json:"answered"`
	ServiceMicros int64 `json:"service_us"`
	// Response has the response times of successful operations.
	Response results.Histogram `json:"response"`
}

// Validate reports a count that is impossible in a message of another process.
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

// gauge measures one step of traffic, as an observer of all that happens while
// it lasts. It is safe for concurrent use.
type gauge struct {
	mu sync.Mutex
	// from and to are the numbers of the first operation of the step and of the one after its
	// last; the ones before it drain the target's allowance. The step begins when the first
	// operation is due.
	from, to uint64
	begin    time.Duration
	begun    bool
	// waiting has the change of the queue in each tick, answered the number of operations that
	// succeeded in it.
	waiting, answered map[int64]int64
	// seconds has the first attempts that were due in each second, and how many of them were
	// held back.
	seconds map[time.Duration]*[2]int64
	Measured
}

func newGauge(from, to uint64) *gauge {
	return &gauge{from: from, to: to, waiting: make(map[int64]int64), answered: make(map[int64]int64), seconds: make(map[time.Duration]*[2]int64)}
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
	if a.Number < g.from || a.Number >= g.to {
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
	second := a.Intended.Truncate(time.Second)
	if g.seconds[second] == nil {
		g.seconds[second] = new([2]int64)
	}
	g.seconds[second][0]++
	if a.HeldBack() {
		g.HeldBack++
		g.seconds[second][1]++
	}
}

// Completed implements [drive.Observer].
func (g *gauge) Completed(c *results.Completed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.Class == results.Ok {
		g.answered[int64(c.Done/tick)]++
	}
	if c.Number < g.from || c.Number >= g.to {
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

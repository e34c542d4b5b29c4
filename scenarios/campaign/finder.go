package campaign

import (
	"fmt"
	"math"
	"slices"

	"loadgen/results"
)

// The bounds of a search: the lowest and the highest rate, in operations per second, and the
// maximum number of steps. A search of the whole span doubles or halves its rate at most twenty
// times, halves the interval seven times and confirms both ends; the rest is for contradicting
// outcomes.
const (
	LowestRate  = 2.0
	HighestRate = 1_000_000.0
	maxSteps    = 40
)

// tolerance is the maximum width of the final interval, as a share of its lower end.
const tolerance = 0.01

// Interval encloses the highest rate that holds.
type Interval struct {
	// Held is the highest rate that held, 0 for none. NotHeld is the lowest rate above it that
	// did not, 0 for none, and By the reason.
	Held, NotHeld float64
	By            string
}

// NewInterval returns the interval that steps show by their rates and outcomes. Of several steps
// at one rate the last counts.
func NewInterval(steps []results.LimitStep) (i Interval) {
	seen := make([]float64, 0, maxSteps)
	for _, step := range slices.Backward(steps) {
		if slices.Contains(seen, step.Rate) {
			continue
		}
		seen = append(seen, step.Rate)
		if step.Outcome != results.LimitHeld && (i.NotHeld == 0 || step.Rate < i.NotHeld) {
			i.NotHeld, i.By = step.Rate, step.Outcome
		}
	}
	for _, rate := range seen {
		if rate > i.Held && (i.NotHeld == 0 || rate < i.NotHeld) {
			i.Held = rate
		}
	}
	return i
}

// Next returns the rate to try after some steps, and false if the search is over. It doubles or
// halves the rate until an interval has both ends, and then bisects it. At last it tries both
// ends once more: if chance decided the outcome of one, the last outcome counts and the search
// continues.
func (f *Find) Next(steps []results.LimitStep) (float64, bool) {
	if len(steps) >= maxSteps {
		return 0, false
	}
	return f.nextRate(steps)
}

// nextRate is Next without a bound on the number of steps.
func (f *Find) nextRate(steps []results.LimitStep) (float64, bool) {
	known := NewInterval(steps)
	held, not := known.Held, known.NotHeld
	triedOnce := func(rate float64) bool {
		first := slices.IndexFunc(steps, func(s results.LimitStep) bool { return s.Rate == rate })
		return !slices.ContainsFunc(steps[first+1:], func(s results.LimitStep) bool { return s.Rate == rate })
	}
	switch {
	case len(steps) == 0:
		return f.From, true
	case not == 0 && held < f.UpTo:
		return min(2*held, f.UpTo), true
	case held == 0 && not > LowestRate:
		return max(not/2, LowestRate), true
	case held > 0 && not > held*(1+tolerance):
		// The geometric mean to four figures is between them if they differ by more than the
		// tolerance.
		mean := math.Sqrt(held * not)
		scale := math.Pow(10, 3-math.Floor(math.Log10(mean)))
		return math.Round(mean*scale) / scale, true
	case not > 0 && triedOnce(not):
		return not, true
	case held > 0 && triedOnce(held):
		return held, true
	default:
		return 0, false
	}
}

// SearchStep is a rate that a search tries.
type SearchStep struct {
	// Number is the number of the step, from 1.
	Number int     `json:"number"`
	Rate   float64 `json:"operations_per_second"`
}

// name is the name of its stage.
func (t SearchStep) name() string { return fmt.Sprintf("limit %d", t.Number) }

// phase is the name of the part of the stage at that rate.
func (t SearchStep) phase() string { return t.name() + ": " + rateName(t.Rate) }

// Search is the state of a search. It belongs to one goroutine.
type Search struct {
	find  *Find
	limit *results.Limit
}

// Search begins a valid search over a number of partitions.
func (f *Find) Search(partitions int) *Search {
	limit := &results.Limit{Of: f.Of, Partitions: partitions, MaxThrottled: f.MaxThrottled, From: f.From, UpTo: f.UpTo,
		StepSeconds: f.Step.Seconds(), BurstSeconds: f.Burst.Seconds(), Steps: []results.LimitStep{}}
	if f.MaxP99 > 0 {
		micros := f.MaxP99.Microseconds()
		limit.MaxP99 = &micros
	}
	return &Search{f, limit}
}

// Next returns the next step, and false if the search is over. It changes nothing.
func (s *Search) Next() (SearchStep, bool) {
	rate, more := s.find.Next(s.limit.Steps)
	// If every rate is refused this much, lower rates show nothing new.
	return SearchStep{len(s.limit.Steps) + 1, rate}, more && s.limit.Sporadic <= maxSporadicShare
}

// AddEntities adds the entities that a step counted, also of one that was stopped.
func (s *Search) AddEntities(m *Measured) { s.limit.Entities += m.Counted }

// AddStep adds the measurements of the step that Next returned.
func (s *Search) AddStep(m *Measured) {
	t, _ := s.Next()
	first := float64(max(1, m.First))
	step := results.LimitStep{Phase: t.phase(), Rate: t.Rate, Seconds: s.find.length(t.Rate).Seconds(),
		Scheduled: m.Scheduled, Dropped: m.Scheduled - m.Ended, HeldBack: m.HeldBack,
		ThrottledShare: float64(m.Throttled) / first, FailedShare: float64(m.Failed) / first, Entities: m.Counted,
		QueueGrowth: m.QueueGrowth, Answered: m.Answered, ServiceMean: m.ServiceMicros / max(1, m.First),
		// Dropped operations were due as many as the others, on the average.
		Offered: t.Rate * float64(m.Due) / float64(max(1, m.Ended)), P99: m.Response.Percentile(.99)}
	limit := s.limit
	limit.Steps = append(limit.Steps, step)
	s.find.judge(limit)
	known := NewInterval(limit.Steps)
	limit.Held, limit.NotHeld, limit.By = nil, nil, known.By
	if known.Held > 0 {
		limit.Held = &known.Held
	}
	if known.NotHeld > 0 {
		limit.NotHeld = &known.NotHeld
	}
	_, more := s.find.nextRate(limit.Steps)
	limit.Finished = !more || limit.Sporadic > maxSporadicShare
}

// Limit returns the state of the search. It shares the search's memory.
func (s *Search) Limit() *results.Limit { return s.limit }

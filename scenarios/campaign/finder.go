package campaign

import (
	"fmt"
	"math"
	"slices"

	"loadgen/results"
)

// The bounds of a search: the lowest and the highest rate that are tried, in
// operations per second, and the most steps. A search of the whole span doubles or
// halves its rate twenty times at most, halves the interval seven times and
// confirms both ends; the rest is for answers that contradict one another.
const (
	LowestRate  = 2.0
	HighestRate = 1_000_000.0
	mostSteps   = 40
)

// tolerance is how wide the interval of a finished search may be, as a share of
// its lower end.
const tolerance = 0.01

// Finder is a search for the highest rate that holds, as a pure step machine: it
// says which rate to try next, is told what came of that, and narrows an interval
// by doubling or halving until it has both ends, then by bisection. In the end it
// tries both ends once more: where one of them came out otherwise by chance, the
// last answer counts and the search goes on. It belongs to one goroutine.
type Finder struct {
	from, upTo float64
	tried      []finding
}

// finding is a rate and the outcome of its step.
type finding struct {
	rate    float64
	outcome string
}

// NewFinder returns a search that begins at a rate and tries none above another,
// both in operations per second. It panics unless LowestRate ≤ from ≤ upTo ≤
// HighestRate, which [Find.Validate] sees to.
func NewFinder(from, upTo float64) *Finder {
	if !(from >= LowestRate && from <= upTo && upTo <= HighestRate) {
		panic(fmt.Sprintf("campaign: a search from %v up to %v; its rates must lie from %v to %v", from, upTo, LowestRate, HighestRate))
	}
	return &Finder{from: from, upTo: upTo}
}

// Next returns the rate to try next, and false where the search is over. It
// changes nothing.
func (f *Finder) Next() (float64, bool) {
	if len(f.tried) >= mostSteps {
		return 0, false
	}
	return f.next()
}

// next is Next without a bound on the number of steps.
func (f *Finder) next() (float64, bool) {
	held, not, _ := f.interval()
	switch {
	case len(f.tried) == 0:
		return f.from, true
	case not == 0 && held < f.upTo:
		return min(2*held, f.upTo), true
	case held == 0 && not > LowestRate:
		return max(not/2, LowestRate), true
	case held > 0 && not > held*(1+tolerance):
		// The geometric mean to four figures, which lies between them as long as they are further
		// apart than the tolerance.
		mean := math.Sqrt(held * not)
		scale := math.Pow(10, 3-math.Floor(math.Log10(mean)))
		return math.Round(mean*scale) / scale, true
	case not > 0 && f.times(not) < 2:
		return not, true
	case held > 0 && f.times(held) < 2:
		return held, true
	default:
		return 0, false
	}
}

// Retell replaces all that was told: the rates that Next returned, in their order, each with
// results.LimitHeld or why it did not hold. A later step may change the outcome of earlier ones.
func (f *Finder) Retell(steps []results.LimitStep) {
	f.tried = f.tried[:0]
	for i := range steps {
		f.tried = append(f.tried, finding{steps[i].Rate, steps[i].Outcome})
	}
}

// Answer is the interval that a search has come to.
type Answer struct {
	// Held is the highest rate that held, 0 where none did, NotHeld the lowest
	// above it that did not, 0 where none did not, By why it did not.
	Held, NotHeld float64
	By            string
	// Finished says that no further step would change it.
	Finished bool
}

// Answer returns what the search has come to so far.
func (f *Finder) Answer() Answer {
	a := Answer{}
	a.Held, a.NotHeld, a.By = f.interval()
	_, more := f.next()
	a.Finished = !more
	return a
}

// interval returns the lowest rate whose last step did not hold, why, and the
// highest below it whose last step did; 0 where there is none.
func (f *Finder) interval() (held, not float64, by string) {
	seen := make([]float64, 0, mostSteps)
	for i := len(f.tried) - 1; i >= 0; i-- {
		one := f.tried[i]
		if slices.Contains(seen, one.rate) {
			// A later step at this rate has the last word.
			continue
		}
		seen = append(seen, one.rate)
		if one.outcome != results.LimitHeld && (not == 0 || one.rate < not) {
			not, by = one.rate, one.outcome
		}
	}
	for _, rate := range seen {
		if rate > held && (not == 0 || rate < not) {
			held = rate
		}
	}
	return held, not, by
}

// times returns how many steps tried a rate.
func (f *Finder) times(rate float64) int {
	n := 0
	for _, one := range f.tried {
		if one.rate == rate {
			n++
		}
	}
	return n
}

// Try is a rate that a search tries next.
type Try struct {
	// Number is which of its steps it is, from 1.
	Number int     `json:"number"`
	Rate   float64 `json:"operations_per_second"`
}

// name is that of the stage that offers it.
func (t Try) name() string { return fmt.Sprintf("limit %d", t.Number) }

// Search is a search under way: it says what is tried next, and is told what came of it. It
// belongs to one goroutine.
type Search struct {
	find   *Find
	finder *Finder
	limit  *results.Limit
}

// Search begins a search, which is valid, over so many partitions.
func (f *Find) Search(partitions int) *Search {
	limit := &results.Limit{Of: f.Of, Partitions: partitions, MaxThrottled: f.MaxThrottled, From: f.From, UpTo: f.UpTo,
		StepSeconds: f.Step.Seconds(), BurstSeconds: f.Burst.Seconds(), Steps: []results.LimitStep{}}
	if f.MaxP99 > 0 {
		micros := f.MaxP99.Microseconds()
		limit.MaxP99 = &micros
	}
	return &Search{f, NewFinder(f.From, f.UpTo), limit}
}

// Next returns what is tried next, and false where the search is over. It changes nothing.
func (s *Search) Next() (Try, bool) {
	rate, more := s.finder.Next()
	// If every rate is refused this much, lower rates show nothing new.
	return Try{len(s.limit.Steps) + 1, rate}, more && s.limit.Sporadic <= maxSporadicShare
}

// Spend takes down what a step cost, whether or not it came to its end.
func (s *Search) Spend(m *Measured) { s.limit.Entities += m.Counted }

// Tell takes down what was measured of the step that Next returned.
func (s *Search) Tell(m *Measured) {
	t, _ := s.Next()
	phases := s.find.tried(t.name(), t.Rate)
	first := float64(max(1, m.First))
	step := results.LimitStep{Phase: phases[len(phases)-1].Name, Rate: t.Rate, Seconds: s.find.length(t.Rate).Seconds(),
		Scheduled: m.Scheduled, Dropped: m.Scheduled - m.Ended, HeldBack: m.HeldBack,
		ThrottledShare: float64(m.Throttled) / first, FailedShare: float64(m.Failed) / first, Entities: m.Counted,
		QueueGrowth: m.QueueGrowth, Answered: m.Answered, ServiceMean: m.ServiceMicros / max(1, m.First),
		// Dropped operations were due as many as the others, on the average.
		Offered: t.Rate * float64(m.Due) / float64(max(1, m.Ended))}
	if micros, told := m.Response.Quantile(.99); told {
		step.P99 = &micros
	}
	limit := s.limit
	limit.Steps = append(limit.Steps, step)
	s.find.judge(limit)
	s.finder.Retell(limit.Steps)
	answer := s.finder.Answer()
	limit.Held, limit.NotHeld, limit.By = nil, nil, answer.By
	if answer.Held > 0 {
		limit.Held = &answer.Held
	}
	if answer.NotHeld > 0 {
		limit.NotHeld = &answer.NotHeld
	}
	limit.Finished = answer.Finished || limit.Sporadic > maxSporadicShare
}

// Limit returns what the search has come to so far. It shares the search's memory.
func (s *Search) Limit() *results.Limit { return s.limit }

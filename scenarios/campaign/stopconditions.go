package campaign

import (
	"fmt"
	"math"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// stopConditions ends a phase of traffic when a budget of the scenario is exceeded or the load is
// stable. It observes all attempts, and judges by whole seconds that are over.
type stopConditions struct {
	budgets []scenarios.Budget
	stable  float64
	warmUp  time.Duration

	mu sync.Mutex
	// seconds are the last ones, each at its number modulo their number.
	seconds [watched]watchedSecond
	// judged is the last second by which it was judged.
	judged int64
}

var _ drive.Observer = (*stopConditions)(nil)

const (
	// window is how many seconds a judgement rests on; two of them are held against
	// each other, and some room is left for the one under way.
	window  = 5
	watched = 2*window + 2
	// leastJudged is how many attempts a judgement takes.
	leastJudged = 100
	// leastMeasured is how many seconds are measured at least before a load can have
	// come to rest.
	leastMeasured = 10 * time.Second
)

// watchedSecond is what ended in one second.
type watchedSecond struct {
	second int64
	// sent are the first attempts, late those of them that were sent late.
	attempts, failed, throttled, sent, late, served int64
	responses                                       counters
}

// at returns the second in which something ended.
func (g *stopConditions) at(done time.Duration) *watchedSecond {
	number := int64(done / time.Second)
	one := &g.seconds[number%watched]
	if one.second != number {
		*one = watchedSecond{second: number}
	}
	return one
}

// Attempt implements [drive.Observer].
func (g *stopConditions) Attempt(a *results.Attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.at(a.Done)
	one.attempts++
	switch a.Class {
	case results.Failed:
		one.failed++
	case results.Throttled:
		one.throttled++
	}
	if a.Try == 0 {
		one.sent++
		if a.Sent-a.Intended > results.LateAfter {
			one.late++
		}
	}
}

// Completed implements [drive.Observer].
func (g *stopConditions) Completed(c *results.Completed) {
	if c.Class != results.Ok {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.at(c.Done)
	one.served += c.Served
	one.responses.add(c.Done - c.Intended)
}

// Enough returns why a stage that began at one instant needs to go no further now:
// an error that wraps [drive.ErrStopped], or ErrSettled; nil where it does. overdue counts
// the operations that should have been sent a second ago.
func (g *stopConditions) Enough(start, now clock.Instant, overdue func() uint64) error {
	second := int64(now.Offset() / time.Second)
	g.mu.Lock()
	defer g.mu.Unlock()
	if second <= g.judged {
		return nil
	}
	g.judged = second
	last := g.sum(second - window)
	if last.attempts >= leastJudged {
		for _, budget := range g.budgets {
			if err := last.over(budget, overdue); err != nil {
				return &drive.Stop{Second: second, Why: err}
			}
		}
	}
	measured := time.Duration(second)*time.Second - start.Offset() - g.warmUp
	if g.stable > 0 && measured >= leastMeasured {
		before := g.sum(second - 2*window)
		differ := func(a, b float64) bool { return math.Abs(a-b) >= g.stable*math.Max(a, b) }
		if before.served != 0 && last.served != 0 &&
			!differ(float64(before.served), float64(last.served)) && !differ(before.responses.median(), last.responses.median()) {
			return drive.ErrSettled
		}
	}
	return nil
}

// sum returns what ended in a window that begins with a second.
func (g *stopConditions) sum(first int64) watchedSecond {
	sum := watchedSecond{second: first}
	for number := max(0, first); number < first+window; number++ {
		one := &g.seconds[number%watched]
		if one.second != number {
			continue
		}
		sum.attempts += one.attempts
		sum.failed += one.failed
		sum.throttled += one.throttled
		sum.sent += one.sent
		sum.late += one.late
		sum.served += one.served
		sum.responses.count += one.responses.count
		for kind, count := range one.responses.by {
			sum.responses.by[kind] += count
		}
	}
	return sum
}

func (w *watchedSecond) over(budget scenarios.Budget, overdue func() uint64) error {
	part, all, of := int64(0), w.attempts, "attempts"
	switch budget.Of {
	case scenarios.BudgetFailed:
		part = w.failed
	case scenarios.BudgetThrottled:
		part = w.throttled
	case scenarios.BudgetLate:
		part, all, of = w.late, w.sent, "operations sent"
	case scenarios.BudgetDropped:
		part = int64(overdue())
		all, of = w.sent+part, "operations due"
	}
	if all == 0 || float64(part) <= budget.Above*float64(all) {
		return nil
	}
	return fmt.Errorf("%.3g%% of the %d %s of the last %d s were %s, and stop_on is %s",
		100*float64(part)/float64(all), all, of, window, budget.Of, budget)
}

// counters count durations by their logarithm, fine enough for their median to be
// known to half a percent.
type counters struct {
	count int64
	by    [counterKinds]uint32
}

const (
	// counterKinds is enough for a quarter of an hour.
	counterKinds = 5600
	counterRatio = 0.005
)

func (t *counters) add(d time.Duration) {
	kind := int(math.Log(float64(max(1, d))) / counterRatio)
	t.by[min(kind, counterKinds-1)]++
	t.count++
}

// median returns the median in nanoseconds, between the bounds of the kind that it
// falls into by its rank there.
func (t *counters) median() float64 {
	rank := float64(t.count) / 2
	for kind, count := range t.by {
		if rank <= float64(count) && count > 0 {
			return math.Exp((float64(kind) + rank/float64(count)) * counterRatio)
		}
		rank -= float64(count)
	}
	return 0
}

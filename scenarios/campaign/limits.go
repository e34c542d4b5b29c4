package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// retryLimits has the retry policies of all operations of a scenario. It is immutable.
type retryLimits struct {
	// Policy is the default.
	Policy backoff.Policy
	// own has the policies of operations that name one, by name.
	own map[string]*backoff.Policy
}

// newRetryLimits returns the limits of the operations of a scenario, which retry the given status codes beside those of
// their policies. The error is that of [backoff.ByName].
func newRetryLimits(usual backoff.Policy, codes []int, of *scenarios.Scenario) (*retryLimits, error) {
	p := &retryLimits{Policy: usual.With(codes...), own: make(map[string]*backoff.Policy)}
	for _, one := range of.EachOperation {
		if one.Retry == "" || p.own[one.Retry] != nil {
			continue
		}
		policy, err := backoff.ByName(one.Retry)
		if err != nil {
			return nil, err
		}
		policy = policy.With(codes...)
		p.own[one.Retry] = &policy
	}
	return p, nil
}

// Of returns how an operation tries again.
func (p *retryLimits) Of(o *scenarios.OperationSpec) *backoff.Policy {
	if own := p.own[o.Retry]; own != nil {
		return own
	}
	return &p.Policy
}

// LongestWait returns how long an operation can wait for its retries in all; retries says
// that some operation has any.
func (p *retryLimits) LongestWait() (longest time.Duration, retries bool) {
	longest, retries = p.Policy.LongestWait(), p.Policy.Retries > 0
	for _, own := range p.own {
		longest, retries = max(longest, own.LongestWait()), retries || own.Retries > 0
	}
	return longest, retries
}

// Furnish gives a stage what its operations bear that the stage as a whole does not. Of so
// many kinds that a run has, kindOf says which an operation is.
func (p *retryLimits) Furnish(stage *drive.Stage, operations []scenarios.OperationSpec, kindOf map[string]int, kinds int) {
	has := func(what func(*scenarios.OperationSpec) bool) bool {
		return slices.ContainsFunc(operations, func(o scenarios.OperationSpec) bool { return what(&o) })
	}
	if has(func(o *scenarios.OperationSpec) bool { return o.Timeout > 0 }) {
		stage.Timeouts = make([]time.Duration, kinds)
		for i := range operations {
			stage.Timeouts[kindOf[operations[i].Name]] = operations[i].Timeout
		}
	}
	if has(func(o *scenarios.OperationSpec) bool { return o.Retry != "" }) {
		stage.Retries = make([]*backoff.Policy, kinds)
		for i := range operations {
			stage.Retries[kindOf[operations[i].Name]] = p.Of(&operations[i])
		}
	}
}

// joinedReasons returns what is said of an operation that several phases have: what each of them says.
func joinedReasons(before, now string) string {
	if now == "" || now == before {
		return before
	}
	return strings.TrimPrefix(before+"; "+now, "; ")
}

// stopConditions ends a phase of traffic when a budget of the scenario is exceeded or the load is
// stable. It judges by the whole seconds of the phase that are over. It belongs to one goroutine.
type stopConditions struct {
	recorder *results.Recorder
	budgets  []scenarios.Budget
	stable   float64
	warmUp   time.Duration
	// judged is the last second by which it was judged.
	judged int64
}

const (
	// window is the number of seconds that a judgement rests on. Two of them are compared with each other.
	window = 5
	// leastJudged is how many attempts a judgement takes.
	leastJudged = 100
	// leastMeasured is how many seconds are measured at least before a load can have
	// come to rest.
	leastMeasured = 10 * time.Second
)

// Enough returns why a stage that began at one instant needs to go no further now:
// an error that wraps [drive.ErrStopped], or ErrSettled; nil where it does. overdue counts
// the operations that should have been sent a second ago.
func (g *stopConditions) Enough(start, now clock.Instant, overdue func() uint64) error {
	second := int64(now.Offset() / time.Second)
	if second <= g.judged {
		return nil
	}
	g.judged = second
	first := int64((start.Offset() + time.Second - 1) / time.Second)
	if last := g.recorder.WindowCounts(max(first, second-window), second); last.Attempts >= leastJudged {
		for _, budget := range g.budgets {
			if err := exceeds(&last, budget, overdue); err != nil {
				return &drive.Stop{Second: second, Why: err}
			}
		}
	}
	measured := time.Duration(second)*time.Second - start.Offset() - g.warmUp
	if g.stable > 0 && measured >= leastMeasured && g.isStable(second) {
		return drive.ErrSettled
	}
	return nil
}

// isStable reports whether the last two windows before a second have nearly the same number of entities served and
// the same median of response times.
func (g *stopConditions) isStable(second int64) bool {
	before, last := g.recorder.Window(second-2*window, second-window), g.recorder.Window(second-window, second)
	differ := func(a, b int64) bool {
		return math.Abs(float64(a-b)) >= g.stable*float64(max(a, b))
	}
	medianBefore, enoughBefore := before.Response.Quantile(.5)
	medianLast, enoughLast := last.Response.Quantile(.5)
	return enoughBefore && enoughLast && !differ(before.Served, last.Served) && !differ(medianBefore, medianLast)
}

// exceeds returns an error if counts exceed a budget.
func exceeds(of *results.Counts, budget scenarios.Budget, overdue func() uint64) error {
	part, all, what := int64(0), of.Attempts, "attempts"
	switch budget.Of {
	case scenarios.BudgetFailed:
		part = of.Failed
	case scenarios.BudgetThrottled:
		part = of.Throttled
	case scenarios.BudgetLate:
		part, all, what = of.Late, of.Sent, "operations sent"
	case scenarios.BudgetDropped:
		part = int64(overdue())
		all, what = of.Sent+part, "operations due"
	}
	if all == 0 || float64(part) <= budget.Above*float64(all) {
		return nil
	}
	return fmt.Errorf("%.3g%% of the %d %s of the last %d s were %s, and stop_on is %s",
		100*float64(part)/float64(all), all, what, window, budget.Of, budget)
}

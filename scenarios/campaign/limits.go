package campaign

import (
	"fmt"
	"math"
	"strings"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// retryPolicies are the retry policies of the operations of a scenario by name, the default by "".
type retryPolicies map[string]*backoff.Policy

// newRetryPolicies returns the policies of a scenario, which also retry the given status codes. The
// error is that of [backoff.ByName].
func newRetryPolicies(s *scenarios.Scenario, codes []int) (retryPolicies, error) {
	names := map[string]string{"": s.Retry}
	for _, one := range s.EachOperation {
		if one.Retry != "" {
			names[one.Retry] = one.Retry
		}
	}
	policies := make(retryPolicies)
	for key, name := range names {
		policy, err := backoff.ByName(name)
		if err != nil {
			return nil, err
		}
		policy = policy.WithStatuses(codes...)
		policies[key] = &policy
	}
	return policies, nil
}

// maxWait returns how long an operation can wait for its retries in all; retries reports whether
// an operation has any.
func (p retryPolicies) maxWait() (wait time.Duration, retries bool) {
	for _, one := range p {
		wait, retries = max(wait, one.MaxWait()), retries || one.Retries > 0
	}
	return wait, retries
}

// setOwnLimits sets the timeouts and the retry policies of a stage's operations.
func (c *Campaign) setOwnLimits(stage *drive.Stage, operations []scenarios.OperationSpec) {
	stage.Timeouts, stage.Retries = make([]time.Duration, len(c.kinds)), make([]*backoff.Policy, len(c.kinds))
	for i := range operations {
		kind := c.kindOf[operations[i].Name]
		stage.Timeouts[kind], stage.Retries[kind] = operations[i].Timeout, c.retries[operations[i].Retry]
	}
}

// joinedReasons joins the values of several phases.
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
	// judged is the last second that was judged.
	judged int64
}

const (
	// window is the number of seconds that a judgement rests on. Two of them are compared with each other.
	window = 5
	// minJudged is the minimum number of attempts for a judgement.
	minJudged = 100
	// minMeasured is the minimum number of measured seconds of a stable load.
	minMeasured = 10 * time.Second
)

// StopReason returns why a stage ends early: an error that wraps [drive.ErrStopped], or ErrSettled; nil
// if it does not. overdue returns the number of operations that should have been sent a second ago.
func (g *stopConditions) StopReason(start, now clock.Instant, overdue func() uint64) error {
	second := int64(now.Offset() / time.Second)
	if second <= g.judged {
		return nil
	}
	g.judged = second
	first := int64((start.Offset() + time.Second - 1) / time.Second)
	if last := g.recorder.WindowCounts(max(first, second-window), second); last.Attempts >= minJudged {
		for _, budget := range g.budgets {
			if err := exceeds(&last, budget, overdue); err != nil {
				return &drive.Stop{Second: second, Why: err}
			}
		}
	}
	measured := time.Duration(second)*time.Second - start.Offset() - g.warmUp
	if g.stable > 0 && measured >= minMeasured && g.isStable(second) {
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
	medianBefore, knownBefore := before.Response.Quantile(.5)
	medianLast, knownLast := last.Response.Quantile(.5)
	return knownBefore && knownLast && !differ(before.Served, last.Served) && !differ(medianBefore, medianLast)
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

package campaign

import (
	"slices"
	"strings"
	"time"

	"loadgen/backoff"
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

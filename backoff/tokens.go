package backoff

import "time"

// RetryBudget is gRPC's throttling of retries (proposal A6): a bucket of tokens
// that a failure lowers by one and a success raises by a part of one; a retry is
// sent only while more than half of the tokens are there. First attempts always
// are. Defaults of the proposal's example: 10 tokens, a tenth a success.
type RetryBudget struct {
	// Most is the number of tokens in the full bucket, Ratio what a success gives
	// back, both in thousandths of a token.
	Most, Ratio int64

	spent int64
}

// NewRetryBudget returns a full bucket with the proposal's values.
func NewRetryBudget() *RetryBudget { return &RetryBudget{Most: 10_000, Ratio: 100} }

// Admit implements [Limiter].
func (b *RetryBudget) Admit(_ time.Duration, try Try, _ float64) (Grant, bool) {
	return Grant{}, !try.Retry || b.Most-b.spent > b.Most/2
}

// Record implements [Limiter].
func (b *RetryBudget) Record(_ time.Duration, _ Grant, answer Answer) {
	if answer == Accepted {
		b.spent = max(0, b.spent-b.Ratio)
		return
	}
	b.spent = min(b.Most, b.spent+1000)
}

// Validate returns the faults of the budget, each wrapped around [ErrInvalid].
func (b *RetryBudget) Validate() []error {
	var faults faultList
	faults.when(b.Most <= 0, notPositive, "most", b.Most)
	faults.when(b.Ratio <= 0, notPositive, "ratio", b.Ratio)
	return faults
}

// TokenQuota is botocore's quota of retries (its standard mode): each retry takes
// tokens, more after a time-out; a retry that succeeds gives its tokens back, and
// a first attempt that succeeds gives one. Where too few are left, the operation
// is given up. Defaults: 500 tokens, 5 a retry, 10 after a time-out.
type TokenQuota struct {
	// Most is the number of tokens at first and at most; Cost and TimeoutCost are
	// what a retry takes.
	Most, Cost, TimeoutCost int

	spent int
}

// NewTokenQuota returns a full quota with botocore's values.
func NewTokenQuota() *TokenQuota { return &TokenQuota{Most: 500, Cost: 5, TimeoutCost: 10} }

// Admit implements [Limiter].
func (q *TokenQuota) Admit(_ time.Duration, try Try, _ float64) (Grant, bool) {
	if !try.Retry {
		return Grant{}, true
	}
	cost := q.Cost
	if try.After == TimedOut {
		cost = q.TimeoutCost
	}
	if q.Most-q.spent < cost {
		return Grant{}, false
	}
	q.spent += cost
	return Grant{Cost: cost}, true
}

// Record implements [Limiter].
func (q *TokenQuota) Record(_ time.Duration, grant Grant, answer Answer) {
	if answer == Accepted {
		q.spent = max(0, q.spent-max(1, grant.Cost))
	}
}

// Validate returns the faults of the quota, each wrapped around [ErrInvalid].
func (q *TokenQuota) Validate() []error {
	var faults faultList
	faults.when(q.Most <= 0, notPositive, "most", q.Most)
	faults.when(q.Cost <= 0, notPositive, "cost", q.Cost)
	faults.when(q.TimeoutCost <= 0, notPositive, "timeout cost", q.TimeoutCost)
	return faults
}

package backoff

import "time"

// Bounded is a delay of which it is known beforehand what its waits can be.
type Bounded interface {
	// Bounds returns the least wait before retry x, the mean, and the greatest,
	// which need only be approached.
	Bounds(x int) (least, mean, greatest time.Duration)
}

// Chained is a delay whose wait follows from the one before it.
type Chained interface {
	// After returns the wait after a previous one, 0 before the first retry.
	After(previous time.Duration, chance float64) time.Duration
}

// Next returns the wait before retry x, counted from 1, after a previous wait (0
// before the first), and true; or false where the policy gives up instead. It is
// [Policy.Wait] but for delays that are [Chained]. It panics unless x is positive.
func (p Policy) Next(x int, previous time.Duration, chance float64) (time.Duration, bool) {
	if chained, ok := p.Delay.(Chained); ok && 1 <= x && x <= p.Retries {
		return chained.After(previous, chance), true
	}
	return p.Wait(x, chance)
}

// Expected returns the mean wait of a policy before retry x: in closed form
// where its delay has one, else by quadrature over the chance. It is 0 where the
// policy gives up instead.
func (p Policy) Expected(x int) time.Duration {
	_, mean, _ := p.Bounds(x)
	return mean
}

// Bounds returns the least wait before retry x, the mean, and the greatest; zeros
// where the policy gives up instead.
func (p Policy) Bounds(x int) (least, mean, greatest time.Duration) {
	if x < 1 || x > p.Retries || p.Delay == nil {
		return 0, 0, 0
	}
	if bounded, ok := p.Delay.(Bounded); ok {
		return bounded.Bounds(x)
	}
	// The midpoint rule; what a delay does between two of a thousand chances is
	// below what anybody waits for.
	const parts = 1000
	sum := 0.0
	least, greatest = p.Delay.Wait(x, 0), p.Delay.Wait(x, 0)
	for i := range parts {
		wait := p.Delay.Wait(x, (float64(i)+0.5)/parts)
		least, greatest = min(least, wait), max(greatest, wait)
		sum += float64(wait) / parts
	}
	return least, time.Duration(sum), greatest
}

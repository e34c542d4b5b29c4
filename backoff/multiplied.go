package backoff

import (
	"math"
	"time"
)

// Multiplied is a random share of a bound that grows by a factor:
//
//	wait = min(max, max(min, base · multiplier^(x−1))) · U(low, high)
//
// It is what gRPC, resilience4j, cenkalti/backoff, Polly and tenacity have, and full and equal
// jitter. The share is drawn after the bounds: it spreads at the maximum as below it, which a
// share above 1 exceeds.
type Multiplied struct {
	// Base is the first bound; it must be positive.
	Base time.Duration
	// Min and Max limit the bound.
	Min, Max time.Duration
	// Multiplier is the factor from each bound to the next, at least 1.
	Multiplier float64
	// Low and High limit the share, in thousandths.
	Low, High int64
}

// FullJitter is uniform from nothing up to a bound that doubles: U(0, min(cap, base · 2^(x−1))).
// (M. Brooker, Exponential Backoff and Jitter, AWS Architecture Blog, 2015.)
func FullJitter(base, top time.Duration) Multiplied {
	return Multiplied{Base: base, Max: top, Multiplier: 2, High: 1000}
}

// EqualJitter keeps half of the bound of [FullJitter] and is uniform over the other half. (The
// same source.)
func EqualJitter(base, top time.Duration) Multiplied {
	return Multiplied{Base: base, Max: top, Multiplier: 2, Low: 500, High: 1000}
}

// Wait implements [Delay].
func (m Multiplied) Wait(x int, chance float64) time.Duration {
	low, high := m.band(x)
	return low + time.Duration(scale(uint64(high-low), chance))
}

// Bounds implements [Bounded].
func (m Multiplied) Bounds(x int) (least, mean, greatest time.Duration) {
	low, high := m.band(x)
	return low, low + (high-low)/2, high
}

// band returns the least and the greatest wait before retry x, of a bound in whole nanoseconds.
func (m Multiplied) band(x int) (low, high time.Duration) {
	if x < 1 || m.Base <= 0 {
		return 0, 0
	}
	// A power that overflows is +Inf, which the maximum bounds.
	bound, power := max(m.Max, 0), math.Round(float64(m.Base)*math.Pow(m.Multiplier, float64(x-1)))
	if power < float64(bound) {
		bound = min(max(time.Duration(power), m.Min), bound)
	}
	share := func(thousandths int64) time.Duration {
		return bound/1000*time.Duration(thousandths) + bound%1000*time.Duration(thousandths)/1000
	}
	return share(m.Low), share(m.High)
}

// Validate returns the faults of the delay, each wrapped around [ErrInvalid].
func (m Multiplied) Validate() []error {
	var faults faultList
	faults.when(m.Base <= 0, notPositive, "base", m.Base)
	faults.when(m.Min < 0, negative, "min", m.Min)
	faults.when(m.Max < max(m.Base, m.Min), "max %v below base %v or min %v", m.Max, m.Base, m.Min)
	faults.when(!(m.Multiplier >= 1), "multiplier is %v; expected at least 1", m.Multiplier)
	faults.when(m.Low < 0 || m.High < m.Low || m.High > 2000, "share is %d to %d thousandths; expected ascending, 0 to 2,000", m.Low, m.High)
	return faults
}

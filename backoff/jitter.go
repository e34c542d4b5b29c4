package backoff

import (
	"math"
	"time"
)

// Proportional is a doubling wait times a random share, as the clients of today
// have it:
//
//	wait = min(cap, base · (2^(x−1) or 2^x − 1) · U(Low, High))
//
// The share is drawn before the cap, so that waits at the cap have no jitter.
type Proportional struct {
	Base, Cap time.Duration
	// Low and High bound the share, in thousandths.
	Low, High int
	// LessOne takes 2^x − 1 in place of 2^(x−1).
	LessOne bool
}

// Decorrelated draws each wait from the one before it:
//
//	wait = min(cap, U(base, 3 · previous)), the first previous being base
//
// (The same source as [FullJitter].)
type Decorrelated struct{ Base, Cap time.Duration }

var _ Chained = Decorrelated{}

// Wait implements [Delay].
func (p Proportional) Wait(x int, chance float64) time.Duration {
	low, high := p.band(x)
	return time.Duration(min(low+scale1(chance)*(high-low), float64(max(p.Cap, 0))))
}

// Bounds implements [Bounded]. Where the cap cuts the band [a, b], the mean is
// c − (c − a)²/2(b − a), as [Exponential.Bounds] derives it.
func (p Proportional) Bounds(x int) (least, mean, greatest time.Duration) {
	low, high := p.band(x)
	top := float64(max(p.Cap, 0))
	middle := (low + high) / 2
	switch {
	case low >= top:
		middle = top
	case high > top:
		middle = top - (top-low)*(top-low)/2/(high-low)
	}
	return time.Duration(min(low, top)), time.Duration(middle), time.Duration(min(high, top))
}

// band returns between what the wait before retry x lies without the cap, in
// nanoseconds; both are bounded.
func (p Proportional) band(x int) (low, high float64) {
	if x < 1 || p.Base <= 0 {
		return 0, 0
	}
	power := math.Exp2(float64(min(x, 100) - 1))
	if p.LessOne {
		power = math.Exp2(float64(min(x, 100))) - 1
	}
	whole := float64(p.Base) * power / 1000
	return whole * float64(max(p.Low, 0)), whole * float64(max(p.High, p.Low, 0))
}

// Wait implements [Delay] for a chain whose waits so far were drawn with the same
// chance; a policy asks [Decorrelated.NextWait] instead.
func (d Decorrelated) Wait(x int, chance float64) time.Duration {
	var wait time.Duration
	for range min(x, 100) {
		wait = d.NextWait(wait, chance)
	}
	return wait
}

// NextWait implements [Chained].
func (d Decorrelated) NextWait(previous time.Duration, chance float64) time.Duration {
	base, top := max(d.Base, 0), max(d.Cap, 0)
	from := max(previous, base)
	reach := time.Duration(math.MaxInt64)
	if from <= math.MaxInt64/3 {
		reach = 3 * from
	}
	return min(base+time.Duration(scale(uint64(reach-base), chance)), top)
}

// Bounds implements [Bounded]. While the cap is out of reach, with 3^x · base
// below it, the mean follows from E(x) = (base + 3·E(x−1))/2; above it, the
// density of the wait is computed numerically.
func (d Decorrelated) Bounds(x int) (least, mean, greatest time.Duration) {
	if x < 1 {
		return 0, 0, 0
	}
	base, top := float64(max(d.Base, 0)), float64(max(d.Cap, 0))
	expected, reach := base, base
	for range min(x, 1000) {
		reach *= 3
		if reach > top {
			return min(d.Base, d.Cap), time.Duration(d.quadrature(x)), time.Duration(min(reach, top))
		}
		expected = (base + 3*expected) / 2
	}
	return d.Base, time.Duration(expected), time.Duration(reach)
}

// quadrature returns the mean wait before retry x with the cap: the distribution
// is kept as masses on a grid from base to cap, and each step spreads a mass at s
// evenly over base to 3s, what lies above the cap being put there.
func (d Decorrelated) quadrature(x int) float64 {
	base, top := float64(max(d.Base, 0)), float64(max(d.Cap, 0))
	if top <= base {
		return top
	}
	const cells = 2000
	width := (top - base) / cells
	mass := make([]float64, cells+1) // the last is the cap itself
	at := func(i int) float64 { return min(base+(float64(i)+0.5)*width, top) }
	// The first previous wait is base exactly: uniform from there to three times it.
	spread := func(into []float64, weight, previous float64) {
		reach := 3 * previous
		density := weight / (reach - base)
		for i := range cells {
			low := base + float64(i)*width
			if low >= reach {
				return
			}
			into[i] += density * (min(reach, low+width) - low)
		}
		into[cells] += density * max(0, reach-top)
	}
	spread(mass, 1, base)
	// The distribution converges within some dozens of steps.
	for range min(x, 60) - 1 {
		next := make([]float64, cells+1)
		for i, weight := range mass {
			if weight > 0 {
				spread(next, weight, at(i))
			}
		}
		mass = next
	}
	sum := 0.0
	for i, weight := range mass {
		sum += weight * at(i)
	}
	return sum
}

// Validate returns the faults of the delay, each wrapped around [ErrInvalid].
func (d Decorrelated) Validate() []error { return baseAndCap(d.Base, d.Cap) }

// Validate returns the faults of the delay, each wrapped around [ErrInvalid].
func (p Proportional) Validate() []error {
	faults := baseAndCap(p.Base, p.Cap)
	faults.when(p.Low < 0 || p.High < p.Low || p.High > 10_000,
		"share is %d to %d thousandths; expected ascending, 0 to 10,000", p.Low, p.High)
	return faults
}

func baseAndCap(base, top time.Duration) faultList {
	var faults faultList
	faults.when(base <= 0, notPositive, "base", base)
	faults.when(top < base, "cap %v below base %v", top, base)
	return faults
}

// scale1 returns a chance within [0, 1].
func scale1(chance float64) float64 {
	if !(chance > 0) { // also refuses NaN
		return 0
	}
	return min(chance, 1)
}

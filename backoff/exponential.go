package backoff

import (
	"math/bits"
	"time"
)

// Exponential is the documents' formula for the wait before retry x:
//
//	y    = Rand(0.8 z, 1.2 z) · (2^x − 1)
//	wait = min(zmin + y, zmax)
//
// with x = 1 for the first retry, unless FromZero. Rand is uniform: 0.8 z + chance · 0.4 z. The
// jitter is drawn before the cap, so that a wait at the cap has none.
type Exponential struct {
	// Base is z, the default back-off; it must be positive.
	Base time.Duration
	// Min is zmin, the least wait; Max is zmax, the greatest.
	Min, Max time.Duration
	// FromZero has the first retry be x = 0, as the storage client 1.x counted it:
	// that one waits Min exactly, without jitter, and all clients that failed
	// together come back together.
	FromZero bool
}

// Wait implements [Delay], in whole nanoseconds: each of three steps rounds down,
// so that it is less than 3 ns below the formula, to the 53 bits that a chance
// has. For x below 1 the power term is zero and the wait Min (but never above
// Max). A chance outside [0, 1] counts as the nearer end.
func (e Exponential) Wait(x int, chance float64) time.Duration {
	floor, room := e.floor()
	least, spread, capped := e.band(x)
	if capped || least >= room {
		return floor + time.Duration(room)
	}
	// least < room < 2⁶³ and spread is about half of least: the sum fits.
	return floor + time.Duration(min(least+scale(spread, chance), room))
}

// Bounds returns what the wait before retry x can be: the least, the mean, and
// the greatest, which is reached only at the cap and otherwise approached.
//
// With y uniform on [a, b] and c = zmax − zmin, the mean of min(y, c) is
// (a + b)/2 where b ≤ c, c where a ≥ c, and between them c − (c − a)²/2(b − a):
// of the area under the density only the triangle above the cap is lost.
func (e Exponential) Bounds(x int) (least, mean, greatest time.Duration) {
	floor, room := e.floor()
	low, spread, capped := e.band(x)
	if capped || low >= room {
		top := floor + time.Duration(room)
		return top, top, top
	}
	high := low + spread
	if high <= room {
		return floor + time.Duration(low), floor + time.Duration(low+spread/2), floor + time.Duration(high)
	}
	below := float64(room - low)
	mean = floor + time.Duration(room) - time.Duration(below*(below/float64(spread))/2)
	return floor + time.Duration(low), mean, floor + time.Duration(room)
}

// Validate returns the faults of the delay, each wrapped around [ErrInvalid].
func (e Exponential) Validate() []error {
	var faults faultList
	faults.when(e.Base <= 0, notPositive, "base (z)", e.Base)
	faults.when(e.Min < 0, negative, "min (zmin)", e.Min)
	faults.when(e.Max <= 0, notPositive, "max (zmax)", e.Max)
	faults.when(e.Min > e.Max, "min (zmin) %v exceeds max (zmax) %v", e.Min, e.Max)
	return faults
}

// floor returns the least wait and how far above it the cap lies, both made
// usable where the fields are not valid.
func (e Exponential) floor() (time.Duration, uint64) {
	top := max(e.Max, 0)
	floor := min(max(e.Min, 0), top)
	return floor, uint64(top - floor)
}

// band returns y's least value 0.8 z (2^x − 1) and the width 0.4 z (2^x − 1) of
// the band above it, in nanoseconds; or capped where the least value does not
// fit 63 bits and so lies above every cap.
func (e Exponential) band(x int) (least, spread uint64, capped bool) {
	if e.FromZero && x > 0 {
		x--
	}
	if x < 1 || e.Base <= 0 {
		return 0, 0, false
	}
	if x > 63 {
		return 0, 0, true
	}
	overflow, product := bits.Mul64(uint64(e.Base), 1<<x-1)
	if overflow != 0 {
		// y is at least 0.8 · 2⁶⁴, more than any time.Duration.
		return 0, 0, true
	}
	// Fifths, so that no product leaves 64 bits: 0.8 p = p − p/5, rounded down.
	fifth, rest := product/5, product%5
	least = fifth*4 + rest*4/5
	spread = fifth*2 + rest*2/5
	return least, spread, least > 1<<63-1
}

// scale returns the given share of n, rounded down, and at most n.
func scale(n uint64, share float64) uint64 {
	if share >= 1 {
		return n
	}
	return min(n, uint64(float64(n)*scale1(share)))
}

package arrival

import (
	"math"
	"slices"
	"time"
)

// Ramp is a schedule whose rate goes from one to another in a straight line. Its
// arithmetic is in integers: of the rates a and b, in operations per thousand
// seconds, and the length l, in nanoseconds, operation n is due at the greatest
// whole t with
//
//	t·(2l·a + (b−a)·t) ≤ 2l·n·10¹²
//
// which is the integral of the rate, made whole by the factor 2l.
type Ramp struct {
	from, to uint64
	extent
}

var _ curve = (*Ramp)(nil)

// NewRamp returns the schedule of a rate that goes from one to another, in
// operations per second, over a length. One of the two may be 0; both are
// rounded to three decimals. Its errors wrap [ErrSchedule].
func NewRamp(from, to float64, length time.Duration) (*Ramp, error) {
	var l limits
	r := &Ramp{from: l.milli("the rate at the beginning", from, 0), to: l.milli("the rate at the end", to, 0), extent: extent{length: length}}
	l.lasting("the length of the ramp", length)
	l.requireOperations(r.from+r.to > 0)
	if l.err != nil {
		return nil, l.err
	}
	r.count = times(r.from+r.to, uint64(length)).upTo(2 * nanosPerThousandSeconds)
	return r, nil
}

// passed implements [curve].
func (r *Ramp) passed(wanted amount, at time.Duration) bool {
	// 2l·a + (b−a)·t without a difference, for t is at most l.
	length, t := uint64(r.length), uint64(at)
	come := times(2*length-t, r.from).plus(times(t, r.to)).scaled(t)
	due := wanted.scaled(2 * length)
	return slices.Compare(come[:], due[:]) > 0
}

// guess implements [curve] by the root of a quadratic equation, in the form that
// does not subtract two numbers that are nearly the same.
func (r *Ramp) guess(operations float64) float64 {
	load := operations * nanosPerThousandSeconds
	if load == 0 {
		return 0
	}
	from, slope := float64(r.from), (float64(r.to)-float64(r.from))/float64(r.length)
	return 2 * load / (from + math.Sqrt(max(0, from*from+2*slope*load)))
}

// DueTime implements [Schedule].
func (r *Ramp) DueTime(n uint64) time.Duration { return place(r, n, 0) }

// instantIn implements [Even].
func (r *Ramp) instantIn(n, share uint64) time.Duration { return place(r, n, share) }

// Rate implements [Schedule]; outside the schedule it is 0.
func (r *Ramp) Rate(at time.Duration) float64 {
	if !r.covers(at) {
		return 0
	}
	share := float64(at) / float64(r.length)
	return (float64(r.from)*(1-share) + float64(r.to)*share) / 1000
}

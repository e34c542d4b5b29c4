package arrival

import (
	"math"
	"time"
)

// Surge is what a [Burst] is made of. Rates are in operations per second and
// rounded to three decimals.
type Surge struct {
	// Base is the rate between the bursts, which may be 0; Peak is the rate in
	// them.
	Base, Peak float64
	// Every is the time from the beginning of one burst to that of the next,
	// Length how long each lasts, less than Every.
	Every, Length time.Duration
}

// Burst is a schedule that goes from one constant rate to another and back, again
// and again. Each round begins with the base rate and ends with the burst. Its
// arithmetic is in integers, as that of [Steps].
type Burst struct {
	base, peak uint64
	// calm is how long a round stays at the base rate, every how long it is.
	calm, every time.Duration
	extent
}

var _ curve = (*Burst)(nil)

// NewBurst returns the schedule of bursts over a length. Its errors wrap
// [ErrSchedule].
func NewBurst(surge Surge, length time.Duration) (*Burst, error) {
	var l limits
	b := &Burst{calm: surge.Every - surge.Length, every: surge.Every, extent: extent{length: length}}
	b.base, b.peak = l.milli("the base rate", surge.Base, 0), l.milli("the rate of a burst", surge.Peak, 0)
	l.lasting("the time between bursts", surge.Every)
	l.lasting("the length of a burst", surge.Length)
	l.lasting("the length of all", length)
	l.require(b.calm > 0, "bursts of %v every %v overlap", surge.Length, surge.Every)
	if l.err != nil {
		return nil, l.err
	}
	b.count = b.loadUntil(length).upTo(nanosPerThousandSeconds)
	l.requireOperations(b.count > 0)
	return b, l.err
}

// loadUntil returns the load that has come by an instant.
func (b *Burst) loadUntil(at time.Duration) amount {
	rounds, rest := uint64(at/b.every), at%b.every
	calm := rounds*uint64(b.calm) + uint64(min(rest, b.calm))
	return times(b.base, calm).plus(times(b.peak, uint64(at)-calm))
}

// passed implements [curve].
func (b *Burst) passed(wanted amount, at time.Duration) bool {
	a := b.loadUntil(at)
	return a.high > wanted.high || a.high == wanted.high && a.low > wanted.low
}

// guess implements [curve].
func (b *Burst) guess(operations float64) float64 {
	calm, every := float64(b.calm), float64(b.every)
	load := operations * nanosPerThousandSeconds
	before := float64(b.base) * calm
	round := before + float64(b.peak)*(every-calm)
	whole := math.Floor(load / round)
	load -= whole * round
	switch {
	case load < before:
		return whole*every + load/float64(b.base)
	case b.peak > 0:
		return whole*every + calm + (load-before)/float64(b.peak)
	default:
		return (whole + 1) * every
	}
}

// DueTime implements [Schedule].
func (b *Burst) DueTime(n uint64) time.Duration { return place(b, n, 0) }

// instantIn implements [Even].
func (b *Burst) instantIn(n, share uint64) time.Duration { return place(b, n, share) }

// Rate implements [Schedule]; outside the schedule it is 0.
func (b *Burst) Rate(at time.Duration) float64 {
	switch {
	case !b.covers(at):
		return 0
	case at%b.every < b.calm:
		return float64(b.base) / 1000
	default:
		return float64(b.peak) / 1000
	}
}

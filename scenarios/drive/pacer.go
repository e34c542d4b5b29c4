package drive

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/scenarios/arrival"
)

// Pacer makes a schedule one of vegeta's pacers. An attacker that keeps up
// sends hit n at the schedule's instant n and stops after the last.
func Pacer(s arrival.Schedule) vegeta.Pacer { return pacer{s} }

type pacer struct{ schedule arrival.Schedule }

// Pace implements vegeta.Pacer.
func (p pacer) Pace(elapsed time.Duration, hits uint64) (time.Duration, bool) {
	if hits >= p.schedule.Len() {
		return 0, true
	}
	return max(0, p.schedule.At(hits)-elapsed), false
}

// Rate implements vegeta.Pacer.
func (p pacer) Rate(elapsed time.Duration) float64 { return p.schedule.Rate(elapsed) }

// FromPacer makes vegeta's constant, linear or sine rate a schedule of the
// given length. Vegeta counts H(t) hits until t; operation n is due when H
// reaches n+1, which is where vegeta's own pacer aims. Its errors wrap
// [arrival.ErrSchedule]: another pacer, a rate without limit or beyond ours, or parameters
// that vegeta refuses.
func FromPacer(p vegeta.Pacer, length time.Duration) (arrival.Schedule, error) {
	if length <= 0 || length > arrival.MaxLength {
		return nil, fmt.Errorf("%w: it lasts %v; it must be more than 0 and at most %v",
			arrival.ErrSchedule, length, arrival.MaxLength)
	}
	switch p := p.(type) {
	case vegeta.ConstantPacer:
		if p.Freq <= 0 || p.Per <= 0 || p.Rate(0) > arrival.MaxRate {
			return nil, impossible(p)
		}
		return constant{p, length}, nil
	case vegeta.LinearPacer:
		start := p.Rate(0)
		if p.StartAt.Freq <= 0 || p.StartAt.Per <= 0 || !finite(p.Slope) ||
			max(start, p.Rate(length)) > arrival.MaxRate {
			return nil, impossible(p)
		}
		// A falling rate stops at zero; its hits would run backwards after it.
		if zero := start / -p.Slope; p.Slope < 0 && zero < length.Seconds() {
			length = time.Duration(zero * float64(time.Second))
		}
		return newIntegral(p, length, func(t time.Duration) float64 {
			x := t.Seconds()
			return start*x + p.Slope*x*x/2
		}), nil
	case vegeta.SinePacer:
		if p.Period <= 0 || p.Mean.Per <= 0 || p.Amp.Per <= 0 || p.Mean.Freq <= 0 ||
			p.Amp.Freq < 0 || p.Amp.Rate(0) >= p.Mean.Rate(0) || !finite(p.StartAt) ||
			p.Mean.Rate(0)+p.Amp.Rate(0) > arrival.MaxRate {
			return nil, fmt.Errorf("%w: %v is one that vegeta refuses, or above %d hits/s", arrival.ErrSchedule, p, arrival.MaxRate)
		}
		// H = M·t + A·P/2π · (cos O − cos(O + 2π/P·t)), vegeta's own integral.
		mean, amplitude, period := p.Mean.Rate(0), p.Amp.Rate(0), p.Period.Seconds()
		return newIntegral(p, length, func(t time.Duration) float64 {
			x := t.Seconds()
			return mean*x + amplitude*period/(2*math.Pi)*
				(math.Cos(p.StartAt)-math.Cos(p.StartAt+2*math.Pi/period*x))
		}), nil
	default:
		return nil, fmt.Errorf("%w: a pacer of type %T", arrival.ErrSchedule, p)
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func impossible(p vegeta.Pacer) error {
	return fmt.Errorf("%w: the rate of %v must be above 0 and at most %d hits/s", arrival.ErrSchedule, p, arrival.MaxRate)
}

// constant is vegeta's constant rate: operation n is due at (n+1)·Per/Freq.
type constant struct {
	pacer  vegeta.ConstantPacer
	length time.Duration
}

// At implements [arrival.Schedule].
func (c constant) At(n uint64) time.Duration {
	high, low := bits.Mul64(n+1, uint64(c.pacer.Per))
	quotient, _ := bits.Div64(high, low, uint64(c.pacer.Freq))
	return time.Duration(quotient)
}

// Len implements [arrival.Schedule].
func (c constant) Len() uint64 {
	high, low := bits.Mul64(uint64(c.length), uint64(c.pacer.Freq))
	quotient, _ := bits.Div64(high, low, uint64(c.pacer.Per))
	return quotient
}

// Rate implements [arrival.Schedule]; outside the schedule it is 0.
func (c constant) Rate(at time.Duration) float64 { return rateWithin(c.pacer, at, c.length) }

// Length implements [arrival.Schedule].
func (c constant) Length() time.Duration { return c.length }

// integral is a schedule by its cumulative number of hits, which must not fall.
type integral struct {
	pacer  vegeta.Pacer
	hits   func(time.Duration) float64
	length time.Duration
	count  uint64
}

func newIntegral(p vegeta.Pacer, length time.Duration, hits func(time.Duration) float64) integral {
	// The small addition keeps a whole last hit from failing by rounding.
	return integral{p, hits, length, uint64(max(0, hits(length)+1e-6))}
}

// At implements [arrival.Schedule]: the first nanosecond at which the hits reach n+1,
// found by bisection.
func (s integral) At(n uint64) time.Duration {
	low, high := time.Duration(0), s.length
	for low < high {
		middle := low + (high-low)/2
		if s.hits(middle) >= float64(n+1) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// Len implements [arrival.Schedule].
func (s integral) Len() uint64 { return s.count }

// Rate implements [arrival.Schedule]; outside the schedule it is 0.
func (s integral) Rate(at time.Duration) float64 { return rateWithin(s.pacer, at, s.length) }

// Length implements [arrival.Schedule].
func (s integral) Length() time.Duration { return s.length }

func rateWithin(p vegeta.Pacer, at, length time.Duration) float64 {
	if at < 0 || at >= length {
		return 0
	}
	return p.Rate(at)
}

package arrival

import (
	"math"
	"math/bits"
	"time"

	"loadgen/engine/nearest"
)

// curve is a rate that changes by a formula. An amount of load has come by the
// last instant, rounded down to the nanosecond, by which no more has: where
// nothing comes for a while, that is its end.
type curve interface {
	Schedule
	// passed reports, exactly, whether more than an amount has come by an instant of
	// the schedule, its end included.
	passed(a amount, at time.Duration) bool
	// guess returns about when so much has come, in nanoseconds.
	guess(operations float64) float64
}

// amount is an amount of load, as a whole number of 128 bits: operations · 10¹².
type amount struct{ high, low uint64 }

// amountOf returns n operations and a share, in parts of 2⁶⁴, of another.
func amountOf(n, share uint64) amount {
	high, low := bits.Mul64(n, nanosPerThousandSeconds)
	part, _ := bits.Mul64(share, nanosPerThousandSeconds)
	low, carry := bits.Add64(low, part, 0)
	return amount{high + carry, low}
}

// plus returns the sum of two amounts.
func (a amount) plus(b amount) amount {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, _ := bits.Add64(a.high, b.high, carry)
	return amount{high, low}
}

// times returns the product of two whole numbers.
func times(a, b uint64) amount {
	high, low := bits.Mul64(a, b)
	return amount{high, low}
}

// upTo returns how many whole divisors it takes to reach an amount; the number
// must fit into 64 bits.
func (a amount) upTo(divisor uint64) uint64 {
	quotient, rest := bits.Div64(a.high, a.low, divisor)
	if rest > 0 {
		quotient++
	}
	return quotient
}

// place returns the instant of a curve at a share, in parts of 2⁶⁴, of operation
// n's slot. The slot of the last operation ends with the schedule, full or not.
func place(c curve, n, share uint64) time.Duration {
	length := c.Length()
	if n+1 < c.Len() {
		return invert(c, amountOf(n, share), float64(n)+float64(share)/(1<<64), length)
	}
	from := invert(c, amountOf(n, 0), float64(n), length)
	part, _ := bits.Mul64(share, uint64(length-from))
	return from + time.Duration(part)
}

// invert returns the last instant before the end by which no more than an amount
// has come. It begins at the guess and doubles its stride until the answer lies
// between two instants.
func invert(c curve, wanted amount, operations float64, length time.Duration) time.Duration {
	last := length - 1
	at := time.Duration(min(max(c.guess(operations), 0), float64(last)))
	at = min(at, last)
	low, high := at, at+1
	if c.passed(wanted, at) {
		for stride := time.Duration(1); low > 0 && c.passed(wanted, low); stride *= 2 {
			high = low
			low = max(0, low-stride)
		}
	} else {
		for stride := time.Duration(1); high <= last && !c.passed(wanted, high); stride *= 2 {
			low = high
			high = min(high+stride, length)
		}
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		if c.passed(wanted, middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// limits keeps the first fault of what a schedule is to be made of, which wraps
// [ErrSchedule].
type limits struct{ err error }

func (l *limits) require(holds bool, format string, args ...any) {
	if l.err == nil && !holds {
		l.err = nearest.Faultf(ErrSchedule, format, args...)
	}
}

// milli returns a rate in operations per thousand seconds.
func (l *limits) milli(what string, rate, least float64) uint64 {
	l.require(rate >= least && rate <= MaxRate, "%s is %v; it must be from %v to %d operations/s", what, rate, least, MaxRate)
	return uint64(math.Round(rate * 1000))
}

func (l *limits) lasting(what string, length time.Duration) {
	l.require(length > 0 && length <= MaxLength, "%s is %v; it must be more than 0 and at most %v", what, length, MaxLength)
}

// requireOperations requires that operations are due.
func (l *limits) requireOperations(rates bool) { l.require(rates, "all of its rates are 0") }

// wide is a whole number of 192 bits without a sign, the highest 64 first.
type wide [3]uint64

func (a amount) scaled(factor uint64) wide {
	lowHigh, lowLow := bits.Mul64(a.low, factor)
	highHigh, highLow := bits.Mul64(a.high, factor)
	middle, carry := bits.Add64(lowHigh, highLow, 0)
	return wide{highHigh + carry, middle, lowLow}
}

package clock

import (
	"time"
)

// Instant is a point in time, in nanoseconds since the start of its clock.
// Instants of two clocks must not be compared.
type Instant int64

// Never is later than every instant that a clock can tell.
const Never Instant = 1<<63 - 1

// Add returns the instant d after i; it saturates at [Never].
func (i Instant) Add(d time.Duration) Instant {
	sum := i + Instant(d)
	if d > 0 && sum < i {
		return Never
	}
	return sum
}

// Sub returns the time from earlier to i, negative where i comes first.
func (i Instant) Sub(earlier Instant) time.Duration { return time.Duration(i - earlier) }

// Offset returns the time since the start of the clock.
func (i Instant) Offset() time.Duration { return time.Duration(i) }

// NextSecond returns the first whole second of the clock at or after i.
func (i Instant) NextSecond() Instant {
	const second = Instant(time.Second)
	return (i + second - 1) / second * second
}

// Virtual is a clock that stands still until its owner moves it: the time of a
// simulation. It belongs to one goroutine. The zero value stands at instant
// zero.
type Virtual struct{ now Instant }

// Now returns the instant that the clock was last moved to.
func (v *Virtual) Now() Instant { return v.now }

// AdvanceTo moves the clock forward to t. An earlier t leaves it where it is,
// so that time never goes back.
func (v *Virtual) AdvanceTo(t Instant) { v.now = max(v.now, t) }

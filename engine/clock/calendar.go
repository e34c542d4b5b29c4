package clock

import "time"

// Calendar says which date an instant of a clock has. Safe for concurrent use.
//
// Dates are for others: what stands on a letter, how old a signature is. Nothing is
// measured by them, since a calendar is put right while a clock runs, and may be
// turned back.
type Calendar interface {
	// Date returns the date of an instant, which the clock has told or is about to.
	Date(Instant) time.Time
}

// Epoch is the calendar of a clock that has never stood still: the date of its
// instant zero, and all others as long after it as the clock says.
type Epoch time.Time

var _ Calendar = Epoch{}

// Date implements [Calendar].
func (e Epoch) Date(i Instant) time.Time { return time.Time(e).Add(i.Offset()) }

var _ Calendar = Real{}

// Date implements [Calendar], by what the machine holds the date to be now. A machine
// that sleeps stops its monotonic clock, and not the days.
func (r Real) Date(i Instant) time.Time {
	now := time.Now()
	told := Instant(now.Sub(r.start))
	return now.Round(0).Add(i.Sub(told))
}

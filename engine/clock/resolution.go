package clock

import "time"

// Resolution finds how coarse the timestamps of a file are. The zero value has seen none.
type Resolution struct {
	first         Instant
	seen, several bool
	// unit is the coarsest unit that all timestamps so far are whole multiples of, 0 for none.
	unit time.Duration
}

// resolutions are the units of timestamps, the coarsest first.
var resolutions = [...]time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second, 0}

// Add takes one timestamp.
func (r *Resolution) Add(at Instant) {
	if !r.seen {
		r.seen, r.first, r.unit = true, at, resolutions[0]
	}
	r.several = r.several || at != r.first
	for i := 0; r.unit > 0 && at%Instant(r.unit) != 0; i++ {
		r.unit = resolutions[i]
	}
}

// Unit returns the coarsest of a day, an hour, a minute and a second that all timestamps are whole
// multiples of: 0 for none of them, and a second if all timestamps are the same whole one.
func (r *Resolution) Unit() time.Duration {
	if r.unit > 0 && !r.several {
		return time.Second
	}
	return r.unit
}

// Offset returns how long after its timestamp row i of n rows with the same timestamp
// arrives: they are spread evenly over the unit, in their order.
func (r *Resolution) Offset(i, n int) time.Duration {
	return time.Duration(i) * r.Unit() / time.Duration(n)
}

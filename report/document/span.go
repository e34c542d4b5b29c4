package document

import (
	"math"
	"time"
)

// Span returns how long something lasts that was planned, or is known roughly, in the unit
// that suits it: to a tenth below ten of them, to whole ones above. What was measured is
// told by [Lapse].
func Span(d time.Duration) string {
	units := []struct {
		name string
		of   time.Duration
	}{{"ns", time.Nanosecond}, {"µs", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second},
		{"min", time.Minute}, {"h", time.Hour}, {"days", 24 * time.Hour}}
	at := 0
	for at < len(units)-1 && d.Abs() >= least(units[at+1].of) {
		at++
	}
	number := float64(d) / float64(units[at].of)
	if math.Abs(number) < 9.95 {
		return Decimals(number, 1) + " " + units[at].name
	}
	return Count(int64(math.Round(number))) + " " + units[at].name
}

// least is the shortest span told in a unit. A number of the unit below that is rounded to
// one of this one is; of minutes and longer it takes two of them, so that 90 s stay 90 s.
func least(unit time.Duration) time.Duration {
	if unit > time.Second {
		return 2 * unit
	}
	return unit - unit/2000
}

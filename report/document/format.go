package document

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// format formats the numbers of a column. The number in the text is the value times scale. Unit is
// the unit of durations, 0 for other numbers.
type format struct {
	name  string
	scale float64
	write func(float64) string
	unit  time.Duration
}

// The formats of text. Words and named are left-aligned; named shows an empty text as an en dash.
const (
	words     = "words"
	named     = "named"
	plainText = "text"
)

// partFormat is the format of a [Ratio] that may exceed one.
const partFormat = "part"

// formats returns the formats of numbers. Those with a unit format numbers of that unit and durations.
func formats() []format {
	whole := func(write func(int64) string) func(float64) string {
		return func(number float64) string { return write(int64(math.Round(number))) }
	}
	return []format{
		{"count", 1, whole(Count), 0}, {"rate", 1, Rate, 0}, {"share", 100, Share, 0}, {"fineshare", 100, FineShare, 0}, {"tries", 1, Tries, 0}, {"change", 100, Change, 0},
		{"chance", 1, Chance, 0}, {"factor", 1, Factor, 0}, {"figures", 1, Figures, 0}, {"money", 1, Money, 0}, {"bytes", 1, whole(Bytes), 0},
		{partFormat, 100, func(share float64) string { return PartOf(share, 1) }, 0},
		{"span", 1, func(nanos float64) string { return Span(time.Duration(nanos)) }, time.Nanosecond}, {"minutes", 1, Minutes, time.Second}, {"millis", 1e-3, whole(Millis), time.Microsecond}, {"micros", 1e-3, whole(Micros), time.Microsecond},
		{"nanos", 1e-6, func(nanos float64) string { return Millis(int64(nanos) / 1000) }, time.Nanosecond},
		{"ms", 1, func(millis float64) string { return Millis(int64(math.Round(1000 * millis))) }, time.Millisecond},
		{"tenths", 1, func(number float64) string { return strconv.FormatFloat(number, 'f', 1, 64) }, time.Second},
	}
}

// formatOf returns the format with a name, rate if there is none.
func formatOf(name string) format {
	for _, f := range formats() {
		if f.name == name {
			return f
		}
	}
	return format{"rate", 1, Rate, 0}
}

// text returns the text of a number and the scale of the number in it.
func (f format) text(number float64) (text string, scale float64) {
	scale = f.scale
	if slices.Contains([]string{"ms", "millis", "nanos"}, f.name) && InSeconds(int64(math.Round(number*scale*1000))) {
		// The text includes the unit.
		scale /= 1000
	}
	if slices.Contains([]string{"fineshare", partFormat}, f.name) && isMultiple(number) {
		scale = 1
	}
	return f.write(number), scale
}

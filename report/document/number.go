package document

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Untold replaces a figure that is missing or has too few samples.
const Untold = "–"

// Optional formats a value, or returns [Untold] for nil.
func Optional[T any](value *T, as func(T) string) string {
	if value == nil {
		return Untold
	}
	return as(*value)
}

// Interval formats the bounds of a figure, or returns [Untold] for nil.
func Interval(bounds *[2]float64, as func(float64) string) string {
	return Optional(bounds, func(b [2]float64) string { return as(b[0]) + " to " + as(b[1]) })
}

// Count returns a whole number with separators of thousands.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	return sign + grouped(digits)
}

// AtLeast returns a count, with "at least" before it if counting stopped at a bound.
func AtLeast(n int64, bounded bool) string {
	if bounded {
		return "at least " + Count(n)
	}
	return Count(n)
}

// LowerBound is [AtLeast] for a cell of a table.
func LowerBound(n int64, bounded bool) string {
	if bounded {
		return "≥" + Count(n)
	}
	return Count(n)
}

// About returns a count, with "about" before it if it is an estimate.
func About(n float64, estimated bool) string {
	if estimated {
		return "about " + Rate(n)
	}
	return Rate(n)
}

func grouped(digits string) string {
	var text strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}

// Rate returns a number per second: to hundredths below ten, to a whole number below a million, to three
// figures of millions above.
func Rate(perSecond float64) string {
	switch {
	case math.IsNaN(perSecond) || perSecond < 0:
		return Untold
	case perSecond >= 999.5e6:
		return strconv.FormatFloat(perSecond, 'g', 3, 64)
	case perSecond >= 999_999.5:
		return strconv.FormatFloat(perSecond/1e6, 'g', 3, 64) + "M"
	case perSecond >= 9.995:
		return Count(int64(math.Round(perSecond)))
	default:
		return Decimals(perSecond, 2)
	}
}

// Decimals returns a number with a maximum of decimals, without trailing zeros.
func Decimals(number float64, most int) string {
	text := strconv.FormatFloat(number, 'f', most, 64)
	if most > 0 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Share returns a share of one as a percentage to a tenth. Only 0 is shown as 0%, and only 1 as 100%.
func Share(share float64) string {
	switch percent := share * 100; {
	case math.IsNaN(percent):
		return Untold
	case percent <= 0:
		return "0%"
	case percent < 0.1:
		return "<0.1%"
	case percent >= 100:
		return "100%"
	case percent > 99.9:
		return ">99.9%"
	default:
		return strconv.FormatFloat(percent, 'f', 1, 64) + "%"
	}
}

// FineShare returns a share of one to hundredths of a percent, for bounds.
func FineShare(share float64) string { return percentage(share, 2) }

// CutShare returns a share as a percentage of three figures, cut off and not
// rounded, so that it lies on the same side of a bound as the share itself.
func CutShare(share float64) string {
	percent := share * 100
	if percent <= 0 {
		return "0%"
	}
	// The figures before the third are kept; the small addition keeps what is
	// exact in decimals from being cut for its binary form.
	scale := math.Pow(10, 2-math.Floor(math.Log10(percent)))
	cut := math.Floor(percent*scale+1e-9) / scale
	if isMultiple(share) {
		return Figures(cut/100) + " times"
	}
	return strconv.FormatFloat(cut, 'f', -1, 64) + "%"
}

// isMultiple reports whether a share is written as a factor: above 1,000 percent.
func isMultiple(share float64) bool { return share > 10 && !math.IsInf(share, 1) }

// percentage returns a share as a percentage with decimals, above 1,000 percent as a factor: "1,092 times".
func percentage(share float64, decimals int) string {
	if isMultiple(share) {
		return Figures(share) + " times"
	}
	return strconv.FormatFloat(100*share, 'f', decimals, 64) + "%"
}

// CutFactor returns a ratio cut off to hundredths.
func CutFactor(ratio float64) string {
	return strconv.FormatFloat(math.Floor(ratio*100+1e-9)/100, 'f', 2, 64)
}

// Factor returns a ratio to three figures, or that it is above or below a thousandfold.
func Factor(ratio float64) string {
	switch {
	case ratio < 0.001:
		return "<0.001"
	case ratio < 9.9995:
		return strconv.FormatFloat(ratio, 'f', 3, 64)
	case ratio < 999.5:
		return strconv.FormatFloat(ratio, 'g', 3, 64)
	default:
		return ">999"
	}
}

// Figures returns a number to three figures, or to whole ones from a hundred on.
func Figures(number float64) string {
	if number < 99.95 {
		return strconv.FormatFloat(number, 'g', 3, 64)
	}
	return Rate(number)
}

// Millis returns microseconds in milliseconds, to the precision of a histogram, for a column in ms.
// Durations of 100 s and more are in seconds, with the unit. A histogram's constant for more than an hour is
// not shown as a number.
func Millis(micros int64) string {
	switch {
	case micros == time.Hour.Microseconds()+1:
		return "> 1 h"
	case InSeconds(micros):
		return strconv.FormatInt((micros+500_000)/1_000_000, 10) + " s"
	}
	for _, scale := range []struct {
		below, per int64
		decimals   int
	}{{1_000, 1, 3}, {10_000, 10, 2}, {1_000_000, 100, 1}} {
		// Rounded first, so that 999.96 is not shown as 1000.0.
		if rounded := (micros + scale.per/2) / scale.per * scale.per; rounded < scale.below {
			return strconv.FormatFloat(float64(rounded)/1000, 'f', scale.decimals, 64)
		}
	}
	return Count((micros + 500) / 1000)
}

// InSeconds reports whether [Millis] shows a duration in seconds.
func InSeconds(micros int64) bool { return (micros+500)/1000 >= 100_000 }

// Micros returns microseconds as [Millis] does, with the unit: a duration is the same text
// in a table and in a sentence.
func Micros(micros int64) string {
	if InSeconds(micros) {
		return Millis(micros)
	}
	return Millis(micros) + " ms"
}

// Lapse is [Micros] of a duration.
func Lapse(d time.Duration) string { return Micros(d.Microseconds()) }

// Bytes returns a number of bytes, rounded up, in the largest unit with a number of two or more.
func Bytes(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	unit := 0
	for bytes >= 2<<10 && unit < len(units)-1 {
		bytes = (bytes + 1023) / 1024
		unit++
	}
	return strconv.FormatInt(bytes, 10) + " " + units[unit]
}

// Finite returns a number that JSON can hold, nil for any other.
func Finite(value float64) *float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	return &value
}

// PartOf returns one number as a percentage of another, to a tenth; it may exceed 100%.
func PartOf(number, of float64) string { return percentage(number/of, 1) }

// Tries returns a ratio to hundredths, or that it is above 999.
func Tries(each float64) string {
	if each > 999 {
		return manyTries
	}
	return strconv.FormatFloat(each, 'f', 2, 64)
}

// manyTries stands for more than are counted.
const manyTries = ">999"

// Seconds returns a length of time in seconds to a tenth, for a column in s.
func Seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) }

// Plainly returns a number with all of its decimals and no separators, for a script.
func Plainly(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

// Minutes returns seconds as a person says them: in hours, minutes and seconds.
func Minutes(seconds float64) string {
	d := time.Duration(math.Round(min(seconds, 1e9))) * time.Second
	text := ""
	if h := int(d.Hours()); h > 0 {
		text = strconv.Itoa(h) + " h "
	}
	if m := int(d.Minutes()) % 60; m > 0 {
		text += strconv.Itoa(m) + " min "
	}
	if s := int(d.Seconds()) % 60; s > 0 || text == "" {
		text += strconv.Itoa(s) + " s"
	}
	return strings.TrimSpace(text)
}

// RoundTime returns the microseconds of a mark on an axis in a suitable unit, to three figures.
func RoundTime(micros float64) string {
	switch {
	case micros < 1e3:
		return Figures(micros) + " µs"
	case micros < 1e6:
		return Figures(micros/1e3) + " ms"
	default:
		return Figures(micros/1e6) + " s"
	}
}

// Exactly returns a number times a power of ten, with separators of thousands.
func Exactly(value float64, power int) string {
	sign := ""
	if value < 0 {
		sign, value = "-", -value
	}
	// The power is put into the decimals, so that no digit comes of multiplying.
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
	shifted, err := strconv.Atoi(exponent)
	if err != nil {
		return fmt.Sprint(value)
	}
	value, _ = strconv.ParseFloat(digits+"e"+strconv.Itoa(shifted+power), 64)
	whole, rest, some := strings.Cut(strconv.FormatFloat(value, 'f', -1, 64), ".")
	text := sign + grouped(whole)
	if some {
		text += "." + rest
	}
	return text
}

// Rounded returns a value to a number of significant figures.
func Rounded(value float64, digits int) float64 {
	near, err := strconv.ParseFloat(strconv.FormatFloat(value, 'e', digits-1, 64), 64)
	if err != nil {
		return value
	}
	return near
}

// Change returns a relative change as a percentage with its sign, to a tenth, or from a hundredfold on as a
// factor.
func Change(part float64) string {
	switch {
	case math.IsNaN(part):
		return Untold
	case math.IsInf(part, 1):
		return "+∞"
	case part >= 99:
		return "×" + strconv.FormatFloat(part+1, 'g', 3, 64)
	case math.Abs(part) < 0.0005:
		return "±0.0%"
	case part < 0:
		return "−" + strconv.FormatFloat(-100*part, 'f', 1, 64) + "%"
	default:
		return "+" + strconv.FormatFloat(100*part, 'f', 1, 64) + "%"
	}
}

// SmallChange is [Change] of one that would be shown as none: to the first figure.
func SmallChange(part float64) string {
	sign := "+"
	if part < 0 {
		sign = "−"
	}
	return sign + strconv.FormatFloat(math.Abs(100*part), 'g', 1, 64) + "%"
}

// Chance returns a p-value to two figures.
func Chance(p float64) string { return strconv.FormatFloat(p, 'g', 2, 64) }

// Finely returns a number to thousandths below a hundred, so that different numbers look different.
func Finely(number float64) string {
	if number < 100 {
		return Decimals(number, 3)
	}
	return Rate(number)
}

// Money returns an amount to four figures.
func Money(amount float64) string {
	if amount >= 1000 {
		return Rate(amount)
	}
	return strconv.FormatFloat(amount, 'g', 4, 64)
}

// Span returns a planned or approximate duration in a suitable unit: to a tenth below ten, to whole numbers
// above. For measured durations see [Lapse].
func Span(d time.Duration) string {
	units := []struct {
		name string
		of   time.Duration
	}{{"ns", time.Nanosecond}, {"µs", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second},
		{"min", time.Minute}, {"h", time.Hour}, {"days", 24 * time.Hour}}
	at := 0
	for ; at < len(units)-1; at++ {
		// A number that is rounded to one of the next unit is one; of minutes and longer it
		// takes two of them, so that 90 s stay 90 s.
		next := units[at+1].of
		if next > time.Second && d.Abs() < 2*next || next <= time.Second && d.Abs() < next-next/2000 {
			break
		}
	}
	number := float64(d) / float64(units[at].of)
	if math.Abs(number) < 9.95 {
		return Decimals(number, 1) + " " + units[at].name
	}
	return Count(int64(math.Round(number))) + " " + units[at].name
}

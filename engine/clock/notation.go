package clock

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Notation is how the times of a column are written.
type Notation uint8

// The notations. None is not a time. Seconds to Nanoseconds count from 1970, Ticks of 100 ns from the year 1,
// and Days, as in a spreadsheet, from 1900. Lengths are durations such as 1h2m or 2:09:37. HourMinute and
// MinuteSecond are the two meanings of 10:06. Digits are dates written as numbers, such as 20261127.
// ShortDigits are the ones that are easily mistaken: two-digit years, years alone and ordinal dates. DayFirst,
// MonthFirst and YearFirst are the orders of 03/04/26. Times are dates with only one meaning.
const (
	None Notation = iota
	Seconds
	Milliseconds
	Microseconds
	Nanoseconds
	Ticks
	Days
	Digits
	ShortDigits
	DayFirst
	MonthFirst
	YearFirst
	HourMinute
	MinuteSecond
	Lengths
	Times
	notations
)

// notationNames are the words for notations. Names without a blank can be given as a time format.
var notationNames = [notations]string{"no time", "seconds", "milliseconds", "microseconds", "nanoseconds", "ticks", "spreadsheet-days",
	"digits", "short-digits", "day-first", "month-first", "year-first", "hour-minute", "minute-second", "a duration", "a time"}

// String returns a phrase for messages. For most notations it is also the name of the time format.
func (n Notation) String() string { return notationNames[n] }

// NotationNames returns the names of time formats.
func NotationNames() (names []string) {
	for _, name := range notationNames {
		if !strings.Contains(name, " ") {
			names = append(names, name)
		}
	}
	return names
}

// IsDate reports whether times of the notation are dates, not durations.
func (n Notation) IsDate() bool {
	return n != None && n != Lengths && n != HourMinute && n != MinuteSecond
}

// parse reads a text in the notation. Zoned is false for a date without a zone.
func (n Notation) parse(text string) (at Instant, zoned, ok bool) {
	switch n {
	case Seconds, Milliseconds, Microseconds, Nanoseconds, Ticks, Days:
		at, ok = n.parseNumber(text)
		return at, true, ok
	case Digits:
		return parseDigits(text, digitLayouts)
	case ShortDigits:
		return parseDigits(text, shortLayouts)
	case DayFirst, MonthFirst, YearFirst, Times:
		return parseWritten(text, n)
	case HourMinute, MinuteSecond, Lengths:
		at, ok = n.parseLength(text)
		return at, true, ok
	}
	return 0, false, false
}

// digitLayouts are the layouts of [Digits] by the number of digits, shortLayouts those of [ShortDigits]. A number of
// seconds can look like one of them by accident.
var (
	digitLayouts = map[int]string{6: "200601", 8: "20060102", 10: "2006010215", 12: "200601021504", 14: "20060102150405", 17: "20060102150405.000"}
	shortLayouts = map[int]string{4: "2006", 6: "060102", 7: "2006002", 10: "0601021504", 12: "060102150405"}
)

// The years of dates as numbers.
const minDigitYear, maxDigitYear = 1900, 2199

func parseDigits(text string, layouts map[int]string) (Instant, bool, bool) {
	whole, _, _ := strings.Cut(text, ".")
	layout, known := layouts[len(whole)]
	if !known || strings.Trim(whole, "0123456789") != "" || whole != text && len(whole) != len("20060102150405") {
		return 0, false, false
	}
	if len(whole) == len("20060102150405000") {
		text = whole[:len(whole)-3] + "." + whole[len(whole)-3:]
	}
	date, err := time.Parse(layout, text)
	if err != nil || date.Year() < minDigitYear || date.Year() > maxDigitYear {
		return 0, false, false
	}
	return Instant(date.UnixNano()), false, true
}

// units are the length of a notation's unit in nanoseconds, and the range of numbers that can only be meant so.
var units = [notations]struct{ unit, min, max int64 }{
	Seconds:      {1e9, 0, math.MaxInt64 / 1_000_000_000},
	Milliseconds: {1e6, 1e11, math.MaxInt64 / 1_000_000},
	Microseconds: {1e3, 1e14, math.MaxInt64 / 1_000},
	Nanoseconds:  {1, 1e17, math.MaxInt64},
	Ticks:        {100, 6e17, 7e17},
	Days:         {24 * 3600e9, 36_500, 55_200},
}

// maxTime is the maximum length of a time as text, in bytes.
const maxTime = 100

// The distance to 1970 from the start of ticks, in ticks, and of spreadsheet days, in days.
const (
	ticksTo1970 = 621_355_968_000_000_000
	daysTo1970  = 25_569
)

// parseNumber reads a number with up to nine decimals.
func (n Notation) parseNumber(text string) (Instant, bool) {
	const maxDigits, maxDecimals = 19, 15
	digits, whole := 0, uint64(0)
	for digits < len(text) && digits <= maxDigits && '0' <= text[digits] && text[digits] <= '9' {
		whole = whole*10 + uint64(text[digits]-'0')
		digits++
	}
	rule := units[n]
	if digits == 0 || digits > maxDigits || n == Nanoseconds && text[0] == '0' || whole > uint64(rule.max) || int64(whole) < rule.min {
		return 0, false
	}
	decimals := text[digits:]
	if len(decimals) == 1 || len(decimals) > maxDecimals+1 || decimals != "" && decimals[0] != '.' ||
		n == Seconds && len(decimals) > 10 || n != Seconds && n != Days && strings.Trim(decimals, ".0") != "" {
		return 0, false
	}
	switch n {
	case Ticks:
		return Instant(int64(whole)-ticksTo1970) * 100, true
	case Days:
		value, err := strconv.ParseFloat(text, 64)
		// A spreadsheet keeps a millisecond at best.
		return Instant(math.Round((value-daysTo1970)*24*3600e3)) * Instant(time.Millisecond), err == nil
	}
	part, unit := int64(0), rule.unit
	for _, digit := range decimals[min(1, len(decimals)):] {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		unit /= 10
		part += int64(digit-'0') * unit
	}
	at := int64(whole)*rule.unit + part
	return Instant(at), at >= 0 && int64(whole) <= math.MaxInt64/rule.unit
}

// parseLength reads a duration such as 1h2m, or a clock of up to 9,999 hours.
func (n Notation) parseLength(text string) (Instant, bool) {
	if len(text) > maxTime {
		return 0, false
	}
	parts := strings.Split(text, ":")
	if len(parts) == 1 {
		length, err := time.ParseDuration(text)
		return Instant(length), n == Lengths && err == nil && length >= 0 && text[0] != '+' && text != "0"
	}
	if half := strings.ReplaceAll(strings.ToUpper(text), " ", ""); strings.HasSuffix(half, "M") {
		at, ok := parseLayouts([]string{"3:04:05PM", "3:04PM"}, half)
		return Instant(sinceMidnight(at)), n == Lengths && ok
	}
	hours, minutes, seconds := "0", "0", "0"
	switch {
	case len(parts) == 3 && n == Lengths:
		hours, minutes, seconds = parts[0], parts[1], parts[2]
	case len(parts) == 2 && n == HourMinute:
		hours, minutes = parts[0], parts[1]
	case len(parts) == 2 && (n == MinuteSecond || n == Lengths && strings.Contains(parts[1], ".")):
		minutes, seconds = parts[0], parts[1]
	default:
		return 0, false
	}
	h, okHours := parseCount(hours, 9_999)
	m, okMinutes := parseCount(minutes, 59)
	if n == HourMinute {
		okHours = okHours && h < 24
	}
	whole, decimals, _ := strings.Cut(seconds, ".")
	s, okSeconds := Seconds.parseNumber(seconds)
	ok := okHours && okMinutes && okSeconds && s < Instant(time.Minute) && len(whole) <= 2 && len(decimals) <= 9
	return Instant(h*int64(time.Hour)+m*int64(time.Minute)) + s, ok
}

// parseCount reads a whole number from 0 to max, without a sign.
func parseCount(text string, max int64) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n <= max && text[0] >= '0' && text[0] <= '9'
}

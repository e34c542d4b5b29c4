package entity

import (
	"fmt"
	"strings"
	"time"
)

// Ticks is an instant of the service's calendar: 100 ns steps since
// 0001-01-01T00:00:00Z.
type Ticks int64

const (
	ticksPerSecond = 10_000_000
	nanosPerTick   = 100
	// unixEpoch is 1970-01-01T00:00:00Z in seconds of that calendar.
	unixEpoch = 62_135_596_800
	// isoLayout trims the trailing zeros of the fraction, as the service does.
	isoLayout = "2006-01-02T15:04:05.9999999Z"
)

// TicksOf returns the tick that t lies in. Instants that a Ticks cannot hold
// (of more than some 29,000 years) come out as the nearest that it can.
func TicksOf(t time.Time) Ticks {
	const most = 1<<63 - 1
	seconds := t.Unix()
	switch {
	case seconds >= most/ticksPerSecond-unixEpoch:
		return most
	case seconds <= -most/ticksPerSecond-unixEpoch:
		return -most
	}
	return Ticks((seconds+unixEpoch)*ticksPerSecond + int64(t.Nanosecond()/nanosPerTick))
}

// Time returns the instant in UTC.
func (t Ticks) Time() time.Time {
	seconds, ticks := int64(t)/ticksPerSecond, int64(t)%ticksPerSecond
	return time.Unix(seconds-unixEpoch, ticks*nanosPerTick).UTC()
}

// String returns the instant in the ISO 8601 form of the wire: UTC, up to seven
// digits of fraction, without trailing zeros.
func (t Ticks) String() string {
	var room [len(isoLayout)]byte
	return string(t.Time().AppendFormat(room[:0], isoLayout))
}

// ParseTicks returns the instant that a text such as 2017-08-30T13:20:32.66Z
// names: the form of [Ticks.String], trailing zeros allowed. Any other text is
// ErrTicks.
func ParseTicks(text string) (Ticks, error) {
	t, ok := parseISO(text)
	if !ok {
		return 0, fmt.Errorf("%w: %s", ErrTicks, quote(text))
	}
	return t, nil
}

// ETag returns the entity tag of the version that carries this timestamp: weak,
// with the colons percent-encoded, such as
// W/"datetime'2017-08-30T13%3A20%3A32.66Z'".
func (t Ticks) ETag() string {
	iso := t.String()
	tag := make([]byte, 0, len(etagStart)+len(iso)+4+len(etagEnd))
	tag = append(tag, etagStart...)
	for i := range len(iso) {
		if iso[i] == ':' {
			tag = append(tag, "%3A"...)
		} else {
			tag = append(tag, iso[i])
		}
	}
	return string(append(tag, etagEnd...))
}

const (
	etagStart = `W/"datetime'`
	etagEnd   = `'"`
)

// ParseETag returns the version that an entity tag names. The error is ErrETag
// for anything but one weak tag, and ErrForeignETag for a weak tag that
// [Ticks.ETag] cannot have written.
func ParseETag(tag string) (Ticks, error) {
	// One weak entity tag by RFC 9110 §8.8.3.
	opaque, weak := strings.CutPrefix(tag, `W/"`)
	opaque, closed := strings.CutSuffix(opaque, `"`)
	foreign := func(c rune) bool { return c <= ' ' || c == '"' || c == 0x7F }
	if !weak || !closed || strings.ContainsFunc(opaque, foreign) {
		return 0, fmt.Errorf("%w: %s", ErrETag, quote(tag))
	}
	inner, starts := strings.CutPrefix(tag, etagStart)
	inner, ends := strings.CutSuffix(inner, etagEnd)
	if starts && ends {
		inner = strings.ReplaceAll(strings.ReplaceAll(inner, "%3A", ":"), "%3a", ":")
		if t, ok := parseISO(inner); ok {
			return t, nil
		}
	}
	return 0, fmt.Errorf("%w: %s", ErrForeignETag, quote(tag))
}

// parseISO reads yyyy-MM-ddTHH:mm:ss, up to seven digits of fraction after a
// point, and Z.
func parseISO(s string) (Ticks, bool) {
	const whole = len("2006-01-02T15:04:05")
	if len(s) <= whole || s[len(s)-1] != 'Z' ||
		s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return 0, false
	}
	fraction, ok := parseFraction(s[whole : len(s)-1])
	if !ok {
		return 0, false
	}
	var parts [6]int
	for i, at := range [...][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		if parts[i], ok = digits(s[at[0]:at[1]]); !ok {
			return 0, false
		}
	}
	year, month, day := parts[0], time.Month(parts[1]), parts[2]
	hour, minute, second := parts[3], parts[4], parts[5]
	t := time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	// A date that does not exist comes out as another one.
	if year < 1 || t.Month() != month || t.Day() != day ||
		hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return TicksOf(t) + Ticks(fraction), true
}

// parseFraction returns the ticks of a fraction of a second such as ".25", and
// 0 for none.
func parseFraction(s string) (int, bool) {
	if s == "" {
		return 0, true
	}
	if s[0] != '.' || len(s) < 2 || len(s) > 8 {
		return 0, false
	}
	ticks, ok := digits(s[1:])
	for range 8 - len(s) {
		ticks *= 10
	}
	return ticks, ok
}

// digits returns the number that a short run of decimal digits means.
func digits(s string) (int, bool) {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

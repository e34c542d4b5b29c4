package clock

import (
	"math"
	"time"
)

// Notation is how an instant is written.
type Notation uint8

// The notations. None is that of what is no instant; Seconds and Milliseconds count
// from 1970, Lengths from where the user has them, and Times are those of RFC 3339.
const (
	None Notation = iota
	Seconds
	Milliseconds
	Lengths
	Times
)

// String returns what is written so.
func (n Notation) String() string {
	return [...]string{"no instant", "seconds", "milliseconds", "a duration", "a time"}[n]
}

const (
	// fewestMilliseconds is the number from which on a whole one counts
	// milliseconds since 1970: as such it is in 1973, as seconds it would be in the
	// year 5138.
	fewestMilliseconds = 100_000_000_000
	mostMilliseconds   = math.MaxInt64 / int64(time.Millisecond)
	mostSeconds        = math.MaxInt64 / int64(time.Second)
	// longestInstant is how long an instant's text is at most, in bytes.
	longestInstant = 64
)

// ParseInstant reads an instant as it stands in a file: 12.5, 1767366245123, 1h2m or
// 2026-01-02T15:04:05.25Z; its notation is [None] where it is none.
func ParseInstant(text string) (Instant, Notation) {
	if at, kind := parseNumber(text); kind != None {
		return at, kind
	}
	if len(text) == 0 || len(text) > longestInstant {
		return 0, None
	}
	if len(text) >= len("2006-01-02T15:04:05Z") && text[4] == '-' {
		var at time.Time
		if err := at.UnmarshalText([]byte(text)); err != nil || at.Unix() <= -mostSeconds || at.Unix() >= mostSeconds {
			return 0, None
		}
		return Instant(at.UnixNano()), Times
	}
	offset, err := time.ParseDuration(text)
	if err != nil {
		return 0, None
	}
	return Instant(offset), Lengths
}

// parseNumber reads seconds with up to nine decimals, or whole milliseconds.
func parseNumber(text string) (Instant, Notation) {
	const mostDigits, mostDecimals = 16, 9
	whole, digits := int64(0), 0
	for digits < len(text) && digits <= mostDigits && '0' <= text[digits] && text[digits] <= '9' {
		whole = whole*10 + int64(text[digits]-'0')
		digits++
	}
	if digits == 0 || digits > mostDigits {
		return 0, None
	}
	decimals := text[digits:]
	if len(decimals) == 0 && whole >= fewestMilliseconds {
		if whole >= mostMilliseconds {
			return 0, None
		}
		return Instant(whole) * Instant(time.Millisecond), Milliseconds
	}
	if len(decimals) > 0 && decimals[0] != '.' || len(decimals) == 1 || len(decimals) > mostDecimals+1 ||
		whole >= mostSeconds {
		return 0, None
	}
	part, unit := int64(0), int64(time.Second)
	for _, digit := range decimals[min(1, len(decimals)):] {
		if digit < '0' || digit > '9' {
			return 0, None
		}
		unit /= 10
		part += int64(digit-'0') * unit
	}
	return Instant(whole*int64(time.Second) + part), Seconds
}

// Resolution finds how coarse the timestamps of a file are. The zero value has seen none.
type Resolution struct {
	first                    Instant
	seen, several            bool
	hasSeconds, hasFractions bool
}

// Add takes one timestamp.
func (r *Resolution) Add(at Instant) {
	if !r.seen {
		r.seen, r.first = true, at
	}
	r.several = r.several || at != r.first
	r.hasSeconds = r.hasSeconds || at%Instant(time.Minute) != 0
	r.hasFractions = r.hasFractions || at%Instant(time.Second) != 0
}

// Unit returns time.Minute where all timestamps are whole minutes and differ, time.Second
// where all are whole seconds, and 0 otherwise.
func (r *Resolution) Unit() time.Duration {
	switch {
	case !r.seen || r.hasFractions:
		return 0
	case r.hasSeconds || !r.several:
		return time.Second
	default:
		return time.Minute
	}
}

// Offset returns how long after its timestamp row i of n rows with the same timestamp
// arrives: they are spread evenly over the unit, in their order.
func (r *Resolution) Offset(i, n int) time.Duration {
	return time.Duration(i) * r.Unit() / time.Duration(n)
}

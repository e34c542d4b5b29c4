package survey

import (
	"math"
	"time"

	"loadgen/engine/clock"
)

// instantKind is how the instants of a file are written.
type instantKind uint8

const (
	noInstant instantKind = iota
	inSeconds
	inMilliseconds
	asDuration
	asTime
)

func (k instantKind) String() string {
	return [...]string{"no instant", "seconds", "milliseconds", "a duration", "a time"}[k]
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

// parseInstant reads an instant; its kind is noInstant where it is none. Times
// and numbers count from 1970, durations from where the user has them.
func parseInstant(text string) (clock.Instant, instantKind) {
	if at, kind := parseNumber(text); kind != noInstant {
		return at, kind
	}
	if len(text) == 0 || len(text) > longestInstant {
		return 0, noInstant
	}
	if len(text) >= len("2006-01-02T15:04:05Z") && text[4] == '-' {
		var at time.Time
		if err := at.UnmarshalText([]byte(text)); err != nil || at.Unix() <= -mostSeconds || at.Unix() >= mostSeconds {
			return 0, noInstant
		}
		return clock.Instant(at.UnixNano()), asTime
	}
	offset, err := time.ParseDuration(text)
	if err != nil {
		return 0, noInstant
	}
	return clock.Instant(offset), asDuration
}

// parseNumber reads seconds with up to nine decimals, or whole milliseconds.
func parseNumber(text string) (clock.Instant, instantKind) {
	const mostDigits, mostDecimals = 16, 9
	whole, digits := int64(0), 0
	for digits < len(text) && digits <= mostDigits && '0' <= text[digits] && text[digits] <= '9' {
		whole = whole*10 + int64(text[digits]-'0')
		digits++
	}
	if digits == 0 || digits > mostDigits {
		return 0, noInstant
	}
	decimals := text[digits:]
	if len(decimals) == 0 && whole >= fewestMilliseconds {
		if whole >= mostMilliseconds {
			return 0, noInstant
		}
		return clock.Instant(whole) * clock.Instant(time.Millisecond), inMilliseconds
	}
	if len(decimals) > 0 && decimals[0] != '.' || len(decimals) == 1 || len(decimals) > mostDecimals+1 ||
		whole >= mostSeconds {
		return 0, noInstant
	}
	part, unit := int64(0), int64(time.Second)
	for _, digit := range decimals[min(1, len(decimals)):] {
		if digit < '0' || digit > '9' {
			return 0, noInstant
		}
		unit /= 10
		part += int64(digit-'0') * unit
	}
	return clock.Instant(whole*int64(time.Second) + part), inSeconds
}

// parseCount reads a whole number from 0 to the most that a row counts.
func parseCount(text string) (int64, bool) {
	const mostDigits = 10
	if len(text) == 0 || len(text) > mostDigits {
		return 0, false
	}
	count := int64(0)
	for _, digit := range text {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		count = count*10 + int64(digit-'0')
	}
	return count, count <= mostEntities
}

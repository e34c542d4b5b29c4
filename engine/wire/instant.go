package wire

import (
	"strings"
	"time"

	"loadgen/engine/entity"
)

const (
	// stampLayout has all seven digits of the fraction, and wholeInstant is the length without fraction and zone.
	stampLayout  = "2006-01-02T15:04:05.0000000Z"
	wholeInstant = len("2006-01-02T15:04:05")
	// instantRoom is the memory that package time needs to format an instant.
	instantRoom = len(time.RFC3339Nano)
	// afterCalendar is 10000-01-01T00:00:00Z.
	afterCalendar = entity.LatestDateTime + 1
	// maxOffset is the bound of offsets from UTC, in seconds.
	maxOffset = 15 * 60 * 60
)

// appendInstant appends an instant as entity.Ticks.String has it: without trailing zeros of the fraction.
func appendInstant(dst []byte, t entity.Ticks) []byte {
	return t.Time().AppendFormat(dst, time.RFC3339Nano)
}

// appendStamp appends an instant with all seven digits of the fraction, as in the last line of an error's message.
func appendStamp(dst []byte, t entity.Ticks) []byte { return t.Time().AppendFormat(dst, stampLayout) }

// parseInstant parses an Edm.DateTime: yyyy-MM-ddTHH:mm:ss, a fraction, and Z or an offset ±hh:mm. An instant without a zone is in UTC.
// The fraction is cut after seven digits: clients with nanosecond clocks send nine. Years before 1 or after 9999 are
// OutOfRangeInput. Stored values also must not be before 1601.
func parseInstant(s string) (entity.Ticks, entity.Code) {
	// Package time allows hours of one digit and a comma before the fraction.
	if len(s) < wholeInstant || s[13] != ':' || strings.HasPrefix(s[wholeInstant:], ",") {
		return 0, entity.InvalidInput
	}
	if s[len(s)-1] != 'Z' && !strings.ContainsAny(s[wholeInstant:], "+-") {
		s += "Z"
	}
	parsed, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, entity.InvalidInput
	}
	if _, offset := parsed.Zone(); offset <= -maxOffset || offset >= maxOffset {
		return 0, entity.InvalidInput
	}
	t := entity.TicksOf(parsed)
	if t < 0 || t >= afterCalendar {
		return 0, entity.OutOfRangeInput
	}
	return t, entity.OK
}

// parseVersion returns the version that an entity tag names. The tag is the inside of a JSON string, with its quotes escaped. It is
// false for a tag that a table service does not write.
func parseVersion(raw string) (entity.Ticks, bool) {
	const start, end, colon = `W/\"datetime'`, `'\"`, len("%3A")
	const hours, minutes = len("2006-01-02T15"), len("2006-01-02T15%3A04")
	tag, starts := strings.CutPrefix(raw, start)
	tag, ends := strings.CutSuffix(tag, end)
	if !starts || !ends || len(tag) <= minutes+colon || len(tag) > len(stampLayout)+2*len("3A") || tag[len(tag)-1] != 'Z' ||
		!strings.EqualFold(tag[hours:hours+colon], "%3A") || !strings.EqualFold(tag[minutes:minutes+colon], "%3A") {
		return 0, false
	}
	var room [instantRoom]byte
	iso := append(append(room[:0], tag[:hours]...), ':')
	iso = append(append(iso, tag[hours+colon:minutes]...), ':')
	t, code := parseInstant(string(append(iso, tag[minutes+colon:]...)))
	return t, code == entity.OK
}

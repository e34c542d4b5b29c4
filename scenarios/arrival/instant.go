package arrival

import (
	"math"
	"strings"
	"time"
)

// instantKind is how the instants of a trace are written.
type instantKind uint8

const (
	noInstant instantKind = iota
	inSeconds
	asDuration
	asTime
)

func (k instantKind) String() string {
	return [...]string{"no instant", "seconds", "a duration", "a time"}[k]
}

// origin is what instants that are no times of day count from.
var origin = time.Unix(0, 0).UTC()

// parseInstant reads an instant of a trace; its kind is noInstant where it is
// none.
func parseInstant(text string) (time.Time, instantKind) {
	if at, is := parseSeconds(text); is {
		return origin.Add(at), inSeconds
	}
	if at, err := time.ParseDuration(text); err == nil && at >= 0 && !strings.HasPrefix(text, "+") {
		return origin.Add(at), asDuration
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, asTime
	}
	return time.Time{}, noInstant
}

// parseSeconds reads seconds with up to nine decimals, to the nanosecond.
func parseSeconds(text string) (time.Duration, bool) {
	const most = math.MaxInt64 / int64(time.Second)
	whole, decimals, cut := strings.Cut(text, ".")
	if whole == "" || len(whole) > 10 || cut && decimals == "" || len(decimals) > 9 {
		return 0, false
	}
	seconds, ok := digits(whole)
	rest, fine := digits(decimals)
	if !ok || !fine || seconds >= most {
		return 0, false
	}
	for range 9 - len(decimals) {
		rest *= 10
	}
	return time.Duration(seconds*int64(time.Second) + rest), true
}

// digits returns the number that up to ten digits are; none are 0.
func digits(text string) (int64, bool) {
	number := int64(0)
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		number = number*10 + int64(text[i]-'0')
	}
	return number, true
}

package catalog

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// ParseAge reads how long ago something is: whole or broken days (30d), weeks (2w), or
// what Go calls a duration (36h). It is above zero. Its error is [ErrAge].
func ParseAge(text string) (time.Duration, error) {
	for suffix, unit := range map[string]time.Duration{"d": day, "w": 7 * day} {
		number, found := strings.CutSuffix(text, suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		// Written so that what is no number is none.
		if err != nil || !(n > 0 && n*float64(unit) < math.MaxInt64) || time.Duration(n*float64(unit)) <= 0 {
			return 0, ErrAge
		}
		return time.Duration(n * float64(unit)), nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age <= 0 {
		return 0, ErrAge
	}
	return age, nil
}

// ParseSince reads an instant: a day (2026-03-01), an instant as RFC 3339 has it, or how
// long before now. Its error is [ErrAge].
func ParseSince(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	age, err := ParseAge(text)
	if err != nil {
		return time.Time{}, err
	}
	return now.Add(-age), nil
}

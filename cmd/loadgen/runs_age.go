package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// errAge is that of a text that is no age.
var errAge = errors.New("no age; expected one such as 30d, 2w or 12h")

const day = 24 * time.Hour

// parseAge reads how long ago something is: whole or broken days (30d), weeks (2w), or
// what Go calls a duration (36h). It is above zero.
func parseAge(text string) (time.Duration, error) {
	for suffix, unit := range map[string]time.Duration{"d": day, "w": 7 * day} {
		number, found := strings.CutSuffix(text, suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		// Written so that what is no number is none.
		if err != nil || !(n > 0 && n*float64(unit) < math.MaxInt64) || time.Duration(n*float64(unit)) <= 0 {
			return 0, errAge
		}
		return time.Duration(n * float64(unit)), nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age <= 0 {
		return 0, errAge
	}
	return age, nil
}

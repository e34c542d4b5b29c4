package backoff

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Multiplied is a wait that grows by a factor, with jitter on either side of it:
//
//	wait = min(max, max(min, base · multiplier^(x−1))) · U(1 − jitter, 1 + jitter)
//
// It is what gRPC, resilience4j, cenkalti/backoff, Polly and tenacity have. The jitter is drawn
// after the bounds, so that waits at the maximum have it, too, and may exceed it.
type Multiplied struct {
	// Base is the first wait; it must be positive.
	Base time.Duration
	// Min and Max bound the wait before its jitter.
	Min, Max time.Duration
	// Multiplier is the factor from each wait to the next, at least 1.
	Multiplier float64
	Jitter     Jitter
}

// Jitter is how far a wait deviates at random to either side, in thousandths of it.
type Jitter int

// JitterForm is the form of the text of a [Jitter], ExpectedJitter says what it is.
const (
	JitterForm     = `^(none|(100|[1-9]?[0-9](\.[0-9])?)%)$`
	ExpectedJitter = "none, or a percentage of the wait up to 100%, such as 50%"
)

// String returns the jitter in percent, or "none".
func (j Jitter) String() string {
	if j == 0 {
		return "none"
	}
	return strconv.FormatFloat(float64(j)/10, 'f', -1, 64) + "%"
}

var jitterForm = regexp.MustCompile(JitterForm)

// ParseJitter reads a jitter in percent, or "none". The error wraps [ErrInvalid].
func ParseJitter(text string) (Jitter, error) {
	if !jitterForm.MatchString(text) {
		return 0, ErrInvalid
	}
	percent, _ := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64) // 0 for none
	return Jitter(math.Round(percent * 10)), nil
}

// Wait implements [Delay], to the nearest nanosecond.
func (m Multiplied) Wait(x int, chance float64) time.Duration {
	jitter := float64(m.Jitter) / 1000
	return time.Duration(math.Round(m.middle(x) * (1 + jitter*(2*scale1(chance)-1))))
}

// Bounds implements [Bounded].
func (m Multiplied) Bounds(x int) (least, mean, greatest time.Duration) {
	return m.Wait(x, 0), time.Duration(m.middle(x)), m.Wait(x, 1)
}

// middle returns the wait before retry x without its jitter, in whole nanoseconds.
func (m Multiplied) middle(x int) float64 {
	if x < 1 || m.Base <= 0 {
		return 0
	}
	// A power beyond all numbers is infinite, and the maximum less.
	wait := float64(m.Base) * math.Pow(m.Multiplier, float64(x-1))
	return math.Round(max(0, min(max(wait, float64(m.Min)), float64(m.Max))))
}

// Validate returns the faults of the delay, each wrapped around [ErrInvalid].
func (m Multiplied) Validate() []error {
	var faults faultList
	faults.when(m.Base <= 0, notPositive, "base", m.Base)
	faults.when(m.Min < 0, negative, "min", m.Min)
	faults.when(m.Max < max(m.Base, m.Min) || m.Max > LongestParameter, "max is %v; expected no less than base and min, up to %v", m.Max, LongestParameter)
	faults.when(!(m.Multiplier >= 1 && m.Multiplier <= MaxMultiplier), "multiplier is %v; expected 1 to %d", m.Multiplier, MaxMultiplier)
	faults.when(m.Jitter < 0 || m.Jitter > 1000, "jitter is %v; expected none to 100%%", m.Jitter)
	return faults
}

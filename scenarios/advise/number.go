package advise

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// count writes a number: with its thousands apart, and small ones with a decimal.
func count(n float64) string {
	switch {
	case math.IsInf(n, 0) || math.IsNaN(n):
		return "–"
	case n > 0 && n < 0.05:
		return "<0.1"
	case math.Abs(n) < 10 && n != math.Trunc(n):
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	digits := strconv.FormatFloat(math.Abs(n), 'f', 0, 64)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if n < 0 {
		return "-" + digits
	}
	return digits
}

// percent writes a share. One that is not all is never rounded up to that.
func percent(share float64) string {
	value := 100 * share
	switch {
	case value > 0 && value < 0.1:
		return "<0.1 %"
	case value < 10 && value != math.Trunc(value):
		return strconv.FormatFloat(value, 'f', 1, 64) + " %"
	case value > 99 && value < 100:
		return strconv.FormatFloat(math.Floor(value*10)/10, 'f', 1, 64) + " %"
	default:
		return count(math.Round(value)) + " %"
	}
}

// about writes an estimate with its standard error, if it has one.
func about(value, deviation float64) string {
	if deviation == 0 {
		return count(value)
	}
	return fmt.Sprintf("%s ± %s", count(value), count(math.Ceil(2*deviation)))
}

// size writes a number of bytes.
func size(bytes float64) string {
	for _, unit := range []struct {
		name string
		from float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e4}} {
		if bytes >= unit.from {
			per := unit.from
			if unit.name == "kB" {
				per = 1e3
			}
			return count(bytes/per) + " " + unit.name
		}
	}
	return count(bytes) + " bytes"
}

func seconds(n float64) time.Duration { return time.Duration(math.Min(n*1e9, math.MaxInt64/2)) }

func several(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "one " + what
	}
	return count(float64(n)) + " " + what + "s"
}

// milliseconds returns a time in seconds as text.
func milliseconds(seconds float64) string { return count(seconds*1000) + " ms" }

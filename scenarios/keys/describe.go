package keys

import (
	"math"
	"strconv"
	"strings"
)

// topped is a distribution whose commonest value has a share that is known.
type topped interface{ top() float64 }

// described is a distribution that can say what it is.
type described interface{ describe() string }

// Describe says in plain words, with numbers, which values a distribution takes:
// "zipf over 100,000 values, exponent 1.1: the commonest has 13.3%". It is empty for
// what is not sound, and where there is nothing to say.
func Describe(d Distribution) string {
	if d == nil || len(d.faults("")) > 0 {
		return ""
	}
	if d, can := d.(described); can {
		return d.describe()
	}
	return ""
}

// TopShare returns the share of the entities that have the commonest value, to be
// expected of a distribution, from 0 to 1. It is false where no value is commoner
// than others in the long run, as in a [Sequence] and in [Latest], and for what is
// not sound or has not been read.
func TopShare(d Distribution) (float64, bool) {
	t, known := d.(topped)
	if !known || len(d.faults("")) > 0 || unread(d) {
		return 0, false
	}
	return t.top(), true
}

func commonest(share float64) string { return "the commonest has " + percent(share) }

// percent returns a share as a person reads it: three digits.
func percent(share float64) string {
	value := share * 100
	if value <= 0 || value >= 100 {
		return decimal(value) + "%"
	}
	digits := 2 - int(math.Floor(math.Log10(value)))
	return trimmed(strconv.FormatFloat(value, 'f', max(digits, 0), 64)) + "%"
}

// exactPercent returns a share with the six decimals that a percentage in a
// scenario can have.
func exactPercent(share float64) string {
	return trimmed(strconv.FormatFloat(share*100, 'f', 6, 64)) + "%"
}

// trimmed returns a decimal number without zeros at its end.
func trimmed(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
}

// grouped returns a whole number with its thousands apart: 100,000.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

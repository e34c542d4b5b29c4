package compare

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// sameNumber reports whether two JSON numbers have the same value, such as 1, 1.0 and
// 10e-1. It does not round.
func sameNumber(one, other string) bool {
	if one == other {
		return true
	}
	first, ok := decimalOf(one)
	second, alsoOk := decimalOf(other)
	return ok && alsoOk && first == second
}

// decimal is ±0.digits·10^exponent; zero has no digits, no sign and no exponent.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// maxExponent limits exponents. A number above it equals only the same text.
const maxExponent = math.MaxInt64 / 4

func decimalOf(text string) (decimal, bool) {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	if mark := strings.IndexAny(text, "eE"); mark >= 0 {
		exponent, err := strconv.ParseInt(text[mark+1:], 10, 64)
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return decimal{}, false
		}
		text, d.exponent = text[:mark], exponent
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.exponent += int64(len(whole))
	d.digits = whole + fraction
	leading := len(d.digits) - len(strings.TrimLeft(d.digits, "0"))
	d.exponent -= int64(leading)
	d.digits = strings.TrimRight(d.digits[leading:], "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// change returns the relative change between two numbers, nil if it is not finite or too
// small for a float.
func change(was, is json.Number) *float64 {
	before, err := was.Float64()
	if err != nil || before == 0 {
		return nil
	}
	after, err := is.Float64()
	if err != nil {
		return nil
	}
	part := (after - before) / math.Abs(before)
	if part == 0 || math.IsInf(part, 0) {
		return nil
	}
	return &part
}

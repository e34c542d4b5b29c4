package document

import (
	"fmt"
	"strconv"
	"strings"
)

// Exactly returns a number times a power of ten, with separators of thousands.
func Exactly(value float64, power int) string {
	sign := ""
	if value < 0 {
		sign, value = "-", -value
	}
	// The power is put into the decimals, so that no digit comes of multiplying.
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
	shifted, err := strconv.Atoi(exponent)
	if err != nil {
		return fmt.Sprint(value)
	}
	value, _ = strconv.ParseFloat(digits+"e"+strconv.Itoa(shifted+power), 64)
	whole, rest, some := strings.Cut(strconv.FormatFloat(value, 'f', -1, 64), ".")
	text := sign + grouped(whole)
	if some {
		text += "." + rest
	}
	return text
}

// Rounded returns a value to so many significant figures.
func Rounded(value float64, digits int) float64 {
	near, err := strconv.ParseFloat(strconv.FormatFloat(value, 'e', digits-1, 64), 64)
	if err != nil {
		return value
	}
	return near
}

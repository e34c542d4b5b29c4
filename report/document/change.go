package document

import (
	"math"
	"strconv"
)

// Change returns a change, a part of one, as a percentage with its sign, to a tenth; beyond
// a hundredfold as a factor.
func Change(part float64) string {
	switch {
	case math.IsNaN(part):
		return Untold
	case math.IsInf(part, 1):
		return "+∞"
	case part >= 99:
		return "×" + strconv.FormatFloat(part+1, 'g', 3, 64)
	case math.Abs(part) < 0.0005:
		return "±0.0 %"
	case part < 0:
		return "−" + strconv.FormatFloat(-100*part, 'f', 1, 64) + " %"
	default:
		return "+" + strconv.FormatFloat(100*part, 'f', 1, 64) + " %"
	}
}

// SmallChange is [Change] of one that would be shown as none: to the first figure.
func SmallChange(part float64) string {
	sign := "+"
	if part < 0 {
		sign = "−"
	}
	return sign + strconv.FormatFloat(math.Abs(100*part), 'g', 1, 64) + " %"
}

// Chance returns a p-value to two figures.
func Chance(p float64) string { return strconv.FormatFloat(p, 'g', 2, 64) }

// Finely returns a number so closely that what is told apart looks different: to
// thousandths below a hundred.
func Finely(number float64) string {
	if number < 100 {
		return Decimals(number, 3)
	}
	return Rate(number)
}

// Money returns an amount to four figures.
func Money(amount float64) string {
	if amount >= 1000 {
		return Rate(amount)
	}
	return strconv.FormatFloat(amount, 'g', 4, 64)
}

package statistics

import (
	"math"
	"slices"
)

// Mean returns the arithmetic mean, 0 of none.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(max(1, len(values)))
}

// Squares returns the sum of the squared distances from the mean.
func Squares(values []float64) float64 {
	centre, sum := Mean(values), 0.0
	for _, value := range values {
		sum += (value - centre) * (value - centre)
	}
	return sum
}

// Number is whatever has a median.
type Number interface{ ~int64 | ~uint32 | ~float64 }

// Median returns the middle value, or the mean of the two middle ones; not a number of
// none. It leaves the order of what it is given.
func Median[T Number](values []T) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	// The halves of either are exact, and their sum is never too great for a number.
	return float64(sorted[(len(sorted)-1)/2])/2 + float64(sorted[len(sorted)/2])/2
}

// Relative returns a change as a part of one: 0 where nothing changed, +Inf from nothing.
func Relative(was, is float64) float64 {
	switch {
	case was == is:
		return 0
	case was == 0:
		return math.Inf(1)
	}
	return is/was - 1
}

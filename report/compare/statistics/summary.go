package statistics

import (
	"math"
	"math/rand/v2"
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

// ResampledMean returns the mean of a series put together of blocks, each drawn
// from anywhere, those that reach over the end going on at the beginning, so that
// every second is as likely as any other.
func ResampledMean(series []float64, block int, rng *rand.Rand) float64 {
	sum := 0.0
	for left := len(series); left > 0; left -= block {
		from := rng.IntN(len(series))
		for i := range min(block, left) {
			if from+i == len(series) {
				from -= len(series)
			}
			sum += series[from+i]
		}
	}
	return sum / float64(len(series))
}

// Correlated returns over how many seconds a series is correlated with itself, 1
// where it is not: 1 + 2·Σ ρ(k), summed up to the first k that is at least five
// times the sum so far, beyond which there is nothing but noise.
func Correlated(series []float64) int {
	const window = 5
	centre := Mean(series)
	at := func(lag int) float64 {
		sum := 0.0
		for i := range len(series) - lag {
			sum += (series[i] - centre) * (series[i+lag] - centre)
		}
		return sum
	}
	variance := at(0)
	if variance <= 0 {
		return 1
	}
	seconds := 1.0
	for lag := 1; lag < len(series) && float64(lag) < window*seconds; lag++ {
		seconds += 2 * at(lag) / variance
	}
	return max(1, int(math.Ceil(seconds-1e-9)))
}

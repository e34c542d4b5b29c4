package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Mean returns the arithmetic mean, 0 for no values.
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

// Number is a constraint of [Median].
type Number interface{ ~int64 | ~uint32 | ~float64 }

// Median returns the median, NaN for no values. It does not change the slice.
func Median[T Number](values []T) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	// Halves are exact, and their sum cannot overflow.
	return float64(sorted[(len(sorted)-1)/2])/2 + float64(sorted[len(sorted)/2])/2
}

// Relative returns is/was - 1, and +Inf for a change from 0.
func Relative(was, is float64) float64 {
	switch {
	case was == is:
		return 0
	case was == 0:
		return math.Inf(1)
	}
	return is/was - 1
}

// ResampledMean returns the mean of one circular block bootstrap sample of a series. Blocks wrap
// around, so that every second has the same probability.
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

// Correlated returns the integrated autocorrelation time of a series, at least 1:
// 1 + 2·Σ ρ(k), up to the first k that is five times the sum so far. Later terms are noise.
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

package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
)

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

// Middle returns the bounds of the middle part of values, which it sorts.
func Middle(values []float64, level float64) (low, high float64) {
	slices.Sort(values)
	beyond := min((len(values)-1)/2, int((1-level)/2*float64(len(values))))
	return values[beyond], values[len(values)-1-beyond]
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

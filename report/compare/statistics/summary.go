package statistics

import (
	"math"
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

// The evidence that an interval of [BatchMeans] needs.
const (
	// minBatches is needed to estimate the correlation of batches; minValues is the minimum
	// length of a series.
	minBatches, minValues = 20, 30
	// maxCorrelation of neighbouring batches is corrected for; above it, batches grow.
	maxCorrelation = 0.5
	// minIndependent is the minimum effective sample size. With less, the estimate of the
	// correlation is so poor that intervals are too narrow.
	minIndependent = 30
)

// Batched is the mean of an autocorrelated series.
type Batched struct {
	Mean float64
	// Half is half the width of the mean's 95% interval, Batch the number of values per
	// batch. Both are set only if Known.
	Half  float64
	Batch int
	Known bool
}

// BatchMeans returns the mean of a series and its interval by non-overlapping batch means
// (Conway 1963), with Student's t. Batches grow by half until the correlation of neighbours is
// small (Law and Carson 1979). ρ is the correlation of lag one, corrected for its bias of
// −(1 + 3ρ)/n (Marriott and Pope 1954). The remaining ρ widens the interval by
// √((1 + ρ)/(1 − ρ)), as in a first-order autoregressive process (Steiger et al. 2005). There
// is no interval with fewer than minBatches batches, minValues values or minIndependent
// independent values by the same correction. The series must not include a warm-up. With
// negative correlation the interval is too wide.
func BatchMeans(series []float64) Batched {
	found := Batched{Mean: Mean(series)}
	n := float64(len(series))
	if len(series) < minValues || n < minIndependent*inflation(neighbours(series)) {
		return found
	}
	for batch := 1; len(series)/batch >= minBatches; batch += max(1, batch/2) {
		means := make([]float64, len(series)/batch)
		first := len(series) - len(means)*batch
		for i := range means {
			means[i] = Mean(series[first+i*batch : first+(i+1)*batch])
		}
		correlation := neighbours(means)
		if correlation > maxCorrelation {
			continue
		}
		k := float64(len(means))
		variance := Squares(means) / (k - 1) / k * inflation(correlation)
		found.Half, found.Batch, found.Known = Critical(0.05, k-1)*math.Sqrt(variance), batch, true
		return found
	}
	return found
}

// neighbours returns the correlation of lag one, corrected for its bias.
func neighbours(series []float64) float64 {
	squares, centre, products := Squares(series), Mean(series), 0.0
	if squares <= 0 {
		return 0
	}
	for i := range len(series) - 1 {
		products += (series[i] - centre) * (series[i+1] - centre)
	}
	correlation := products / squares
	return min(0.99, correlation+(1+3*max(0, correlation))/float64(len(series)))
}

// inflation returns the variance of the mean relative to that of independent values, at least 1.
func inflation(correlation float64) float64 {
	return max(1, (1+correlation)/(1-correlation))
}

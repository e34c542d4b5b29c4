package statistics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/report/compare/statistics"
)

// divided returns the clearest split of values, and how clear it is.
func divided(values []float64) (at int, clarity float64) {
	return statistics.NewDivider(len(values)).Divide(values)
}

// atMost says whether so many of n are compatible with a share of that much, at 0.1 %.
func atMost(seen, n int, share float64) bool {
	return distuv.Binomial{N: float64(n), P: share}.CDF(float64(seen-1)) <= 0.999
}

// slowDivide goes through every split by the formula's sums.
func slowDivide(values []float64) (at int, clarity float64) {
	within := func(side []float64) float64 {
		sum := 0.0
		for i := range side {
			for k := range i {
				sum += math.Abs(side[i] - side[k])
			}
		}
		return sum
	}
	for tau := 1; tau < len(values); tau++ {
		for kappa := tau + 1; kappa <= len(values); kappa++ {
			before, after := values[:tau], values[tau:kappa]
			n, m, between := float64(len(before)), float64(len(after)), 0.0
			for _, x := range before {
				for _, y := range after {
					between += math.Abs(x - y)
				}
			}
			q := 2 / (m + n) * between
			if n > 1 {
				q -= 2 * m / ((m + n) * (n - 1)) * within(before)
			}
			if m > 1 {
				q -= 2 * n / ((m + n) * (m - 1)) * within(after)
			}
			if q > clarity {
				at, clarity = tau, q
			}
		}
	}
	return at, clarity
}

func TestDivideEqualsItsFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, series := range [][]float64{
		{1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 0.50, 0.51, 0.48, 0.48, 0.55, 0.50}, {2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81},
		{0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0},
	} {
		compareDivide(t, series)
	}
	for range 100 {
		compareDivide(t, gaussian(rng.IntN(40), 100, 5, rng))
	}
	for _, constant := range [][]float64{nil, {1}, {2, 2, 2, 2}} {
		at, clarity := divided(constant)
		assert.Truef(t, at == 0 && clarity == 0, "divide(%v) = %d, %v; want no split", constant, at, clarity)
	}
}

func compareDivide(t *testing.T, series []float64) {
	t.Helper()
	at, clarity := divided(series)
	wantAt, want := slowDivide(series)
	assert.Truef(t, at == wantAt && math.Abs(clarity-want) <= 1e-9*math.Max(1, want),
		"divide(%v) = %d, %v; want %d, %v", series, at, clarity, wantAt, want)
}

// A p-value of a null may be low only as often as it says.
func TestPermutationKeepsItsLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const sets, level = 1000, 0.1
	low := 0
	for range sets {
		series, d := gaussian(12, 100, 3, rng), statistics.NewDivider(12)
		_, clarity := d.Divide(series)
		if d.Permuted(series, clarity, level, rng) <= level {
			low++
		}
	}
	assert.Truef(t, atMost(low, sets, level) && low >= sets/20,
		"%d of %d p-values of nothing are at most %v; want about a tenth", low, sets, level)
}

package keys_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/scenarios/keys"
)

// alarm is how seldom a sound distribution is found at fault by one test. The seeds
// are fixed: what passed once passes for ever.
const alarm = 1e-4

// checkFit fails where counts lie farther from their shares than sound ones ever do.
func checkFit(t *testing.T, observed []int64, shares []float64, what string, args ...any) {
	t.Helper()
	assert.GreaterOrEqualf(t, fit(t, observed, shares), alarm, what, args...)
}

// checkMisfit fails where checkFit would not, which could then find nothing.
func checkMisfit(t *testing.T, observed []int64, shares []float64, what string, args ...any) {
	t.Helper()
	assert.LessOrEqualf(t, fit(t, observed, shares), alarm, what, args...)
}

// fit returns how often a sound distribution is as far from its shares as the counts
// of cells are. Neighbours are put together until five are expected in each.
func fit(t *testing.T, observed []int64, shares []float64) float64 {
	t.Helper()
	total := 0.0
	for _, n := range observed {
		total += float64(n)
	}
	statistic, cells, seen, due, all := 0.0, 0, 0.0, 0.0, 0.0
	for i, share := range shares {
		seen += float64(observed[i])
		due += share * total
		all += share
		if rest := (1 - all) * total; due >= 5 && (rest >= 5 || i == len(shares)-1) || i == len(shares)-1 {
			statistic += (seen - due) * (seen - due) / max(due, 1e-9)
			cells++
			seen, due = 0, 0
		}
	}
	require.LessOrEqualf(t, math.Abs(all-1), 1e-9, "the shares add up to %v", all)
	return distuv.ChiSquared{K: float64(max(cells-1, 1))}.Survival(statistic)
}

// counts draws from a distribution of integers and returns how many fell into each
// cell.
func counts(t *testing.T, values keys.Distribution, draws uint64, cells int, cell func(value int64) int) []int64 {
	t.Helper()
	g := single(t, 20, values)
	observed := make([]int64, cells)
	for n := range draws {
		value := number(t, g, n)
		i := cell(value)
		if i < 0 || i >= cells {
			t.Fatalf("PartitionKey(%d) = %d, which lies in no cell", n, value)
		}
		observed[i]++
	}
	return observed
}

// from returns the cell of a value where each has one, the first being low.
func from(low int64) func(int64) int { return func(value int64) int { return int(value - low) } }

// binary returns the cell of a value's binary logarithm.
func binary(value int64) int { return bits.Len64(uint64(value)+1) - 1 }

// powers returns Zipf's law by brute force, in cells.
func powers(of int, exponent float64, cells int, cell func(int64) int) []float64 {
	shares := make([]float64, cells)
	sum := 0.0
	for k := of; k >= 1; k-- {
		power := 1 / float64(k)
		if exponent != 1 {
			power = math.Pow(float64(k), -exponent)
		}
		sum += power
		shares[cell(int64(k-1))] += power
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// bellShares returns the part of a bell that each integer stands for.
func bellShares(mean, deviation float64, low, high int64) []float64 {
	shares := make([]float64, high-low+1)
	sum := 0.0
	for i := range shares {
		x := float64(low) + float64(i)
		// A tail is exact only on the side of its end.
		if bell := (distuv.Normal{Mu: mean, Sigma: deviation}); x < mean {
			shares[i] = bell.CDF(x+0.5) - bell.CDF(x-0.5)
		} else {
			shares[i] = bell.Survival(x-0.5) - bell.Survival(x+0.5)
		}
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

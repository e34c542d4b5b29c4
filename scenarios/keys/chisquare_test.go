package keys_test

import (
	"math"
	"math/bits"
	"strconv"
	"testing"

	"loadgen/scenarios/keys"
)

// alarm is how seldom a sound distribution is found at fault by one test. The seeds
// are fixed: what passed once passes for ever.
const alarm = 1e-4

// upperGamma returns Q(a, x), the part of the gamma distribution of shape a above
// x: by its series below the mean, by its continued fraction (Lentz) above.
func upperGamma(a, x float64) float64 {
	logarithm, _ := math.Lgamma(a)
	front := math.Exp(a*math.Log(x) - x - logarithm)
	if x < a+1 {
		term, sum := 1/a, 1/a
		for n := a + 1; term > sum*1e-16; n++ {
			term *= x / n
			sum += term
		}
		return 1 - front*sum
	}
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	fraction := d
	for i := 1.0; i < 10_000; i++ {
		an := i * (a - i)
		b += 2
		d = 1 / (an*d + b)
		c = b + an/c
		fraction *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return front * fraction
}

// chance returns how often a chi-squared variable of so many degrees is above a
// value.
func chance(value float64, degrees int) float64 {
	if value <= 0 {
		return 1
	}
	return upperGamma(float64(degrees)/2, value/2)
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
	if math.Abs(all-1) > 1e-9 {
		t.Fatalf("the shares add up to %v; want 1", all)
	}
	return chance(statistic, max(cells-1, 1))
}

// counts draws from a distribution of integers and returns how many fell into each
// cell.
func counts(t *testing.T, values keys.Distribution, draws uint64, cells int, cell func(value int64) int) []int64 {
	t.Helper()
	g := single(t, 20, values)
	observed := make([]int64, cells)
	for n := range draws {
		text := g.PartitionKey(n)
		value, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatalf("PartitionKey(%d) = %q; want an integer", n, text)
		}
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
		// The density summed at midpoints, which needs no error function.
		const steps = 2000
		for j := range steps {
			at := x - 0.5 + (float64(j)+0.5)/steps
			shares[i] += math.Exp(-(at-mean)*(at-mean)/(2*deviation*deviation)) / steps
		}
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

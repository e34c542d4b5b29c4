package statistics

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

const (
	// maxExact is the maximum number of pairs whose sign patterns are enumerated, about a
	// million. With more pairs, sampledFlips patterns are drawn.
	maxExact     = 20
	sampledFlips = 100_000
	// wordBits is the number of signs per random number.
	wordBits = 64
	// fixedPoint is the scale of logarithms as integers. Integer sums are exact: ties are
	// ties, and swapping the sides only swaps signs.
	fixedPoint = 1 << 40
)

// Flips is the result of a sign-flip test of logarithms of ratios.
//
// If A and B do not differ, each logarithm is equally likely with the other sign. Flipping
// the signs of a subset J subtracts 2·Σ_J from the sum: the sum does not shrink exactly if the
// mean over J is at most 0. So the means over all subsets give both the p-value and, sorted,
// the interval of the effects that the test does not reject.
type Flips struct {
	// P is two-sided.
	P float64
	// Low and High bound the effects that are not rejected. Known is false if there are too few
	// pairs to reject any.
	Low, High float64
	Known     bool
	// Exact means that all patterns were enumerated.
	Exact bool
}

// SignFlip tests one or more logarithms at a level. The seed is used only with more than
// maxExact of them.
func SignFlip(logs []float64, level float64, seed uint64) Flips {
	fixed := make([]int64, len(logs))
	for i, log := range logs {
		fixed[i] = int64(math.Round(log * fixedPoint))
	}
	exact := len(fixed) <= maxExact
	var means []float64
	var notAbove, notBelow int
	counter := func(sum int64, size int) {
		if sum <= 0 {
			notAbove++
		}
		if sum >= 0 {
			notBelow++
		}
		if size > 0 {
			means = append(means, float64(sum)/float64(size)/fixedPoint)
		}
	}
	if exact {
		means = make([]float64, 0, 1<<len(fixed))
		eachSubset(fixed, counter)
	} else {
		means = make([]float64, 0, sampledFlips)
		// The empty subset is the observation, which belongs to every sample.
		counter(0, 0)
		drawSubsets(fixed, rand.New(rand.NewPCG(seed, uint64(len(fixed)))), counter)
	}
	patterns := sampledFlips + 1
	if exact {
		patterns = 1 << len(fixed)
	}
	found := Flips{P: math.Min(1, 2*float64(min(notAbove, notBelow))/float64(patterns)), Exact: exact}
	// The small addition prevents rounding down of whole numbers.
	if k := int(level/2*float64(patterns) + 1e-9); k > 0 {
		slices.Sort(means)
		found.Low, found.High, found.Known = means[k-1], means[len(means)-k], true
	}
	return found
}

// eachSubset calls with the sum and size of every subset, in Gray code order: consecutive
// subsets differ by one member.
func eachSubset(values []int64, call func(sum int64, size int)) {
	var sum int64
	var members uint64
	call(0, 0)
	for i := uint64(1); i < 1<<len(values); i++ {
		member := bits.TrailingZeros64(i)
		members ^= 1 << member
		if members>>member&1 == 1 {
			sum += values[member]
		} else {
			sum -= values[member]
		}
		call(sum, bits.OnesCount64(members))
	}
}

// drawSubsets calls with the sum and size of random subsets.
func drawSubsets(values []int64, rng *rand.Rand, call func(sum int64, size int)) {
	for range sampledFlips {
		var sum int64
		var size int
		var members uint64
		for i, value := range values {
			if i%wordBits == 0 {
				members = rng.Uint64()
			}
			if members&1 == 1 {
				sum += value
				size++
			}
			members >>= 1
		}
		call(sum, size)
	}
}

// HodgesLehmann returns the median of the means of all pairs of values, each with itself
// included: an estimate that is robust to outliers.
func HodgesLehmann(values []float64) float64 {
	means := make([]float64, 0, len(values)*(len(values)+1)/2)
	for i, one := range values {
		for _, other := range values[i:] {
			means = append(means, (one+other)/2)
		}
	}
	return Median(means)
}

// Holm returns p-values with Holm's correction for several tests.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(p[i], p[k]) })
	adjusted, lowest := make([]float64, len(p)), 0.0
	for rank, i := range order {
		lowest = math.Max(lowest, math.Min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = lowest
	}
	return adjusted
}

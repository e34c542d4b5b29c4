package statistics

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

const (
	// exactPairs is up to how many pairs every pattern of signs is tried, a million
	// of them; beyond it sampledFlips are drawn.
	exactPairs   = 20
	sampledFlips = 100_000
	// wordBits is how many signs one draw yields.
	wordBits = 64
	// fixedPoint is 1 in the integers that stand for logarithms. Sums of integers
	// are exact, so that ties are ties, and swapping the sides swaps signs and
	// nothing else.
	fixedPoint = 1 << 40
)

// Flips is what a sign-flip test makes of the logarithms of ratios.
//
// If A and B do not differ, each logarithm is as likely to have the other sign.
// Turning the signs of a subset J takes 2·Σ_J from the sum: the sum is then at
// least as great exactly where the mean over J is at most 0. So the means over all
// subsets give both the p-value and, by order, the interval of the effects that
// the same test would not reject.
type Flips struct {
	// P is two-sided.
	P float64
	// Low and High bound the effects that are not rejected; Told is false where the
	// pairs are too few to reject any.
	Low, High float64
	Told      bool
	// Exact says that every pattern was tried, none drawn.
	Exact bool
}

// SignFlip tests the logarithms, of which there is one or more, at a level. The seed draws
// the patterns where there are too many to try them all.
func SignFlip(logs []float64, level float64, seed uint64) Flips {
	fixed := make([]int64, len(logs))
	for i, log := range logs {
		fixed[i] = int64(math.Round(log * fixedPoint))
	}
	exact := len(fixed) <= exactPairs
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
		// The empty subset is what was observed and belongs to any sample.
		counter(0, 0)
		drawSubsets(fixed, rand.New(rand.NewPCG(seed, uint64(len(fixed)))), counter)
	}
	patterns := sampledFlips + 1
	if exact {
		patterns = 1 << len(fixed)
	}
	found := Flips{P: math.Min(1, 2*float64(min(notAbove, notBelow))/float64(patterns)), Exact: exact}
	// The small addition keeps what is whole from being cut for its binary form.
	if k := int(level/2*float64(patterns) + 1e-9); k > 0 {
		slices.Sort(means)
		found.Low, found.High, found.Told = means[k-1], means[len(means)-k], true
	}
	return found
}

// eachSubset calls with the sum and size of every subset, the empty one included.
// From one to the next a single member enters or leaves (Gray code).
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

// drawSubsets calls with the sum and size of subsets that are drawn.
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

// HodgesLehmann returns the median of the means of all two values and of each with
// itself: an estimate of the effect that one wild pair hardly moves.
func HodgesLehmann(values []float64) float64 {
	means := make([]float64, 0, len(values)*(len(values)+1)/2)
	for i, one := range values {
		for _, other := range values[i:] {
			means = append(means, (one+other)/2)
		}
	}
	return Median(means)
}

// Holm returns the p-values as Holm corrects them: the smallest times how many
// there are, the next times one fewer, none below one before it, none above 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(p[i], p[k]) })
	adjusted, least := make([]float64, len(p)), 0.0
	for rank, i := range order {
		least = math.Max(least, math.Min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = least
	}
	return adjusted
}

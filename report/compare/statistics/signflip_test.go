package statistics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/report/compare/statistics"
)

func TestSignFlipOfHandComputedSets(t *testing.T) {
	for _, row := range []struct {
		name string
		logs []float64
		p    float64
	}{
		{"one pair says nothing", []float64{0.3}, 1},
		{"no difference at all", []float64{0, 0, 0, 0, 0, 0}, 1},
		{"five alike cannot reach 5%", []float64{1, 1, 1, 1, 1}, 2.0 / 32},
		{"six alike can", []float64{1, 1, 1, 1, 1, 1}, 2.0 / 64},
		{"ten alike", slices.Repeat([]float64{0.1}, 10), 2.0 / 1024},
		{"all the other way", slices.Repeat([]float64{-0.1}, 10), 2.0 / 1024},
		{"one small against: two patterns a side", []float64{1, 1, 1, 1, 1, 1, 1, -0.5}, 4.0 / 256},
		{"one equal against seven: nine patterns a side, ties included", []float64{1, 1, 1, 1, 1, 1, 1, -1}, 18.0 / 256},
		{"a tie that binary fractions would break", []float64{0.1, 0.2, -0.3}, 1},
		{"a pair without change takes part on both sides", []float64{1, 1, 1, 1, 1, 0}, 4.0 / 64},
		{"they cancel", []float64{1, -1, 2, -2}, 1},
		{"twenty alike, the most that are tried in all patterns", slices.Repeat([]float64{0.1}, 20), math.Ldexp(2, -20)},
	} {
		got := statistics.SignFlip(row.logs, 0.05, 1)
		assert.Truef(t, got.Exact && math.Abs(got.P-row.p) <= 1e-15, "%s: SignFlip(%v) = %+v", row.name, row.logs, got)
	}
}

// slowSignFlip adds up every pattern as the definition says.
func slowSignFlip(logs []int) float64 {
	sum := 0
	for _, log := range logs {
		sum += log
	}
	extreme := 0
	for pattern := range 1 << len(logs) {
		flipped := 0
		for i, log := range logs {
			if pattern>>i&1 == 1 {
				log = -log
			}
			flipped += log
		}
		if max(flipped, -flipped) >= max(sum, -sum) {
			extreme++
		}
	}
	return float64(extreme) / float64(int(1)<<len(logs))
}

func TestSignFlipEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		whole, logs := make([]int, 1+rng.IntN(12)), []float64(nil)
		for i := range whole {
			// Few values, so that there are ties.
			whole[i] = rng.IntN(9) - 2
			logs = append(logs, float64(whole[i])/100)
		}
		got := statistics.SignFlip(logs, 0.05, 1).P
		require.Equalf(t, slowSignFlip(whole), got, "signFlip(%v)", logs)
	}
}

func TestIntervalIsWhatTheTestDoesNotReject(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for n := 6; n <= 12; n++ {
		logs := gaussian(n, 0.05, 0.05, rng)
		found := statistics.SignFlip(logs, 0.05, 1)
		low, high := found.Low, found.High
		require.Truef(t, found.Known && low <= high, "SignFlip(%v) = %+v; want an interval", logs, found)
		estimate := statistics.HodgesLehmann(logs)
		assert.Truef(t, estimate >= low && estimate <= high, "hodgesLehmann(%v) = %v", logs, estimate)
		for _, at := range []struct {
			effect   float64
			rejected bool
		}{{low - 1e-6, true}, {low + 1e-6, false}, {(low + high) / 2, false}, {high - 1e-6, false}, {high + 1e-6, true}} {
			shifted := slices.Clone(logs)
			for i := range shifted {
				shifted[i] -= at.effect
			}
			assert.Equalf(t, at.rejected, statistics.SignFlip(shifted, 0.05, 1).P <= 0.05,
				"%d pairs less an effect of %v: p", n, at.effect)
		}
	}
	assert.False(t, statistics.SignFlip([]float64{1, 1, 1, 1, 1}, 0.05, 1).Known,
		"signFlip of five pairs tells an interval; want none, for no effect can be rejected")
}

// Beyond twenty pairs patterns are drawn; the p-value then has to come out as near
// as so many draws allow.
func TestSampledPatternsComeNearTheExactOnes(t *testing.T) {
	// 18 pairs of ±1 and 6 of 0: what is 0 changes no sum, so that the exact value is
	// that of 18, and that is a binomial tail.
	for _, against := range []int{3, 4, 5} {
		logs := slices.Repeat([]float64{0.1}, 18)
		for i := range against {
			logs[i] = -0.1
		}
		exact := statistics.SignFlip(logs, 0.05, 1)
		want := exact.P
		binomial := distuv.Binomial{N: 18, P: 0.5}
		tail := 2 * binomial.CDF(float64(against))
		require.Truef(t, exact.Exact && math.Abs(want-tail) <= 1e-9, "%d of 18 against: p = %v", against, want)
		logs = append(logs, 0, 0, 0, 0, 0, 0)
		got := statistics.SignFlip(logs, 0.05, 7)
		sd := 2 * math.Sqrt(want/2/100_000)
		assert.Truef(t, !got.Exact && math.Abs(got.P-want) <= 4*sd+2e-5, "%d of 24 against: %+v", against, got)
		again := statistics.SignFlip(logs, 0.05, 7)
		assert.Truef(t, again == got, "the same seed gives %+v; want %+v again", again, got)
	}
	got := statistics.SignFlip(slices.Repeat([]float64{0.1}, 100), 0.05, 1)
	assert.Truef(t, got.P == 2.0/100_001 && got.Known && got.Low == got.High, "a hundred alike: %+v", got)
}

func TestHolm(t *testing.T) {
	for _, row := range []struct {
		name    string
		p, want []float64
	}{
		{"none", nil, []float64{}},
		{"one stays as it is", []float64{0.03}, []float64{0.03}},
		{"the smallest times three", []float64{0.01, 0.04, 0.03}, []float64{0.03, 0.06, 0.06}},
		{"none below one before it", []float64{0.02, 0.021, 0.9}, []float64{0.06, 0.06, 0.9}},
		{"none above 1", []float64{0.5, 0.6, 1}, []float64{1, 1, 1}},
		{"ties", []float64{0.25, 0.25}, []float64{0.5, 0.5}},
		{"nothing", []float64{0, 0, 0}, []float64{0, 0, 0}},
	} {
		got := statistics.Holm(row.p)
		assert.Truef(t, slices.EqualFunc(got, row.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }),
			"%s: holm(%v) = %v; want %v", row.name, row.p, got, row.want)
	}
}

package keys_test

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
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

// sized has entities whose sizes are as a log has them: half of them at 900 bytes, one of a
// hundred at 20,000 or more.
func sized(t testing.TB, seed uint64) *keys.Generator {
	t.Helper()
	q, o := keys.Quantiles{5: 900, 7: 3000, 9: 20_000, 10: 90_000}, race()
	_, o.Size = q.Ends()
	o.Sizes, o.Seed = &q, o.Seed+seed
	return generator(t, o)
}

// Of many entities so many have each size as the quantiles say; between two of them the
// sizes lie evenly on a scale of equal factors, and what is below the first has its size. A size depends
// on the seed and the entity's number alone.
func TestSizesByTheirQuantiles(t *testing.T) {
	g, again, other, differ := sized(t, 0), sized(t, 0), sized(t, 1), 0
	const many = 40_000
	sizes := make([]int, many)
	for n := range uint64(many) {
		size := func(g *keys.Generator) int { return entity.Size(g.Key(n), g.Properties(n)) }
		if sizes[n] = size(g); n < 200 {
			require.Equalf(t, []int{sizes[n], sizes[n]}, []int{size(g), size(again)}, "the size of entity %d, and of another generator", n)
			differ += map[bool]int{true: 1}[sizes[n] != size(other)]
		}
	}
	assert.GreaterOrEqual(t, differ, 50, "of 200 entities have another size by another seed")
	slices.Sort(sizes)
	for _, row := range []struct{ share, size float64 }{
		{.5, 900}, {.7, math.Sqrt(900 * 3000)}, {.9, 3000}, {.945, math.Sqrt(3000 * 20_000)}, {.99, 20_000}, {1, 90_000},
	} {
		// A size is even where its filler ends.
		below, _ := slices.BinarySearch(sizes, int(row.size)+1)
		got := float64(below) / many
		assert.LessOrEqualf(t, math.Abs(got-row.share), 4*math.Sqrt(row.share*(1-row.share)/many)+1./4096,
			"%.4f of the entities have at most %.0f bytes", got, row.size)
	}
	assert.Truef(t, sizes[0] == 899 && sizes[many-1] >= 80_000,
		"the sizes go from %d to %d; want 899, for a letter has two bytes, to about 90,000", sizes[0], sizes[many-1])
	whole := (&keys.Part{Of: g, All: true}).Properties(7)
	assert.Equal(t, entity.Size(g.Key(7), g.Properties(7)), entity.Size(g.Key(7), whole),
		"what a merge writes of the whole entity has bytes")
	assert.Equal(t, entity.Size(g.Key(9), g.Properties(9)), entity.Size(g.Key(9), g.Blank().Properties(9)),
		"a blank entity has another size")
}

const mib = 1 << 20

// lawfulCurve is a curve that has a closed form: what share of sizes is at most x, by a formula
// that the code does not use, and the mean where a formula has it, 0 where none does.
type lawfulCurve struct {
	name  string
	curve keys.Curve
	upTo  func(x float64) float64
	mean  float64
}

func curves() []lawfulCurve {
	zipf := func(most float64) (sum float64) {
		for k := 1.; k <= most; k++ {
			sum += 1 / k
		}
		return sum
	}
	harmonic, normal := zipf(701), distuv.UnitNormal.CDF
	pareto := func(tail float64) func(x float64) float64 {
		return func(x float64) float64 { return 1 - math.Pow(300/(x+.5), tail) }
	}
	return []lawfulCurve{
		{"uniform", keys.Curve{Kind: keys.CurveUniform, Low: 100, High: 299},
			func(x float64) float64 { return (x - 99) / 200 }, 199.5},
		{"lognormal by its 99th percentile", keys.Curve{Kind: keys.CurveLognormal, Median: 900, P99: 4000, High: mib},
			func(x float64) float64 { return normal(2.3263478740 * math.Log((x+.5)/900) / math.Log(4000./900)) }, 0},
		{"lognormal by sigma: median · exp(σ²/2)", keys.Curve{Kind: keys.CurveLognormal, Median: 5000, Sigma: 0.5, High: mib},
			func(x float64) float64 { return normal(math.Log((x+.5)/5000) / 0.5) }, 5000 * math.Exp(.125)},
		{"lognormal that is cut", keys.Curve{Kind: keys.CurveLognormal, Median: 900, Sigma: 1, Low: 300, High: 3000},
			func(x float64) float64 { return normal(math.Log((x + .5) / 900)) }, 0},
		{"pareto that is cut", keys.Curve{Kind: keys.CurvePareto, Low: 300, Tail: 1.2, High: 60_000}, pareto(1.2), 0},
		{"pareto: low · a/(a−1), less what is cut", keys.Curve{Kind: keys.CurvePareto, Low: 300, Tail: 2, High: mib},
			pareto(2), 300*2 - 300*300./mib},
		{"zipf", keys.Curve{Kind: keys.CurveZipf, Low: 300, High: 1000, Exponent: 1},
			func(x float64) float64 { return zipf(x-299) / harmonic }, 0},
		{"list with weights", keys.Curve{Kind: keys.CurveList, List: []int64{200, 4000, 900}, Weights: []int64{5, 2, 3}},
			func(x float64) float64 { return .5 + .3*step(x, 900) + .2*step(x, 4000) }, 100 + 800 + 270},
	}
}

func step(x, at float64) float64 {
	if x >= at {
		return 1
	}
	return 0
}

// Sizes that are drawn lie as the curve says (Kolmogorov and Smirnov, one in a thousand), none
// beyond its ends; those beyond the cut are as many as is said, and the mean is what is foreseen.
func TestSizesByCurves(t *testing.T) {
	const many = 20_000
	for _, row := range curves() {
		sizes := row.curve.NewSizes(clock.NewStream(7, row.name))
		drawn := make([]int, many)
		sum, squares := 0., 0.
		for n := range drawn {
			drawn[n] = sizes.SizeOf(uint64(n))
			sum, squares = sum+float64(drawn[n]), squares+float64(drawn[n])*float64(drawn[n])
			if drawn[n] != sizes.SizeOf(uint64(n)) {
				t.Fatalf("%s: entity %d has two sizes", row.name, n)
			}
		}
		slices.Sort(drawn)
		least, most := row.curve.Ends()
		if row.curve.Low == 0 {
			least = 0
		}
		if drawn[0] < least || drawn[many-1] > most {
			t.Errorf("%s: sizes from %d to %d; want within %d to %d", row.name, drawn[0], drawn[many-1], least, most)
		}
		furthest := 0.
		for i, size := range drawn {
			// Where sizes are cut, all of the rest is at the end.
			if i+1 < many && drawn[i+1] == size || size == row.curve.High || size == row.curve.Low {
				continue
			}
			furthest = max(furthest, math.Abs(float64(i+1)/float64(many)-row.upTo(float64(size))))
		}
		assert.LessOrEqualf(t, furthest, 1.95/math.Sqrt(float64(many)),
			"%s: the distribution is off by %.4f", row.name, furthest)
		if got := sizes.Mean(); row.mean > 0 && math.Abs(got-row.mean) > 2e-4*row.mean {
			t.Errorf("%s: Mean() = %.3f; want %.3f", row.name, got, row.mean)
		}
		mean := sum / float64(many)
		off := math.Abs(mean-sizes.Mean()) / math.Sqrt((squares/float64(many)-mean*mean)/float64(many))
		assert.LessOrEqualf(t, off, 4.,
			"%s: the mean is %.1f bytes, foreseen %.1f, off by %.1f standard errors", row.name, mean, sizes.Mean(), off)
		above := 0
		for _, size := range drawn {
			if size == row.curve.High {
				above++
			}
		}
		if cut := row.curve.Cut(); cut > 0 {
			if share := float64(above) / float64(many); math.Abs(share-cut) > 4*math.Sqrt(cut/float64(many))+2/float64(many) {
				t.Errorf("%s: %.5f of the sizes are cut; want %.5f", row.name, share, cut)
			}
		}
	}
}

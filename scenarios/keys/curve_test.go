package keys_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/engine/clock"
	"loadgen/scenarios/keys"
)

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
			drawn[n] = sizes.Of(uint64(n))
			sum, squares = sum+float64(drawn[n]), squares+float64(drawn[n])*float64(drawn[n])
			if drawn[n] != sizes.Of(uint64(n)) {
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

package statistics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/report/compare/statistics"
)

// autoregressive is a series about 100 in which each figure takes phi of the distance of the
// one before it, begun in the steady state.
func autoregressive(phi float64) func(*rand.Rand, int) []float64 {
	return func(rng *rand.Rand, n int) []float64 {
		series, at := make([]float64, n), rng.NormFloat64()/math.Sqrt(1-phi*phi)
		for i := range series {
			at = phi*at + rng.NormFloat64()
			series[i] = 100 + at
		}
		return series
	}
}

// departures are those of a queue with one server a second: arrivals by chance at 100 a
// second, served in times that are exponential, begun in the steady state.
func departures(rng *rand.Rand, n int) []float64 {
	const arrivals, serves = 100, 105
	waiting := 0
	for rng.Float64() < float64(arrivals)/serves {
		waiting++
	}
	series := make([]float64, n)
	for at := 0.0; ; {
		rate := float64(arrivals)
		if waiting > 0 {
			rate += serves
		}
		if at += rng.ExpFloat64() / rate; at >= float64(n) {
			return series
		}
		if rng.Float64()*rate < arrivals {
			waiting++
		} else {
			waiting--
			series[int(at)]++
		}
	}
}

// bursts are counts of a load that is now a fifth above 100 a second and now as much below,
// and stays so for ten seconds on the average.
func bursts(rng *rand.Rand, n int) []float64 {
	series, mean := make([]float64, n), 80.0
	if rng.IntN(2) == 0 {
		mean = 120
	}
	for i := range series {
		if rng.IntN(10) == 0 {
			mean = 200 - mean
		}
		series[i] = mean + math.Sqrt(mean)*rng.NormFloat64()
	}
	return series
}

// covered is how many of so many runs tell an interval, and how many of those hold 100.
func covered(draw func(*rand.Rand, int) []float64, seconds, runs int) (told, holds int) {
	rng := rand.New(rand.NewPCG(32, uint64(seconds)))
	for range runs {
		found := statistics.BatchMeans(draw(rng, seconds))
		if !found.Known {
			continue
		}
		told++
		if math.Abs(found.Mean-100) <= found.Half {
			holds++
		}
	}
	return told, holds
}

// The interval holds the truth in 95 ± 3% of 400 runs, however much each second depends on
// the one before it; of fewer that tell one, within 2.75 binomial deviations, which are ± 3%
// of 400.
func TestBatchMeansCoverTheTruth(t *testing.T) {
	const runs = 400
	for _, row := range []struct {
		name          string
		draw          func(*rand.Rand, int) []float64
		seconds, told int
	}{
		{"independent seconds", autoregressive(0), 600, runs},
		{"independent seconds, a minute of them", autoregressive(0), 60, 380},
		{"each takes 0.3 of the one before", autoregressive(.3), 600, runs},
		{"each takes 0.3, two minutes", autoregressive(.3), 120, 380},
		{"each takes 0.6", autoregressive(.6), 600, runs},
		{"each takes 0.8", autoregressive(.8), 600, 380},
		{"each takes 0.9", autoregressive(.9), 1800, 380},
		{"the departures of a queue", departures, 120, 380},
		{"bursts", bursts, 900, 380},
	} {
		told, holds := covered(row.draw, row.seconds, runs)
		share := float64(holds) / float64(max(1, told))
		if bound := 2.75 * math.Sqrt(.95*.05/float64(max(1, told))); told < row.told || math.Abs(share-.95) > max(.03, bound) {
			t.Errorf("%s, %d s: %d of %d runs tell an interval, of which %d hold the truth (%.1f%%); want %d or more, and 95 ± %.1f%%",
				row.name, row.seconds, told, runs, holds, 100*share, row.told, 100*max(.03, bound))
		}
	}
}

// Where the seconds are too few for how much they depend on each other, hardly a run tells an
// interval: it would be too narrow.
func TestBatchMeansOfTooLittle(t *testing.T) {
	for _, row := range []struct {
		name    string
		draw    func(*rand.Rand, int) []float64
		seconds int
	}{
		{"twenty-nine independent seconds", autoregressive(0), 29},
		{"half a minute, each takes 0.6 of the one before", autoregressive(.6), 30},
		{"a minute, each takes 0.8", autoregressive(.8), 60},
		{"two minutes, each takes 0.9", autoregressive(.9), 120},
	} {
		told, _ := covered(row.draw, row.seconds, 400)
		assert.Truef(t, told <= 8, "%s: %d of 400 runs tell an interval; want 8 at most", row.name, told)
	}
}

// By hand: sixty figures that alternate between 9 and 11 have the mean 10, the variance 60/59
// and no positive correlation; Student's t of 59 is 2.001.
func TestBatchMeansByHand(t *testing.T) {
	for _, row := range []struct {
		name string
		at   func(i int) float64
		n    int
		want statistics.Batched
	}{
		{"an alternation", func(i int) float64 { return 9 + 2*float64(i%2) }, 60, statistics.Batched{Mean: 10, Half: 2.0010 * math.Sqrt(1.0/59), Known: true}},
		{"a constant", func(int) float64 { return 7 }, 60, statistics.Batched{Mean: 7, Known: true}},
		{"what only rises", func(i int) float64 { return float64(i) }, 60, statistics.Batched{Mean: 29.5}},
		{"nothing", nil, 0, statistics.Batched{}},
	} {
		series := make([]float64, row.n)
		for i := range series {
			series[i] = row.at(i)
		}
		found := statistics.BatchMeans(series)
		if found.Known != row.want.Known || found.Mean != row.want.Mean || found.Known && math.Abs(found.Half-row.want.Half) > 1e-4 {
			t.Errorf("%s: %+v; want %+v", row.name, found, row.want)
		}
	}
}

// divided returns the clearest split of values, and how clear it is.
func divided(values []float64) (at int, clarity float64) {
	return statistics.NewDivider(len(values)).Divide(values)
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
	assert.Truef(t, distuv.Binomial{N: sets, P: level}.CDF(float64(low-1)) <= 0.999 && low >= sets/20,
		"%d of %d p-values of nothing are at most %v; want about a tenth", low, sets, level)
}

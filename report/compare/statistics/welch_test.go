package statistics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare/statistics"
)

func TestWelchOfHandComputedSets(t *testing.T) {
	for _, row := range []struct {
		name                          string
		a, b                          []float64
		difference, error, freedom, p float64
		told                          bool
	}{
		{"no run on a side", nil, []float64{1, 2}, 0, 0, 0, 1, false},
		{"one run on a side tells a difference and no more", []float64{1}, []float64{3, 5}, 3, 0, 0, 1, false},
		{"equal constants", []float64{2, 2, 2}, []float64{2, 2}, 0, 0, 0, 1, true},
		{"constants that differ", []float64{2, 2, 2}, []float64{2.5, 2.5}, 0.5, 0, 0, 0, true},
		// Variances 2.5 and 2.5 over 5 runs each: t = 2/1, 8 degrees of freedom.
		{"alike but shifted", []float64{1, 2, 3, 4, 5}, []float64{3, 4, 5, 6, 7}, 2, 1, 8, 0.08051623795726, true},
		// A constant beside a side of variance 1 over 3 runs: freedom is that of the other
		// side; for 2 degrees p = 1 − t/√(t² + 2), and t² = 3.
		{"a constant beside one that varies", []float64{0, 0, 0, 0}, []float64{0, 1, 2}, 1, math.Sqrt(1.0 / 3), 2,
			1 - math.Sqrt(3.0/5), true},
		{"equal means", []float64{1, 3}, []float64{0, 4}, 0, math.Sqrt(1 + 4), 25.0 / 17, 1, true},
	} {
		for _, swapped := range []bool{false, true} {
			a, b, sign := row.a, row.b, 1.0
			if swapped {
				a, b, sign = b, a, -1
			}
			got := statistics.Welch(a, b, 0)
			want := statistics.Means{Difference: sign * row.difference, P: row.p, Error: row.error, Freedom: row.freedom, Known: row.told}
			if !near(got.Difference, want.Difference) || !near(got.P, want.P) || !near(got.Error, want.Error) ||
				!near(got.Freedom, want.Freedom) || got.Known != want.Known {
				t.Errorf("%s: Welch(%v, %v) = %+v; want %+v", row.name, a, b, got, want)
			}
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

// Where both sides vary alike and have as many runs, Welch's t is Student's.
func TestWelchIsStudentsWhereSidesAreAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for n := 2; n < 9; n++ {
		a := gaussian(n, 0, 1, rng)
		b := slices.Clone(a)
		for i := range b {
			b[i] = -b[i] + 0.7
		}
		got, want := statistics.Welch(a, b, 0).P, statistics.Student(a, b)
		assert.Truef(t, near(got, want), "Welch of %d mirrored runs: p = %v; want Student's %v", n, got, want)
	}
}

// An interval holds what the test does not reject.
func TestWelchIntervalIsWhatTheTestDoesNotReject(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, alpha := range []float64{0.5, 0.05, 0.01, 1e-6} {
		a, b := gaussian(4, 1, 0.1, rng), gaussian(6, 1.1, 0.3, rng)
		low, high, told := statistics.Welch(a, b, 0).Interval(alpha)
		require.Truef(t, told, "Interval(%v) is not told; want one of four and six runs", alpha)
		for _, bound := range []float64{low, high} {
			moved := slices.Clone(b)
			for i := range moved {
				moved[i] -= bound
			}
			assert.InDeltaf(t, alpha, statistics.Welch(a, moved, 0).P, 1e-6*alpha+1e-12,
				"less the bound %v of its %v interval, p", bound, alpha)
		}
	}
	if _, _, told := statistics.Welch([]float64{1}, []float64{1, 2}, 0).Interval(0.05); told {
		t.Error("the interval of a single run is told; want none")
	}
	if low, high, told := statistics.Welch([]float64{1, 1}, []float64{3, 3}, 0).Interval(0.05); low != 2 || high != 2 || !told {
		t.Errorf("the interval of two constants = %v to %v, %v; want their difference", low, high, told)
	}
	// t for 4 degrees of freedom is 2.776 at 5%, and the deviation of 1 … 5 is √2.5.
	middle, low, high, told := statistics.MeanInterval([]float64{1, 2, 3, 4, 5}, 0.05)
	if room := 2.7764451051978 * math.Sqrt(0.5); middle != 3 || !near(low, 3-room) || !near(high, 3+room) || !told {
		t.Errorf("MeanInterval(1 … 5) = %v, %v to %v; want 3 ± %v", middle, low, high, room)
	}
	if middle, low, high, told := statistics.MeanInterval([]float64{7}, 0.05); middle != 7 || low != 7 || high != 7 || told {
		t.Errorf("MeanInterval(7) = %v, %v to %v, told %v; want no interval", middle, low, high, told)
	}
	for _, row := range []struct {
		values []float64
		mean   float64
		bounds *[2]float64
	}{{nil, 0, nil}, {[]float64{7}, 7, nil}, {[]float64{3, 3}, 3, &[2]float64{3, 3}}, {[]float64{0, 10}, 5, &[2]float64{0, 10}}, {[]float64{1, math.Inf(1)}, math.Inf(1), nil}} {
		e := statistics.NewEstimate(row.values, 10)
		assert.Equal(t, row.mean, e.Value())
		assert.Equal(t, e == nil, e.Pointer() == nil)
		assert.True(t, e == nil || e.Runs == len(row.values) && assert.ObjectsAreEqual(row.bounds, e.Interval), "%v: %+v", row.values, e)
	}
}

// How often a difference is found is what drawing runs comes to.
func TestDetectionIsWhatDrawingComesTo(t *testing.T) {
	const sets = 4000
	rng := rand.New(rand.NewPCG(6, 1))
	for _, row := range []struct {
		difference, alpha float64
		n                 int
	}{{1, 0.05, 3}, {4, 0.05, 2}, {1, 0.05, 5}, {8, 0.03, 3}, {2, 0.05, 5}, {2, 0.02, 5}, {3, 0.005, 4}, {0.5, 0.05, 40}, {0.1, 0.05, 2000}} {
		stated := statistics.Detection(row.difference, 1, row.alpha, row.n)
		found := 0
		for range sets {
			if statistics.Welch(gaussian(row.n, 0, 1, rng), gaussian(row.n, row.difference, 1, rng), 0).P <= row.alpha {
				found++
			}
		}
		// Five standard errors of so many draws, and what taking the mean of the freedom costs.
		if room := 0.01 + 5*math.Sqrt(stated*(1-stated)/sets); math.Abs(float64(found)/sets-stated) > room {
			t.Errorf("Detection(%v, 1, %v, %d) = %.3f; drawing finds %.3f", row.difference, row.alpha, row.n, stated, float64(found)/sets)
		}
	}
	for _, row := range []struct {
		name                         string
		difference, deviation, alpha float64
		n                            int
		want                         float64
	}{
		{"one run finds nothing", 1, 0.1, 0.05, 1, 0},
		{"nothing is not found", 0, 1, 0.05, 5, 0},
		{"what does not vary is always found", 0.01, 0, 0.05, 2, 1},
		{"a huge one", 1e6, 1, 0.05, 3, 1},
		{"downwards as upwards", -2, 1, 0.05, 5, statistics.Detection(2, 1, 0.05, 5)},
		{"of next to nothing among many, what chance finds", 1e-9, 1, 0.05, 2000, 0.05},
	} {
		assert.InDeltaf(t, row.want, statistics.Detection(row.difference, row.deviation, row.alpha, row.n), 1e-4,
			"%s: Detection(%v, %v, %v, %d)", row.name, row.difference, row.deviation, row.alpha, row.n)
	}
}

func TestDeviationIsWithinGroups(t *testing.T) {
	got, freedom := statistics.Deviation([]float64{1, 3}, []float64{10, 10, 10}, []float64{99}, nil)
	want := math.Sqrt(2.0 / 3)
	assert.Truef(t, freedom == 3 && near(got, want), "Deviation = %v of %d", got, freedom)
	_, freedom = statistics.Deviation([]float64{1}, nil)
	assert.Truef(t, freedom == 0, "Deviation of single figures has %d degrees of freedom; want none", freedom)
	rng := rand.New(rand.NewPCG(7, 1))
	for n := 3; n < 20; n += 4 {
		// The mean of 1/s over many sets of a deviation of 1 is what is corrected.
		const sets = 20_000
		inverse := 0.0
		for range sets {
			s, freedom := statistics.Deviation(gaussian(n, 0, 1, rng), gaussian(n, 0, 1, rng))
			inverse += statistics.Unbiased(freedom) / s / sets
		}
		assert.Truef(t, math.Abs(inverse-1) <= 0.02,
			"of %d and %d runs, ratios come to %v on the average; want 1", n, n, inverse)
	}
	assert.EqualValues(t, 0, statistics.Unbiased(1), "Unbiased(1)")
}

// gaussian draws n figures about a centre.
func gaussian(n int, centre, sd float64, rng *rand.Rand) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = centre + sd*rng.NormFloat64()
	}
	return values
}

func TestStudentOfTabledValues(t *testing.T) {
	// The two-sided points of the t distribution, from tables.
	for _, row := range []struct {
		freedom, t, p float64
	}{
		{1, 12.706205, 0.05}, {2, 4.302653, 0.05}, {4, 2.776445, 0.05}, {10, 2.228139, 0.05},
		{10, 3.169273, 0.01}, {30, 3.645959, 0.001}, {58, 2.001717, 0.05}, {4, 0, 1}, {1000, 3.300283, 0.001},
	} {
		assert.InDeltaf(t, row.p, statistics.Beyond(row.t, row.freedom), 2e-6*math.Max(row.p, 0.05),
			"t = %v with %v degrees of freedom: p", row.t, row.freedom)
	}
	for _, row := range []struct {
		name          string
		before, after []float64
		want          float64
	}{
		// Variances of 2.5 and five values each: t = 2 with 8 degrees of freedom.
		{"alike but shifted", []float64{1, 2, 3, 4, 5}, []float64{3, 4, 5, 6, 7}, 0.0805},
		{"two equal sides", []float64{1.00, 1.02, 1.05, 0.95, 0.98}, []float64{1.00, 1.02, 1.05, 0.95, 0.98}, 1},
		{"a fifth less", []float64{1.00, 1.02, 1.05, 0.95, 0.98}, []float64{0.80, 0.82, 0.85, 0.79, 0.77}, 0},
		{"one value each", []float64{1}, []float64{2}, 1},
		{"constants that differ", []float64{1, 1}, []float64{2}, 0},
		{"constants that do not", []float64{1, 1}, []float64{1}, 1},
	} {
		assert.InDeltaf(t, row.want, statistics.Student(row.before, row.after), 5e-5,
			"%s: student(%v, %v)", row.name, row.before, row.after)
	}
	// With 1 degree of freedom it is a Cauchy distribution, which has a closed form, and so
	// has that with 2; what is beyond the critical value is what was asked for.
	for _, at := range []float64{0.1, 1, 3, 50} {
		want := 1 - 2*math.Atan(at)/math.Pi
		assert.InDeltaf(t, want, statistics.Beyond(at, 1), 1e-12, "t = %v with one degree of freedom: p", at)
		want = 1 - at/math.Sqrt(at*at+2)
		assert.InDeltaf(t, want, statistics.Beyond(at, 2), 1e-12, "t = %v with two degrees of freedom: p", at)
	}
	for _, freedom := range []float64{1, 1.4, 4, 8.7, 40, 2000} {
		for _, alpha := range []float64{0.5, 0.05, 0.001, 1e-6} {
			if got := statistics.Beyond(statistics.Critical(alpha, freedom), freedom); math.Abs(got/alpha-1) > 1e-8 {
				t.Errorf("beyond the critical value of %v with %v degrees of freedom lies %v", alpha, freedom, got)
			}
		}
	}
	assert.EqualValues(t, 0, statistics.Beyond(math.Inf(1), 3), "beyond everything lies")
}

func TestMiddles(t *testing.T) {
	for _, row := range []struct {
		name            string
		values          []float64
		median, lehmann float64
	}{
		{"one", []float64{3}, 3, 3},
		{"two", []float64{1, 2}, 1.5, 1.5},
		{"three, of six means", []float64{1, 2, 6}, 2, 2.75},
		{"in any order", []float64{9, 1, 4}, 4, 4.5},
		{"between the middle two of four", []float64{9, 1, 4, 5}, 4.5, 4.75},
		{"one wild value hardly moves them", []float64{1, 1, 1, 1, 1, 1, 1000}, 1, 1},
		{"two whose sum is no number", []float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64, math.Inf(1)},
		{"below zero", []float64{-3, -1}, -2, -2},
	} {
		before := slices.Clone(row.values)
		median, lehmann := statistics.Median(row.values), statistics.HodgesLehmann(row.values)
		assert.Truef(t, median == row.median && lehmann == row.lehmann && slices.Equal(before, row.values),
			"%s: Median and HodgesLehmann(%v) = %v, %v; want %v, %v, and the values as they were", row.name, before, median, lehmann, row.median, row.lehmann)
	}
	assert.Equal(t, 1.5, statistics.Median([]int64{1, 2}), "Median(1, 2)")
	got := statistics.Median([]float64(nil))
	assert.Truef(t, math.IsNaN(got), "Median of none = %v; want no number", got)
}

func TestMeansAndChanges(t *testing.T) {
	mean, squares := statistics.Mean([]float64{1, 2, 6}), statistics.Squares([]float64{1, 2, 6})
	assert.Truef(t, mean == 3 && squares == 14, "Mean and Squares of 1, 2, 6 = %v, %v; want 3 and 14", mean, squares)
	assert.EqualValues(t, 0, statistics.Mean(nil), "Mean of none")
	for _, row := range []struct{ was, is, want float64 }{{2, 3, .5}, {4, 1, -.75}, {0, 0, 0}, {0, 1, math.Inf(1)}, {5, 5, 0}} {
		assert.Equalf(t, row.want, statistics.Relative(row.was, row.is), "Relative(%v, %v)", row.was, row.is)
	}
}

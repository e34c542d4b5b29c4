package compare_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
	"loadgen/results/resultstest"
)

// The series that the tests of Apache Otava (formerly Hunter) hold their workflow
// to: tests/analysis_test.py, change_point_divisive_test.py and series_test.py.
var (
	halved = []float64{1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96,
		0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51, 0.50, 0.49}
	stairs      = []float64{0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0}
	halvedSoon  = []float64{1.02, 0.95, 0.99, 1.00, 1.12, 0.90, 0.50, 0.51, 0.48, 0.48, 0.55}
	tenthOff    = []float64{2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.80, 1.76, 1.78}
	fromNothing = []float64{0, 0, 0, 1.00, 1.12, 0.90, 0.50, 0.51, 0.48, 0.48, 0.55}
)

// anyChange stands for no least magnitude, as in the published vectors.
const anyChange = -1

func TestChangePointsReproduceThePublishedVectors(t *testing.T) {
	four := func(counts ...int) (series []float64) {
		for i, count := range counts {
			series = append(series, slices.Repeat([]float64{[]float64{1, 5, 9, 3}[i]}, count)...)
		}
		return series
	}
	student := compare.History{Window: 50, Test: compare.ByStudent, LeastChange: anyChange}
	with := func(window int, p, least float64) compare.History {
		h := student
		h.Window, h.P, h.LeastChange = window, p, least
		return h
	}
	for _, row := range []struct {
		name    string
		history compare.History
		series  []float64
		want    []int
	}{
		{"a single series, in windows of ten", with(10, 0.0001, anyChange), halved, []int{10}},
		{"a single series, by permutation", compare.History{Window: 50, P: 0.0001, LeastChange: anyChange}, halved, []int{10}},
		{"two steps up", with(50, 0.001, anyChange), stairs, []int{5, 8}},
		{"halved after six", with(50, 0.001, anyChange), halvedSoon, []int{6}},
		{"a tenth off after four", with(50, 0.001, anyChange), tenthOff, []int{4}},
		{"halved, with a least magnitude", with(50, 0.001, 0.2), halvedSoon, []int{6}},
		{"a tenth off, with a least magnitude", with(50, 0.001, 0.2), tenthOff, nil},
		{"many steps without any noise", with(50, 0.05, anyChange), four(5, 8, 8, 9), []int{5, 13, 21}},
		{"nothing at first", with(50, 0.001, anyChange), fromNothing, []int{3, 6}},
	} {
		assert.Equalf(t, row.want, indexes(t, row.history, row.series), "%s: ChangePoints(%v)", row.name, row.series)
	}
}

// indexes returns where a series steps.
func indexes(t *testing.T, h compare.History, series []float64) []int {
	t.Helper()
	points, err := h.ChangePoints(series)
	require.NoError(t, err)
	var at []int
	for _, point := range points {
		at = append(at, point.Index)
	}
	return at
}

// nightly plays nights one after another as a nightly job would, and returns the
// first night, counted from the end of the history, at which a step is reported; 0
// where none is.
func nightly(t *testing.T, h compare.History, series []float64, history int) int {
	t.Helper()
	for night := 1; history+night <= len(series); night++ {
		if len(indexes(t, h, series[:history+night])) > 0 {
			return night
		}
	}
	return 0
}

func TestStepIsFoundWithinFourteenNights(t *testing.T) {
	if testing.Short() {
		t.Skip("a statistical test of one goroutine")
	}
	const history, nights = 30, 14
	sets := resultstest.Cases(20, 100)
	for _, test := range []compare.Test{compare.ByPermutation, compare.ByStudent} {
		rng := rand.New(rand.NewPCG(5, 14))
		var found []int
		for range sets {
			series := normal(history+nights, 100, 0.03, rng)
			for i := range series[history:] {
				series[history+i] *= 1.1
			}
			if night := nightly(t, compare.History{Test: test}, series, history); night > 0 {
				found = append(found, night)
			}
		}
		slices.Sort(found)
		if len(found) < sets*95/100 || found[len(found)/2] > 4 {
			t.Errorf("test %d: found in %d of %d series, after %d nights; want 95%% or more, half of them after 4 nights",
				test, len(found), sets, found[len(found)/2])
		}
	}
}

// Each night judges the series anew, so that a month has thirty chances of an alarm.
// That is why the test of the default counts the search for the split: Student's
// does not, and alarms too often.
func TestQuietMonthsRarelyAlarm(t *testing.T) {
	if testing.Short() {
		t.Skip("a statistical test of one goroutine")
	}
	const history, nights = 30, 30
	months := resultstest.Cases(50, 100)
	alarms := func(test compare.Test, months int) (count int) {
		rng := rand.New(rand.NewPCG(6, 30))
		for range months {
			if nightly(t, compare.History{Test: test}, normal(history+nights, 100, 0.03, rng), history) > 0 {
				count++
			}
		}
		return count
	}
	permutation, student := alarms(compare.ByPermutation, months), alarms(compare.ByStudent, 2*months)
	assert.Truef(t, permutation <= months*3/100, "%d of %d quiet months alarm; want at most 3%%", permutation, months)
	assert.Falsef(t, atMost(student, 2*months, 0.03),
		"%d of %d quiet months alarm by Student's test; want so many that the default is worth its time", student, 2*months)
}

func TestChangePointsSayWhatChanged(t *testing.T) {
	points, err := compare.ChangePoints(halved)
	require.Truef(t, err == nil && len(points) == 1, "ChangePoints(halved) = %v, %v; want one", points, err)
	got := points[0]
	if got.Index != 10 || math.Abs(got.Before-1.004) > 1e-9 || math.Abs(got.After-0.501) > 1e-9 ||
		math.Abs(got.Change-(0.501/1.004-1)) > 1e-9 || got.P <= 0 || got.P > 0.001 {
		t.Errorf("ChangePoints(halved) = %+v; want 1.004 to 0.501 at 10", got)
	}
}

func TestChangePointsOfSmallAndStrangeSeries(t *testing.T) {
	step := func(size float64) []float64 {
		rng := rand.New(rand.NewPCG(7, 7))
		series := normal(60, 100, 0.001, rng)
		for i := range 30 {
			series[30+i] *= 1 + size
		}
		return series
	}
	backwards := step(0.2)
	slices.Reverse(backwards)
	for _, row := range []struct {
		name   string
		series []float64
		want   []int
	}{
		{"no night", nil, nil},
		{"one night", []float64{1}, nil},
		{"two nights, far apart", []float64{1, 100}, nil},
		{"always the same", slices.Repeat([]float64{5}, 100), nil},
		{"always nothing", make([]float64, 100), nil},
		{"clear, but less than 5%", step(0.04), nil},
		{"just above 5%", step(0.052), []int{30}},
		{"down by as much as makes 5.2% up", step(1/1.052 - 1), []int{30}},
		{"up", step(0.2), []int{30}},
		{"the same backwards", backwards, []int{30}},
		{"one wild night", append(append(normal(30, 100, 0.01, rand.New(rand.NewPCG(1, 1))), 400),
			normal(30, 100, 0.01, rand.New(rand.NewPCG(2, 1)))...), nil},
		{"the greatest numbers", append(slices.Repeat([]float64{1e300}, 20), slices.Repeat([]float64{2e300}, 20)...), []int{20}},
	} {
		got := indexes(t, compare.History{}, row.series)
		assert.Truef(t, slices.Equal(got, row.want), "%s: ChangePoints = %v; want %v", row.name, got, row.want)
	}
}

// A later night must not take back what an early one said: the draws do not hang
// on it. So many candidates are let through here that some lie on the edge.
func TestEarlyPointsStay(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	early := func(h compare.History, series []float64) []compare.ChangePoint {
		points, err := h.ChangePoints(series)
		require.NoError(t, err)
		return slices.DeleteFunc(points, func(p compare.ChangePoint) bool { return p.Index >= 90 })
	}
	seen := 0
	for range 60 {
		series, edge := normal(200, 100, 0.03, rng), compare.History{P: 0.04, LeastChange: anyChange, Seed: 3}
		before, after := early(edge, series[:170]), early(edge, series)
		assert.Truef(t, slices.Equal(before, after),
			"of 170 nights ChangePoints = %v before the 90th, of 200 nights %v; want the same", before, after)
		seen += len(before)
	}
	assert.True(t, seen != 0, "no series has an early point; want some, or nothing was shown")
}

// What is left after the weak ones were dropped is judged between the neighbours
// that are left, and a strong step is never among the dropped.
func TestMergeKeepsTheStrongAndJudgesAnew(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	const nights, step = 120, 70
	for range 200 {
		series := normal(nights, 100, 0.03, rng)
		for i := range series[step:] {
			series[step+i] *= 1.5
		}
		points, err := compare.History{Test: compare.ByStudent, P: 0.002, LeastChange: anyChange}.ChangePoints(series)
		require.NoError(t, err)
		edges := []int{0}
		for _, point := range points {
			edges = append(edges, point.Index)
		}
		if edges = append(edges, nights); !slices.Contains(edges, step) {
			t.Errorf("ChangePoints = %v; want the step at %d among them", points, step)
		}
		for i, point := range points {
			before := series[max(edges[i], point.Index-compare.DefaultWindow):point.Index]
			after := series[point.Index:min(edges[i+2], point.Index+compare.DefaultWindow)]
			if want := compare.Student(before, after); point.P != want || want > 0.002 {
				t.Errorf("ChangePoints = %v: p = %v at %d; want %v, between its neighbours", points, point.P, point.Index, want)
			}
		}
	}
}

func TestSeriesThatCannotBe(t *testing.T) {
	for _, series := range [][]float64{{1, math.NaN()}, {math.Inf(-1)}, make([]float64, 1<<14+1)} {
		_, err := compare.ChangePoints(series)
		assert.ErrorIsf(t, err, compare.ErrFigures, "ChangePoints of %d values that cannot be", len(series))
	}
}

package statistics_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare/statistics"
)

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

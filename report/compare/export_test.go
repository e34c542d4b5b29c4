package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/report/compare/statistics"
)

// Test is how a change point is held against chance.
type Test uint8

// The tests.
const (
	ByPermutation Test = iota
	ByStudent
)

// History finds change points in another way than [ChangePoints] does, where a field is
// not 0.
type History struct {
	Window         int
	P, LeastChange float64
	Test           Test
	Seed           uint64
}

// ChangePoints returns where a series steps.
func (h History) ChangePoints(series []float64) ([]ChangePoint, error) {
	d := detective{window: DefaultWindow, p: DefaultP, minChange: DefaultLeastChange, seed: h.Seed}
	if h.Window != 0 {
		d.window = h.Window
	}
	if h.P != 0 {
		d.p = h.P
	}
	if h.LeastChange != 0 {
		d.minChange = h.LeastChange
	}
	if h.Test == ByStudent {
		d.test = Student
	}
	return d.changePoints(series)
}

// Student returns the two-sided p-value of Student's test with a common variance. It is 1 if
// there are too few values, and 0 if two constants differ.
func Student(before, after []float64) float64 {
	n, m := float64(len(before)), float64(len(after))
	freedom, difference := n+m-2, statistics.Mean(after)-statistics.Mean(before)
	if freedom <= 0 || difference == 0 {
		return 1
	}
	within := statistics.Squares(before) + statistics.Squares(after)
	t := difference / math.Sqrt(within/freedom*(1/n+1/m))
	return 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.CDF(-math.Abs(t))
}

// FirstDifference describes the first line in which two texts differ.
var FirstDifference = firstDifference

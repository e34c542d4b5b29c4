package compare

import "loadgen/report/compare/statistics"

// SameNumber is what the tests hold against another way to the same answer.
var SameNumber = sameNumber

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
		d.test = statistics.Student
	}
	return d.changePoints(series)
}

// BandWith is [BandOf] by blocks, numbers of series and seeds of the caller's choice.
func BandWith(block, resamples int, seed uint64, series []float64) (Band, error) {
	return bands{block, resamples, seed}.band([][]float64{series}, func(means []float64) float64 { return means[0] })
}

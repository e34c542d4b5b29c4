package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"loadgen/report/compare/statistics"
)

// The defaults of change points.
const (
	// DefaultWindow is the number of values in a window; the next window begins half a
	// window later. A change point is judged by the values up to its neighbours, at most a
	// window on either side.
	DefaultWindow = 30
	// DefaultP is the maximum p-value of a change point. Candidates may have ten times
	// as much.
	DefaultP = 0.001
	// DefaultLeastChange is the minimum change of the mean, as a part of one.
	DefaultLeastChange = 0.05
)

const (
	// laxer is the factor for the p-value of a candidate.
	laxer = 10
	// maxValues limits the work.
	maxValues = 1 << 14
)

// ChangePoint is a step of a series.
type ChangePoint struct {
	// Index is that of the first value after the step.
	Index int `json:"index"`
	// Before and After are the means of the values on either side; Change is a part of
	// one, +Inf from a mean of 0.
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Change float64 `json:"change"`
	P      float64 `json:"p"`
}

// magnitude returns the larger of the changes in both directions, so that a step up and the
// same step down are equal.
func (c *ChangePoint) magnitude() float64 {
	return math.Max(math.Abs(statistics.Relative(c.Before, c.After)), math.Abs(statistics.Relative(c.After, c.Before)))
}

// ChangePoints returns the steps of a series, in order. It collects candidates from each
// window and drops the weakest until all others are significant against their neighbours.
// Errors wrap [ErrFigures]: too many values, or one that is not a number.
//
// The p-value of a change point is the share of permutations of the same values that split
// as clearly at any place. It assumes no distribution and needs three nights after a step.
func ChangePoints(series []float64) ([]ChangePoint, error) {
	d := detective{window: DefaultWindow, p: DefaultP, minChange: DefaultLeastChange}
	return d.changePoints(series)
}

// detective finds the change points of one series.
type detective struct {
	window       int
	p, minChange float64
	// seed draws the permutations. Those of a window depend only on the seed and on its
	// begin, so that a later night does not change the result of an early window.
	seed uint64
	// test replaces the permutations. Student's test, which Hunter uses, needs two nights,
	// but ignores that the split was searched for: with a new test each night, one quiet
	// month of ten raises an alarm.
	test func(before, after []float64) float64

	series  []float64
	divider *statistics.Divider
}

func (d *detective) changePoints(series []float64) ([]ChangePoint, error) {
	if len(series) > maxValues {
		return nil, fmt.Errorf("%w: %d values are more than %d", ErrFigures, len(series), maxValues)
	}
	for i, value := range series {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("%w: figure %d is %v", ErrFigures, i+1, value)
		}
	}
	d.series, d.divider = series, statistics.NewDivider(2*d.window)
	var found []int
	for from := 0; from < len(d.series); {
		window := d.series[from:min(from+d.window, len(d.series))]
		next := from + max(1, d.window/2)
		for _, at := range d.divideWindow(window, rand.New(rand.NewPCG(d.seed, uint64(from)))) {
			found = append(found, from+at)
			next = max(next, from+at)
		}
		from = next
	}
	slices.Sort(found)
	return d.merge(slices.Compact(found)), nil
}

// divideWindow splits the parts of a window, the clearest split first, until the next split
// could be chance.
func (d *detective) divideWindow(window []float64, rng *rand.Rand) []int {
	edges := []int{0, len(window)}
	for {
		at, low, high, clearest := 0, 0, 0, 0.0
		for i := range len(edges) - 1 {
			tau, clarity := d.divider.Divide(window[edges[i]:edges[i+1]])
			if clarity > clearest {
				at, low, high, clearest = edges[i]+tau, edges[i], edges[i+1], clarity
			}
		}
		limit := laxer * d.p
		if at == 0 || d.chance(window[low:high], at-low, clearest, limit, rng) > limit {
			return edges[1 : len(edges)-1]
		}
		place, _ := slices.BinarySearch(edges, at)
		edges = slices.Insert(edges, place, at)
	}
}

// chance returns the p-value of a split of a stretch at an index.
func (d *detective) chance(stretch []float64, at int, clarity, limit float64, rng *rand.Rand) float64 {
	if d.test != nil {
		return d.test(stretch[:at], stretch[at:])
	}
	return d.divider.Permuted(stretch, clarity, limit, rng)
}

// merge drops the weakest candidate, by p-value and then by magnitude, until none is too
// weak. It judges the neighbours of a dropped candidate again, as their parts grew.
func (d *detective) merge(indexes []int) []ChangePoint {
	points := make([]ChangePoint, len(indexes))
	for i := range indexes {
		points[i] = d.judge(indexes, i)
	}
	for len(points) > 0 {
		weakest, least := 0, 0
		for i := range points {
			if points[i].P > points[weakest].P {
				weakest = i
			}
			if points[i].magnitude() < points[least].magnitude() {
				least = i
			}
		}
		if points[weakest].P <= d.p {
			if points[least].magnitude() >= d.minChange {
				break
			}
			weakest = least
		}
		points, indexes = slices.Delete(points, weakest, weakest+1), slices.Delete(indexes, weakest, weakest+1)
		for i := max(0, weakest-1); i < min(weakest+1, len(points)); i++ {
			points[i] = d.judge(indexes, i)
		}
	}
	return points
}

// judge tests the i-th candidate by the values between its neighbours.
func (d *detective) judge(indexes []int, i int) ChangePoint {
	at, from, to := indexes[i], 0, len(d.series)
	if i > 0 {
		from = indexes[i-1]
	}
	if i+1 < len(indexes) {
		to = indexes[i+1]
	}
	from, to = max(from, at-d.window), min(to, at+d.window)
	clarity := d.divider.Measure(d.series[from:to])[at-from]
	point := ChangePoint{Index: at, Before: statistics.Mean(d.series[from:at]), After: statistics.Mean(d.series[at:to])}
	point.Change = statistics.Relative(point.Before, point.After)
	// The second word makes these draws independent of those of the windows.
	rng := rand.New(rand.NewPCG(d.seed, math.MaxUint64-uint64(at)))
	point.P = d.chance(d.series[from:to], at-from, clarity, d.p, rng)
	return point
}

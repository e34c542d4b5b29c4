package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"loadgen/report/compare/statistics"
)

// Test is how a change point is held against chance.
type Test uint8

const (
	// ByPermutation asks how often the same values in another order fall apart as
	// clearly, wherever. It assumes nothing of their distribution. It needs three
	// nights after a step to tell.
	ByPermutation Test = iota
	// ByStudent compares the means by Student's test, as Hunter does. It can tell
	// after two nights, but believes in normal noise, and does not know that the
	// split was looked for: judged anew each night, about one quiet month of ten
	// alarms.
	ByStudent
)

// History says how change points of a series are found. A field that is 0 is the
// default.
type History struct {
	// Window is how many values are looked at together; the next window begins half
	// a window on. A change point is judged from the values up to the next one, and a
	// window on either side at most.
	Window int
	// P is the greatest p-value of a change point. Candidates have up to ten times
	// as much.
	P float64
	// LeastChange is the least change of the mean, as a part of one; negative for
	// any.
	LeastChange float64
	Test        Test
	// Seed draws the orders. A window's draws depend on nothing but the seed and
	// where it begins, so that a later night does not change what an early window
	// said.
	Seed uint64
}

// The defaults of [History].
const (
	DefaultWindow      = 30
	DefaultP           = 0.001
	DefaultLeastChange = 0.05
)

const (
	// laxer is how much higher the p-value of a candidate may be.
	laxer = 10
	// The bounds of the work.
	mostValues  = 1 << 14
	leastWindow = 2
	mostWindow  = 100
	leastP      = 1e-5
)

// ChangePoint is where a series steps.
type ChangePoint struct {
	// Index is that of the first value after the step.
	Index int `json:"index"`
	// Before and After are the means over the values that it was judged from; Change
	// is a part of one, +Inf from a mean of 0.
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Change float64 `json:"change"`
	P      float64 `json:"p"`
}

// magnitude returns the change as seen from whichever side makes it greater, so that
// a step up and the same step down weigh the same.
func (c *ChangePoint) magnitude() float64 {
	return math.Max(math.Abs(statistics.Relative(c.Before, c.After)), math.Abs(statistics.Relative(c.After, c.Before)))
}

// Validate returns everything that is wrong with the options, each wrapped around
// [ErrOptions]; nil where nothing is.
func (h *History) Validate() []error {
	var faults []error
	if h.Window != 0 && (h.Window < leastWindow || h.Window > mostWindow) {
		faults = append(faults,
			fmt.Errorf("%w: window: %d is not from %d to %d", ErrOptions, h.Window, leastWindow, mostWindow))
	}
	if h.P != 0 && !(h.P >= leastP && h.P <= 1.0/laxer) {
		faults = append(faults, fmt.Errorf("%w: p: %v is not from %v to %v", ErrOptions, h.P, leastP, 1.0/laxer))
	}
	if math.IsNaN(h.LeastChange) {
		faults = append(faults, fmt.Errorf("%w: least change: not a number", ErrOptions))
	}
	if h.Test > ByStudent {
		faults = append(faults, fmt.Errorf("%w: test: %d is none", ErrOptions, h.Test))
	}
	return faults
}

// ChangePoints returns where a series steps, in order. It takes candidates from each
// window, and drops the weakest until all that are left hold against their
// neighbours. Errors wrap [ErrOptions] or [ErrFigures]: too many values, or one that
// is no number.
func (h History) ChangePoints(series []float64) ([]ChangePoint, error) {
	if faults := h.Validate(); len(faults) > 0 {
		return nil, faults[0]
	}
	if len(series) > mostValues {
		return nil, fmt.Errorf("%w: %d values are more than %d", ErrFigures, len(series), mostValues)
	}
	if err := checkFinite(series); err != nil {
		return nil, err
	}
	h.Window = cmp.Or(h.Window, DefaultWindow)
	h.P = cmp.Or(h.P, DefaultP)
	h.LeastChange = cmp.Or(h.LeastChange, DefaultLeastChange)
	d := detective{h, series, statistics.NewDivider(2 * h.Window)}
	return d.merge(d.candidates()), nil
}

// detective is a history that looks at one series.
type detective struct {
	History
	series  []float64
	divider *statistics.Divider
}

// candidates returns the indexes at which any window falls apart, sorted.
func (d *detective) candidates() []int {
	var found []int
	for from := 0; from < len(d.series); {
		window := d.series[from:min(from+d.Window, len(d.series))]
		next := from + max(1, d.Window/2)
		for _, at := range d.divideWindow(window, rand.New(rand.NewPCG(d.Seed, uint64(from)))) {
			found = append(found, from+at)
			next = max(next, from+at)
		}
		from = next
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// divideWindow splits the clearest of the stretches of a window until the clearest
// split that is left could be chance.
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
		limit := laxer * d.P
		if at == 0 || d.chance(window[low:high], at-low, clearest, limit, rng) > limit {
			return edges[1 : len(edges)-1]
		}
		place, _ := slices.BinarySearch(edges, at)
		edges = slices.Insert(edges, place, at)
	}
}

// chance returns the p-value of a split of a stretch at an index.
func (d *detective) chance(stretch []float64, at int, clarity, limit float64, rng *rand.Rand) float64 {
	if d.Test == ByStudent {
		return statistics.Student(stretch[:at], stretch[at:])
	}
	return d.divider.Permuted(stretch, clarity, limit, rng)
}

// merge drops the weakest candidate, by p-value and then by magnitude, until none is
// too weak. Those beside a dropped one are judged anew, for their stretches grew.
func (d *detective) merge(indexes []int) []ChangePoint {
	points := make([]ChangePoint, len(indexes))
	for i := range indexes {
		points[i] = d.judge(indexes, i)
	}
	for len(points) > 0 {
		weakest, fails := d.weakest(points)
		if !fails {
			break
		}
		points, indexes = slices.Delete(points, weakest, weakest+1), slices.Delete(indexes, weakest, weakest+1)
		for i := max(0, weakest-1); i < min(weakest+1, len(points)); i++ {
			points[i] = d.judge(indexes, i)
		}
	}
	return points
}

// weakest returns the point that holds least, and whether it is too weak.
func (d *detective) weakest(points []ChangePoint) (int, bool) {
	byP, byMagnitude := 0, 0
	for i := range points {
		if points[i].P > points[byP].P {
			byP = i
		}
		if points[i].magnitude() < points[byMagnitude].magnitude() {
			byMagnitude = i
		}
	}
	if points[byP].P > d.P {
		return byP, true
	}
	return byMagnitude, points[byMagnitude].magnitude() < d.LeastChange
}

// judge holds the i-th candidate against the values between its neighbours.
func (d *detective) judge(indexes []int, i int) ChangePoint {
	at, from, to := indexes[i], 0, len(d.series)
	if i > 0 {
		from = indexes[i-1]
	}
	if i+1 < len(indexes) {
		to = indexes[i+1]
	}
	from, to = max(from, at-d.Window), min(to, at+d.Window)
	clarity := d.divider.Measure(d.series[from:to])[at-from]
	point := ChangePoint{Index: at, Before: statistics.Mean(d.series[from:at]), After: statistics.Mean(d.series[at:to])}
	point.Change = statistics.Relative(point.Before, point.After)
	// The second word keeps these draws apart from those of the windows.
	rng := rand.New(rand.NewPCG(d.Seed, math.MaxUint64-uint64(at)))
	point.P = d.chance(d.series[from:to], at-from, clarity, d.P, rng)
	return point
}

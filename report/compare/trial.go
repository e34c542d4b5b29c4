package compare

import (
	"fmt"
	"math"
)

// Metric is a figure of a run.
type Metric struct {
	Name string
	// Higher means that more is better, as for rates; otherwise less is, as for times.
	Higher bool
	// Floor is the minimum value, in the metric's own unit: smaller values count as the
	// floor, so that a share of 0 has a ratio. If it is 0, every value must be positive.
	Floor float64
}

// Pair is the metric of two runs that followed each other.
type Pair struct{ A, B float64 }

// Trial is one metric of all pairs.
type Trial struct {
	Metric Metric
	Pairs  []Pair
}

// log returns the logarithm of a figure, or of the floor.
func (t *Trial) log(pair int, side Side, value float64) (float64, error) {
	if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 || value == 0 && t.Metric.Floor == 0 {
		return 0, fmt.Errorf("%w: %q: %v of pair %d is %v; expected a positive number",
			ErrFigures, t.Metric.Name, side, pair+1, value)
	}
	return math.Log(math.Max(value, t.Metric.Floor)), nil
}

// Side is one of the two compared sides.
type Side uint8

// The sides: A is the earlier one, B the later one.
const (
	A Side = iota
	B
)

// String returns the letter of the side.
func (s Side) String() string {
	if s == A {
		return "A"
	}
	return "B"
}

// Slot is one run of a paired comparison.
type Slot struct {
	// Pair counts from 0.
	Pair int
	Side Side
}

// Order returns the order of the runs of some pairs: A B, B A, A B, … so that a machine
// that becomes slower favours neither side, and a steady drift cancels within every two
// pairs. It returns nothing if pairs is not positive.
func Order(pairs int) []Slot {
	var slots []Slot
	for i := range max(0, pairs) {
		first := Side(i % 2)
		slots = append(slots, Slot{i, first}, Slot{i, B - first})
	}
	return slots
}

package compare

import (
	"fmt"
	"math"
)

// Trial is one metric of all runs of both sides.
type Trial struct {
	Metric Metric
	// A and B have one value per run.
	A, B []float64
	// Paired means that A[i] and B[i] ran next to each other, in the order of [Order].
	Paired bool
	// Drift is the part of the change from A to B that the generator itself caused, in the
	// metric's unit. A regression must remain one without it.
	Drift float64
	// Noise is the logarithm of the ratio that days differ by without a cause. A smaller change
	// shows nothing.
	Noise float64
}

// logs returns the logarithms of the values of a side, or of the floor.
func (t *Trial) logs(side Side, values []float64) ([]float64, error) {
	logs := make([]float64, len(values))
	for i, value := range values {
		if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 || value == 0 && t.Metric.Floor == 0 {
			return nil, fmt.Errorf("%w: %q: %v of run %d is %v; expected a positive number",
				ErrFigures, t.Metric.Name, side, i+1, value)
		}
		logs[i] = math.Log(math.Max(value, t.Metric.Floor))
	}
	return logs, nil
}

// minRuns is the number of runs that each side needs.
func (t *Trial) minRuns(trials int) int {
	switch {
	case !t.Paired:
		return MinRuns
	case trials == 1:
		return MinPairsOfOne
	default:
		return MinPairs
	}
}

// validate returns the first fault of a trial.
func (t *Trial) validate() error {
	name, floor := t.Metric.Name, t.Metric.Floor
	switch {
	case name == "":
		return fmt.Errorf("%w: a metric without a name", ErrFigures)
	case math.IsNaN(floor) || math.IsInf(floor, 0) || floor < 0:
		return fmt.Errorf("%w: %q: floor %v; expected 0 or more", ErrFigures, name, floor)
	case max(len(t.A), len(t.B)) > maxRuns:
		return fmt.Errorf("%w: %q: %d runs are more than %d", ErrFigures, name, max(len(t.A), len(t.B)), maxRuns)
	case t.Paired && len(t.A) != len(t.B):
		return fmt.Errorf("%w: %q: %d runs of A and %d of B are not pairs", ErrFigures, name, len(t.A), len(t.B))
	}
	return nil
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

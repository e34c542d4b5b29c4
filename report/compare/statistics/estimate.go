package statistics

import (
	"math"
	"slices"
)

// Estimate is a figure over several runs: the mean with its 95% interval, which is nil for a
// single run.
type Estimate struct {
	Mean     float64     `json:"mean"`
	Interval *[2]float64 `json:"interval"`
	Least    float64     `json:"least"`
	Greatest float64     `json:"greatest"`
	Runs     int         `json:"runs"`
}

// Doubt is the share of the intervals of estimates that may miss their value.
const Doubt = 0.05

// NewEstimate returns the estimate of values from 0 to a maximum, nil without values.
func NewEstimate(values []float64, maximum float64) *Estimate {
	mean, low, high, ok := MeanInterval(values, Doubt)
	if len(values) == 0 {
		return nil
	}
	e := &Estimate{Mean: mean, Least: slices.Min(values), Greatest: slices.Max(values), Runs: len(values)}
	if ok {
		e.Interval = Bounds(math.Max(0, low), math.Min(maximum, high))
	}
	return e
}

// Bounds returns an interval, nil if a bound is not finite.
func Bounds(low, high float64) *[2]float64 {
	if math.IsNaN(high-low) || math.IsInf(high-low, 0) {
		return nil
	}
	return &[2]float64{low, high}
}

// Value returns the mean, 0 without an estimate.
func (e *Estimate) Value() float64 {
	if e == nil {
		return 0
	}
	return e.Mean
}

// Pointer returns the mean, nil without an estimate.
func (e *Estimate) Pointer() *float64 {
	if e == nil {
		return nil
	}
	return &e.Mean
}

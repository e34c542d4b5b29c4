package compare

import (
	"fmt"
	"math"
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
)

// Shape is how two distributions of durations differ. It has no p-value: the requests of a
// run are not a sample of runs.
type Shape struct {
	// Was and Is count the durations.
	Was int64 `json:"-"`
	Is  int64 `json:"-"`
	// Quantiles are those that both sides have.
	Quantiles []Shift `json:"-"`
	// Distance is Kolmogorov and Smirnov's distance: the maximum difference between the
	// two cumulative shares, from 0 to 1, at AtMicros.
	Distance float64 `json:"distance"`
	AtMicros int64   `json:"at_us"`
	// ShiftMicros is Wasserstein's distance of order 1: how far durations move on average.
	ShiftMicros float64 `json:"shift_us"`
	// Sentence is the description in words.
	Sentence string `json:"sentence"`
}

// Shift is one quantile before and after.
type Shift struct {
	// Quantile is from 0 to 1.
	Quantile            float64
	WasMicros, IsMicros int64
	// Change is a part of one, +Inf from 0.
	Change float64
}

const (
	// minAbove is the minimum number of durations above a quantile.
	minAbove = 10
	// minShift is the minimum change of a quantile that is mentioned, minDistance the
	// minimum distance.
	minShift    = 0.05
	minDistance = 0.02
)

// ShapeOf compares two histograms in microseconds. The bars of each must be in order and
// disjoint, as results.Histogram.Bars returns them; a duration counts as the upper end of
// its bar. Other bars, or none, are an error that wraps [ErrFigures].
func ShapeOf(was, is []results.Bar) (Shape, error) {
	var shape Shape
	for _, side := range []struct {
		bars []results.Bar
		n    *int64
	}{{was, &shape.Was}, {is, &shape.Is}} {
		last := int64(-1)
		for i, bar := range side.bars {
			if bar.From <= last || bar.To < bar.From || bar.Count <= 0 || *side.n > math.MaxInt64-bar.Count {
				return Shape{}, fmt.Errorf("%w: bar %d, from %d to %d µs with %d, does not follow the one before it",
					ErrFigures, i+1, bar.From, bar.To, bar.Count)
			}
			*side.n += bar.Count
			last = bar.To
		}
		if *side.n == 0 {
			return Shape{}, fmt.Errorf("%w: a distribution without durations", ErrFigures)
		}
	}
	var ends []int64
	for _, bar := range slices.Concat(was, is) {
		ends = append(ends, bar.To)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	before, after := below{bars: was, n: shape.Was}, below{bars: is, n: shape.Is}
	for i, end := range ends {
		distance := math.Abs(before.share(end) - after.share(end))
		if distance > shape.Distance {
			shape.Distance, shape.AtMicros = distance, end
		}
		if i+1 < len(ends) {
			// Between two ends the shares are constant.
			shape.ShiftMicros += distance * float64(ends[i+1]-end)
		}
	}
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999} {
		if above := float64(min(shape.Was, shape.Is)) * (1 - q); above+1e-9 < minAbove {
			continue
		}
		before, after := quantile(was, shape.Was, q), quantile(is, shape.Is, q)
		shape.Quantiles = append(shape.Quantiles, Shift{q, before, after, statistics.Relative(float64(before), float64(after))})
	}
	shape.Sentence = shape.describe()
	return shape, nil
}

// below sums bars up to ascending ends.
type below struct {
	bars   []results.Bar
	n, sum int64
}

// share returns the share of the durations up to an end.
func (b *below) share(end int64) float64 {
	for len(b.bars) > 0 && b.bars[0].To <= end {
		b.sum += b.bars[0].Count
		b.bars = b.bars[1:]
	}
	return float64(b.sum) / float64(b.n)
}

// quantile returns the end of the bar that holds the q-th quantile.
func quantile(bars []results.Bar, n int64, q float64) int64 {
	rank, sum := int64(math.Ceil(float64(n)*q-1e-9)), int64(0)
	for _, bar := range bars {
		if sum += bar.Count; sum >= rank {
			return bar.To
		}
	}
	return bars[len(bars)-1].To
}

// describe returns which part of the distribution moved.
func (s *Shape) describe() string {
	if len(s.Quantiles) == 0 {
		return "Too few durations to describe the shape."
	}
	body, tail := s.Quantiles[0], s.Quantiles[len(s.Quantiles)-1]
	bodyMoved, tailMoved := math.Abs(body.Change) >= minShift, math.Abs(tail.Change) >= minShift
	// Both moved alike if the tail's change relative to the body's is small.
	alike := math.Abs(statistics.Relative(1+body.Change, 1+tail.Change)) < minShift
	switch {
	case len(s.Quantiles) == 1 && bodyMoved:
		return fmt.Sprintf("The median changed by %s; the tail is unknown.", document.Change(body.Change))
	case len(s.Quantiles) == 1:
		return "The median stayed; the tail is unknown."
	case bodyMoved && alike:
		return fmt.Sprintf("The whole distribution changed by about %s.", document.Change(body.Change))
	case bodyMoved && tailMoved:
		return fmt.Sprintf("The shape changed: the median by %s, %s by %s.",
			document.Change(body.Change), tail.name(), document.Change(tail.Change))
	case tailMoved:
		return fmt.Sprintf("The tail changed: %s by %s, while the median stayed.", tail.name(), document.Change(tail.Change))
	case bodyMoved:
		return fmt.Sprintf("The body changed: the median by %s, while %s stayed.", document.Change(body.Change), tail.name())
	case s.Distance >= minDistance:
		return fmt.Sprintf("The median and %s stayed, but %s of the durations crossed %s.",
			tail.name(), document.Share(s.Distance), document.Micros(s.AtMicros))
	}
	return "The shape is the same."
}

// name returns the quantile as p99.9.
func (s *Shift) name() string { return "p" + document.Decimals(100*s.Quantile, 2) }

package compare

import (
	"fmt"
	"math"
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
)

// Shape is how two distributions of durations differ. It describes, and has no
// p-value: the requests of a run are no sample of runs.
type Shape struct {
	// Was and Is are how many durations there are.
	Was int64 `json:"-"`
	Is  int64 `json:"-"`
	// Quantiles are those that both can tell.
	Quantiles []Shift `json:"-"`
	// Distance is the greatest difference between the two shares of durations that
	// are at most as long as some duration, from 0 to 1, and At where it lies
	// (Kolmogorov and Smirnov's distance).
	Distance float64 `json:"distance"`
	AtMicros int64   `json:"at_us"`
	// ShiftMicros is how far a duration has to be moved on average to make the one
	// distribution of the other (Wasserstein's distance of order 1).
	ShiftMicros float64 `json:"shift_us"`
	// Sentence says it in words.
	Sentence string `json:"sentence"`
}

// Shift is one quantile before and after.
type Shift struct {
	// Quantile is from 0 to 1.
	Quantile            float64
	WasMicros, IsMicros int64
	// Change is a part of one, +Inf where it was nothing.
	Change float64
}

const (
	// fewestBeyond is how many durations must lie beyond a quantile.
	fewestBeyond = 10
	// leastShift is which change of a quantile is spoken of, and leastDistance
	// which distance.
	leastShift    = 0.05
	leastDistance = 0.02
)

// ShapeOf compares two histograms in microseconds. The bars of each have to be in
// order and apart, as results.Histogram.Bars returns them; a duration counts as the
// upper end of its bar. Bars that are not so, or none at all, are an error that wraps
// [ErrFigures].
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
		apart := math.Abs(before.share(end) - after.share(end))
		if apart > shape.Distance {
			shape.Distance, shape.AtMicros = apart, end
		}
		if i+1 < len(ends) {
			// Between two ends the shares stay as they are.
			shape.ShiftMicros += apart * float64(ends[i+1]-end)
		}
	}
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999} {
		if beyond := float64(min(shape.Was, shape.Is)) * (1 - q); beyond+1e-9 < fewestBeyond {
			continue
		}
		before, after := quantile(was, shape.Was, q), quantile(is, shape.Is, q)
		shape.Quantiles = append(shape.Quantiles, Shift{q, before, after, statistics.Relative(float64(before), float64(after))})
	}
	shape.Sentence = shape.describe()
	return shape, nil
}

// below sums bars up to ends that only grow.
type below struct {
	bars   []results.Bar
	n, sum int64
}

// share returns which share of the durations is at most as long as an end.
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

// describe says which part of the distribution moved.
func (s *Shape) describe() string {
	if len(s.Quantiles) == 0 {
		return "Too few durations to say anything of the shape."
	}
	body, tail := s.Quantiles[0], s.Quantiles[len(s.Quantiles)-1]
	bodyMoved, tailMoved := math.Abs(body.Change) >= leastShift, math.Abs(tail.Change) >= leastShift
	// Both moved alike where what is left of the tail's change, once the body's is
	// taken off, is small.
	alike := math.Abs(statistics.Relative(1+body.Change, 1+tail.Change)) < leastShift
	switch {
	case len(s.Quantiles) == 1 && bodyMoved:
		return fmt.Sprintf("The median changed by %s; the tail cannot be told.", document.Change(body.Change))
	case len(s.Quantiles) == 1:
		return "The median stayed; the tail cannot be told."
	case bodyMoved && alike:
		return fmt.Sprintf("The whole distribution changed by about %s.", document.Change(body.Change))
	case bodyMoved && tailMoved:
		return fmt.Sprintf("The shape changed: the median by %s, %s by %s.",
			document.Change(body.Change), tail.name(), document.Change(tail.Change))
	case tailMoved:
		return fmt.Sprintf("The tail changed: %s by %s, while the median stayed.", tail.name(), document.Change(tail.Change))
	case bodyMoved:
		return fmt.Sprintf("The body changed: the median by %s, while %s stayed.", document.Change(body.Change), tail.name())
	case s.Distance >= leastDistance:
		return fmt.Sprintf("The median and %s stayed, but %s of the durations lie on another side of %s.",
			tail.name(), document.Share(s.Distance), document.Micros(s.AtMicros))
	}
	return "The shape is the same."
}

// name returns the quantile as it is written everywhere: p99.9.
func (s *Shift) name() string { return "p" + document.Decimals(100*s.Quantile, 2) }

package keys

import (
	"math"
	"sync"

	"loadgen/engine/clock"
)

// QuantileNames are what a scenario calls the [Quantiles], in their order.
var QuantileNames = [...]string{"min", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "max"}

// QuantileShares are the shares of the entities that do not exceed each of them.
var QuantileShares = [len(QuantileNames)]float64{0, .01, .05, .10, .25, .50, .75, .90, .95, .99, 1}

// Quantiles are sizes by how many do not exceed them, 0 for one that is not given. Between
// two that are given a size grows by equal factors in equal shares; what lies below the
// first or above the last of them is as large as that.
type Quantiles [len(QuantileNames)]int

// Ends returns the least and the greatest of the sizes, 0 where none is given.
func (q *Quantiles) Ends() (least, most int) {
	for _, size := range q {
		if size > 0 && least == 0 {
			least = size
		}
		most = max(most, size)
	}
	return least, most
}

// SizeAt returns the size that a share does not exceed.
func (q *Quantiles) SizeAt(share float64) float64 {
	before := -1
	for i, size := range q {
		switch {
		case size == 0:
			continue
		case share > QuantileShares[i]:
			before = i
			continue
		case before < 0:
			return float64(size)
		}
		part := (share - QuantileShares[before]) / (QuantileShares[i] - QuantileShares[before])
		return float64(q[before]) * math.Pow(float64(size)/float64(q[before]), part)
	}
	if before < 0 {
		return 0
	}
	return float64(q[before])
}

// drawnSizes is how many sizes are drawn from, each as likely as the others: a power of two.
const drawnSizes = 1 << 12

// Sizes draws sizes: from a table by their quantiles, or by a curve. It is immutable.
type Sizes struct {
	from  clock.Stream
	table *[drawnSizes]int32
	// inverse is that of a curve, whose sizes are cut to low and high.
	inverse   func(share float64) float64
	low, high int
	mean      func() float64
}

// NewSizes returns what draws sizes from a stream. The quantiles do not fall.
func (q *Quantiles) NewSizes(from clock.Stream) *Sizes {
	s := &Sizes{from: from, table: new([drawnSizes]int32)}
	for i := range s.table {
		s.table[i] = int32(math.Round(q.SizeAt((float64(i) + .5) / drawnSizes)))
	}
	s.mean = sync.OnceValue(s.average)
	return s
}

// SizeOf returns the size that belongs to a number.
func (s *Sizes) SizeOf(number uint64) int {
	draw := s.from.Draw(number)
	if s.inverse != nil {
		return s.sizeAt(draw.Float64())
	}
	return int(s.table[draw.Uint64()%drawnSizes])
}

// sizeAt returns the whole size of a share by a curve, cut.
func (s *Sizes) sizeAt(share float64) int {
	size := s.inverse(share)
	if !(size < float64(s.high)) {
		return s.high
	}
	return max(s.low, int(math.Round(size)))
}

// Mean returns the mean of the sizes, in bytes. It is found once.
func (s *Sizes) Mean() float64 { return s.mean() }

// average is the mean of a table to the byte, and that of a curve by the midpoints of equal
// shares, which are halved repeatedly in the tail.
func (s *Sizes) average() float64 {
	sum := 0.
	if s.inverse == nil {
		for _, size := range s.table {
			sum += float64(size)
		}
		return sum / drawnSizes
	}
	const parts = 1 << 16
	for i := range parts - 1 {
		sum += float64(s.sizeAt((float64(i)+.5)/parts)) / parts
	}
	// The last part, by halves, each by eight midpoints.
	left := 1. / parts
	for range 36 {
		left /= 2
		for i := range 8 {
			sum += float64(s.sizeAt(1-2*left+left*(float64(i)+.5)/8)) * left / 8
		}
	}
	return sum + float64(s.high)*left
}

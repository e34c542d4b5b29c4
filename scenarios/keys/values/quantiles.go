package values

import (
	"math"

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

// Falls returns the number of the first that is smaller than one before it, false for none.
func (q *Quantiles) Falls() (int, bool) {
	most := 0
	for i, size := range q {
		if size > 0 && size < most {
			return i, true
		}
		most = max(most, size)
	}
	return 0, false
}

// At returns the size that a share does not exceed.
func (q *Quantiles) At(share float64) float64 {
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

// Sizes draws sizes by their quantiles. It is immutable.
type Sizes struct {
	from  clock.Stream
	table [drawnSizes]int32
}

// NewSizes returns what draws sizes from a stream. The quantiles do not fall.
func (q *Quantiles) NewSizes(from clock.Stream) *Sizes {
	s := &Sizes{from: from}
	for i := range s.table {
		s.table[i] = int32(math.Round(q.At((float64(i) + .5) / drawnSizes)))
	}
	return s
}

// Of returns the size that belongs to a number.
func (s *Sizes) Of(number uint64) int {
	draw := s.from.At(number)
	return int(s.table[draw.Uint64()%drawnSizes])
}

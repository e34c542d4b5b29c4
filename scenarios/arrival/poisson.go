package arrival

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"loadgen/engine/clock"
)

// Poisson is a schedule of arrivals that know nothing of each other: at any
// moment the next is as likely as at any other. The time between two of them is
// exponential, and how many there are in all is random, too; both are fixed by
// the stream.
//
// The length is cut into slots, and how many operations fall into each is drawn
// once. Their instants in a slot are drawn on demand: each half of it,
// and each half of that, has its share, as many as a coin gives it that is thrown
// once for every operation.
type Poisson struct {
	rate   float64
	chance clock.Stream
	// upTo are the operations in each slot and all before it.
	upTo []uint64
	extent
}

var _ Schedule = (*Poisson)(nil)

// Bounds of a Poisson schedule.
const (
	// slotOperations is about how many operations a slot has, unless there would be
	// more than maxSlots.
	slotOperations = 64
	maxSlots       = 1 << 20
	// maxRandom is the greatest number of operations that is expected, at which
	// an instant takes a thousand draws.
	maxRandom = 100_000_000_000
)

// NewPoisson returns the schedule of random arrivals at a constant rate, in
// operations per second, over a length. Its errors wrap [ErrSchedule].
func NewPoisson(rate float64, length time.Duration, chance clock.Stream) (*Poisson, error) {
	var l limits
	l.milli("the rate", rate, minRate)
	l.lasting("the length", length)
	expected := rate * length.Seconds()
	l.require(expected <= maxRandom, "%v/s for %v are %.0f random arrivals; they must be at most %d", rate, length, expected, maxRandom)
	if l.err != nil {
		return nil, l.err
	}
	p := &Poisson{rate: rate, chance: chance, extent: extent{length: length}}
	slots := min(uint64(expected/slotOperations)+1, maxSlots, uint64(length))
	p.upTo = make([]uint64, slots)
	for slot := range slots {
		begin, end := p.slot(slot), p.slot(slot+1)
		draw := chance.Try(slot, 0)
		p.count += poisson(rate*(end-begin).Seconds(), &draw)
		p.upTo[slot] = p.count
	}
	return p, nil
}

func (p *Poisson) slot(slot uint64) time.Duration {
	high, low := bits.Mul64(uint64(p.length), slot)
	begin, _ := bits.Div64(high, low, uint64(len(p.upTo)))
	return time.Duration(begin)
}

// DueTime implements [Schedule].
func (p *Poisson) DueTime(n uint64) time.Duration {
	index, _ := slices.BinarySearch(p.upTo, n+1)
	slot, before := uint64(index), uint64(0)
	if slot > 0 {
		before = p.upTo[slot-1]
	}
	begin, end := p.slot(slot), p.slot(slot+1)
	place, _ := bits.Mul64(p.place(slot, n-before, p.upTo[slot]-before), uint64(end-begin))
	return begin + time.Duration(place)
}

// deepest is the maximum number of times that a slot is halved: then operations are
// indistinguishable.
const deepest = 60

// place returns the position in a slot of the operation with a rank among count, as a
// share of 2⁶⁴.
func (p *Poisson) place(slot, rank, count uint64) uint64 {
	low := uint64(0)
	node := 1
	for half := uint64(1) << 63; count > 1 && node < 1<<deepest; half >>= 1 {
		draw := p.chance.Try(slot, node)
		heads, throws := uint64(0), count
		for ; throws >= 64; throws -= 64 {
			heads += uint64(bits.OnesCount64(draw.Uint64()))
		}
		heads += uint64(bits.OnesCount64(draw.Uint64() & (1<<throws - 1)))
		node *= 2
		if rank < heads {
			count = heads
			continue
		}
		rank, count = rank-heads, count-heads
		low += half
		node++
	}
	if count > 1 {
		return low
	}
	draw := p.chance.Try(slot, -node)
	return low + draw.Uint64()>>(bits.Len(uint(node))-1)
}

// poisson draws a number of events for an expected number: below ten
// by multiplying chances until they are too small (Knuth), above by transformed
// rejection with squeeze (Hörmann 1993, PTRS).
func poisson(mean float64, draw *clock.Draw) uint64 {
	if mean < 10 {
		count, floor := uint64(0), math.Exp(-mean)
		for left := draw.Float64(); left > floor; left *= draw.Float64() {
			count++
		}
		return count
	}
	b := 0.931 + 2.53*math.Sqrt(mean)
	a := -0.059 + 0.02483*b
	inverse := 1.1239 + 1.1328/(b-3.4)
	squeeze := 0.9277 - 3.6224/(b-2)
	for {
		u, v := draw.Float64()-.5, draw.Float64()
		edge := .5 - math.Abs(u)
		k := math.Floor((2*a/edge+b)*u + mean + .43)
		if edge >= .07 && v <= squeeze {
			return uint64(k)
		}
		if k < 0 || edge < .013 && v > edge {
			continue
		}
		factorial, _ := math.Lgamma(k + 1)
		if math.Log(v*inverse/(a/(edge*edge)+b)) <= k*math.Log(mean)-mean-factorial {
			return uint64(k)
		}
	}
}

// Rate implements [Schedule]: the rate that is expected; outside the schedule it
// is 0.
func (p *Poisson) Rate(at time.Duration) float64 {
	if !p.covers(at) {
		return 0
	}
	return p.rate
}

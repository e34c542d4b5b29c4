package protocol

import (
	"time"

	"loadgen/engine/clock"
)

// offset is how far one clock is ahead of another, to within a bound.
type offset struct {
	ahead, bound time.Duration
}

// probed is what a probe says: it left and came back by one clock, and was seen at an
// instant of the other in between. The other's is then ahead by seen − (left + back)/2, to
// within half of the way there and back (Cristian 1989).
func probed(left, seen, back clock.Instant) offset {
	trip := back.Sub(left)
	return offset{ahead: seen.Sub(left) - trip/2, bound: (trip + 1) / 2}
}

// probing is a series of probes, of which the fastest counts.
type probing struct {
	left map[uint64]clock.Instant
	best offset
	// answered is how many of them came back.
	answered int
}

// back takes an answer, the first to each probe.
func (p *probing) back(number uint64, seen, now clock.Instant) bool {
	left, known := p.left[number]
	if !known {
		return false
	}
	delete(p.left, number)
	if one := probed(left, seen, now); p.answered == 0 || one.bound < p.best.bound {
		p.best = one
	}
	p.answered++
	return true
}

// watch keeps how far the leader's clock is ahead while a run goes on.
type watch struct {
	now offset
	on  bool
	// age is how many answers have come since the offset was taken.
	age int
}

// oldest is after how many answers an offset is taken anew from a slower one: clocks
// creep by some parts in a million, at most by some in ten thousand while they are put right.
const oldest = 40

// see takes what an answer says: one that is faster; or one that is fast enough, and
// contradicts what is known or comes after a while. One that was long on its way may have
// left before a clock moved.
func (w *watch) see(o offset) {
	if w.age++; !w.on {
		return
	}
	moved := (o.ahead - w.now.ahead).Abs() > o.bound+w.now.bound
	if o.bound <= w.now.bound || (moved || w.age > oldest) && o.bound <= MaxClockBound {
		w.now, w.age = o, 0
	}
}

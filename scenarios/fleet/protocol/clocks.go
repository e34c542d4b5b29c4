package protocol

import (
	"time"

	"loadgen/engine/clock"
)

// offset is the difference of two clocks, the other minus the own, with an error of at most bound.
type offset struct {
	ahead, bound time.Duration
}

// offsetOf returns the offset of the clock that read an instant between two instants of the own clock: seen minus the middle
// of the two, with an error of at most half of the time between them (Cristian 1989).
func offsetOf(sent, seen, received clock.Instant) offset {
	trip := received.Sub(sent)
	return offset{ahead: seen.Sub(sent) - trip/2, bound: (trip + 1) / 2}
}

// leaderClock is a member's estimate of the leader's clock, by the replies that it got.
type leaderClock struct {
	offset
	replies int
	// age is the number of replies since the offset was measured.
	age int
}

// maxAge is the age from which on a slower reply replaces the offset: clocks drift by some parts in a million, and by some
// in ten thousand while they are adjusted.
const maxAge = 40

// add takes an offset that is more accurate, and one that is accurate enough if it contradicts the present one or that is
// old. A reply with a long delay may have been sent before a clock moved.
func (c *leaderClock) add(o offset) {
	c.replies++
	c.age++
	moved := (o.ahead - c.ahead).Abs() > o.bound+c.bound
	if c.replies == 1 || o.bound <= c.bound || (moved || c.age > maxAge) && o.bound <= MaxClockBound {
		c.offset, c.age = o, 0
	}
}

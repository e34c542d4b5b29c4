package arrival

import (
	"math/bits"
	"time"

	"loadgen/engine/clock"
)

// Even is a schedule whose operations follow one another by a formula, each in a
// slot of its own that ends where the next begins: [Steps], [Ramp], [Burst] and
// [Sine].
type Even interface {
	Schedule
	// within returns the instant at a share, in parts of 2⁶⁴, of operation n's
	// slot: of the load that comes in it, so that a slot is thin where the rate is
	// high.
	instantIn(n, share uint64) time.Duration
}

var (
	_ Even = (*Steps)(nil)
	_ Even = (*Ramp)(nil)
	_ Even = (*Burst)(nil)
	_ Even = (*Sine)(nil)
)

// Jittered is an even schedule whose operations are due at a random instant of
// their own slot: operation n between where [Even] has it and where it has the
// next. Rates, counts and steps stay exact and instants do not fall with n.
//
// Evenly spaced arrivals can fall in step with the allowance of a partition,
// which grows evenly, too. At exactly twice the rate every second first attempt
// then meets a whole entity, and no retry ever does: figures of a resonance, not
// of a partition. No application sends by a metronome.
type Jittered struct {
	Even
	chance clock.Stream
}

var _ Schedule = (*Jittered)(nil)

// NewJittered returns the schedule with the operations' places in their slots
// drawn from a stream by their numbers.
func NewJittered(even Even, chance clock.Stream) *Jittered { return &Jittered{even, chance} }

// DueTime implements [Schedule].
func (j *Jittered) DueTime(n uint64) time.Duration {
	draw := j.chance.Draw(n)
	return j.instantIn(n, draw.Uint64())
}

// instantIn implements [Even].
func (s *Steps) instantIn(n, share uint64) time.Duration {
	one := &s.steps[s.StepOf(n)]
	from, to := s.DueTime(n), one.begin+one.length
	if n+1 < one.first+one.count {
		to = s.DueTime(n + 1)
	}
	place, _ := bits.Mul64(share, uint64(to-from))
	return from + time.Duration(place)
}

package arrival

import (
	"math/bits"
	"time"

	"loadgen/engine/clock"
)

// Jittered is a schedule of steps whose operations are due at a random instant
// of their own slot: operation n between where [Steps] has it and where it has
// the next. Rates, counts and steps stay exact and instants do not fall with n.
//
// Evenly spaced arrivals can fall in step with the allowance of a partition,
// which grows evenly, too. At exactly twice the rate every second first attempt
// then meets a whole entity, and no retry ever does: figures of a resonance, not
// of a partition. No application sends by a metronome.
type Jittered struct {
	*Steps
	chance clock.Stream
}

var _ Schedule = (*Jittered)(nil)

// NewJittered returns the steps with the operations' places in their slots drawn
// from a stream by their numbers.
func NewJittered(steps *Steps, chance clock.Stream) *Jittered { return &Jittered{steps, chance} }

// At implements [Schedule].
func (j *Jittered) At(n uint64) time.Duration {
	from, to := j.Steps.At(n), j.slotEnd(n)
	draw := j.chance.At(n)
	place, _ := bits.Mul64(draw.Uint64(), uint64(to-from))
	return from + time.Duration(place)
}

// slotEnd returns where the slot of operation n ends: at the next operation, or
// at the end of its step.
func (s *Steps) slotEnd(n uint64) time.Duration {
	one := &s.steps[s.StepOf(n)]
	if n+1 < one.first+one.count {
		return s.At(n + 1)
	}
	return one.begin + one.length
}

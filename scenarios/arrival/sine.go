package arrival

import (
	"fmt"
	"math"
	"time"
)

// Wave is what a [Sine] is made of. Rates are in operations per second.
type Wave struct {
	// Mean is the rate around which it swings, Amplitude how far: at most Mean.
	Mean, Amplitude float64
	// Period is the time from one crest to the next.
	Period time.Duration
	// Phase is where in its period the wave begins, from 0 up to 1: at 0 it is at
	// the mean and rises.
	Phase float64
}

// Sine is a schedule whose rate is a wave, as a day is. At time t its rate is
//
//	mean + amplitude·sin(2π·(t/period + phase))
//
// and operation n is due at the first instant by which the integral of that has
// come to n.
type Sine struct {
	wave   Wave
	length time.Duration
	count  uint64
}

var _ Schedule = (*Sine)(nil)

// NewSine returns the schedule of a wave over a length. Its errors wrap
// [ErrSchedule].
func NewSine(wave Wave, length time.Duration) (*Sine, error) {
	if _, err := milliOf("the mean rate", wave.Mean, leastRate); err != nil {
		return nil, err
	}
	if _, err := milliOf("the mean and the amplitude together", wave.Mean+wave.Amplitude, leastRate); err != nil {
		return nil, err
	}
	if !(wave.Amplitude >= 0 && wave.Amplitude <= wave.Mean) {
		return nil, fmt.Errorf("%w: the amplitude is %v; it must be from 0 to the mean rate, %v", ErrSchedule, wave.Amplitude, wave.Mean)
	}
	if err := lasting("the period", wave.Period); err != nil {
		return nil, err
	}
	if err := lasting("the length of the wave", length); err != nil {
		return nil, err
	}
	if !(wave.Phase >= 0 && wave.Phase < 1) {
		return nil, fmt.Errorf("%w: the phase is %v; it must be from 0 up to, but not, 1", ErrSchedule, wave.Phase)
	}
	s := &Sine{wave: wave, length: length}
	s.count = uint64(math.Ceil(s.come(length)))
	if s.count == 0 {
		// So short a part of a trough holds less than can be told from nothing.
		s.count = 1
	}
	return s, nil
}

// leastRate is the least that three decimals can hold.
const leastRate = 0.001

// come returns how many operations' worth of load has come by an instant. The
// angle is taken of the rest of a period, so that it stays exact for weeks.
func (s *Sine) come(at time.Duration) float64 {
	w := &s.wave
	begin := 2 * math.Pi * w.Phase
	angle := 2*math.Pi*float64(at%w.Period)/float64(w.Period) + begin
	swing := w.Amplitude * w.Period.Seconds() / (2 * math.Pi) * (math.Cos(begin) - math.Cos(angle))
	return w.Mean*at.Seconds() + swing
}

// At implements [Schedule].
func (s *Sine) At(n uint64) time.Duration { return s.within(n, 0) }

// within implements [Even]. Every amount takes the same way down the same tree of
// instants, so that rounding cannot put a later operation before an earlier one.
func (s *Sine) within(n, share uint64) time.Duration {
	wanted := float64(n) + float64(share)/(1<<64)
	if n+1 == s.count {
		// The slot of the last operation ends with the schedule.
		wanted = float64(n) + (s.come(s.length)-float64(n))*float64(share)/(1<<64)
	}
	low, high := time.Duration(0), s.length-1
	for low < high {
		middle := low + (high-low)/2
		if s.come(middle) < wanted {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Len implements [Schedule].
func (s *Sine) Len() uint64 { return s.count }

// Rate implements [Schedule]; outside the schedule it is 0.
func (s *Sine) Rate(at time.Duration) float64 {
	if at < 0 || at >= s.length {
		return 0
	}
	w := &s.wave
	return w.Mean + w.Amplitude*math.Sin(2*math.Pi*(float64(at%w.Period)/float64(w.Period)+w.Phase))
}

// Length implements [Schedule].
func (s *Sine) Length() time.Duration { return s.length }

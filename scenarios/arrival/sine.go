package arrival

import (
	"math"
	"sort"
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
	wave Wave
	extent
}

var _ Schedule = (*Sine)(nil)

// NewSine returns the schedule of a wave over a length. Its errors wrap
// [ErrSchedule].
func NewSine(wave Wave, length time.Duration) (*Sine, error) {
	var l limits
	l.milli("the mean rate", wave.Mean, minRate)
	l.milli("the mean and the amplitude together", wave.Mean+wave.Amplitude, minRate)
	l.require(wave.Amplitude >= 0 && wave.Amplitude <= wave.Mean,
		"the amplitude is %v; it must be from 0 to the mean rate, %v", wave.Amplitude, wave.Mean)
	l.lasting("the period", wave.Period)
	l.lasting("the length of the wave", length)
	l.require(wave.Phase >= 0 && wave.Phase < 1, "the phase is %v; it must be from 0 up to, but not, 1", wave.Phase)
	if l.err != nil {
		return nil, l.err
	}
	s := &Sine{wave, extent{length: length}}
	// Such a short part of a trough can have a load that rounds to nothing.
	s.count = max(1, uint64(math.Ceil(s.loadUntil(length))))
	return s, nil
}

// minRate is the least that three decimals can hold.
const minRate = 0.001

// loadUntil returns how many operations' worth of load has come by an instant. The
// angle is taken of the rest of a period, so that it stays exact for weeks.
func (s *Sine) loadUntil(at time.Duration) float64 {
	w := &s.wave
	begin := 2 * math.Pi * w.Phase
	angle := 2*math.Pi*float64(at%w.Period)/float64(w.Period) + begin
	swing := w.Amplitude * w.Period.Seconds() / (2 * math.Pi) * (math.Cos(begin) - math.Cos(angle))
	return w.Mean*at.Seconds() + swing
}

// DueTime implements [Schedule].
func (s *Sine) DueTime(n uint64) time.Duration { return s.instantIn(n, 0) }

// instantIn implements [Even]. Every amount takes the same way down the same tree of
// instants, so that rounding cannot put a later operation before an earlier one.
func (s *Sine) instantIn(n, share uint64) time.Duration {
	wanted := float64(n) + float64(share)/(1<<64)
	if n+1 == s.count {
		// The slot of the last operation ends with the schedule.
		wanted = float64(n) + (s.loadUntil(s.length)-float64(n))*float64(share)/(1<<64)
	}
	return time.Duration(sort.Search(int(s.length-1), func(at int) bool { return s.loadUntil(time.Duration(at)) >= wanted }))
}

// Rate implements [Schedule]; outside the schedule it is 0.
func (s *Sine) Rate(at time.Duration) float64 {
	if !s.covers(at) {
		return 0
	}
	w := &s.wave
	return w.Mean + w.Amplitude*math.Sin(2*math.Pi*(float64(at%w.Period)/float64(w.Period)+w.Phase))
}

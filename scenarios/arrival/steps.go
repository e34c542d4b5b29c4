package arrival

import (
	"errors"
	"math"
	"math/bits"
	"sort"
	"time"

	"loadgen/engine/nearest"
)

// Step is a stretch of constant rate.
type Step struct {
	// Rate is in operations per second; it is rounded to three decimals.
	Rate   float64
	Length time.Duration
}

// Steps is a schedule of constant rates, one after another. Its arithmetic is
// in integers: operation n of a step of rate r is due n/r seconds after the
// step's start, rounded down to the nanosecond.
type Steps struct {
	steps []step
	extent
}

// step is a Step with where it begins.
type step struct {
	// milli is the rate in operations per thousand seconds.
	milli  uint64
	begin  time.Duration
	length time.Duration
	// first is the number of its first operation, count how many it has.
	first, count uint64
}

var _ Schedule = (*Steps)(nil)

// maxSchedule leaves room for instants after the last step.
const maxSchedule = 100 * 365 * 24 * time.Hour

// NewSteps returns the schedule of the steps. Its errors wrap [ErrSchedule].
func NewSteps(steps ...Step) (*Steps, error) {
	if len(steps) == 0 {
		return nil, nearest.Faultf(ErrSchedule, "it has no step")
	}
	s := &Steps{}
	for i, one := range steps {
		milli := math.Round(one.Rate * 1000)
		var l limits
		l.require(milli >= 1 && one.Rate <= MaxRate,
			"step %d has the rate %v; it must be from 0.001 to %d operations/s", i+1, one.Rate, MaxRate)
		l.require(one.Length > 0 && one.Length <= MaxLength,
			"step %d lasts %v; it must be more than 0 and at most %v", i+1, one.Length, MaxLength)
		l.require(one.Length <= maxSchedule-s.length, "steps 1 to %d last more than %v", i+1, maxSchedule)
		if l.err != nil {
			return nil, l.err
		}
		next := step{milli: uint64(milli), begin: s.length, length: one.Length, first: s.count}
		next.count = times(uint64(one.Length), next.milli).upTo(nanosPerThousandSeconds)
		s.steps = append(s.steps, next)
		s.length += one.Length
		s.count += next.count
	}
	return s, nil
}

// nanosPerThousandSeconds turns a rate per thousand seconds into instants.
const nanosPerThousandSeconds = 1_000_000_000_000

// DueTime implements [Schedule].
func (s *Steps) DueTime(n uint64) time.Duration {
	one := &s.steps[s.StepOf(n)]
	high, low := bits.Mul64(n-one.first, nanosPerThousandSeconds)
	quotient, _ := bits.Div64(high, low, one.milli)
	return one.begin + time.Duration(quotient)
}

// StepOf returns the index of the step that operation n belongs to.
func (s *Steps) StepOf(n uint64) int {
	return sort.Search(len(s.steps)-1, func(i int) bool { return s.steps[i+1].first > n })
}

// Rate implements [Schedule]; outside the schedule it is 0.
func (s *Steps) Rate(at time.Duration) float64 {
	for i := range s.steps {
		one := &s.steps[i]
		if at >= one.begin && at < one.begin+one.length {
			return float64(one.milli) / 1000
		}
	}
	return 0
}

// extent is the length of a schedule and the number of its operations.
type extent struct {
	length time.Duration
	count  uint64
}

// Len implements [Schedule].
func (e *extent) Len() uint64 { return e.count }

// Length implements [Schedule].
func (e *extent) Length() time.Duration { return e.length }

// covers reports whether an instant lies within the schedule.
func (e *extent) covers(at time.Duration) bool { return at >= 0 && at < e.length }

// ErrSchedule is wrapped by errors about arrivals that cannot be.
var ErrSchedule = errors.New("arrival: impossible schedule")

// Schedule says when operations are due. It is a pure function of the
// operation's number, safe for concurrent use.
type Schedule interface {
	// DueTime returns the intended instant of operation n, from 0, as the time
	// since the start of the stage. It does not fall with n. n must be below
	// Len.
	DueTime(n uint64) time.Duration
	// Len returns how many operations are due.
	Len() uint64
	// Rate returns the operations due per second at a time since the start.
	Rate(at time.Duration) float64
	// Length returns how long the schedule lasts.
	Length() time.Duration
}

// The bounds of a schedule: the greatest rate, in operations per second, and the
// longest stretch of one.
const (
	MaxRate   = 10_000_000
	MaxLength = 30 * 24 * time.Hour
)

package backoff

import (
	"math"
	"strconv"
	"time"
)

// Linear waits one step longer before each retry: x · Step, at most Max.
type Linear struct {
	// Step is the wait before the first retry; it must be positive.
	Step time.Duration
	// Max is the greatest wait.
	Max time.Duration
}

// Wait implements [Delay]; the chance does not matter.
func (l Linear) Wait(x int, _ float64) time.Duration {
	step, top := max(l.Step, 0), max(l.Max, 0)
	if x < 1 || step == 0 {
		return 0
	}
	if int64(x) > math.MaxInt64/int64(step) {
		return top
	}
	return min(step*time.Duration(x), top)
}

// Validate returns the faults of the delay, each wrapped around [ErrInvalid].
func (l Linear) Validate() []error {
	var faults faultList
	faults.when(l.Step <= 0, notPositive, "step", l.Step)
	faults.when(l.Max < l.Step, "max %v below step %v", l.Max, l.Step)
	return faults
}

// Ladder waits what its rungs say, one after another, and then what the last says.
type Ladder []time.Duration

// Wait implements [Delay]; the chance does not matter.
func (l Ladder) Wait(x int, _ float64) time.Duration {
	if x < 1 || len(l) == 0 {
		return 0
	}
	return max(l[min(x, len(l))-1], 0)
}

// Validate returns the faults of the delay, each wrapped around [ErrInvalid].
func (l Ladder) Validate() []error {
	var faults faultList
	for rung, wait := range l {
		faults.when(wait < 0, negative, "rung "+strconv.Itoa(rung+1), wait)
	}
	return faults
}

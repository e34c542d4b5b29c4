package backoff

import "time"

// Fixed waits the same time before every retry. Clients that were refused
// together come back together.
type Fixed struct {
	// Every is the wait before each retry; 0 retries at once.
	Every time.Duration
}

var _ Delay = Fixed{}

// Wait implements [Delay]; neither argument matters.
func (f Fixed) Wait(int, float64) time.Duration { return max(f.Every, 0) }

// Validate returns the faults of the delay, each wrapped around [ErrInvalid].
func (f Fixed) Validate() []error {
	var faults faultList
	faults.when(f.Every < 0, "every is %v; a wait cannot be negative", f.Every)
	return faults
}

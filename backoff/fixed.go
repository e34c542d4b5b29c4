package backoff

import (
	"fmt"
	"time"
)

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
	if f.Every < 0 {
		return []error{fmt.Errorf("%w: every is %v; a wait cannot be negative", ErrInvalid, f.Every)}
	}
	return nil
}

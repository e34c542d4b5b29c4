package clock

import "time"

// Call calls a function later, in a goroutine of its own, once for each time that it
// is asked to. Its methods are safe for concurrent use.
type Call struct{ timer *time.Timer }

// NewCall returns a call that is not yet due.
func (Real) NewCall(f func()) *Call {
	c := &Call{timer: time.AfterFunc(time.Hour, f)}
	c.timer.Stop()
	return c
}

// In has the function called after that long, and not when it was to be before.
func (c *Call) In(wait time.Duration) { c.timer.Reset(wait) }

// Stop takes the call back. It may be under way by then.
func (c *Call) Stop() { c.timer.Stop() }

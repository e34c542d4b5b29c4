package clock

import (
	"context"
	"time"
)

// Clock tells the time and waits for it. Every method is safe for concurrent
// use.
type Clock interface {
	// Now returns the present instant; it never goes back.
	Now() Instant
	// Sleep returns nil once the clock has reached until, or the context's
	// error as soon as that is done.
	Sleep(ctx context.Context, until Instant) error
	// Alarm returns an alarm that rings once the clock has reached until.
	// The caller owes it a Stop.
	Alarm(until Instant) Alarm
}

// Alarm rings once: C yields a value when its instant has come.
type Alarm struct {
	// C yields once, when the instant has come.
	C     <-chan time.Time
	timer *time.Timer
}

// Stop frees the alarm; it may already have rung.
func (a Alarm) Stop() { a.timer.Stop() }

// Real is the machine's monotonic clock, counted from the moment it was built.
// Waits that begin while the process is idle are rounded up to about a
// millisecond by the Go runtime.
type Real struct{ start time.Time }

var _ Clock = Real{}

// NewReal returns a clock whose instant zero is now.
func NewReal() Real { return Real{start: time.Now()} }

// NewRealIn returns a clock whose instant zero is so long from now, or ago where that is
// negative.
func NewRealIn(wait time.Duration) Real { return Real{start: time.Now().Add(wait)} }

// Started returns the wall time of instant zero.
func (r Real) Started() time.Time { return r.start }

// Until returns how long it is until an instant of the machine's calendar, by the monotonic
// clock where that instant has a reading of it.
func (r Real) Until(at time.Time) time.Duration { return time.Until(at) }

// Now implements [Clock].
func (r Real) Now() Instant { return Instant(time.Since(r.start)) }

// Sleep implements [Clock].
func (r Real) Sleep(ctx context.Context, until Instant) error {
	wait := until.Sub(r.Now())
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Alarm implements [Clock].
func (r Real) Alarm(until Instant) Alarm {
	timer := time.NewTimer(until.Sub(r.Now()))
	return Alarm{C: timer.C, timer: timer}
}

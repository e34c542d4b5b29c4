package clock

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"
)

// Clock returns the time and waits for it. Every method is safe for concurrent
// use.
type Clock interface {
	// Now returns the present instant; it never goes back.
	Now() Instant
	// Sleep returns nil once the clock has reached until, or the context's
	// error as soon as that is done.
	Sleep(ctx context.Context, until Instant) error
	// Alarm returns an alarm that rings once the clock has reached until.
	// Callers must stop it.
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

// NewRealIn returns a clock whose instant zero is after wait, which may be negative.
func NewRealIn(wait time.Duration) Real { return Real{start: time.Now().Add(wait)} }

// Started returns the wall time of instant zero.
func (r Real) Started() time.Time { return r.start }

// TimeUntil returns how long it is until an instant of the machine's calendar, by the monotonic
// clock where that instant has a reading of it.
func (r Real) TimeUntil(at time.Time) time.Duration { return time.Until(at) }

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

// Calendar says which date an instant of a clock has. Safe for concurrent use.
//
// Dates are for others: what stands on a letter, how old a signature is. Nothing is
// measured by them, since a calendar is put right while a clock runs, and may be
// turned back.
type Calendar interface {
	// Date returns the date of an instant.
	Date(Instant) time.Time
}

// Epoch is the calendar of a clock that has never stood still: the date of its
// instant zero, and all others as long after it as the clock says.
type Epoch time.Time

var _ Calendar = Epoch{}

// Date implements [Calendar].
func (e Epoch) Date(i Instant) time.Time { return time.Time(e).Add(i.Offset()) }

var _ Calendar = Real{}

// Date implements [Calendar], by what the machine holds the date to be now. A machine
// that sleeps stops its monotonic clock, and not the days.
func (r Real) Date(i Instant) time.Time {
	now := time.Now()
	told := Instant(now.Sub(r.start))
	return now.Round(0).Add(i.Sub(told))
}

// Sleeper is a place for one goroutine to sleep in, from which others can wake
// it. Wake is safe for concurrent use, Sleep is for one goroutine at a time.
type Sleeper interface {
	// Sleep returns once the clock has reached until, or Wake is called; a call
	// that came before counts, so that none is lost. It may return early for no
	// reason: the caller looks at the clock again.
	Sleep(until Instant)
	// Wake makes the current Sleep return at once, or else the next one.
	Wake()
	// Close frees what the sleeper holds. It is used no more afterwards.
	Close()
}

// NewSleeper returns a sleeper that waits for a clock's alarms: as fine as those
// are.
func NewSleeper(c Clock) Sleeper { return &drowser{clock: c, woken: make(chan struct{}, 1)} }

// drowser sleeps by alarms.
type drowser struct {
	clock Clock
	// woken holds a token when Wake was called since the last Sleep.
	woken chan struct{}
}

// Sleep implements [Sleeper].
func (d *drowser) Sleep(until Instant) {
	alarm := d.clock.Alarm(until)
	defer alarm.Stop()
	select {
	case <-alarm.C:
	case <-d.woken:
	}
}

// Wake implements [Sleeper].
func (d *drowser) Wake() {
	select {
	case d.woken <- struct{}{}:
	default:
	}
}

// Close implements [Sleeper].
func (d *drowser) Close() {}

// maxNap limits a single fine wait, so that its length is valid for the system.
const maxNap = time.Hour

// WithTimeout returns a context that ends with the parent's, or by the clock after the limit; its
// cause then wraps late and names the limit. Callers must call release, which waits for the
// goroutine of the context; it is safe for concurrent use.
func WithTimeout(parent context.Context, c Clock, limit time.Duration, late error) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	alarm := c.Alarm(c.Now().Add(limit))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-alarm.C:
			cancel(fmt.Errorf("%w within %v", late, limit))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
		alarm.Stop()
	}
}

// Secrets returns unpredictable random bytes, only for keys: measurements and simulations
// draw from a [Stream]. It is safe for concurrent use.
func Secrets() io.Reader { return rand.Reader }

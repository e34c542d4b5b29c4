package clock

import "time"

// Sleeper is a place for one goroutine to sleep in, from which others can wake
// it. Wake is safe for concurrent use, Sleep is for one goroutine at a time.
type Sleeper interface {
	// Sleep returns once the clock has reached until, or Wake is called; a call
	// that came before counts, so that none is lost. It may return early for no
	// reason: the caller looks at the clock again.
	Sleep(until Instant)
	// Wake has the present Sleep return at once, or the next one where there is
	// none.
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

// longestNap bounds a single fine wait, so that its length always fits what the
// system takes.
const longestNap = time.Hour

package clock

// Virtual is a clock that stands still until its owner moves it: the time of a
// simulation. It belongs to one goroutine. The zero value stands at instant
// zero.
type Virtual struct{ now Instant }

// Now returns the instant that the clock was last moved to.
func (v *Virtual) Now() Instant { return v.now }

// AdvanceTo moves the clock forward to t. An earlier t leaves it where it is,
// so that time never goes back.
func (v *Virtual) AdvanceTo(t Instant) { v.now = max(v.now, t) }

//go:build !linux

package clock

// Fine returns a sleeper that is as fine as the Go runtime's timers: on this
// system nothing finer is known.
func (r Real) Fine() Sleeper { return NewSleeper(r) }

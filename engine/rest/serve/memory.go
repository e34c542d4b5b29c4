package serve

import "fmt"

// lull tells when so much less is held than was that it is worth giving memory back
// to the system. Go does so by itself, but late: what nobody allocates over is not
// even collected for two minutes, while others on the machine want it.
type lull struct {
	peak  int64
	looks int
}

// Below worthGiving bytes nobody misses what is kept; a lull is one once so many looks
// in a row, a second apart, have found less than half of the peak.
const (
	worthGiving = 32 << 20
	looksOfLull = 3
)

// look takes down what is held now, and the most that was since the last look, in
// bytes. It reports whether to give memory back: once after each peak.
func (l *lull) look(now, peak int64) (give bool) {
	l.peak = max(l.peak, peak)
	if l.peak < worthGiving || now > l.peak/2 {
		l.looks = 0
		return false
	}
	if l.looks++; l.looks < looksOfLull {
		return false
	}
	l.peak, l.looks = now, 0
	return true
}

// connectionBytes is about what a connection holds that waits for a request: stack
// and buffers.
const connectionBytes = 24 << 10

// turnedAway says what was refused because too much was asked at once, if anything
// was: requests for whose bodies there was no room, which count as failed, and
// connections, which count nowhere else.
func turnedAway(crowded, connections int64) (text string) {
	if crowded > 0 {
		text = fmt.Sprintf("; refused for want of room for the body: %s", grouped(crowded))
	}
	if connections > 0 {
		text += fmt.Sprintf("; connections turned away: %s", grouped(connections))
	}
	return text
}

package drive

import (
	"time"

	"loadgen/engine/clock"
)

// silence is how long a target has owed a reply: since the first attempt that was
// sent after its last one. A lost attempt is not a reply.
type silence struct {
	// open says that something was sent since the last reply, since when.
	open  bool
	since clock.Instant
	// lost counts the attempts that have ended without a reply since the last one.
	lost int
}

// silenceLimit ends a stage in its midst: it lies above the time after which a
// client gives up on a single attempt. A stage that comes to its end has met a
// dead target where a silence of deadAfter, over deadAttempts, is its last word.
const (
	silenceLimit = time.Minute
	deadAfter    = 2 * time.Second
	deadAttempts = 20
)

// begin takes down that an attempt is sent.
func (s *silence) begin(now clock.Instant) {
	if !s.open {
		s.open, s.since = true, now
	}
}

// end takes down that an attempt has ended, with a reply or without, while others
// are under way.
func (s *silence) end(now clock.Instant, reply bool, others int) {
	if !reply {
		s.lost++
		return
	}
	s.open, s.since, s.lost = others > 0, now, 0
}

// lasting returns how long the silence has lasted, 0 where there is none.
func (s *silence) lasting(now clock.Instant) time.Duration {
	if !s.open {
		return 0
	}
	return now.Sub(s.since)
}

// dead reports whether a silence that lasted so long is that of a dead target.
func (s *silence) dead(lasted time.Duration) bool {
	return lasted >= deadAfter && s.lost >= deadAttempts
}

package drive

import (
	"math"
	"time"

	"loadgen/engine/clock"
)

// RateLimit holds the attempts at one kind of operation to a rate, in attempts per second: in
// any stretch of time t no more than Rate · t + Burst are let go. It is a token bucket, kept as
// the instant at which it is full again (the generic cell rate algorithm), has a state, and is
// used for one stage.
type RateLimit struct {
	// Rate is above 0, Burst 1 or more.
	Rate  float64
	Burst int

	// full is when all tokens are back: so many tokens' time after an instant at which all
	// were there, so that nothing is lost by rounding.
	since  clock.Instant
	tokens int64
}

// longestHold bounds how far ahead an attempt is put off: years.
const longestHold = math.MaxInt64 / 4

// after returns how long so many tokens take to come back, rounded up to nanoseconds.
func (l *RateLimit) after(tokens int64) time.Duration {
	return time.Duration(min(math.Ceil(float64(tokens)*float64(time.Second)/l.Rate), longestHold))
}

// take gives the next attempt its token, and returns how long it has to wait for it. Attempts
// that wait do so in the order in which they came. Instants must not fall.
func (l *RateLimit) take(now clock.Instant) time.Duration {
	if l.since.Add(l.after(l.tokens)) <= now {
		l.since, l.tokens = now, 0
	}
	goes := now
	if behind := l.tokens - int64(l.Burst) + 1; behind > 0 {
		goes = max(now, l.since.Add(l.after(behind)))
	}
	l.tokens++
	return goes.Sub(now)
}

// hold asks the limit of a session's operation, if it has one, for the token of its next
// attempt, and returns how long the session has to wait for that.
func (a *agenda) hold(now clock.Instant, s *Session) time.Duration {
	if a.stage.Limits == nil || s.granted {
		return 0
	}
	limit := a.stage.Limits[s.work.Kind]
	if limit == nil {
		return 0
	}
	s.granted = true
	wait := limit.take(now)
	if wait > 0 {
		ledger := a.opened.ledger
		ledger.Recorder.Held(s.phase, s.work.Kind, now.Offset(), wait)
		if s.firstAttempt() && !s.announced {
			// The operation has been sent as far as who loads is concerned: it is the client that
			// holds the request back.
			s.announced = true
			scheduled := s.scheduled(now, false)
			scheduled.Held = true
			ledger.due(scheduled)
		}
		s.rest()
	}
	return wait
}

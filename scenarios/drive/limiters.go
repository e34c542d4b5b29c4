package drive

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
)

// Limiters hold the clients of a stage back, each by a limiter of its own. It is
// used for one stage.
type Limiters struct {
	// Clients is how many there are, ClientOf whose operation k is, New makes the
	// limiter of one.
	Clients  uint64
	ClientOf func(k uint64) uint64
	New      func() backoff.Limiter
	// Chance is what the limiters draw from, by an operation's number and attempt.
	Chance clock.Stream

	// withheld counts the first attempts that were never sent, given the retries.
	withheld, given atomic.Int64

	// mu guards each, which is indexed by client, and the limiters in it.
	mu   sync.Mutex
	each []backoff.Limiter
}

// Withheld returns how many operations were never sent because a limiter would
// not have it (they count as dropped), and how many retries were given up so.
func (l *Limiters) Withheld() (operations, retries int64) {
	return l.withheld.Load(), l.given.Load()
}

// limiterOf returns the limiter of a session's client. The caller holds mu.
func (l *Limiters) limiterOf(s *Session) backoff.Limiter {
	if l.each == nil {
		l.each = make([]backoff.Limiter, l.Clients)
	}
	client := l.ClientOf(s.k)
	if l.each[client] == nil {
		l.each[client] = l.New()
	}
	return l.each[client]
}

func (l *Limiters) admit(s *Session, now clock.Instant, attempt int, try backoff.Try) (time.Duration, bool) {
	draw := l.Chance.Try(s.number, attempt)
	l.mu.Lock()
	defer l.mu.Unlock()
	grant, admitted := l.limiterOf(s).Admit(now.Offset(), try, draw.Float64())
	s.grant = grant
	return grant.Hold, admitted
}

func (l *Limiters) record(s *Session, now clock.Instant, outcome *target.Outcome) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limiterOf(s).Record(now.Offset(), s.grant, answerOf(outcome))
}

func answerOf(o *target.Outcome) backoff.Answer {
	switch {
	case o.Status == 503 || o.Status == 429:
		return backoff.Throttled
	case o.Status == 0 || o.Status == 504 || o.Code == entity.OperationTimedOut:
		return backoff.TimedOut
	case o.Status >= 500:
		return backoff.Broken
	default:
		return backoff.Accepted
	}
}

// RateLimit holds the attempts at one kind of operation to a rate, in attempts per second: in
// any stretch of time t no more than Rate · t + Burst are let go. It is a token bucket, kept as
// the instant at which it is full again (the generic cell rate algorithm), has a state, and is
// used for one stage.
type RateLimit struct {
	// Rate is above 0, Burst 1 or more.
	Rate  float64
	Burst int

	// The bucket is full again when the number of tokens has been refilled since an instant at which it was full.
	// Counting from that instant avoids accumulated rounding.
	since  clock.Instant
	tokens int64
}

// maxHold bounds how far ahead an attempt is put off: years.
const maxHold = math.MaxInt64 / 4

// refillTime returns how long it takes to refill a number of tokens, rounded up to nanoseconds.
func (l *RateLimit) refillTime(tokens int64) time.Duration {
	return time.Duration(min(math.Ceil(float64(tokens)*float64(time.Second)/l.Rate), maxHold))
}

// reserve gives the next attempt its token, and returns how long it has to wait for it. Attempts
// that wait do so in the order in which they came. Instants must not fall.
func (l *RateLimit) reserve(now clock.Instant) time.Duration {
	if l.since.Add(l.refillTime(l.tokens)) <= now {
		l.since, l.tokens = now, 0
	}
	goes := now
	if behind := l.tokens - int64(l.Burst) + 1; behind > 0 {
		goes = max(now, l.since.Add(l.refillTime(behind)))
	}
	l.tokens++
	return goes.Sub(now)
}

// reserveToken reserves the token of a session's next attempt, if its operation has a rate limit, and returns how long
// the session waits for it.
func (a *agenda) reserveToken(now clock.Instant, s *Session) time.Duration {
	if a.stage.Limits == nil || s.granted {
		return 0
	}
	limit := a.stage.Limits[s.work.Kind]
	if limit == nil {
		return 0
	}
	s.granted = true
	wait := limit.reserve(now)
	if wait > 0 {
		ledger := a.opened.ledger
		ledger.Recorder.LimitDelay(s.phase, s.work.Kind, now.Offset(), wait)
		if s.firstAttempt() && !s.announced {
			// The generator was on time: the client's own limit delays the request.
			s.announced = true
			scheduled := s.scheduled(now, false)
			scheduled.Held = true
			ledger.recordDue(scheduled)
		}
		s.releaseContent()
	}
	return wait
}

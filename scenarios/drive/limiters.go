package drive

import (
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

// of returns the limiter of a session's client; mu is held.
func (l *Limiters) of(s *Session) backoff.Limiter {
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
	grant, admitted := l.of(s).Admit(now.Offset(), try, draw.Float64())
	s.grant = grant
	return grant.Hold, admitted
}

func (l *Limiters) told(s *Session, now clock.Instant, outcome *target.Outcome) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of(s).Record(now.Offset(), s.grant, answerOf(outcome))
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

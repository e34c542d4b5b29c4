package backoff

import "time"

// Answer is what a limiter is told of an attempt.
type Answer uint8

// The answers.
const (
	// Accepted: the service carried the request out, or refused its content.
	Accepted Answer = iota
	// Throttled: the service was busy, and said so.
	Throttled
	// TimedOut: the service or its reply took too long.
	TimedOut
	// Broken: any other failure.
	Broken
)

// Try is an attempt that is about to be sent.
type Try struct {
	// Retry says that it is not the operation's first; After is then what came of
	// the one before.
	Retry bool
	After Answer
}

// Grant is the leave to send an attempt.
type Grant struct {
	// Hold is how long to hold it back first.
	Hold time.Duration
	// Cost is what the attempt took of a quota, 0 where there is none.
	Cost int
}

// Limiter keeps a client from sending what a busy service would only refuse. It
// composes with any [Policy]: the policy says when a retry is due, the limiter
// whether it, or a first attempt, is sent then. It has a state, belongs to one
// client, and is not safe for concurrent use. Instants are those of any one clock
// and must not fall.
type Limiter interface {
	// Admit is asked before an attempt is sent; false says that it is not to be
	// sent at all: a retry is then given up, a first attempt fails on the spot.
	// The chance is uniform in [0, 1).
	Admit(now time.Duration, try Try, chance float64) (Grant, bool)
	// Told is told what came of an attempt that was sent under a grant.
	Told(now time.Duration, grant Grant, answer Answer)
}

// Limiters returns the names of the built-in limiters. The slice is the caller's.
func Limiters() []string { return []string{"retry-budget", "token-quota", "adaptive", "cubic", "aimd"} }

// LimiterByName returns what makes limiters of a built-in kind, nil where [Limiters]
// does not name it.
func LimiterByName(name string) func() Limiter {
	switch name {
	case "retry-budget":
		return func() Limiter { return NewRetryBudget() }
	case "token-quota":
		return func() Limiter { return NewTokenQuota() }
	case "adaptive":
		return func() Limiter { return NewAdaptive() }
	case "cubic":
		return func() Limiter { return NewCubic() }
	case "aimd":
		return func() Limiter { return NewAIMD() }
	default:
		return nil
	}
}

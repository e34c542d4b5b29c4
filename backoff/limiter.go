package backoff

import "time"

// Answer is the result of an attempt, as a limiter sees it.
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
	// Retry says that it is not the operation's first; After is then the result of
	// the previous one.
	Retry bool
	After Answer
}

// Grant is the leave to send an attempt.
type Grant struct {
	// Hold is how long to hold it back first.
	Hold time.Duration
	// Cost is what the attempt took of a quota, 0 without one.
	Cost int
}

// Limiter keeps a client from sending what a busy service would only refuse. It
// composes with any [Policy]: the policy says when a retry is due, the limiter
// whether it, or a first attempt, is sent then. It has a state, belongs to one
// client, and is not safe for concurrent use. Instants are those of any one clock
// and must not fall.
type Limiter interface {
	// Admit decides before an attempt is sent; false means that it must not be
	// sent: a retry is then given up, a first attempt fails on the spot.
	// The chance is uniform in [0, 1).
	Admit(now time.Duration, try Try, chance float64) (Grant, bool)
	// Record records the result of an attempt that was sent under a grant.
	Record(now time.Duration, grant Grant, answer Answer)
}

// Limiters returns the names of the built-in limiters. The slice is the caller's.
func Limiters() []string { return []string{"retry-budget", "token-quota", "adaptive", "cubic", "aimd"} }

// LimiterByName returns the constructor of a built-in limiter, nil unless [Limiters]
// names it.
func LimiterByName(name string) func() Limiter {
	return map[string]func() Limiter{
		"retry-budget": func() Limiter { return NewRetryBudget() },
		"token-quota":  func() Limiter { return NewTokenQuota() },
		"adaptive":     func() Limiter { return NewAdaptive() },
		"cubic":        func() Limiter { return NewCubic() },
		"aimd":         func() Limiter { return NewAIMD() },
	}[name]
}

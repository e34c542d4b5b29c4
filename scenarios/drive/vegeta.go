package drive

import (
	"context"
	"net/http"
	"time"

	"loadgen/backoff"
	"loadgen/target"
)

// Wire carries operations for an HTTP client that reads the replies itself. It is
// safe for concurrent use.
type Wire interface {
	// RoundTrip sends the request of an operation, once, and returns the reply with
	// a body of bounded length, which the caller closes. An error says in one line
	// why no reply came.
	RoundTrip(ctx context.Context, op *target.Operation) (*http.Response, error)
	// Outcome returns what a reply means whose body was read to its end. It keeps
	// nothing of what it is given.
	Outcome(op *target.Operation, status int, header http.Header, body []byte) target.Outcome
}

// Vegeta runs stages in real time, one at a time: open loops by vegeta's attacker,
// with as many workers at most as [Live] has, everything else by Live. It is a
// second opinion on the same load. The service time of an attempt is what vegeta
// calls its latency, the response time of an operation runs from its intended
// instant to the same end. Vegeta sends an operation once: none is tried again, and
// one that would take another request, such as the next page of a query, ends as
// cut. All goroutines of a stage end with it.
type Vegeta struct {
	*Live
	Wire Wire
	// Epoch is the calendar instant of the clock's instant zero, as the clock itself
	// tells it: vegeta stamps what it sends by the calendar.
	Epoch time.Time
}

var _ Runner = (*Vegeta)(nil)

// Run implements [Runner]. Its error wraps [ErrSilent] where the target has stopped
// answering.
func (v *Vegeta) Run(ctx context.Context, stage *Stage, ledger *Ledger) error {
	if stage.Schedule == nil {
		return v.Live.Run(ctx, stage, ledger)
	}
	once := *stage
	once.Retry, once.Retries = backoff.Policy{}, nil
	return v.attend(ctx, &once, ledger, func(c *workers) (stop func()) {
		a := newAttack(v, c)
		a.begin()
		return a.end
	})
}

package target

import (
	"context"

	"loadgen/engine/clock"
)

// LiveLine is a blocking target behind a line. It is safe for concurrent use.
type LiveLine struct {
	inner Target
	line  *Line
	clock clock.Clock
}

var _ Target = (*LiveLine)(nil)

// WrapLine returns a blocking target behind a line, the target itself where the line is nil.
func WrapLine(inner Target, l *Line, clk clock.Clock) Target {
	if l == nil {
		return inner
	}
	return &LiveLine{inner, l, clk}
}

// Do implements [Target]. Whoever gives up while the request waits for the line has
// the inner target say what that is; one who gives up later has no reply.
func (l *LiveLine) Do(ctx context.Context, op *Operation) Outcome {
	arrives, before := l.line.Sends(l.clock.Now(), op)
	if err := l.clock.Sleep(ctx, arrives); err != nil {
		return l.inner.Do(ctx, op)
	}
	outcome := l.inner.Do(ctx, op)
	comes, after := l.line.Receives(l.clock.Now(), op, &outcome)
	outcome.LineWait = before + after
	if err := l.clock.Sleep(ctx, comes); err != nil {
		return Outcome{Fault: Cancelled, Detail: "gave up waiting for the reply: " + err.Error()}
	}
	return outcome
}

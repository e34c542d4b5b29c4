package line

import (
	"context"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Live is a blocking target behind a line. It is safe for concurrent use.
type Live struct {
	inner target.Target
	line  *Line
	clock clock.Clock
}

var _ target.Target = (*Live)(nil)

// Wrap returns a blocking target behind a line, the target itself where the line is nil.
func Wrap(inner target.Target, l *Line, clk clock.Clock) target.Target {
	if l == nil {
		return inner
	}
	return &Live{inner, l, clk}
}

// Do implements [target.Target]. Whoever gives up while the request waits for the line has
// the inner target say what that is; one who gives up later has no reply.
func (l *Live) Do(ctx context.Context, op *target.Operation) target.Outcome {
	arrives, before := l.line.Sends(l.clock.Now(), op)
	if err := l.clock.Sleep(ctx, arrives); err != nil {
		return l.inner.Do(ctx, op)
	}
	outcome := l.inner.Do(ctx, op)
	comes, after := l.line.Receives(l.clock.Now(), op, &outcome)
	outcome.LineWait = before + after
	if err := l.clock.Sleep(ctx, comes); err != nil {
		return target.Outcome{Fault: target.Cancelled, Detail: "gave up waiting for the reply: " + err.Error()}
	}
	return outcome
}

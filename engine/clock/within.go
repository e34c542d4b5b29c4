package clock

import (
	"context"
	"fmt"
	"time"
)

// Within returns a context that ends with the parent's, or by the clock after the limit; its
// cause then wraps late and names the limit. Whoever has it releases it, which waits for
// what watches it; safe for concurrent use.
func Within(parent context.Context, c Clock, limit time.Duration, late error) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	alarm := c.Alarm(c.Now().Add(limit))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-alarm.C:
			cancel(fmt.Errorf("%w within %v", late, limit))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
		alarm.Stop()
	}
}

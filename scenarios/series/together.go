package series

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// together does something n times, so many at once and the first ones first, and waits for
// it. An error ends it early: it is returned if it is no consequence of the end, and that
// of the context if something was left undone.
func together(ctx context.Context, n, atOnce int, do func(ctx context.Context, i int) error) error {
	within, stop := context.WithCancel(ctx)
	defer stop()
	faults := make([]error, n)
	var next, done atomic.Int64
	var workers sync.WaitGroup
	for range min(n, atOnce) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && within.Err() == nil; i = next.Add(1) - 1 {
				if faults[i] = do(within, int(i)); faults[i] != nil {
					stop()
				}
				done.Add(1)
			}
		})
	}
	workers.Wait()
	var ended error
	for _, err := range faults {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if ended == nil {
			ended = err
		}
	}
	if ended == nil && done.Load() < int64(n) {
		ended = ctx.Err()
	}
	return ended
}

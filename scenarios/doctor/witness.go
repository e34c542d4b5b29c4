package doctor

import (
	"context"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// witness tells whether the machine let the program run, while something else is
// measured: it sleeps a little, again and again, and adds up by how much it
// overslept. It starts one goroutine and stops it.
type witness struct {
	clock clock.Clock
	end   context.CancelFunc
	done  sync.WaitGroup
	// overslept belongs to the goroutine until that has ended.
	overslept time.Duration
}

// A witness sleeps for a beat. Up to drowsy it may oversleep without a word:
// timers are as coarse.
const (
	beat   = 10 * time.Millisecond
	drowsy = 10 * time.Millisecond
)

// watch begins to look; the caller owes it a leave.
func watch(clk clock.Clock) *witness {
	ctx, cancel := context.WithCancel(context.Background())
	w := &witness{clock: clk, end: cancel}
	w.done.Go(func() {
		for {
			until := w.clock.Now().Add(beat)
			if w.clock.Sleep(ctx, until) != nil {
				return
			}
			if late := w.clock.Now().Sub(until); late > drowsy {
				w.overslept += late
			}
		}
	})
	return w
}

// leave stops the witness and returns for how long the program was held up in
// all.
func (w *witness) leave() time.Duration {
	w.end()
	w.done.Wait()
	return w.overslept
}

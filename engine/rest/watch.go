package rest

import (
	"context"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// watch is the context of the requests of a connection: done once the client is gone,
// or the server cuts it off. To learn that a client is gone one has to read, which
// takes a goroutine: it is started where a handler has waited for a while for the
// context to be done. Where a socket cannot be looked at it is started for each
// request.
type watch struct {
	of   *direct
	call *clock.Call
	gone chan struct{}
	once sync.Once

	mu    sync.Mutex
	ended sync.Cond
	stage watchStage
	// isWhole says that all of the body has come, answered that the answer has begun.
	isWhole, answered bool
	// next is what has come of the next request, early whether that was before the
	// answer.
	next        [1]byte
	came, early bool
}

type watchStage uint8

const (
	notWatched watchStage = iota
	// soon: the handler waits.
	soon
	watched
)

// watchAfter is how long a handler waits before its client is watched.
const watchAfter = 250 * time.Millisecond

var _ context.Context = (*watch)(nil)

func (w *watch) begin(d *direct) {
	w.of, w.gone = d, make(chan struct{})
	w.ended.L = &w.mu
	w.call = d.server.clock.NewCall(w.read)
}

// Deadline implements [context.Context].
func (w *watch) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements [context.Context].
func (w *watch) Value(any) any { return nil }

// Err implements [context.Context].
func (w *watch) Err() error {
	select {
	case <-w.gone:
		return context.Canceled
	default:
		return nil
	}
}

// Done implements [context.Context].
func (w *watch) Done() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stage == notWatched && w.of.raw != nil {
		w.stage = soon
		w.call.In(watchAfter)
	}
	return w.gone
}

// cancel has the context done.
func (w *watch) cancel() { w.once.Do(func() { close(w.gone) }) }

// enter is called before a handler is.
func (w *watch) enter() {
	w.mu.Lock()
	w.isWhole, w.answered, w.came, w.early = false, false, false, false
	w.mu.Unlock()
	if w.of.body.rest == 0 {
		w.whole()
	}
}

// whole is called once all of the request has come.
func (w *watch) whole() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isWhole = true
	if w.of.raw == nil && w.stage == notWatched {
		w.stage = soon
		go w.read() // leave waits for it
	}
}

// read reads the first byte of the next request, or learns that there is none.
func (w *watch) read() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stage != soon:
		return
	case !w.isWhole:
		w.call.In(watchAfter)
		return
	}
	w.stage = watched
	_ = w.of.SetReadDeadline(time.Time{})
	w.mu.Unlock()
	n, err := w.of.connection.Conn.Read(w.next[:])
	w.mu.Lock()
	if n > 0 {
		w.came, w.early = true, !w.answered
	} else if err != nil && w.stage == watched {
		w.cancel()
	}
	w.stage = notWatched
	w.ended.Broadcast()
}

// answer is called when the answer begins, and reports whether more has come by then.
func (w *watch) answer() (early bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = true
	switch {
	case w.early:
		return true
	case w.stage == watched, w.came, w.of.raw == nil, !w.isWhole:
		return false
	}
	return w.of.look.something(w.of.raw)
}

// leave is called once a handler has returned.
func (w *watch) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.stage {
	case soon:
		w.call.Stop()
		w.stage = notWatched
	case watched:
		w.stage = leaving
		_ = w.of.SetReadDeadline(time.Unix(1, 0))
		for w.stage == leaving {
			w.ended.Wait()
		}
		w.of.readBy = 0
	}
}

// leaving is the stage of a watch that is being ended.
const leaving = watched + 1

// carry puts what has come of the next request where it is read.
func (w *watch) carry(room []byte) int {
	if !w.came {
		return 0
	}
	return copy(room, w.next[:])
}

package capture

import (
	"time"

	"loadgen/results"
)

// operation is one that came back refused or failed and may be tried again.
type operation struct {
	id     string
	number uint64
	kind   int
	// hash is of what it asks for.
	hash uint64
	// first is when its first attempt arrived, done when its last one ended.
	first, done time.Duration
	class       results.Class
	attempts    int
	asked       int64

	older, newer *operation
}

// waiting are the operations that may be tried again, by the client's id and, in
// a list, by the end of their last attempt.
type waiting struct {
	most           int
	byID           map[string]*operation
	oldest, newest *operation
}

func newWaiting(most int) waiting {
	return waiting{most: most, byID: make(map[string]*operation)}
}

// take removes and returns the operation of an id, nil where none waits.
func (w *waiting) take(id string) *operation {
	op := w.byID[id]
	if op == nil {
		return nil
	}
	delete(w.byID, op.id)
	if op.older != nil {
		op.older.newer = op.newer
	} else {
		w.oldest = op.newer
	}
	if op.newer != nil {
		op.newer.older = op.older
	} else {
		w.newest = op.older
	}
	op.older, op.newer = nil, nil
	return op
}

// keep adds an operation, whose id must not be waiting.
func (w *waiting) keep(op *operation) {
	w.byID[op.id] = op
	op.older = w.newest
	if w.newest != nil {
		w.newest.newer = op
	} else {
		w.oldest = op
	}
	w.newest = op
}

// over removes and returns the oldest operation where there are too many, nil
// where there are not.
func (w *waiting) over() *operation {
	if len(w.byID) <= w.most {
		return nil
	}
	return w.take(w.oldest.id)
}

// before removes and returns the oldest operation where its last attempt ended
// before an instant, nil where none did.
func (w *waiting) before(instant time.Duration) *operation {
	if w.oldest == nil || w.oldest.done >= instant {
		return nil
	}
	return w.take(w.oldest.id)
}

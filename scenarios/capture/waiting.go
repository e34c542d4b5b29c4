package capture

import (
	"container/list"
	"time"

	"loadgen/results"
)

// operation is one that came back throttled or failed and may be tried again.
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
	isUntimed   bool
}

// waiting are the operations that may be tried again, by the client's id and, in
// a list, by the end of their last attempt.
type waiting struct {
	most int
	byID map[string]*list.Element
	// line holds the operations, the oldest first.
	line list.List
}

// remove removes and returns the operation of an id, nil where none waits.
func (w *waiting) remove(id string) *operation {
	place, some := w.byID[id]
	if !some {
		return nil
	}
	delete(w.byID, id)
	return w.line.Remove(place).(*operation)
}

// oldest returns the operation that has waited longest, nil where none does.
func (w *waiting) oldest() *operation {
	if first := w.line.Front(); first != nil {
		return first.Value.(*operation)
	}
	return nil
}

// removeBefore removes and returns the oldest operation where its last attempt ended
// before an instant, nil where none did.
func (w *waiting) removeBefore(instant time.Duration) *operation {
	first := w.oldest()
	if first == nil || first.done >= instant {
		return nil
	}
	return w.remove(first.id)
}

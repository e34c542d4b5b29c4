package logs

import (
	"container/heap"
	"strings"

	"loadgen/engine/accesslog"
)

// queue holds requests until they are passed on, the earliest first, those of one time in the order of the log.
type queue struct {
	heap []*queued
	// free are those that can be used again.
	free []*queued
	came uint64
}

// queued is a request that waits, with texts of its own.
type queued struct {
	accesslog.Observed
	came uint64
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (q *queue) Len() int { return len(q.heap) }

// Less is described with Len.
func (q *queue) Less(i, j int) bool {
	a, b := q.heap[i], q.heap[j]
	return a.At < b.At || a.At == b.At && a.came < b.came
}

// Swap is described with Len.
func (q *queue) Swap(i, j int) { q.heap[i], q.heap[j] = q.heap[j], q.heap[i] }

// Push is described with Len.
func (q *queue) Push(one any) { q.heap = append(q.heap, one.(*queued)) }

// Pop is described with Len.
func (q *queue) Pop() any {
	last := len(q.heap) - 1
	one := q.heap[last]
	q.heap = q.heap[:last]
	return one
}

// add adds a request.
func (q *queue) add(o *accesslog.Observed) {
	one := new(queued)
	if last := len(q.free) - 1; last >= 0 {
		one, q.free = q.free[last], q.free[:last]
	}
	*one = queued{*o, q.came}
	q.came++
	heap.Push(q, one)
}

// take removes the earliest request and returns it.
func (q *queue) take() accesslog.Observed {
	one := heap.Pop(q).(*queued)
	q.free = append(q.free, one)
	o := one.Observed
	one.Observed = accesslog.Observed{}
	return o
}

// doubles knows the last requests by their ids, so that a line that stands twice counts
// once.
type doubles struct {
	// now takes up to mostDoubles; before has as many that came before.
	now, before map[uint64]struct{}
}

// mostDoubles is how many requests at least a line may lie behind the other one.
const mostDoubles = 1 << 18

// again reports whether the line of a request was there before. One without an id is
// always new.
func (d *doubles) again(e *accesslog.Entry) bool {
	if e.RequestID == "" {
		return false
	}
	if d.now == nil {
		d.now = make(map[uint64]struct{}, mostDoubles/8)
	}
	h := uint64(14695981039346656037) // FNV-1a of 64 bits
	for i := range len(e.RequestID) {
		h = (h ^ uint64(e.RequestID[i])) * 1099511628211
	}
	id := h ^ uint64(max(0, e.Index))*0x9E3779B97F4A7C15
	if _, there := d.before[id]; there {
		return true
	}
	if len(d.now) == mostDoubles {
		if _, there := d.now[id]; there {
			return true
		}
		d.before, d.now = d.now, make(map[uint64]struct{}, mostDoubles)
	}
	// Looked up once: what was there leaves the number as it is.
	known := len(d.now)
	d.now[id] = struct{}{}
	return len(d.now) == known
}

// labels keep one copy of each text that stands in many lines.
type labels struct{ known map[string]string }

// mostLabels is how many are kept; others have a copy for each line.
const mostLabels = 1 << 12

func (s *labels) of(text string) string {
	if text == "" {
		return ""
	}
	if own, some := s.known[text]; some {
		return own
	}
	own := strings.Clone(text)
	if s.known == nil {
		s.known = make(map[string]string)
	}
	if len(s.known) < mostLabels {
		s.known[own] = own
	}
	return own
}

package clock

// Queue holds what is to happen later and yields it in the order of (instant,
// number): simultaneous entries come out by number, whatever the order in which
// they went in. It belongs to one goroutine. The zero value is an empty queue.
type Queue[T any] struct{ heap []entry[T] }

type entry[T any] struct {
	at     Instant
	number uint64
	what   T
}

// Len returns how many entries wait.
func (q *Queue[T]) Len() int { return len(q.heap) }

// Push adds what, to happen at the given instant. Two entries with the same
// instant and number come out in an unspecified order.
func (q *Queue[T]) Push(at Instant, number uint64, what T) {
	q.heap = append(q.heap, entry[T]{at, number, what})
	child := len(q.heap) - 1
	for child > 0 {
		parent := (child - 1) / 2
		if !q.less(child, parent) {
			return
		}
		q.heap[child], q.heap[parent] = q.heap[parent], q.heap[child]
		child = parent
	}
}

// Peek returns the instant and number of the next entry, and false where the
// queue is empty.
func (q *Queue[T]) Peek() (Instant, uint64, bool) {
	if len(q.heap) == 0 {
		return Never, 0, false
	}
	return q.heap[0].at, q.heap[0].number, true
}

// Pop removes the next entry and returns it. It panics on an empty queue.
func (q *Queue[T]) Pop() (Instant, T) {
	if len(q.heap) == 0 {
		panic("clock: Pop of an empty queue")
	}
	first := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap[last] = entry[T]{}
	q.heap = q.heap[:last]
	q.sink()
	return first.at, first.what
}

func (q *Queue[T]) sink() {
	parent := 0
	for {
		least := parent
		for child := 2*parent + 1; child <= 2*parent+2 && child < len(q.heap); child++ {
			if q.less(child, least) {
				least = child
			}
		}
		if least == parent {
			return
		}
		q.heap[parent], q.heap[least] = q.heap[least], q.heap[parent]
		parent = least
	}
}

func (q *Queue[T]) less(i, j int) bool {
	a, b := &q.heap[i], &q.heap[j]
	if a.at != b.at {
		return a.at < b.at
	}
	return a.number < b.number
}

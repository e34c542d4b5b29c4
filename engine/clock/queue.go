package clock

// Queue holds future events and yields them in the order of (instant, number):
// simultaneous entries are ordered by number, not by insertion. It belongs to one goroutine. The zero value is an empty queue.
type Queue[T any] struct{ heap []entry[T] }

// children is how many entries lie below each in the heap: four lie close together, and
// half as many levels are gone through as with two.
const children = 4

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
	q.heap = append(q.heap, entry[T]{})
	hole := len(q.heap) - 1
	for hole > 0 {
		parent := (hole - 1) / children
		if above := &q.heap[parent]; !precedes(at, number, above) {
			break
		}
		q.heap[hole] = q.heap[parent]
		hole = parent
	}
	q.heap[hole] = entry[T]{at, number, what}
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
	one := q.heap[last]
	q.heap[last] = entry[T]{}
	q.heap = q.heap[:last]
	if last == 0 {
		return first.at, first.what
	}
	// The last entry goes where the top was taken out, and is let down to where it belongs.
	heap, hole := q.heap, 0
	for {
		least := children*hole + 1
		if least >= len(heap) {
			break
		}
		for child := least + 1; child < min(children*hole+children+1, len(heap)); child++ {
			if precedes(heap[child].at, heap[child].number, &heap[least]) {
				least = child
			}
		}
		if !precedes(heap[least].at, heap[least].number, &one) {
			break
		}
		heap[hole] = heap[least]
		hole = least
	}
	heap[hole] = one
	return first.at, first.what
}

// precedes reports whether an instant and a number come before an entry.
func precedes[T any](at Instant, number uint64, than *entry[T]) bool {
	return at < than.at || at == than.at && number < than.number
}

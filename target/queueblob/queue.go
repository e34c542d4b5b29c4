package queueblob

import (
	"container/heap"
	"slices"
	"strconv"

	"loadgen/engine/clock"
	"loadgen/target"
)

// queues has the queues of an account by name.
type queues struct {
	named  map[string]*queue
	room   *room
	issued uint64
}

// queue has its messages by ID, and in the order in which they become visible.
type queue struct {
	byID  map[string]*message
	order order
}

type message struct {
	// number increases with each message put.
	number      uint64
	id, receipt string
	body        []byte
	received    int
	// from is when it becomes visible, at its index in the order.
	from clock.Instant
	at   int
}

func (q *queues) carryOut(now clock.Instant, b *target.Beside) target.Outcome {
	one, there := q.named[b.Store]
	switch {
	case b.Verb == target.PutMessage:
		return q.put(now, b)
	case b.Verb == target.MakeQueue:
		return q.make(b, there)
	case b.Verb == target.ReceiveMessages && !there:
		return target.Outcome{Status: 200}
	case !there:
		return missing(queueNotFound)
	case b.Verb == target.ReceiveMessages:
		// Visible messages, the oldest first, are hidden; their earlier receipts become invalid.
		var found []target.Found
		hidden := now.Add(wholeSeconds(b.Hidden))
		for len(one.order) > 0 && one.order[0].from <= now && len(found) < max(1, b.Most) {
			m := one.order[0]
			q.issued++
			m.received++
			m.receipt, m.from = strconv.FormatUint(q.issued, 10), hidden
			heap.Fix(&one.order, 0)
			found = append(found, target.Found{Name: m.id, Receipt: m.receipt, Received: m.received, Body: m.body, Size: int64(len(m.body))})
		}
		return target.Outcome{Status: 200, Found: found}
	case b.Verb == target.DeleteMessage:
		// The latest receiver may, even after the message is visible again.
		m, there := one.byID[b.Name]
		switch {
		case !there:
			return missing(messageNotFound)
		case m.receipt != b.Receipt:
			return otherReceipt()
		}
		heap.Remove(&one.order, m.at)
		delete(one.byID, m.id)
		q.room.release(1, m.size())
		return target.Outcome{Status: 204}
	default:
		for _, m := range one.order {
			q.room.release(1, m.size())
		}
		q.room.release(1, len(b.Store))
		delete(q.named, b.Store)
		return target.Outcome{Status: 204}
	}
}

// make creates a queue unless it exists.
func (q *queues) make(b *target.Beside, there bool) target.Outcome {
	if there {
		return target.Outcome{Status: 409, Code: queueExists, Detail: "it is there already"}
	}
	if !q.room.reserve(1, len(b.Store)) {
		return q.room.fullOutcome()
	}
	q.named[b.Store] = &queue{byID: make(map[string]*message)}
	return target.Outcome{Status: 201}
}

// put appends a message to a queue, and creates a missing queue.
func (q *queues) put(now clock.Instant, b *target.Beside) target.Outcome {
	one, there := q.named[b.Store]
	if !there {
		if o := q.make(b, false); o.Status != 201 {
			return o
		}
		one = q.named[b.Store]
	}
	q.issued++
	m := &message{number: q.issued, id: strconv.FormatUint(q.issued, 10), body: slices.Clone(b.Body),
		from: now.Add(wholeSeconds(b.Hidden))}
	if !q.room.reserve(1, m.size()) {
		return q.room.fullOutcome()
	}
	one.byID[m.id] = m
	heap.Push(&one.order, m)
	return target.Outcome{Status: 201}
}

// otherReceipt returns the outcome for a message that another client has received since.
func otherReceipt() target.Outcome {
	return target.Outcome{Status: 404, Code: popReceiptMismatch, Detail: "it was received again: the pop receipt is no longer valid"}
}

func (m *message) size() int { return len(m.body) + len(m.id) }

// order is a heap of messages by when they become visible, then by when they were put.
type order []*message

var _ heap.Interface = (*order)(nil)

// Len implements [heap.Interface].
func (o order) Len() int { return len(o) }

// Less implements [heap.Interface].
func (o order) Less(i, j int) bool {
	if o[i].from != o[j].from {
		return o[i].from < o[j].from
	}
	return o[i].number < o[j].number
}

// Swap implements [heap.Interface].
func (o order) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].at, o[j].at = i, j
}

// Push implements [heap.Interface].
func (o *order) Push(m any) {
	m.(*message).at = len(*o)
	*o = append(*o, m.(*message))
}

// Pop implements [heap.Interface].
func (o *order) Pop() any {
	last := len(*o) - 1
	m := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	return m
}

package queueblob

import (
	"container/heap"
	"fmt"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// Answer is how long a stand-in takes to answer: an assumption, about that of a table
// in the same region.
const Answer = 5 * time.Millisecond

// What the stand-ins of an account hold at most; a real account holds as much as is
// paid for.
const (
	// MaxThings is the number of messages, blobs, queues and containers together.
	MaxThings = 100_000
	// MaxBytes is the bytes of bodies, names and metadata.
	MaxBytes = 256 << 20
)

// full is what a stand-in answers that has no room left. No real service says so.
const full entity.Code = "StandInIsFull"

// Memory is the queues and containers of one account, and the services of an application's
// own, in memory. It belongs to one
// goroutine at a time.
type Memory struct {
	queues     queues
	containers containers
	desks      map[string]*places
	room       room
	counts     target.Counts
}

var (
	_ target.Immediate = (*Memory)(nil)
	_ target.Counter   = (*Memory)(nil)
)

// NewMemory returns the stand-ins without a queue or a container.
func NewMemory() *Memory {
	m := &Memory{desks: make(map[string]*places), room: room{things: MaxThings, bytes: MaxBytes}}
	m.queues = queues{named: make(map[string]*queue), room: &m.room}
	m.containers = containers{named: make(map[string]*container), room: &m.room}
	return m
}

// Submit implements [target.Immediate] for what goes beside the table.
func (m *Memory) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	b := op.Beside
	o, sound := checkLimits(b)
	done := now.Add(Answer)
	switch {
	case !sound:
	case b.Verb == target.Ask:
		o, done = m.callService(now, b)
	case b.Verb.OfQueue():
		o = m.queues.carryOut(now, b)
	default:
		o = m.containers.carryOut(b)
	}
	m.counts.Requests++
	if o.Class(target.Expected{}) == results.Ok {
		m.counts.Ok++
	} else {
		m.counts.Failed++
	}
	return o, done
}

// Counts implements [target.Counter].
func (m *Memory) Counts() target.Counts { return m.counts }

// callService has a service of the application's own answer, which is there as soon as it is asked: so many
// requests are worked on at once, and the others wait in the order in which they came.
func (m *Memory) callService(now clock.Instant, b *target.Beside) (target.Outcome, clock.Instant) {
	one := m.desks[b.Store]
	if one == nil {
		if !m.room.reserve(1, len(b.Store)) {
			return m.room.fullOutcome(), now.Add(Answer)
		}
		one = new(places)
		m.desks[b.Store] = one
	}
	done := now.Add(b.Takes)
	switch {
	case b.AtOnce == 0:
	case len(*one) < b.AtOnce:
		heap.Push(one, done)
	default:
		done = max(now, (*one)[0]).Add(b.Takes)
		(*one)[0] = done
		heap.Fix(one, 0)
	}
	return target.Outcome{Status: 200}, done
}

// room is what is left of the stand-ins' bounds.
type room struct{ things, bytes int }

// reserve takes room for so many things of so many bytes together, and reports whether
// there was some.
func (r *room) reserve(things, bytes int) bool {
	if r.things < things || r.bytes < bytes {
		return false
	}
	r.things -= things
	r.bytes -= bytes
	return true
}

// release gives back what things of so many bytes had.
func (r *room) release(things, bytes int) {
	r.things += things
	r.bytes += bytes
}

// fullOutcome says that there is no room left.
func (r *room) fullOutcome() target.Outcome {
	return target.Outcome{Status: 507, Code: full, Detail: fmt.Sprintf("the emulation holds at most %d messages, blobs, queues and containers, and %d MiB",
		MaxThings, MaxBytes>>20)}
}

// missing says that something is not there.
func missing(code entity.Code) target.Outcome {
	return target.Outcome{Status: 404, Code: code, Detail: "it is not there"}
}

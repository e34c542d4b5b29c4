package queueblob

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// Answer is the assumed time in which a stand-in answers, about that of a table in the same
// region.
const Answer = 5 * time.Millisecond

// The capacity of the stand-ins of an account; a real account has none.
const (
	// MaxThings is the number of messages, blobs, queues and containers together.
	MaxThings = 100_000
	// MaxBytes is the bytes of bodies, names and metadata.
	MaxBytes = 256 << 20
)

// full is the code of a stand-in without free capacity. No real service returns it.
const full entity.Code = "StandInIsFull"

// Memory has the queues and containers of one account, and an application's own services, in
// memory. It belongs to one goroutine at a time.
type Memory struct {
	queues     queues
	containers containers
	// free has the instants at which the workers of each own service are free again, in order.
	free   map[string][]clock.Instant
	room   room
	counts target.Counts
}

var (
	_ target.Immediate = (*Memory)(nil)
	_ target.Counter   = (*Memory)(nil)
)

// NewMemory returns stand-ins without queues and containers.
func NewMemory() *Memory {
	m := &Memory{free: make(map[string][]clock.Instant), room: room{things: MaxThings, bytes: MaxBytes}}
	m.queues = queues{named: make(map[string]*queue), room: &m.room}
	m.containers = containers{named: make(map[string]*container), room: &m.room}
	return m
}

// Submit implements [target.Immediate] for requests to other services.
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

// callService sends a request to the application's own service, which exists from its first request.
// It works on a limited number of requests at once; the others wait in the order of arrival.
func (m *Memory) callService(now clock.Instant, b *target.Beside) (target.Outcome, clock.Instant) {
	free, known := m.free[b.Store]
	if !known && !m.room.reserve(1, len(b.Store)) {
		return m.room.fullOutcome(), now.Add(Answer)
	}
	begins := now
	if b.AtOnce > 0 && len(free) >= b.AtOnce {
		begins, free = max(now, free[0]), slices.Delete(free, 0, 1)
	}
	done := begins.Add(b.Takes)
	if b.AtOnce > 0 {
		at, _ := slices.BinarySearch(free, done)
		free = slices.Insert(free, at, done)
	}
	m.free[b.Store] = free
	return target.Outcome{Status: 200}, done
}

// room is the free capacity of the stand-ins.
type room struct{ things, bytes int }

// reserve reserves capacity for objects with a total size in bytes, and reports whether there
// was enough.
func (r *room) reserve(things, bytes int) bool {
	if r.things < things || r.bytes < bytes {
		return false
	}
	r.things -= things
	r.bytes -= bytes
	return true
}

// release returns the capacity of objects with a total size in bytes.
func (r *room) release(things, bytes int) {
	r.things += things
	r.bytes += bytes
}

// fullOutcome returns the outcome of a request without capacity for it.
func (r *room) fullOutcome() target.Outcome {
	return target.Outcome{Status: 507, Code: full, Detail: fmt.Sprintf("the emulation holds at most %d messages, blobs, queues and containers, and %d MiB",
		MaxThings, MaxBytes>>20)}
}

// missing returns the outcome of a request to a missing object.
func missing(code entity.Code) target.Outcome {
	return target.Outcome{Status: 404, Code: code, Detail: "it is not there"}
}

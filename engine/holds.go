package engine

import (
	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// holds records which entities a transaction works on, and until when: a request that has
// to write one of them waits. The documents say that transactions over common entities
// delay one another, and not how; that one holds its entities while the service works
// on it, and that the next takes them in the order in which they came, is assumed.
// Readers see the state before, and do not wait. The engine's mutex guards it.
type holds struct {
	until map[held]clock.Instant
	// last is when the last hold ends: later requests need no lookup.
	last clock.Instant
	// sweepAt is how many there may be before those that are over are forgotten.
	sweepAt int
}

// held names an entity: its table, and a hash of its key, so that nothing of a request
// is kept. That two keys of a table have the same is less likely than a broken machine.
type held struct {
	table uint32
	key   uint64
}

func newHeld(table uint32, k entity.Key) held {
	// FNV-1a, with a byte between the keys that no UTF-8 has.
	const offset, prime, between = 14695981039346656037, 1099511628211, 0xFF
	hash := uint64(offset)
	for i := range len(k.Partition) {
		hash = (hash ^ uint64(k.Partition[i])) * prime
	}
	hash = (hash ^ between) * prime
	for i := range len(k.Row) {
		hash = (hash ^ uint64(k.Row[i])) * prime
	}
	return held{table, hash}
}

// minSweepSize is below what a sweep is not worth its time.
const minSweepSize = 1024

// add has a transaction hold its entities until an instant.
func (h *holds) add(now, until clock.Instant, table uint32, changes []entity.Change) {
	if until <= now || len(changes) == 0 {
		return
	}
	if h.until == nil {
		h.until, h.sweepAt = make(map[held]clock.Instant), minSweepSize
	}
	h.last = max(h.last, until)
	for i := range changes {
		h.until[newHeld(table, changes[i].Key)] = until
	}
	if len(h.until) < h.sweepAt {
		return
	}
	for name, over := range h.until {
		if over <= now {
			delete(h.until, name)
		}
	}
	h.sweepAt = max(minSweepSize, 2*len(h.until))
}

package durable

import (
	"github.com/cockroachdb/pebble/v2"

	"loadgen/engine/entity"
	"loadgen/engine/store"
)

// The details of replies where the store has none of its own.
const (
	noEntity = "the entity does not exist"
	broken   = "the data folder has failed"
)

// Apply makes one change at the given instant, as the store in memory does.
func (s *Store) Apply(name string, c *entity.Change, at entity.Ticks) store.Result {
	if code, detail := c.Validate(); code != entity.OK {
		return store.Result{Code: code, Detail: detail}
	}
	w, code, detail := s.begin(name, c.Key.Partition)
	if code != entity.OK {
		return store.Result{Code: code, Detail: detail}
	}
	version, code, detail := w.stage(c, at)
	if code, detail = w.end(code, detail); code != entity.OK {
		return store.Result{Code: code, Detail: detail}
	}
	return store.Result{Version: version}
}

// ApplyBatch makes all the changes of an entity group transaction at the given instant,
// or none, as the store in memory does.
func (s *Store) ApplyBatch(name string, changes []entity.Change, at entity.Ticks) store.BatchResult {
	if code, index, detail := entity.ValidateBatch(changes); code != entity.OK {
		return store.BatchResult{Code: code, Detail: detail, FailedIndex: index}
	}
	w, code, detail := s.begin(name, changes[0].Key.Partition)
	if code != entity.OK {
		return store.BatchResult{Code: code, Detail: detail}
	}
	// Each row comes once, so that no change depends on one before it.
	versions, failed := make([]entity.Ticks, len(changes)), 0
	for i := range changes {
		if versions[i], code, detail = w.stage(&changes[i], at); code != entity.OK {
			failed = i
			break
		}
	}
	if code, detail = w.end(code, detail); code != entity.OK {
		return store.BatchResult{Code: code, Detail: detail, FailedIndex: failed}
	}
	return store.BatchResult{Versions: versions}
}

// write is a batch in the making, with its partition's guard held.
type write struct {
	store *Store
	table *table
	guard *guard
	batch *pebble.Batch
	// key has room for that of an entity, and begins with the partition's.
	key    []byte
	prefix int
	change tally
}

// begin begins a write to a partition, which [write.end] ends.
func (s *Store) begin(name, partitionKey string) (w write, code entity.Code, detail string) {
	if !s.enter() {
		return w, entity.InternalError, broken
	}
	t := s.find(name)
	if t != nil {
		t.living.RLock()
	}
	if t == nil || t.dead {
		if t != nil {
			t.living.RUnlock()
		}
		s.alive.RUnlock()
		return w, entity.TableNotFound, store.NoTable
	}
	const usual = 256
	w = write{store: s, table: t, key: appendPartition(make([]byte, 0, usual), t.number, partitionKey)}
	w.prefix = len(w.key)
	w.guard = s.guards.acquire(w.key, true)
	w.guard.Lock()
	w.batch = s.db.NewBatch()
	return w, entity.OK, ""
}

// stage adds a valid change to the batch, if it is possible.
func (w *write) stage(c *entity.Change, at entity.Ticks) (entity.Ticks, entity.Code, string) {
	w.key = append(w.key[:w.prefix], entity.SortKey(c.Key.Row)...)
	value, exists, err := w.store.read(w.key)
	if err != nil {
		w.store.fail(err)
		return 0, entity.InternalError, broken
	}
	stored := entity.Packed(value)
	after, code, detail := store.Stage(c, stored, exists, entity.Ticks(w.table.floor.Load()), at)
	switch {
	case code != entity.OK:
		return 0, code, detail
	case after == nil:
		w.store.remove(w.batch, w.key)
		w.change.entities--
		w.change.floor = max(w.change.floor, stored.Timestamp())
		return 0, entity.OK, ""
	case !exists:
		w.change.entities++
	}
	w.store.put(w.batch, w.key, after)
	return after.Timestamp(), entity.OK, ""
}

// end commits what was staged, or nothing where the code says why not, and waits until
// the answer only reports what is safe. It returns the code and detail of the answer.
func (w *write) end(code entity.Code, detail string) (entity.Code, string) {
	s := w.store
	defer s.alive.RUnlock()
	defer s.guards.giveBack(w.guard)
	if code != entity.OK {
		last := w.guard.last
		w.guard.Unlock()
		w.table.living.RUnlock()
		if w.batch.Close() != nil || last.wait() != nil {
			return entity.InternalError, broken
		}
		return code, detail
	}
	if w.change != (tally{}) {
		s.check(w.batch.Merge(numbered(make([]byte, 0, rowKeyStart), kindTally, w.table.number), w.change.bytes(), nil))
	}
	err := s.commit(w.batch)
	var mine *pending
	if err == nil {
		w.table.entities.Add(w.change.entities)
		w.table.raise(w.change.floor)
		if s.options.Sync {
			mine = &pending{done: make(chan struct{})}
			w.guard.last = mine
		}
	}
	w.guard.Unlock()
	w.table.living.RUnlock()
	if err == nil {
		err = s.flushed(w.batch)
		if mine != nil {
			mine.err = err
			close(mine.done)
		}
	}
	if err != nil {
		return entity.InternalError, broken
	}
	return entity.OK, ""
}

// raise makes the floor of a table at least that of what was deleted.
func (t *table) raise(floor entity.Ticks) {
	for now := t.floor.Load(); int64(floor) > now && !t.floor.CompareAndSwap(now, int64(floor)); {
		now = t.floor.Load()
	}
}

package store

import (
	"strings"
	"sync"

	"github.com/tidwall/btree"

	"loadgen/engine/entity"
)

// directory maps the sort keys of PartitionKeys to partitions.
type directory = btree.Map[string, *partition]

// table is the directory of a table's partitions. It holds none that has been
// seen empty.
//
// Locks: a partition's lock may be held when the table's is taken, but not the
// other way round; the one exception is a new partition that no other goroutine can
// have seen.
type table struct {
	name string
	// note is guarded by the store's lock.
	note []byte

	mu         sync.RWMutex
	partitions directory
	// index has what the directory has, without its order: see partition.index.
	index map[string]*partition
	// floor is the greatest version of any entity that was deleted together
	// with its partition; see partition.floor.
	floor entity.Ticks
}

// lookup returns the partition of that sort key, or nil.
func (t *table) lookup(pk string) *partition {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.index[pk]
}

// snapshot returns the directory as it is now; later changes leave it alone.
func (t *table) snapshot() *directory {
	// Even a copy alters the original's bookkeeping: it takes the write lock.
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.partitions.Copy()
}

// open returns the partition of that sort key with its lock held, for the caller
// to hand back to close. If there is none it makes one, or returns nil if it
// may not.
func (t *table) open(pk string, create bool) *partition {
	for {
		p := t.lookup(pk)
		if p == nil {
			if !create {
				return nil
			}
			t.mu.Lock()
			if _, exists := t.index[pk]; exists {
				// Another goroutine was first.
				t.mu.Unlock()
				continue
			}
			key := strings.Clone(pk)
			p = &partition{key: key, name: entity.FromSortKey(key), floor: t.floor}
			p.mu.Lock()
			t.partitions.Set(p.key, p)
			t.index[p.key] = p
			t.mu.Unlock()
			return p
		}
		p.mu.Lock()
		if !p.dead {
			return p
		}
		// It was emptied, and taken out of the directory, after it was looked
		// up: there may be another one by now.
		p.mu.Unlock()
	}
}

// close gives up the lock of a partition, and removes one that is empty.
func (t *table) close(p *partition) {
	if p.rows.Len() == 0 {
		p.dead = true
		t.mu.Lock()
		t.partitions.Delete(p.key)
		delete(t.index, p.key)
		t.floor = max(t.floor, p.floor)
		t.mu.Unlock()
	}
	p.mu.Unlock()
}

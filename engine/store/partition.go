package store

import (
	"strings"
	"sync"

	"github.com/tidwall/btree"

	"loadgen/engine/entity"
)

// rows maps the sort keys of RowKeys to entities. Neither entity.Packed nor
// partition may ever have a method named Copy or IsoCopy: the tree would call it
// on each value of a node that it copies.
type rows = btree.Map[string, entity.Packed]

// partition is the entities of one PartitionKey.
type partition struct {
	// key is the sort key of the PartitionKey name.
	key, name string

	mu   sync.RWMutex
	rows rows
	// index has what rows has, without their order; nil until they are many. Among
	// millions of entities each comparison on the way down a tree is memory that no
	// cache holds.
	index map[string]entity.Packed
	// dead says that the partition was emptied and is in no directory any more.
	dead bool
	// floor is the greatest version of any entity deleted here. A new entity
	// gets a later one, so that the tag of what was deleted never fits what
	// took its place, even within one tick.
	floor entity.Ticks
}

// find returns the entity of a sort key, and false if there is none. The caller holds the lock.
func (p *partition) find(rk string) (entity.Packed, bool) {
	if p.index == nil {
		return p.rows.Get(rk)
	}
	stored, exists := p.index[rk]
	return stored, exists
}

// staged is a change that has been found possible: what its row will hold, or
// nothing after a delete.
type staged struct {
	row    string
	before entity.Ticks
	after  entity.Packed
}

// stage works out what a valid change would do, and does nothing. The caller
// holds the lock, for as long as the answer is to hold.
func (p *partition) stage(c *entity.Change, at entity.Ticks) (staged, entity.Code, string) {
	row := entity.SortKey(c.Key.Row)
	stored, exists := p.find(row)
	after, code, detail := Stage(c, stored, exists, p.floor, at)
	return staged{row: row, before: stored.Timestamp(), after: after}, code, detail
}

// commit carries out what was staged, under the same hold of the lock.
func (p *partition) commit(s *staged) {
	if s.after == nil {
		p.rows.Delete(s.row)
		delete(p.index, s.row)
		p.floor = max(p.floor, s.before)
		return
	}
	// The change owns its key no longer than the call, and the key may be a
	// small part of a large text.
	row := strings.Clone(s.row)
	p.rows.Set(row, s.after)
	switch {
	case p.index != nil:
		p.index[row] = s.after
	case p.rows.Len() > maxUnindexed:
		p.index = make(map[string]entity.Packed, 2*maxUnindexed)
		p.rows.Scan(func(row string, e entity.Packed) bool {
			p.index[row] = e
			return true
		})
	}
}

// maxUnindexed is up to how many rows a partition has no index, which each write has to
// keep: a tree of so few is soon gone down, and a table may have millions of partitions of
// a single row.
const maxUnindexed = 255

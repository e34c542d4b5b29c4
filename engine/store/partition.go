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
	key string

	mu   sync.RWMutex
	rows rows
	// dead says that the partition was emptied and is in no directory any more.
	dead bool
	// floor is the greatest version of any entity deleted here. A new entity
	// gets a later one, so that the tag of what was deleted never fits what
	// took its place, even within one tick.
	floor entity.Ticks
}

// get returns the entity of that sort key, and false where there is none.
func (p *partition) get(rk string) (entity.Packed, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.rows.Get(rk)
}

// ascend calls visit for the rows from a sort key on, in order, until it returns
// false. Writers wait until it has.
func (p *partition) ascend(from string, visit func(rk string, e entity.Packed) bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	p.rows.Ascend(from, visit)
}

func (p *partition) len() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.rows.Len()
}

// snapshot returns the rows as they are now; later changes leave it alone. It
// takes the same short time however many there are.
func (p *partition) snapshot() *rows {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows.Copy()
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
	stored, exists := p.rows.Get(row)
	switch {
	case c.Verb == entity.Insert && exists:
		return staged{}, entity.EntityAlreadyExists, "the entity exists already"
	case !exists && !creates(c.Verb):
		return staged{}, entity.ResourceNotFound, "the entity does not exist"
	case exists && !c.Match.Accepts(stored.Timestamp()):
		return staged{}, entity.ConditionNotSatisfied, "the entity has another version than the condition asks for"
	}
	s := staged{row: row, before: stored.Timestamp()}
	switch {
	case c.Verb == entity.Delete:
		return s, entity.OK, ""
	case !exists:
		s.after = entity.Pack(nil, version(at, p.floor), c.Properties)
		return s, entity.OK, ""
	case c.Verb == entity.Merge || c.Verb == entity.InsertOrMerge:
		s.after = entity.MergePacked(stored, version(at, s.before), c.Properties)
		code, detail := s.after.Validate(c.Key)
		return s, code, detail
	default:
		s.after = entity.Pack(nil, version(at, s.before), c.Properties)
		return s, entity.OK, ""
	}
}

// commit carries out what was staged, under the same hold of the lock.
func (p *partition) commit(s *staged) {
	if s.after == nil {
		p.rows.Delete(s.row)
		p.floor = max(p.floor, s.before)
		return
	}
	// The change owns its key no longer than the call, and the key may be a
	// small part of a large text.
	p.rows.Set(strings.Clone(s.row), s.after)
}

func creates(v entity.Verb) bool {
	return v == entity.Insert || v == entity.InsertOrReplace || v == entity.InsertOrMerge
}

// version returns the timestamp of a write at the given instant over an entity
// of an earlier version: later than that, and with a last digit that is not
// zero, so that it has seven digits of fraction whether or not trailing zeros
// are trimmed.
func version(at, earlier entity.Ticks) entity.Ticks {
	v := max(at, earlier+1)
	if v%10 == 0 {
		v++
	}
	return v
}

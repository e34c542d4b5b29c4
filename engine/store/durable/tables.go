package durable

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"loadgen/engine/entity"
)

// CreateTable makes an empty table, as the store in memory does.
func (s *Store) CreateTable(name string) entity.Code {
	if code, _ := entity.ValidateTableName(name); code != entity.OK {
		return code
	}
	if !s.enter() {
		return entity.InternalError
	}
	defer s.alive.RUnlock()
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.HasTable(name) {
		return entity.TableAlreadyExists
	}
	t, folded := &table{name: strings.Clone(name), number: s.number + 1}, strings.ToLower(name)
	b := s.db.NewBatch()
	s.put(b, named(kindTable, folded), append(binary.BigEndian.AppendUint64(nil, t.number), name...))
	s.remove(b, named(kindDeleted, folded))
	if !s.commitSafely(b) {
		return entity.InternalError
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number = t.number
	s.tables[folded] = t
	delete(s.deleted, folded)
	return entity.OK
}

// DeleteTable drops a table with all that it holds, and its note, at once;
// ResourceNotFound if there is none. Its name is one of [Store.Deleted] until the
// given instant; of those whose time was over by now none is any more.
func (s *Store) DeleteTable(name string, now, until entity.Ticks) entity.Code {
	if !s.enter() {
		return entity.InternalError
	}
	defer s.alive.RUnlock()
	s.changing.Lock()
	defer s.changing.Unlock()
	t, folded := s.find(name), strings.ToLower(name)
	if t == nil {
		return entity.ResourceNotFound
	}
	var over []string
	for name, until := range s.Deleted() {
		if until <= now {
			over = append(over, name)
		}
	}
	t.living.Lock()
	defer t.living.Unlock()
	b := s.db.NewBatch()
	for _, name := range over {
		s.remove(b, named(kindDeleted, name))
	}
	for _, key := range [][]byte{named(kindTable, folded), named(kindNote, folded), numbered(nil, kindTally, t.number)} {
		s.remove(b, key)
	}
	s.check(b.DeleteRange(numbered(nil, kindRow, t.number), numbered(nil, kindRow, t.number+1), nil))
	if until > now {
		s.put(b, named(kindDeleted, folded), binary.BigEndian.AppendUint64(nil, uint64(until)))
	}
	if !s.commitSafely(b) {
		return entity.InternalError
	}
	t.dead = true
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range over {
		delete(s.deleted, name)
	}
	if until > now {
		s.deleted[folded] = until
	}
	delete(s.tables, folded)
	delete(s.notes, folded)
	return entity.OK
}

// SetNote replaces what is kept with a table, or with the account where the name is
// empty; an empty note is none. TableNotFound where the table is missing.
func (s *Store) SetNote(name string, note []byte) entity.Code {
	if !s.enter() {
		return entity.InternalError
	}
	defer s.alive.RUnlock()
	s.changing.Lock()
	defer s.changing.Unlock()
	folded := strings.ToLower(name)
	key := named(kindNote, folded)
	if name == "" {
		key = []byte{kindAccount}
	} else if !s.HasTable(name) {
		return entity.TableNotFound
	}
	b := s.db.NewBatch()
	if len(note) > 0 {
		s.put(b, key, note)
	} else {
		s.remove(b, key)
	}
	if !s.commitSafely(b) {
		return entity.InternalError
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.notes, folded); len(note) > 0 {
		s.notes[folded] = slices.Clone(note)
	}
	return entity.OK
}

// put, remove and check are the parts of a batch; that one takes them all is checked
// when it is committed.
func (s *Store) put(b *pebble.Batch, key, value []byte) { s.check(b.Set(key, value, nil)) }

func (s *Store) remove(b *pebble.Batch, key []byte) { s.check(b.Delete(key, nil)) }

// check has the store fail with an error, if it is one.
func (s *Store) check(err error) {
	if err != nil {
		s.fail(err)
	}
}

// Package store keeps one account's tables in memory, in the order of the
// clustered index: it is what a request means, without how long it takes.
//
// Build a [Store] with [New]; make a table with [Store.CreateTable]; write with
// [Store.Apply], or with [Store.ApplyBatch] for an entity group transaction; read
// with [Store.Get], and page by page with [Store.Scan]. Every outcome is a code of
// package entity, never an error.
//
// Each write needs the instant at which it happens. The caller must not alter
// the [entity.Packed] values that it reads: they are the store's own. A value once
// read stays as it was, whatever is written after.
//
// Each partition has a lock of its own, so that one partition's load cannot slow
// another. A transaction is applied under that lock, and a page reads a partition
// as it was at one instant, so that no reader sees a part of a transaction; a page
// over several partitions sees each at an instant of its own, as in the service.
//
// The package never reads a clock, refuses nothing for load, and starts no
// goroutine.
package store

import (
	"maps"
	"slices"
	"sync"

	"loadgen/engine/entity"
)

// Store is the tables of one account. Its methods are safe for concurrent use;
// a copy of a Store is not.
type Store struct {
	mu sync.RWMutex
	// tables is keyed by the folded name.
	tables map[string]*table
	// note is what is kept with the account.
	note []byte
}

// New returns a store without tables.
func New() *Store { return &Store{tables: make(map[string]*table)} }

// CreateTable makes an empty table. A name that a table may not have is refused
// with the code of [entity.ValidateTableName], and one that a table has already,
// in whatever case, with TableAlreadyExists.
func (s *Store) CreateTable(name string) entity.Code {
	if code, _ := entity.ValidateTableName(name); code != entity.OK {
		return code
	}
	var room folded
	key := room.fold(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.tables[string(key)]; exists {
		return entity.TableAlreadyExists
	}
	s.tables[string(key)] = &table{name: name, index: make(map[string]*partition)}
	return entity.OK
}

// DeleteTable drops a table with all that it holds, at once; ResourceNotFound
// if there is none. A request that is under way at the same time may still be
// answered by the table as it was. Until when its name is kept back matters to a
// store that others begin with: this one forgets it.
func (s *Store) DeleteTable(name string, _, _ entity.Ticks) entity.Code {
	var room folded
	key := room.fold(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.tables[string(key)]; !exists {
		return entity.ResourceNotFound
	}
	delete(s.tables, string(key))
	return entity.OK
}

// HasTable reports whether a table of that name exists, in whatever case.
func (s *Store) HasTable(name string) bool { return s.find(name) != nil }

// TableNames returns the names of all tables as they were created, sorted
// without regard to case.
func (s *Store) TableNames() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := slices.Sorted(maps.Keys(s.tables))
	for i, key := range names {
		names[i] = s.tables[key].name
	}
	return names
}

// Count returns how many entities a table holds, 0 if the table does not exist. It
// visits every partition, each at an instant of its own.
func (s *Store) Count(name string) int64 {
	t := s.find(name)
	if t == nil {
		return 0
	}
	count := int64(0)
	t.snapshot().Scan(func(_ string, p *partition) bool {
		p.mu.RLock()
		count += int64(p.rows.Len())
		p.mu.RUnlock()
		return true
	})
	return count
}

// Get returns an entity. The code is TableNotFound or ResourceNotFound where
// there is none.
func (s *Store) Get(name string, k entity.Key) (entity.Packed, entity.Code) {
	t := s.find(name)
	if t == nil {
		return nil, entity.TableNotFound
	}
	p := t.lookup(entity.SortKey(k.Partition))
	if p == nil {
		return nil, entity.ResourceNotFound
	}
	row := entity.SortKey(k.Row)
	p.mu.RLock()
	stored, exists := p.find(row)
	p.mu.RUnlock()
	if !exists {
		return nil, entity.ResourceNotFound
	}
	return stored, entity.OK
}

// Note returns what is kept with a table, or with the account where the name is empty;
// nil for nothing. It is not to be altered.
func (s *Store) Note(name string) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if name == "" {
		return s.note
	}
	var room folded
	if t := s.tables[string(room.fold(name))]; t != nil {
		return t.note
	}
	return nil
}

// SetNote replaces what is kept with a table, or with the account where the name is
// empty; an empty note is none. TableNotFound where the table is missing.
func (s *Store) SetNote(name string, note []byte) entity.Code {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := &s.note
	if name != "" {
		var room folded
		t := s.tables[string(room.fold(name))]
		if t == nil {
			return entity.TableNotFound
		}
		place = &t.note
	}
	if *place = nil; len(note) > 0 {
		*place = slices.Clone(note)
	}
	return entity.OK
}

// Deleted returns nothing: the store begins empty.
func (s *Store) Deleted() map[string]entity.Ticks { return nil }

// find returns the table of that name, or nil.
func (s *Store) find(name string) *table {
	var room folded
	key := room.fold(name)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tables[string(key)]
}

// folded is room for a table's name in lower case, so that finding a table
// allocates nothing.
type folded [entity.MaxTableName]byte

// fold returns the name in lower case; a name that is too long for a table comes
// out empty, which no table is called.
func (f *folded) fold(name string) []byte {
	if len(name) > len(f) {
		return nil
	}
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		f[i] = c
	}
	return f[:len(name)]
}

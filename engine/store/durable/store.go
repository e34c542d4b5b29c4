package durable

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"loadgen/engine/entity"
)

// Store is the tables of one account. Its methods are safe for concurrent use.
type Store struct {
	options Options
	lock    *pebble.Lock
	db      *pebble.DB
	opening atomic.Bool
	logs    logList

	// alive is held, by many, while a request is under way.
	alive sync.RWMutex
	// cause is what the store has failed with, failed is closed then.
	cause  atomic.Pointer[failure]
	failed chan struct{}

	guards guards
	// committing orders the batches: one at a time is put into the log.
	committing sync.Mutex

	// changing is held while a table is made or dropped, which waits for the disk; mu
	// guards the fields below and is never held during a wait.
	changing sync.Mutex
	mu       sync.RWMutex
	// tables, notes and deleted are keyed by the name in lower case, notes by nothing for
	// the account's.
	tables  map[string]*table
	notes   map[string][]byte
	deleted map[string]entity.Ticks
	number  uint64
}

type failure struct{ err error }

// table is what is known of a table without asking the folder.
type table struct {
	name   string
	number uint64
	// living is held, by many, while a write is prepared and put into the log, so that
	// none goes to a table that is dead.
	living sync.RWMutex
	dead   bool
	// entities and floor are as in its tally.
	entities, floor atomic.Int64
}

// load reads what is known of all tables.
func (s *Store) load() error {
	for _, kind := range []struct {
		of   byte
		take func(name string, value []byte) error
	}{
		{kindAccount, func(_ string, value []byte) error { s.notes[""] = value; return nil }},
		{kindNote, func(name string, value []byte) error { s.notes[name] = value; return nil }},
		{kindDeleted, func(name string, value []byte) error {
			if len(value) != numberSize {
				return fmt.Errorf("%w: a name that is kept back until nothing", ErrDamaged)
			}
			s.deleted[name] = entity.Ticks(binary.BigEndian.Uint64(value))
			return nil
		}},
		{kindTable, func(folded string, value []byte) error {
			if len(value) <= numberSize || !strings.EqualFold(string(value[numberSize:]), folded) {
				return fmt.Errorf("%w: a table without a name", ErrDamaged)
			}
			t := &table{name: string(value[numberSize:]), number: binary.BigEndian.Uint64(value)}
			stored, exists, err := s.read(numbered(nil, kindTally, t.number))
			if err != nil {
				return err
			}
			if exists {
				tally, err := parseTally(stored)
				if err != nil {
					return err
				}
				t.entities.Store(tally.entities)
				t.floor.Store(int64(tally.floor))
			}
			s.tables[folded], s.number = t, max(s.number, t.number)
			return nil
		}},
	} {
		rows, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kind.of}, UpperBound: []byte{kind.of + 1}})
		if err != nil {
			return err
		}
		var fault error
		for valid := rows.First(); valid && fault == nil; valid = rows.Next() {
			value, err := rows.ValueAndErr()
			if fault = err; err == nil {
				fault = kind.take(string(rows.Key()[1:]), slices.Clone(value))
			}
		}
		if err := cmp.Or(fault, rows.Error(), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

// read returns a copy of what is stored, and false where nothing is.
func (s *Store) read(key []byte) (value []byte, exists bool, err error) {
	stored, free, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	value = append(make([]byte, 0, len(stored)), stored...)
	return value, true, free.Close()
}

// find returns the table of that name, or nil.
func (s *Store) find(name string) *table {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tables[strings.ToLower(name)]
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

// Count returns how many entities a table holds, 0 if the table does not exist.
func (s *Store) Count(name string) int64 {
	if t := s.find(name); t != nil {
		return t.entities.Load()
	}
	return 0
}

// Note returns what is kept with a table, or with the account where the name is empty;
// nil for nothing. It is not to be altered.
func (s *Store) Note(name string) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.notes[strings.ToLower(name)]
}

// Deleted returns until when the names of deleted tables are kept back, by the name in
// lower case.
func (s *Store) Deleted() map[string]entity.Ticks {
	s.mu.RLock()
	defer s.mu.RUnlock()
	kept := make(map[string]entity.Ticks, len(s.deleted))
	for name, until := range s.deleted {
		kept[name] = until
	}
	return kept
}

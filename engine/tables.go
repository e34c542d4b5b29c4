package engine

import (
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/partition"
)

// tableName is whose a table is and what it is called.
type tableName struct{ account, table string }

// Event is what load balancing did to a table after a cold start, and why.
type Event struct {
	partition.Event
	// AccountName and TableName say which table the numbers stand for.
	AccountName, TableName string
}

// DrainEvents returns what load balancing has done since the last call, in the
// order in which it did it; nothing after a warm start.
func (e *Engine) DrainEvents() []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.collect()
	events := e.events
	e.events = nil
	return events
}

// collect names the tables of new events while they are known. The engine's
// mutex is held.
func (e *Engine) collect() {
	for _, event := range e.layer.Events() {
		if len(e.events) == maxEvents {
			return
		}
		name := e.names[event.Table]
		e.events = append(e.events, Event{event, name.account, name.table})
	}
}

// maxEvents is the maximum number of events that are not drained yet.
const maxEvents = 1 << 16

// Prewarm splits a table at the given PartitionKeys, each the first of a range,
// and spreads the ranges over the servers at once. It does nothing after a warm
// start, or if the table does not exist.
func (e *Engine) Prewarm(now clock.Instant, accountName, tableName string, partitionKeys ...string) {
	e.onTable(now, accountName, tableName, func(now clock.Instant, place partition.Place) {
		e.layer.Prewarm(now, place.Account, place.Table, partitionKeys...)
	})
}

// Move hands the range that a PartitionKey lies in over to another server, as
// load balancing would.
func (e *Engine) Move(now clock.Instant, accountName, tableName, partitionKey string, server int) {
	e.onTable(now, accountName, tableName, func(now clock.Instant, place partition.Place) {
		place.PartitionKey = partitionKey
		e.layer.Move(now, place, server)
	})
}

// Map returns what lies where after a cold start, tables by their numbers.
func (e *Engine) Map() partition.Map {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.layer.Map()
}

// TableOf returns whose table has a number of [Engine.Map], and what it is called; nothing
// if there is none.
func (e *Engine) TableOf(number uint32) (account, table string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	name := e.names[number]
	return name.account, name.table
}

// onTable calls with the place of a table that exists, the mutex being held.
func (e *Engine) onTable(now clock.Instant, accountName, tableName string, call func(clock.Instant, partition.Place)) {
	a, known := e.accounts[accountName]
	if !known {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.latest = max(e.latest, now)
	if number, known := e.table(a, tableName); known {
		call(e.latest, partition.Place{Account: a.number, Table: number})
	}
}

// table returns the number of a table that exists. The engine's mutex is held.
func (e *Engine) table(a *account, name string) (uint32, bool) {
	if name == a.asked && a.askedNumber > 0 {
		return a.askedNumber, true
	}
	if number, known := a.tables[name]; known {
		a.asked, a.askedNumber = name, number
		return number, true
	}
	if !a.store.HasTable(name) {
		return 0, false
	}
	folded := strings.ToLower(name)
	number, known := a.tables[folded]
	if !known {
		e.tables++
		number = e.tables
		a.tables[folded] = number
		if e.cold {
			e.names[number] = tableName{a.name, name}
		}
	}
	if len(a.tables) < maxSpellings {
		a.tables[name] = number
	}
	return number, true
}

// maxSpellings bounds how many spellings of table names an account keeps.
const maxSpellings = 4096

// TableNames returns the names of an account's tables as they were created,
// sorted without regard to case; nil for an account that the engine lacks.
func (e *Engine) TableNames(account string) []string {
	if a, known := e.accounts[account]; known {
		return a.store.TableNames()
	}
	return nil
}

// welcome adds a new table to the partition layer.
func (e *Engine) welcome(a *account, now clock.Instant, name string) {
	if !e.cold {
		return
	}
	e.onTable(now, a.name, name, func(now clock.Instant, place partition.Place) {
		e.layer.TableCreated(now, place.Account, place.Table)
	})
}

// reserved are the names of recently deleted tables, which cannot be used
// again yet. The table itself is gone at once, with all that it held: what the service
// takes its time over is to collect what was in it.
type reserved struct {
	// until says by the name in lower case from when on it can be used, order the same
	// names with what until said of them, earliest first.
	until map[string]clock.Instant
	order []reservation
}

type reservation struct {
	name  string
	until clock.Instant
}

// add keeps a name back. Instants do not go back from one call to the next, and each
// name is kept for as long as the others.
func (r *reserved) add(name string, until clock.Instant) {
	if r.until == nil {
		r.until = make(map[string]clock.Instant)
	}
	name = strings.ToLower(name)
	r.until[name] = until
	r.order = append(r.order, reservation{name, until})
}

// release lets go of the names whose time is over by now.
func (r *reserved) release(now clock.Instant) {
	past := 0
	for past < len(r.order) && r.order[past].until <= now {
		// A table that was made and deleted again is kept for longer.
		if one := r.order[past]; r.until[one.name] == one.until {
			delete(r.until, one.name)
		}
		past++
	}
	r.order = r.order[past:]
}

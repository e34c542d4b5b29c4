package engine

import (
	"iter"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
)

// TableState is what a table holds.
type TableState struct {
	// Name is as the table was created.
	Name     string
	Entities int64
}

// Tables returns what the tables of an account hold, sorted by name without
// regard to case; nil for an account that the engine lacks. Each partition is
// counted at an instant of its own. It is no request: nothing is charged or
// counted for it, nor for what follows.
func (e *Engine) Tables(account string) []TableState {
	a, known := e.accounts[account]
	if !known {
		return nil
	}
	var tables []TableState
	for _, name := range a.store.TableNames() {
		tables = append(tables, TableState{name, a.store.Count(name)})
	}
	return tables
}

// Partitions returns how many partitions the partition layer remembers, of all
// accounts: those that were asked for something and have not yet been found idle
// again.
func (e *Engine) Partitions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.layer.Partitions()
}

// Entities goes over the entities of a table in the order of the index, page by
// page: what is written meanwhile may or may not be among them. A table that does
// not exist has none. The entities are the store's, not to be altered.
func (e *Engine) Entities(account, table string) iter.Seq2[entity.Key, entity.Packed] {
	return func(yield func(entity.Key, entity.Packed) bool) {
		a, known := e.accounts[account]
		if !known {
			return
		}
		rest := filter.WholeTable()
		for more := true; more; {
			page, code := a.store.Scan(table, store.Query{Range: rest})
			if code != entity.OK {
				return
			}
			for _, row := range page.Rows {
				if !yield(row.Key, row.Entity) {
					return
				}
			}
			more = page.More
			rest = rest.StartingAt(page.Next)
		}
	}
}

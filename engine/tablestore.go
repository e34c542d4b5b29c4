package engine

import (
	"loadgen/engine/entity"
	"loadgen/engine/store"
)

// Store is one account's tables: what requests mean, without time. Package store has one
// in memory and says what each method means; durable.Store keeps the same in a folder.
// All methods are safe for concurrent use, and each outcome is a code: InternalError of a
// store that cannot go on.
type Store interface {
	CreateTable(name string) entity.Code
	// DeleteTable drops a table at now; until is to be one of Deleted for its name.
	DeleteTable(name string, now, until entity.Ticks) entity.Code
	HasTable(name string) bool
	TableNames() []string
	Count(name string) int64

	Get(name string, k entity.Key) (entity.Packed, entity.Code)
	Scan(name string, q store.Query) (store.Page, entity.Code)
	Apply(name string, c *entity.Change, at entity.Ticks) store.Result
	ApplyBatch(name string, changes []entity.Change, at entity.Ticks) store.BatchResult

	// Note and SetNote are what others keep with a table, or with the account where the
	// name is empty.
	Note(name string) []byte
	SetNote(name string, note []byte) entity.Code
	// Deleted says until when the names of deleted tables are kept back, in lower case.
	Deleted() map[string]entity.Ticks
}

var _ Store = (*store.Store)(nil)

// Note returns what is kept with a table of an account, or with the account itself where
// the table is empty; nil for nothing. Like [Engine.SetNote] it is no request.
func (e *Engine) Note(account, table string) []byte {
	if a, known := e.accounts[account]; known {
		return a.store.Note(table)
	}
	return nil
}

// SetNote replaces what is kept with a table of an account, or with the account itself
// where the table is empty. It goes with the table. The code is TableNotFound where that
// is missing, and InternalError where the store cannot go on.
func (e *Engine) SetNote(account, table string, note []byte) entity.Code {
	if a, known := e.accounts[account]; known {
		return a.store.SetNote(table, note)
	}
	return entity.ResourceNotFound
}

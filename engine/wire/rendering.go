package wire

import "loadgen/engine/entity"

// Rendering is how a reply shows entities. It is not altered once in use, and
// then safe for concurrent use.
type Rendering struct {
	Level Level
	Base  Base
	// Table is the table's name as it was asked for.
	Table string
	// Select are the names to show, nil for all. A name that an entity lacks
	// is shown as null.
	Select []string
}

// AppendEntity appends the body of a reply that shows one entity.
func (r *Rendering) AppendEntity(dst []byte, k entity.Key, p entity.Packed) []byte {
	panic("contract")
}

// AppendPageStart appends what comes before the rows of a page.
func (r *Rendering) AppendPageStart(dst []byte) []byte { panic("contract") }

// AppendRow appends one row of a page; first says that none came before it.
func (r *Rendering) AppendRow(dst []byte, first bool, k entity.Key, p entity.Packed) []byte {
	panic("contract")
}

// AppendPageEnd appends what comes after the rows of a page.
func (r *Rendering) AppendPageEnd(dst []byte) []byte { panic("contract") }

// AppendTable appends the body of a reply about one table.
func (r *Rendering) AppendTable(dst []byte, name string) []byte { panic("contract") }

// AppendTables appends the body of a list of tables.
func (r *Rendering) AppendTables(dst []byte, names []string) []byte { panic("contract") }

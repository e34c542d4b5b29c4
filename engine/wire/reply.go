package wire

import "loadgen/engine/entity"

// Row is an entity that a client read. Its strings and its Packed are copies.
type Row struct {
	Key    entity.Key
	Entity entity.Packed
}

// ParseEntity reads the body of a reply that shows one entity, at minimal or
// full metadata. Its version is that of odata.etag, or else of Timestamp, or 0.
func ParseEntity(text string) (Row, error) { panic("contract") }

// ParsePage appends the entities of a page to dst, which it may reuse, and
// returns the extended slice.
func ParsePage(dst []Row, text string) ([]Row, error) { panic("contract") }

// ParseTables appends the names of a list of tables to dst and returns the
// extended slice.
func ParseTables(dst []string, text string) ([]string, error) { panic("contract") }

package wire

import "loadgen/engine/entity"

// EntityBody is the entity in the body of a request. Parse may be called again
// and again; each call reuses what the one before it made. It belongs to one
// goroutine.
type EntityBody struct {
	Key entity.Key
	// HasPartition and HasRow say which keys the body gives.
	HasPartition, HasRow bool
	// Properties are in the body's order, without nulls, without the system
	// properties and without annotations.
	Properties []entity.Property
}

// Parse reads a JSON object with odata.type annotations. The code is OK, or else
// InvalidInput, PropertyNameInvalid, DuplicateProperties and so on, with one
// line of detail. Limits on names, sizes and numbers are left to
// [entity.Change.Validate], save that reading stops beyond them.
func (b *EntityBody) Parse(text string) (code entity.Code, detail string) { panic("contract") }

// AppendEntityBody appends the body with which a client writes an entity:
// PartitionKey, RowKey and the properties, with the annotations that the types
// need.
func AppendEntityBody(dst []byte, k entity.Key, properties []entity.Property) []byte {
	panic("contract")
}

// ParseTableName reads the body of a Create Table: {"TableName":"N"}.
func ParseTableName(text string) (name string, code entity.Code, detail string) {
	panic("contract")
}

// AppendTableName appends the body of a Create Table.
func AppendTableName(dst []byte, name string) []byte { panic("contract") }

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
	// properties and without annotations. The next Parse reuses the slice, but
	// never what the values are made of: copies of them stay good.
	Properties []entity.Property

	read jsonEntity
}

// Parse reads a JSON object with odata.type annotations. The code is OK, or else
// InvalidInput, PropertyNameInvalid, DuplicateProperties and so on, with one
// line of detail. Limits on names, sizes and numbers are left to
// [loadgen/engine/entity.Change.Validate], except that reading stops above them.
//
// An annotation comes before or after its value. Members whose names begin with
// odata., other annotations and Timestamp are passed over, and so is the type of
// a property that never comes. Strings without escapes are views into the text.
func (b *EntityBody) Parse(text string) (code entity.Code, detail string) {
	b.Key, b.HasPartition, b.HasRow = entity.Key{}, false, false
	b.Properties = b.Properties[:0]
	if code, detail := b.read.parse(text); code != entity.OK {
		return code, detail
	}
	var k jsonKey
	var ok bool
	if b.Properties, ok = b.read.resolve(&k, b.Properties); !ok {
		return b.read.code, b.read.detail
	}
	b.Key, b.HasPartition, b.HasRow = k.Key, k.hasPartition, k.hasRow
	return entity.OK, ""
}

// AppendEntityBody appends the body with which a client writes an entity:
// PartitionKey, RowKey and the properties, with the annotations that the types
// need. It writes UTF-8 as it is, which takes less of the 4 MiB that a request
// may have than escapes would.
func AppendEntityBody(dst []byte, k entity.Key, properties []entity.Property) []byte {
	dst = append(dst, `{"PartitionKey":`...)
	dst = jsonUTF8.appendString(dst, k.Partition)
	dst = append(dst, `,"RowKey":`...)
	dst = jsonUTF8.appendString(dst, k.Row)
	dst = append(dst, ',')
	for i := range properties {
		dst = jsonUTF8.appendProperty(dst, properties[i].Name, &properties[i].Value, true)
	}
	return endJSONObject(dst)
}

// ParseTableName reads the body of a Create Table: {"TableName":"N"}. The code
// is OK, or else InvalidInput, DuplicateProperties or PropertiesNeedValue; the
// name is not looked at further.
func ParseTableName(text string) (name string, code entity.Code, detail string) {
	const tableName = "TableName"
	var read jsonEntity
	if code, detail = read.parse(text); code != entity.OK {
		return "", code, detail
	}
	found := false
	for i := range read.members {
		m := &read.members[i]
		switch {
		case m.kind == 0 || m.kind == jsonNull:
		case m.name != tableName:
			return "", entity.InvalidInput, "unknown table property " + jsonBrief(m.name)
		case m.kind != jsonString || m.edm != 0 && m.edm != entity.TypeString:
			return "", entity.InvalidInput, "TableName is no string"
		default:
			name, found = m.text, true
		}
	}
	if !found {
		return "", entity.PropertiesNeedValue, "missing TableName"
	}
	return name, entity.OK, ""
}

// AppendTableName appends the body of a Create Table.
func AppendTableName(dst []byte, name string) []byte {
	dst = append(dst, `{"TableName":`...)
	dst = jsonUTF8.appendString(dst, name)
	return append(dst, '}')
}

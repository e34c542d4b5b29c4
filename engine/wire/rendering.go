package wire

import (
	"bytes"
	"slices"
	"strings"

	"loadgen/engine/entity"
)

// Rendering is how a reply shows entities. It is not altered once in use, and
// then safe for concurrent use.
type Rendering struct {
	Level Level
	Base  Base
	// Table is the table's name as it was asked for.
	Table string
	// Select are the names to show, nil for all. A name that an entity lacks
	// is shown as null. A * among them is all names again. The caller bounds
	// their number.
	Select []string
}

// AppendEntity appends the body of a reply that shows one entity. It panics on
// a block that was not written by [entity.Pack] or [entity.MergePacked].
func (r *Rendering) AppendEntity(dst []byte, k entity.Key, p entity.Packed) []byte {
	dst = append(dst, '{')
	if r.Level != NoMetadata {
		dst = r.appendMetadata(dst, r.Table, "/@Element", r.selected())
		dst = append(dst, ',')
	}
	return r.appendMembers(dst, k, p)
}

// AppendPageStart appends what comes before the rows of a page.
func (r *Rendering) AppendPageStart(dst []byte) []byte {
	return r.appendListStart(dst, r.Table, r.selected())
}

// AppendRow appends one row of a page; first says that none came before it. It panics as AppendEntity does.
func (r *Rendering) AppendRow(dst []byte, first bool, k entity.Key, p entity.Packed) []byte {
	if !first {
		dst = append(dst, ',')
	}
	return r.appendMembers(append(dst, '{'), k, p)
}

// AppendPageEnd appends what comes after the rows of a page.
func (r *Rendering) AppendPageEnd(dst []byte) []byte { return append(dst, `]}`...) }

// AppendTable appends the body of a reply about one table.
func (r *Rendering) AppendTable(dst []byte, name string) []byte {
	dst = append(dst, '{')
	if r.Level != NoMetadata {
		dst = r.appendMetadata(dst, tableSet, "/@Element", nil)
		dst = append(dst, ',')
	}
	return r.appendTableMembers(dst, name)
}

// AppendTables appends the body of a list of tables.
func (r *Rendering) AppendTables(dst []byte, names []string) []byte {
	dst = r.appendListStart(dst, tableSet, nil)
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.appendTableMembers(append(dst, '{'), name)
	}
	return r.AppendPageEnd(dst)
}

// tableSet is what the tables of an account are called as a set.
const tableSet = "Tables"

// selected returns the selected names, nil for all.
func (r *Rendering) selected() []string {
	if len(r.Select) == 0 || slices.Contains(r.Select, "*") {
		return nil
	}
	return r.Select
}

func (r *Rendering) appendListStart(dst []byte, set string, selected []string) []byte {
	dst = append(dst, '{')
	if r.Level != NoMetadata {
		dst = r.appendMetadata(dst, set, "", selected)
		dst = append(dst, ',')
	}
	return append(dst, `"value":[`...)
}

// appendMetadata appends odata.metadata, which names the names that were asked
// for too.
func (r *Rendering) appendMetadata(dst []byte, set, element string, selected []string) []byte {
	dst = append(dst, `"odata.metadata":"`...)
	dst = jsonASCII.appendEscaped(dst, r.Base.URL)
	dst = append(dst, `/$metadata#`...)
	dst = jsonASCII.appendEscaped(dst, set)
	dst = append(dst, element...)
	for i, name := range selected {
		if i == 0 {
			dst = append(dst, `&$select=`...)
		} else {
			dst = append(dst, ',')
		}
		dst = jsonASCII.appendEscaped(dst, name)
	}
	return append(dst, '"')
}

// appendMembers appends the members of an entity after whatever comes before
// them, and the bracket that ends it.
func (r *Rendering) appendMembers(dst []byte, k entity.Key, p entity.Packed) []byte {
	var room [instantRoom]byte
	timestamp := appendInstant(room[:0], p.Timestamp())
	if r.Level == FullMetadata {
		dst = r.appendType(dst, r.Table)
		dst = append(dst, `"odata.id":"`...)
		dst = jsonASCII.appendEscaped(dst, r.Base.URL)
		dst = r.appendLink(append(dst, '/'), k)
		dst = append(dst, `",`...)
	}
	if r.Level != NoMetadata {
		dst = append(dst, `"odata.etag":"W/\"datetime'`...)
		dst = appendTagged(dst, timestamp)
		dst = append(dst, `'\"",`...)
	}
	if r.Level == FullMetadata {
		dst = append(dst, `"odata.editLink":"`...)
		dst = r.appendLink(dst, k)
		dst = append(dst, `",`...)
	}
	if selected := r.selected(); selected != nil {
		return r.appendSelected(dst, selected, k, timestamp, p)
	}
	dst = append(dst, `"PartitionKey":`...)
	dst = jsonASCII.appendString(dst, k.Partition)
	dst = append(dst, `,"RowKey":`...)
	dst = jsonASCII.appendString(dst, k.Row)
	dst = append(dst, ',')
	dst = r.appendTimestamp(dst, timestamp)
	properties, annotate := p.Cursor(), r.Level != NoMetadata
	for next := (entity.Property{}); properties.Next(&next); {
		dst = jsonASCII.appendProperty(dst, next.Name, &next.Value, annotate)
	}
	if err := properties.Err(); err != nil {
		panic("wire: unpacked entity: " + err.Error())
	}
	return endJSONObject(dst)
}

// appendSelected appends the names that were asked for: the system properties in
// their usual order, then the others in the order of the list, each once.
func (r *Rendering) appendSelected(
	dst []byte, selected []string, k entity.Key, timestamp []byte, p entity.Packed,
) []byte {
	if slices.Contains(selected, jsonPartitionKey) {
		dst = append(dst, `"PartitionKey":`...)
		dst = append(jsonASCII.appendString(dst, k.Partition), ',')
	}
	if slices.Contains(selected, jsonRowKey) {
		dst = append(dst, `"RowKey":`...)
		dst = append(jsonASCII.appendString(dst, k.Row), ',')
	}
	if slices.Contains(selected, jsonTimestamp) {
		dst = r.appendTimestamp(dst, timestamp)
	}
	for i, name := range selected {
		if name == jsonPartitionKey || name == jsonRowKey || name == jsonTimestamp ||
			slices.Contains(selected[:i], name) {
			continue
		}
		if v, ok := p.Lookup(name); ok {
			dst = jsonASCII.appendProperty(dst, name, &v, r.Level != NoMetadata)
		} else {
			dst = append(jsonASCII.appendName(dst, name), `null,`...)
		}
	}
	return endJSONObject(dst)
}

func (r *Rendering) appendType(dst []byte, of string) []byte {
	dst = append(dst, `"odata.type":"`...)
	dst = jsonASCII.appendEscaped(dst, r.Base.Account)
	dst = append(dst, '.')
	dst = jsonASCII.appendEscaped(dst, of)
	return append(dst, `",`...)
}

// appendLink appends an entity's address, relative to the account's.
func (r *Rendering) appendLink(dst []byte, k entity.Key) []byte {
	dst = AppendLinkLiteral(r.AppendLinkStart(dst, k.Partition), k.Row)
	return append(dst, `')`...)
}

// AppendLinkStart appends an entity's address up to its RowKey.
func (r *Rendering) AppendLinkStart(dst []byte, partition string) []byte {
	dst = jsonASCII.appendEscaped(dst, r.Table)
	dst = append(dst, `(PartitionKey='`...)
	dst = AppendLinkLiteral(dst, partition)
	return append(dst, `',RowKey='`...)
}

// AppendLinkLiteral appends the inside of a quoted literal as the service writes
// it into the addresses that it gives out: quotes are doubled and stay quotes,
// and so do the marks that RFC 2396 leaves unreserved; all else is percent-
// encoded. A client's own address need not be the same text.
func AppendLinkLiteral(dst []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	for {
		i := 0
		for i < len(s) && inLink(s[i]) {
			i++
		}
		dst = append(dst, s[:i]...)
		if i == len(s) {
			return dst
		}
		if c := s[i]; c == '\'' {
			dst = append(dst, `''`...)
		} else {
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
		s = s[i+1:]
	}
}

// appendTagged appends a timestamp as entity tags have it, with its colons percent-encoded.
func appendTagged(dst, timestamp []byte) []byte {
	for {
		i := bytes.IndexByte(timestamp, ':')
		if i < 0 {
			return append(dst, timestamp...)
		}
		dst = append(append(dst, timestamp[:i]...), "%3A"...)
		timestamp = timestamp[i+1:]
	}
}

func (r *Rendering) appendTimestamp(dst, timestamp []byte) []byte {
	if r.Level == FullMetadata {
		dst = append(dst, `"Timestamp@odata.type":"Edm.DateTime",`...)
	}
	dst = append(dst, `"Timestamp":"`...)
	dst = append(dst, timestamp...)
	return append(dst, `",`...)
}

// appendTableMembers appends the members that tell of a table, and the bracket.
func (r *Rendering) appendTableMembers(dst []byte, name string) []byte {
	if r.Level == FullMetadata {
		dst = r.appendType(dst, tableSet)
		dst = append(dst, `"odata.id":"`...)
		dst = jsonASCII.appendEscaped(dst, r.Base.URL)
		dst = append(dst, `/Tables('`...)
		dst = jsonASCII.appendEscaped(dst, name)
		dst = append(dst, `')","odata.editLink":"Tables('`...)
		dst = jsonASCII.appendEscaped(dst, name)
		dst = append(dst, `')",`...)
	}
	dst = append(dst, `"TableName":`...)
	dst = jsonASCII.appendString(dst, name)
	return append(dst, '}')
}

// AppendLocation appends the absolute URL of an entity as the service gives it
// out in the headers Location and DataServiceId and in odata.id: the quotes of a
// key are doubled and stay quotes. It names what [AppendEntityPath] names, in
// other letters.
func (r *Rendering) AppendLocation(dst []byte, k entity.Key) []byte {
	dst = append(dst, r.Base.URL...)
	return r.appendLink(append(dst, '/'), k)
}

// IsServiceVersion reports whether a text has the form of a service version: a date,
// 2019-02-02. Versions compare as text.
func IsServiceVersion(text string) bool {
	if len(text) != len("2019-02-02") || text[4] != '-' || text[7] != '-' {
		return false
	}
	return !strings.ContainsFunc(text[:4]+text[5:7]+text[8:], func(c rune) bool { return c < '0' || c > '9' })
}

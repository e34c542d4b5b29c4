package wire

import "loadgen/engine/entity"

// RowsSeen remembers of the rows of a page what comes before each value, the name and
// perhaps a type: the rows of a table mostly have the same properties in the same order,
// and what they have in common is then copied as it is. It holds nothing of any row
// itself, belongs to one goroutine, and is good for any number of pages. The zero value
// has seen none.
type RowsSeen struct{ starts [maxStarts]rowStart }

// maxStarts is of how many properties of a row it is remembered, maxStart up to
// which length.
const (
	maxStarts = 32
	maxStart  = 95
)

// rowStart is what comes before a value: `"Paid@odata.type":"Edm.Int64","Paid":`.
type rowStart struct {
	text [maxStart]byte
	size uint8
	// name is how long the name is, which stands before the end, edm the type that the
	// text tells, 0 for none.
	name uint8
	edm  entity.Type
}

// appendProperty appends the property at an index of a row, and a comma.
func (s *RowsSeen) appendProperty(dst []byte, index int, p *entity.Property, annotate bool) []byte {
	if s == nil || index >= maxStarts {
		return jsonASCII.appendProperty(dst, p.Name, &p.Value, annotate)
	}
	edm := entity.Type(0)
	if annotate && needsAnnotation(&p.Value) {
		edm = p.Value.Type()
	}
	start := &s.starts[index]
	nameEnd := int(start.size) - len(afterName)
	if start.edm == edm && len(p.Name) == int(start.name) && nameEnd >= len(p.Name) &&
		string(start.text[nameEnd-len(p.Name):nameEnd]) == p.Name {
		dst = append(dst, start.text[:start.size]...)
		return jsonASCII.appendValue(dst, &p.Value)
	}
	from := len(dst)
	if edm != 0 {
		dst = jsonASCII.appendAnnotation(dst, p.Name, edm)
	}
	dst = jsonASCII.appendName(dst, p.Name)
	// A text is remembered unless it is too long or has the name in escapes.
	text := dst[from:]
	end := len(text) - len(afterName)
	start.size = 0
	if len(text) <= maxStart && end >= len(p.Name) && string(text[end-len(p.Name):end]) == p.Name {
		start.size, start.name, start.edm = uint8(copy(start.text[:], text)), uint8(len(p.Name)), edm
	}
	return jsonASCII.appendValue(dst, &p.Value)
}

// afterName is what stands between a name and its value.
const afterName = `":`

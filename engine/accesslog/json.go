package accesslog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonReader reads records out of JSON, in whatever they are wrapped, and keeps one at a
// time.
type jsonReader struct {
	visit func(*Entry) error
	from  *jsontext.Decoder
	rules []jsontext.Options
	row   bytes.Reader
	// record is the one under way, over what the last one said: seen are the fields that it
	// has, a bit each. text has room for a value.
	record record
	seen   uint64
	text   []byte
	room   Entry
	// names are those of the record before, which the next one has mostly alike, and step
	// is how many of them were met.
	names []seenName
	step  int
	// passed is told after each entry; it may be nil.
	passed func()
}

// seenName is a name, and the field that it is of.
type seenName struct {
	text  string
	of    field
	known bool
}

// mostNames bounds the names that are kept.
const mostNames = 128

// newJSONReader returns a reader by the rules of encoding/json: of several values of a name
// the last one counts, and a byte that is no UTF-8 is no fault.
func newJSONReader(visit func(*Entry) error) *jsonReader {
	r := &jsonReader{visit: visit, rules: []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}}
	r.from = jsontext.NewDecoder(&r.row, r.rules...)
	return r
}

// line reads the JSON of a line.
func (r *jsonReader) line(text []byte) error {
	r.row.Reset(text)
	r.from.Reset(&r.row, r.rules...)
	err := r.all()
	if wrong := (*jsontext.SyntacticError)(nil); errors.As(err, &wrong) {
		if errors.Is(wrong, io.ErrUnexpectedEOF) {
			return errors.New("the line ends within an object; is the file truncated?")
		}
		return fmt.Errorf("the line is no JSON object of a log: at byte %d: %w", wrong.ByteOffset, wrong.Err)
	}
	return err
}

// all reads one value after the other.
func (r *jsonReader) all() error {
	for {
		if err := r.value(); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// errNoRecord says what stands where a record is expected.
func errNoRecord(kind jsontext.Kind) error {
	return fmt.Errorf("unexpected JSON %s; expected a log object", kind)
}

// value reads a record, or an array of them.
func (r *jsonReader) value() error {
	switch kind := r.from.PeekKind(); kind {
	case '{':
		return r.object()
	case '[':
		return r.each(r.value)
	case 0:
		_, err := r.from.ReadToken()
		return err
	default:
		// What is passed over is in the line that is told.
		if err := r.from.SkipValue(); err != nil {
			return err
		}
		return errNoRecord(kind)
	}
}

// each reads what an array holds; null is an empty one.
func (r *jsonReader) each(read func() error) error {
	switch start, err := r.from.ReadToken(); {
	case err != nil:
		return err
	case start.Kind() == 'n':
		return nil
	case start.Kind() != '[':
		return errNoRecord(start.Kind())
	}
	for r.from.PeekKind() != ']' {
		if err := read(); err != nil {
			return inside(err)
		}
	}
	_, err := r.from.ReadToken()
	return inside(err)
}

// inside turns the end of what is read into one that comes too early.
func inside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// object reads a record, an event of several, or the answer of a workspace.
func (r *jsonReader) object() error {
	r.seen, r.step = 0, 0
	wrapped := false
	err := r.members(func(name []byte) error {
		switch string(name) {
		case "records":
			wrapped = true
			return r.each(r.value)
		case "tables":
			wrapped = true
			return r.each(r.table)
		case "properties":
			return r.nested(func(of field) (field, bool) { return of, of >= fieldDetail })
		case "identity":
			return r.nested(func(of field) (field, bool) { return fieldAuthentication, of == fieldType })
		}
		return r.member(name, func(of field) (field, bool) { return of, true })
	})
	if err != nil || wrapped {
		return err
	}
	for of := range r.record {
		if r.seen&(1<<of) == 0 {
			r.record[of] = ""
		}
	}
	return r.pass(&r.record)
}

// members reads an object, of which read takes each value by its name.
func (r *jsonReader) members(read func(name []byte) error) error {
	if _, err := r.from.ReadToken(); err != nil {
		return err
	}
	for r.from.PeekKind() != '}' {
		name, err := r.from.ReadValue()
		if err != nil {
			return inside(err)
		}
		if err := read(name[1 : len(name)-1]); err != nil {
			return inside(err)
		}
	}
	_, err := r.from.ReadToken()
	return inside(err)
}

// nested reads an object within a record; into says which of its fields go where.
func (r *jsonReader) nested(into func(field) (field, bool)) error {
	if r.from.PeekKind() != '{' {
		return r.from.SkipValue()
	}
	return r.members(func(name []byte) error { return r.member(name, into) })
}

// member reads the value of a name.
func (r *jsonReader) member(name []byte, into func(field) (field, bool)) error {
	r.step++
	var of field
	var known bool
	if r.step <= len(r.names) && r.names[r.step-1].text == string(name) {
		of, known = r.names[r.step-1].of, r.names[r.step-1].known
	} else {
		r.names = r.names[:min(len(r.names), r.step-1)]
		of, known = fieldOf(name)
		if r.step == len(r.names)+1 && r.step <= mostNames {
			r.names = append(r.names, seenName{string(name), of, known})
		}
	}
	if known {
		of, known = into(of)
	}
	if !known {
		return r.from.SkipValue()
	}
	value, err := r.from.ReadValue()
	if err != nil {
		return err
	}
	r.text = appendText(r.text[:0], value)
	r.seen |= 1 << of
	// Most values are those of the record before: one copy of them is enough.
	if string(r.text) != r.record[of] {
		r.record[of] = string(r.text)
	}
	return nil
}

// appendText appends a value as text, whether it is a text in JSON or a number; null is
// none.
func appendText(dst []byte, value jsontext.Value) []byte {
	switch {
	case value.Kind() == 'n':
		return dst
	case value.Kind() != '"':
		return append(dst, value...)
	case bytes.IndexByte(value, '\\') < 0:
		return append(dst, value[1:len(value)-1]...)
	}
	// The error is that of bytes which are no UTF-8, and have been replaced.
	dst, _ = jsontext.AppendUnquote(dst, value)
	return dst
}

func (r *jsonReader) pass(of *record) error {
	if err := of.entry(&r.room); err != nil {
		return err
	}
	if r.passed != nil {
		r.passed()
	}
	return r.visit(&r.room)
}

// table reads what the interface of a workspace answers: columns, and then rows of them.
func (r *jsonReader) table() error {
	if kind := r.from.PeekKind(); kind != '{' {
		return errNoRecord(kind)
	}
	var columns *rowReader
	return r.members(func(name []byte) error {
		switch string(name) {
		case "columns":
			columns = new(rowReader)
			return r.each(func() error { return r.column(columns) })
		case "rows":
			if columns == nil {
				return errors.New("rows precede their columns")
			}
			return r.each(func() error { return r.cells(columns) })
		}
		return r.from.SkipValue()
	})
}

// column reads one of the columns.
func (r *jsonReader) column(of *rowReader) error {
	if kind := r.from.PeekKind(); kind != '{' {
		return errNoRecord(kind)
	}
	return r.members(func(name []byte) error {
		if string(name) != "name" {
			return r.from.SkipValue()
		}
		value, err := r.from.ReadValue()
		if err != nil {
			return err
		}
		of.add(string(appendText(nil, value)))
		return nil
	})
}

// cells reads one row.
func (r *jsonReader) cells(of *rowReader) error {
	r.text = r.text[:0]
	var ends []int
	err := r.each(func() error {
		value, err := r.from.ReadValue()
		if err != nil {
			return err
		}
		r.text = appendText(r.text, value)
		ends = append(ends, len(r.text))
		return nil
	})
	if err != nil {
		return err
	}
	if len(ends) != len(of.into) {
		return fmt.Errorf("a row has %d values, and there are %d columns", len(ends), len(of.into))
	}
	text, from := string(r.text), 0
	for i, to := range ends {
		of.set(i, text[from:to])
		from = to
	}
	return r.pass(&of.record)
}

// streamed reads JSON that is no object a line: an array of rows, or the answer of a
// workspace.
func streamed(text *bufio.Reader, file string, visit func(*Entry) error) error {
	counted := &counter{from: text}
	r := newJSONReader(visit)
	r.from.Reset(counted, r.rules...)
	row := 0
	r.passed = func() { row, counted.since = row+1, 0 }
	err := r.all()
	if err == nil {
		return nil
	}
	unread := r.from.UnreadBuffer()
	line := counted.lines - bytes.Count(unread, []byte{'\n'}) + 1
	wrong := (*jsontext.SyntacticError)(nil)
	switch {
	case counted.failed != nil:
		return unreadable(file, line, counted.failed)
	case errors.Is(err, errLongValue):
		err = errLongValue
	case errors.Is(err, io.ErrUnexpectedEOF):
		line, err = counted.lines+1, errors.New("the file ends within a JSON value; is it truncated?")
	case errors.As(err, &wrong):
		ahead := wrong.ByteOffset - r.from.InputOffset()
		line += bytes.Count(unread[:min(max(0, int(ahead)), len(unread))], []byte{'\n'})
		err = fmt.Errorf("the file is no JSON of a log: %w", wrong.Err)
	case !errors.As(err, new(stopped)):
		err = fmt.Errorf("row %d: %w", row+1, err)
	}
	return fault(file, line, err)
}

var errLongValue = fmt.Errorf("more than %d bytes without a log entry", mostLine)

// counter counts the lines that were read, and the bytes since the last entry.
type counter struct {
	from         io.Reader
	lines, since int
	failed       error
}

// Read implements io.Reader.
func (c *counter) Read(into []byte) (int, error) {
	if c.since > 2*mostLine {
		return 0, errLongValue
	}
	n, err := c.from.Read(into)
	c.since += n
	c.lines += bytes.Count(into[:n], []byte{'\n'})
	if err != nil && err != io.EOF {
		c.failed = err
	}
	return n, err
}

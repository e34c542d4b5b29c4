package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonReader reads records out of JSON, in whatever they are wrapped, and keeps one at a time.
type jsonReader struct {
	from *jsontext.Decoder
	// pass is called for each record, skip for what is none; their errors end the reading.
	pass func(*record) error
	skip func(error) error
	// record is the current one, over what the last one had: seen are the fields that it has, a bit each.
	record record
	seen   uint64
	text   []byte
	// columns are the fields of the columns of a workspace's answer, -1 for one that is not read.
	columns []int
}

// jsonRules are those of encoding/json: of several values of a name the last one counts, and a byte that is
// no UTF-8 is no fault.
var jsonRules = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// readAll reads one value after the other.
func (r *jsonReader) readAll() error {
	for {
		if err := r.value(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// value reads a record, an object with records, or an array of either; null is an empty one.
func (r *jsonReader) value() error {
	switch kind := r.from.PeekKind(); kind {
	case '{':
		return r.object()
	case '[':
		return r.readArray(r.value)
	case 0:
		_, err := r.from.ReadToken()
		return err
	default:
		if err := r.from.SkipValue(); err != nil {
			return err
		}
		return r.skip(fmt.Errorf("unexpected JSON %s; expected a log object", kind))
	}
}

// readArray reads the elements of an array; null is an empty one.
func (r *jsonReader) readArray(read func() error) error {
	if kind := r.from.PeekKind(); kind != '[' {
		if err := r.from.SkipValue(); err != nil || kind == 'n' {
			return err
		}
		return r.skip(fmt.Errorf("unexpected JSON %s; expected an array of a log", kind))
	}
	if _, err := r.from.ReadToken(); err != nil {
		return err
	}
	for r.from.PeekKind() != ']' {
		if err := read(); err != nil {
			return inside(err)
		}
	}
	_, err := r.from.ReadToken()
	return inside(err)
}

var errNoColumns = errors.New("rows precede their columns")

// inside turns the end of what is read into one that comes too early.
func inside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// object reads a record, an event of several, or the answer of a workspace with its tables.
func (r *jsonReader) object() error {
	r.seen = 0
	wrapped := false
	err := r.members(func(name []byte) error {
		wraps := true
		switch string(name) {
		case "records", "tables":
			wrapped = true
			return r.readArray(r.value)
		case "columns":
			wrapped, r.columns = true, []int{}
			return r.readArray(r.column)
		case "rows":
			if wrapped = true; r.columns == nil {
				return errNoColumns
			}
			return r.readArray(r.row)
		case properties, identity:
			if r.from.PeekKind() == '{' {
				object := string(name)
				return r.members(func(name []byte) error { return r.member(name, object) })
			}
		default:
			wraps = false
		}
		if wraps {
			return r.from.SkipValue()
		}
		return r.member(name, "")
	})
	if err != nil || wrapped {
		return err
	}
	for i := range r.record {
		if r.seen&(1<<i) == 0 {
			r.record[i] = ""
		}
	}
	return r.pass(&r.record)
}

// members reads an object; read reads the value of each name.
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

// member reads the value of a name in an object of a record.
func (r *jsonReader) member(name []byte, object string) error {
	i, known := fieldOf(name, object)
	if !known {
		return r.from.SkipValue()
	}
	r.seen |= 1 << i
	return r.read(i)
}

// read reads a value as a field: a text, or a number; null is none.
func (r *jsonReader) read(i int) error {
	value, err := r.from.ReadValue()
	if err != nil {
		return err
	}
	r.text = appendText(r.text[:0], value)
	// Most values are those of the record before: one copy of them is enough.
	if string(r.text) != r.record[i] {
		r.record[i] = string(r.text)
	}
	return nil
}

func appendText(dst []byte, value jsontext.Value) []byte {
	switch {
	case value.Kind() == 'n':
		return dst
	case value.Kind() != '"':
		return append(dst, value...)
	case bytes.IndexByte(value, '\\') < 0:
		return append(dst, value[1:len(value)-1]...)
	}
	// The only error is invalid UTF-8, which has been replaced.
	dst, _ = jsontext.AppendUnquote(dst, value)
	return dst
}

// column reads one of the columns of a workspace's answer.
func (r *jsonReader) column() error {
	r.columns = append(r.columns, -1)
	if r.from.PeekKind() != '{' {
		return r.from.SkipValue()
	}
	return r.members(func(name []byte) error {
		if string(name) != "name" {
			return r.from.SkipValue()
		}
		value, err := r.from.ReadValue()
		if i, known := fieldOf(appendText(nil, value), ""); known {
			r.columns[len(r.columns)-1] = i
		}
		return err
	})
}

// row reads a row of a workspace's answer.
func (r *jsonReader) row() error {
	r.record = record{}
	n := 0
	err := r.readArray(func() error {
		if n++; n > len(r.columns) || r.columns[n-1] < 0 {
			return r.from.SkipValue()
		}
		return r.read(r.columns[n-1])
	})
	switch {
	case err != nil:
		return err
	case n != len(r.columns):
		return r.skip(fmt.Errorf("a row has %d values, and there are %d columns", n, len(r.columns)))
	}
	return r.pass(&r.record)
}

// lineCounter counts the lines that were read, and the bytes since the last record.
type lineCounter struct {
	from         io.Reader
	lines, since int
	failed       error
}

// errLongValue is the error of a JSON text with too much between two records.
var errLongValue = fmt.Errorf("more than %d bytes without a log entry", maxLine)

// Read implements io.Reader.
func (c *lineCounter) Read(into []byte) (int, error) {
	if c.since > 2*maxLine {
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

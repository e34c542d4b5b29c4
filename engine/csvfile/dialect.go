package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
)

// dialect is how a file is written, beside what RFC 4180 has it.
type dialect struct {
	// separator stands between fields.
	separator byte
	// escapes says that a backslash before a quotation mark or another backslash,
	// within quotation marks, makes it one of the text.
	escapes bool
}

// headBytes is how much of a file its dialect is told from.
const headBytes = 64 << 10

// head is the beginning of a file; whole says that there is no more.
type head struct {
	text  []byte
	whole bool
}

// failing is a reader that has failed, and says so again.
type failing struct{ err error }

// Read returns the error.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// named returns how many fields of the first row name a column that is looked for.
func (d dialect) named(h head, o *Options) int {
	if o.Known == nil {
		return 0
	}
	rows := csv.NewReader(bytes.NewReader(h.text))
	rows.Comma, rows.LazyQuotes = rune(d.separator), true
	names, _ := rows.Read()
	n := 0
	for _, name := range names {
		if o.Known(name) {
			n++
		}
	}
	return n
}

// reads reports whether the beginning of a file can be read so; that its last row is
// cut off is no fault.
func (d dialect) reads(h head, o *Options) bool {
	rows, _ := d.reader(bytes.NewReader(h.text), o)
	for {
		_, err := rows.Read()
		var form *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return true
		case errors.As(err, &form):
			// Within quotation marks, a row that is cut off behind a line of it ends with that.
			cut := bytes.Count(h.text, []byte{'\n'})
			return !h.whole && (form.Line > cut || form.Line == cut && errors.Is(form, csv.ErrQuote))
		case err != nil:
			return false
		}
	}
}

// reader returns what takes rows of the dialect apart, and the filter before it.
func (d dialect) reader(from io.Reader, o *Options) (*csv.Reader, *filter) {
	f := &filter{from: from, dialect: d, most: *o, row: 1, now: 1, fields: 1}
	rows := csv.NewReader(f)
	rows.Comma, rows.FieldsPerRecord, rows.ReuseRecord = rune(d.separator), -1, true
	return rows, f
}

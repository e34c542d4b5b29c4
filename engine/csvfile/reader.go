package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"loadgen/engine/nearest"
)

// Options say how a file is to be read.
type Options struct {
	// File is its name, for messages alone, and Holds what is read of it, such as
	// "the keys of", for the message that it cannot be read; empty leaves the
	// reader's own error as it is.
	File, Holds string
	// Row is how many bytes a row may have, as they stand in the file, and Fields how
	// many fields; 0 is 65,536 of either.
	Row, Fields int
	// Bytes is how much text the file may have, unpacked and as UTF-8; 0 is any amount.
	Bytes int64
	// Known reports whether a column has a name that the caller looks for; nil has
	// the separator be a comma.
	Known func(name string) bool
	// Faults is after how many the rest of the file is not looked at; 0 is 20.
	Faults int
	// Kind is what each fault wraps; nil is nothing.
	Kind error
}

// The defaults of [Options].
const (
	defaultBound  = 1 << 16
	defaultFaults = 20
)

// Fault is one thing that is wrong with a file.
type Fault struct {
	File string
	// Line counts from 1; it is the first of a row that takes several.
	Line int
	// What is wrong, and what was expected.
	What string
	// Kind is what the fault wraps.
	Kind error
}

// Error returns "file:line: what".
func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What) }

// Unwrap returns the kind of the fault.
func (f *Fault) Unwrap() error { return f.Kind }

// Reader is a file under way. It belongs to one goroutine.
type Reader struct {
	options Options
	rows    *csv.Reader
	filter  *filter
	// bounded is what is left of the bytes that the file may have, nil for any amount.
	bounded *io.LimitedReader
	// raw are the fields as the library has them, fields as the file does.
	raw, fields []string
	// line is where the row begins, width how many fields the first one has.
	line, width int
	faults      []error
	// broken is the error of what is read from.
	broken error
	// ended is set where there is no sense in another row.
	ended bool
}

// New returns a reader of what another yields, of which it reads the first 64 KiB.
func New(from io.Reader, o Options) *Reader {
	if o.Row == 0 {
		o.Row = defaultBound
	}
	if o.Fields == 0 {
		o.Fields = defaultBound
	}
	if o.Faults == 0 {
		o.Faults = defaultFaults
	}
	from = Text(from)
	var bounded *io.LimitedReader
	if o.Bytes > 0 {
		bounded = &io.LimitedReader{R: from, N: o.Bytes + 1}
		from = bounded
	}
	text, err := io.ReadAll(io.LimitReader(from, headBytes))
	h := head{text: text, whole: err == nil && len(text) < headBytes}
	if err != nil {
		from = failing{err}
	}
	best := dialect{separator: ','}
	most := best.named(h, &o)
	for _, separator := range []byte{';', '\t'} {
		if d := (dialect{separator: separator}); d.named(h, &o) > most {
			best, most = d, d.named(h, &o)
		}
	}
	if escaped := (dialect{best.separator, true}); !best.reads(h, &o) && escaped.reads(h, &o) {
		best = escaped
	}
	rows, filter := best.reader(io.MultiReader(bytes.NewReader(text), from), &o)
	filter.learns = !filter.escapes
	return &Reader{options: o, rows: rows, filter: filter, bounded: bounded, line: 1}
}

// Next moves to the next row that is sound, and reports whether there is one. What is
// wrong with others on the way is kept for [Reader.Err]; that the file is too large is
// told alone, for it is cut there.
func (r *Reader) Next() bool {
	for !r.ended && len(r.faults) < r.options.Faults {
		var err error
		r.raw, err = r.rows.Read()
		if r.bounded != nil && r.bounded.N == 0 {
			r.faults, r.line, r.ended = nil, 1, true
			r.Fault("the file exceeds %d MiB", r.options.Bytes>>20)
			break
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.fail(err)
			continue
		}
		r.line, _ = r.rows.FieldPos(0)
		if r.width == 0 {
			r.width = len(r.raw)
		}
		if len(r.raw) != r.width {
			r.Fault("the row has %d columns; expected %d", len(r.raw), r.width)
			continue
		}
		r.fields = r.fields[:0]
		for _, field := range r.raw {
			r.fields = append(r.fields, strings.TrimPrefix(field, `"`))
		}
		return true
	}
	r.ended = true
	return false
}

// separators are what stands between fields, in words.
var separators = map[byte]string{',': "a comma", ';': "a semicolon", '\t': "a tab"}

// fail keeps why a row could not be read.
func (r *Reader) fail(err error) {
	var bound *boundFault
	var form *csv.ParseError
	var broken *Damage
	switch {
	case errors.As(err, &broken):
		r.ended = true
		r.Fault("%s", broken.what)
	case errors.As(err, &bound):
		r.line, r.ended = bound.line, true
		r.Fault("%s", bound.what)
	case errors.As(err, &form):
		// The names of the columns may be in the first row.
		r.line, r.ended = form.StartLine, r.width == 0
		what := "text follows a closing quotation mark; expected " + separators[r.filter.separator] + ", or two marks for one"
		if errors.Is(form, csv.ErrBareQuote) {
			what = "unexpected quotation mark; expected a quoted field with doubled quotation marks"
		} else if f := r.filter; f.err == io.EOF && f.at == within && f.row == form.StartLine {
			what = "unclosed quotation mark"
		}
		r.Fault("field %d: %s", len(r.raw)+1, what)
	default:
		r.ended = true
		if r.broken = err; r.options.Holds != "" {
			r.broken = fmt.Errorf("reading %s %s: %w", r.options.Holds, r.options.File, err)
		}
	}
}

// Fields returns the fields of the row. The slice is good until the next row; the texts
// are parts of one, which each of them keeps.
func (r *Reader) Fields() []string { return r.fields }

// Column returns where the row names a column. That it does not, or does twice, is a
// fault of the row.
func (r *Reader) Column(name string) (at int, found bool) {
	at = slices.Index(r.fields, name)
	switch {
	case at < 0:
		r.Fault("%s", nearest.Unknown("column", name, r.fields))
		return 0, false
	case slices.Contains(r.fields[at+1:], name):
		r.Fault("column %s occurs twice; expected once", nearest.Shown(name))
		return 0, false
	}
	return at, true
}

// Absent reports whether there is nothing at all in a field of the row, not even
// quotation marks.
func (r *Reader) Absent(field int) bool { return r.raw[field] == "" }

// Line returns the line at which the row begins, counted from 1.
func (r *Reader) Line() int { return r.line }

// Fault keeps what is wrong with the row.
func (r *Reader) Fault(format string, args ...any) {
	r.faults = append(r.faults, &Fault{r.options.File, r.line, fmt.Sprintf(format, args...), r.options.Kind})
}

// Err returns the error of what was read from, or else joins the faults so far, each
// a [*Fault]; nil where there is neither.
func (r *Reader) Err() error {
	if r.broken != nil {
		return r.broken
	}
	return errors.Join(r.faults...)
}

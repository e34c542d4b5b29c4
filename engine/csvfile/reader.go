package csvfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
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
	// Known reports whether a column has a name that the caller looks for. Without such a column the
	// separator is a comma, unless the first row has none of these and several fields otherwise.
	Known func(name string) bool
	// Names are other names for columns: those of the file by the names that the caller looks for.
	Names map[string]string
	// Dirty allows one row in a hundred that cannot be read. They are skipped and counted, as are blank
	// rows and comments, and text that is not UTF-8 is read as Windows-1252.
	Dirty bool
	// Faults is the number of faults after which reading stops; 0 is 20.
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
	Counts
	options Options
	rows    *scanner
	// bounded limits the bytes of the file, nil for no limit.
	bounded *io.LimitedReader
	// fields belong to the current row, raw to the row that was read last.
	raw, fields []string
	// ahead are rows that FindTimes has read before their turn.
	ahead []heldRow
	// line is where the row begins, width how many fields the first one has.
	line, width int
	faults      []*Fault
	// skippedLine is the line of the last skipped row.
	skippedLine int
	// commented reports whether the file begins with comments, wide whether it is UTF-16.
	commented, wide bool
	// broken is the error of the underlying reader.
	broken error
	// ended reports that no further row can be read.
	ended bool

	times []timeColumn
}

type heldRow struct {
	raw  []string
	line int
}

// New returns a reader of a file. It reads the first 64 KiB at once.
func New(from io.Reader, o Options) *Reader {
	o.Row, o.Fields, o.Faults = cmp.Or(o.Row, defaultBound), cmp.Or(o.Fields, defaultBound), cmp.Or(o.Faults, defaultFaults)
	if known, renamed := o.Known, slices.Collect(maps.Values(o.Names)); len(renamed) > 0 && known != nil {
		o.Known = func(name string) bool { return known(name) || slices.Contains(renamed, name) }
	}
	r := &Reader{options: o, line: 1, Counts: Counts{Skips: *NewSkips(o.File, o.Kind, o.Faults)}}
	from = Text(from)
	_, r.wide = from.(*wide)
	if o.Bytes > 0 {
		r.bounded = &io.LimitedReader{R: from, N: o.Bytes + 1}
		from = r.bounded
	}
	text, err := io.ReadAll(io.LimitReader(from, headBytes))
	h := head{text: text, whole: err == nil && len(text) < headBytes}
	if err != nil {
		from = failing{err}
	}
	if o.Dirty {
		from = h.fixLineEnds(from)
		r.commented = h.dropComments(&o)
	}
	best := dialect{separator: h.separator(&o)}
	if escaped := (dialect{best.separator, true}); !best.reads(h, &o) && escaped.reads(h, &o) {
		best = escaped
	}
	r.rows = best.scanner(io.MultiReader(bytes.NewReader(h.text), from), &o)
	r.rows.learns = !best.escapes
	return r
}

// Next moves to the next valid row, and reports whether there is one. It keeps the faults of other rows for
// [Reader.Err]; a file that is too large has only that fault.
func (r *Reader) Next() bool {
	if len(r.ahead) > 0 {
		r.raw, r.line, r.ahead = r.ahead[0].raw, r.ahead[0].line, r.ahead[1:]
	} else if !r.read() {
		return false
	}
	r.fields = r.raw
	return true
}

// read reads the next row that is sound into raw.
func (r *Reader) read() bool {
	for !r.ended && len(r.faults) < r.options.Faults {
		err := r.rows.next()
		if r.bounded != nil && r.bounded.N == 0 {
			r.faults, r.line, r.ended = nil, 1, true
			r.Fault("the file exceeds %d MiB", r.options.Bytes>>20)
			break
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.Rows++
			r.fail(err)
			continue
		}
		r.raw, r.line = r.rows.fields, r.rows.line
		if r.width == 0 {
			r.width = len(r.raw)
			r.decode()
			r.rename()
			r.ended = len(r.faults) > 0
			return !r.ended
		}
		if r.options.Dirty && (r.isBlank() || r.isComment()) {
			continue
		}
		r.Rows++
		if len(r.raw) != r.width {
			r.Skip("the row has %d columns; expected %d", len(r.raw), r.width)
			continue
		}
		if r.options.Dirty && !r.decode() {
			r.Skip("the text is neither UTF-8 nor Windows-1252")
			continue
		}
		return true
	}
	r.ended = true
	return false
}

// separators are what stands between fields, in words.
var separators = map[byte]string{',': "a comma", ';': "a semicolon", '\t': "a tab", '|': "a vertical bar"}

// fail keeps why a row could not be read.
func (r *Reader) fail(err error) {
	var row *rowFault
	var broken *Damage
	switch {
	case errors.As(err, &broken):
		r.ended = true
		r.Fault("%s", broken.what)
	case errors.As(err, &row) && row.fatal:
		r.line, r.ended = r.rows.line, true
		r.Fault("%s", row.what)
	case errors.As(err, &row):
		// The names of the columns may be in the first row.
		r.line, r.ended = r.rows.line, r.width == 0
		r.Skip("%s", row.what)
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

// Column returns where the row names a column: exactly so, or else as the only one in other letters or with other
// separators of words. It is a fault of the row if there is no such column, or more than one.
func (r *Reader) Column(name string) (at int, found bool) {
	same := func(one string) bool { return one == name }
	if !slices.ContainsFunc(r.fields, same) {
		same = func(one string) bool { return PlainName(one) == PlainName(name) }
	}
	at = slices.IndexFunc(r.fields, same)
	switch {
	case at < 0:
		r.Fault("%s", nearest.Unknown("column", name, r.fields))
		return 0, false
	case slices.ContainsFunc(r.fields[at+1:], same):
		r.Fault("column %s occurs twice; expected once", nearest.Quote(name))
		return 0, false
	}
	return at, true
}

// separatorsOfWords are the characters that words of a name may have between them.
var separatorsOfWords = strings.NewReplacer("_", "", "-", "", " ", "")

// PlainName returns the name of a column in lower case without separators of words.
func PlainName(name string) string { return strings.ToLower(separatorsOfWords.Replace(name)) }

// Absent reports whether there is nothing at all in a field of the row, not even
// quotation marks.
func (r *Reader) Absent(field int) bool { return r.fields[field] == "" && !r.rows.quoted[field] }

// Line returns the line at which the row begins, counted from 1.
func (r *Reader) Line() int { return r.line }

// Fault keeps what is wrong with the row.
func (r *Reader) Fault(format string, args ...any) {
	r.faults = append(r.faults, &Fault{r.options.File, r.line, fmt.Sprintf(format, args...), r.options.Kind})
}

// Skip leaves out the row, in a file that may be dirty; what is wrong with it is kept for [Reader.Err].
func (r *Reader) Skip(format string, args ...any) {
	if !r.options.Dirty || r.width == 0 {
		r.Fault(format, args...)
		return
	}
	if r.line == r.skippedLine {
		// A row may have several faults, and counts once.
		r.Skipped--
	}
	r.skippedLine = r.line
	r.ended = r.Counts.Skip(r.line, format, fmt.Sprintf(format, args...)) || r.ended
}

// Err returns the error of the underlying reader, or else joins the faults so far, each a [*Fault]. Skipped rows are
// faults if there are too many.
func (r *Reader) Err() error {
	if r.broken != nil {
		return r.broken
	}
	return r.Counts.Err(r.faults...)
}

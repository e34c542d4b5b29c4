package arrival

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// TraceOptions say how a trace is to be read.
type TraceOptions struct {
	// File is the name of the file, for messages alone.
	File string
	// Operations are the names that rows may have, each with the number that
	// [Row.Operation] then is, from 0 to 65,535.
	Operations map[string]int
	// Most is the greatest number of rows, 0 for [MaxTraceRows].
	Most int
	// Unknown returns what is said of a name that is none of them; nil has it
	// listed what is expected.
	Unknown func(name string) string
}

// TraceFault is one thing that is wrong with the file of a trace. It wraps
// [ErrSchedule].
type TraceFault struct {
	File string
	// Line counts from 1.
	Line int
	// What is wrong, and what was expected.
	What string
}

// Error returns "file:line: what".
func (f *TraceFault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What) }

// Unwrap returns [ErrSchedule].
func (f *TraceFault) Unwrap() error { return ErrSchedule }

// Bounds of a trace. Beyond mostTraceFaults the rest of a file is not looked at.
const (
	MaxTraceRows    = 10_000_000
	mostTraceFaults = 20
	// mostTraceLine is the longest line in bytes: two keys at their longest, in
	// quotes, and some room.
	mostTraceLine = 16 << 10
	// mostTraceText bounds all keys together, in bytes.
	mostTraceText = 1 << 30
)

// traceColumns are the names of the columns: of one, or of all four.
var traceColumns = [...]string{"instant", "operation", "PartitionKey", "RowKey"}

// ReadTrace reads a trace as CSV, row by row: an instant, or an instant, the name
// of an operation, a PartitionKey and a RowKey; a first line may name the columns.
// Instants are seconds (12.5), durations (12500ms) or RFC 3339 times, all of one
// kind, that do not fall; they count from the first. Fields that hold a comma or a
// quotation mark stand in quotation marks, which are doubled within.
//
// The error joins up to twenty [*TraceFault], or is that of the reader.
func ReadTrace(from io.Reader, o TraceOptions) (*Trace, error) {
	r := &traceReader{TraceOptions: o, trace: new(Trace)}
	if r.Most == 0 {
		r.Most = MaxTraceRows
	}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), mostTraceLine)
	for lines.Scan() && len(r.faults) < mostTraceFaults {
		r.line++
		if !r.read(strings.TrimSuffix(lines.Text(), "\r")) {
			break
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		r.line++
		r.fault("the line has more than %d bytes; expected a shorter one", mostTraceLine)
	case err != nil:
		return nil, fmt.Errorf("reading the trace %s: %w", o.File, err)
	}
	if len(r.faults) == 0 && len(r.trace.at) == 0 {
		r.line = max(1, r.line)
		r.fault("the trace has no row; expected instants, one in a line")
	}
	if err := errors.Join(r.faults...); err != nil {
		return nil, err
	}
	r.trace.text = r.text.String()
	r.trace.length = r.trace.at[len(r.trace.at)-1] + 1
	return r.trace, nil
}

// traceReader is a trace under way.
type traceReader struct {
	TraceOptions
	trace  *Trace
	text   strings.Builder
	faults []error
	line   int
	// columns and kind are those of the first row, first is its instant and last
	// that of the row before, by a clock of the file's own.
	columns     int
	kind        instantKind
	first, last time.Time
}

func (r *traceReader) fault(format string, args ...any) {
	r.faults = append(r.faults, &TraceFault{r.File, r.line, fmt.Sprintf(format, args...)})
}

// read takes a line, and reports whether there is any sense in the next.
func (r *traceReader) read(line string) bool {
	if r.line == 1 {
		line = strings.TrimPrefix(line, "\uFEFF")
	}
	if !utf8.ValidString(line) {
		r.fault("the line is not UTF-8; expected text")
		return true
	}
	var room [len(traceColumns) + 1]string
	fields, wrong := splitLine(room[:0], line)
	switch {
	case wrong != "":
		r.fault("%s", wrong)
	case r.line == 1 && (len(fields) == 1 || len(fields) == len(traceColumns)) && slices.Equal(fields, traceColumns[:len(fields)]):
		r.columns = len(fields)
	case r.columns == 0 && len(fields) != 1 && len(fields) != len(traceColumns):
		r.fault("the row has %d columns; expected an instant, or instant, operation, PartitionKey and RowKey", len(fields))
		r.columns = len(traceColumns)
	case r.columns > 0 && len(fields) != r.columns:
		r.fault("the row has %d columns; expected %d", len(fields), r.columns)
	case len(r.trace.at) == r.Most:
		r.fault("the trace goes on; expected at most %d rows", r.Most)
		return false
	default:
		r.columns = len(fields)
		return r.row(fields)
	}
	return true
}

// row takes the fields of a row.
func (r *traceReader) row(fields []string) bool {
	at, sound := r.instant(fields[0])
	operation, key := -1, entity.Key{}
	if len(fields) > 1 {
		var known bool
		if operation, known = r.Operations[fields[1]]; !known {
			r.fault("%s", r.unknown(fields[1]))
			sound = false
		}
		key = entity.Key{Partition: fields[2], Row: fields[3]}
		if code, detail := entity.ValidateKey(key); code != entity.OK {
			r.fault("%s: %s", code, detail)
			sound = false
		}
		if r.text.Len()+len(key.Partition)+len(key.Row) > mostTraceText {
			r.fault("the keys of the trace have more than %d bytes; expected fewer", mostTraceText)
			return false
		}
	}
	if sound {
		r.trace.add(at, &r.text, operation, key)
	}
	return true
}

// instant returns the time since the first row.
func (r *traceReader) instant(text string) (time.Duration, bool) {
	at, kind := parseInstant(text)
	switch {
	case kind == noInstant:
		r.fault("the instant is %q; expected seconds such as 12.5, a duration such as 12500ms, or a time such as 2026-01-02T15:04:05.5Z", text)
		return 0, false
	case r.kind == noInstant:
		r.kind, r.first, r.last = kind, at, at
	case kind != r.kind:
		r.fault("the instant is %q, %s; expected %s as in the rows before", text, kind, r.kind)
		return 0, false
	}
	if at.Before(r.last) {
		r.fault("the instant %s lies before that of the row above; expected instants that do not fall", text)
		return 0, false
	}
	if at.Sub(r.first) >= MaxLength {
		r.fault("the instant %s lies %v or more after the first; expected less", text, MaxLength)
		return 0, false
	}
	r.last = at
	return at.Sub(r.first), true
}

// unknown returns what is wrong with the name of an operation.
func (r *traceReader) unknown(name string) string {
	if r.Unknown != nil {
		return r.Unknown(name)
	}
	return fmt.Sprintf("unknown operation %q; expected one of %s", name, strings.Join(slices.Sorted(maps.Keys(r.Operations)), ", "))
}

package arrival

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"loadgen/engine/clock"
	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
)

// TraceOptions say how a trace is to be read.
type TraceOptions struct {
	// File is the name of the file, for messages alone.
	File string
	// Operations are the names that rows may have, each with the number that
	// [Row.Operation] then is, from 0 to 65,535.
	Operations map[string]int
	// Time is the column that holds the instants, of a file that names its columns;
	// empty for one of instants alone, or of instants, operations and keys.
	Time string
	// Most is the greatest number of rows, 0 for [MaxTraceRows].
	Most int
	// Unknown returns what is said of a name that is none of them; nil has it
	// listed what is expected.
	Unknown func(name string) string
}

// Bounds of a trace.
const (
	MaxTraceRows = 10_000_000
	// MinSpeed and MaxSpeed bound the speed of a replay.
	MinSpeed = 0.001
	MaxSpeed = 1000
	// mostTraceRow is the longest row in bytes: two keys at their longest, in
	// quotes, and some room.
	mostTraceRow = 16 << 10
	// mostTraceText bounds all keys together, in bytes.
	mostTraceText = 1 << 30
	// mostTraceBytes bounds the text of a file, unpacked: a small one can hold an endless
	// one. mostTimedRow is the longest row of a file of which the time alone is read.
	mostTraceBytes = 4 << 30
	mostTimedRow   = 1 << 20
)

// traceColumns are the names of the columns: of one, or of all four.
var traceColumns = [...]string{"instant", "operation", "PartitionKey", "RowKey"}

// ReadTrace reads a trace as CSV, row by row: an instant, or an instant, the name
// of an operation, a PartitionKey and a RowKey; a first line may name the columns.
// Instants are seconds (12.5), durations (12500ms) or RFC 3339 times, all of one
// kind, that do not fall; they count from the first. Where all are whole seconds or whole
// minutes, rows with the same one are spread evenly over it. Of a file with a column for the
// time nothing else is read.
//
// The error joins up to twenty [*csvfile.Fault], each of which wraps [ErrSchedule], or
// is that of the reader.
func ReadTrace(from io.Reader, o TraceOptions) (*Trace, error) {
	r := &traceReader{TraceOptions: o, trace: new(Trace)}
	r.Most = cmp.Or(o.Most, MaxTraceRows)
	longest := mostTraceRow
	if o.Time != "" {
		longest = mostTimedRow
	}
	r.Reader = csvfile.New(from, csvfile.Options{File: o.File, Holds: "the trace", Row: longest, Bytes: mostTraceBytes, Kind: ErrSchedule,
		Known: func(name string) bool {
			return name == o.Time || o.Time == "" && slices.Contains(traceColumns[:], name)
		}})
	for more := r.Next() && r.begin(); more && r.Next(); {
		more = r.read()
	}
	if r.Err() == nil && len(r.trace.at) == 0 {
		r.Fault("the trace has no row; expected instants, one in a line")
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	t, unit := r.trace, r.resolution.Unit()
	for from, to := 0, 0; from < len(t.at) && unit > 0; from = to {
		for to = from; to < len(t.at) && t.at[to] == t.at[from]; to++ {
		}
		for i := from + 1; i < to; i++ {
			t.at[i] += r.resolution.Offset(i-from, to-from)
			t.SpreadOver = unit
		}
	}
	t.text, t.length = r.text.String(), t.at[len(t.at)-1]+1
	return t, nil
}

// traceReader is a trace under way.
type traceReader struct {
	TraceOptions
	*csvfile.Reader
	trace *Trace
	text  strings.Builder
	// time is the column of the instants.
	time int
	// kind is that of the first row, first is its instant and last that of the row
	// before, by a clock of the file's own.
	kind        clock.Notation
	first, last clock.Instant
	resolution  clock.Resolution
}

// begin takes the first row, and reports whether there is any sense in the next.
func (r *traceReader) begin() bool {
	switch columns := r.Fields(); {
	case r.Time != "":
		var found bool
		r.time, found = r.Column(r.Time)
		return found
	case len(columns) != 1 && len(columns) != len(traceColumns):
		r.Fault("the row has %d columns; expected time, or time, operation, PartitionKey and RowKey", len(columns))
		return false
	case slices.Equal(columns, traceColumns[:len(columns)]):
		return true
	}
	return r.read()
}

// read takes a row, and reports whether there is any sense in the next.
func (r *traceReader) read() bool {
	for i, field := range r.Fields() {
		if !utf8.ValidString(field) {
			r.Fault("field %d is not UTF-8; expected text", i+1)
			return true
		}
	}
	if len(r.trace.at) == r.Most {
		r.Fault("the trace goes on; expected at most %d rows", r.Most)
		return false
	}
	if r.Time != "" {
		if at, sound := r.instant(r.Fields()[r.time]); sound {
			r.trace.add(at, nil, -1, entity.Key{})
		}
		return true
	}
	columns := r.Fields()
	at, sound := r.instant(columns[0])
	operation, key := -1, entity.Key{}
	if len(columns) > 1 {
		var known bool
		if operation, known = r.Operations[columns[1]]; !known {
			what := fmt.Sprintf("unknown operation %q; expected one of %s", columns[1], strings.Join(slices.Sorted(maps.Keys(r.Operations)), ", "))
			if r.Unknown != nil {
				what = r.Unknown(columns[1])
			}
			r.Fault("%s", what)
			sound = false
		}
		key = entity.Key{Partition: columns[2], Row: columns[3]}
		if code, detail := entity.ValidateKey(key); code != entity.OK {
			r.Fault("%s: %s", code, detail)
			sound = false
		}
		if r.text.Len()+len(key.Partition)+len(key.Row) > mostTraceText {
			r.Fault("the keys of the trace have more than %d bytes; expected fewer", mostTraceText)
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
	at, kind := clock.ParseInstant(text)
	switch {
	case kind == clock.None, kind == clock.Milliseconds, kind == clock.Lengths && (at < 0 || text[0] == '+'):
		r.Fault("the instant is %q; expected seconds such as 12.5, a duration such as 12500ms, or a time such as 2026-01-02T15:04:05.5Z", text)
		return 0, false
	case r.kind == clock.None:
		r.kind, r.first, r.last = kind, at, at
	case kind != r.kind:
		r.Fault("the instant is %q, %s; expected %s as in the rows before", text, kind, r.kind)
		return 0, false
	}
	if at < r.last {
		expected := "instants that do not fall"
		if r.Time != "" {
			expected = "the file sorted by " + r.Time
		}
		r.Fault("the instant %s lies before that of the row above; expected %s", text, expected)
		return 0, false
	}
	if length := at.Sub(r.first); length < 0 || length >= MaxLength {
		r.Fault("the instant %s lies %v or more after the first; expected less", text, MaxLength)
		return 0, false
	}
	r.last = at
	r.resolution.Add(at)
	return at.Sub(r.first), true
}

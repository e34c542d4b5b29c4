package arrival

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

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
	// empty for one of instants alone, or of instants, operations and keys. It may name two, as of
	// [csvfile.Reader.TimeColumns]. TimeFormat is the format of the instants, empty to find it.
	Time, TimeFormat string
	// InOrder refuses a file with a column for the time that is not in its order; others are sorted.
	InOrder bool
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
	// maxTraceRow is the longest row in bytes: two keys at their longest, in
	// quotes, and some room.
	maxTraceRow = 16 << 10
	// maxTraceText bounds all keys together, in bytes.
	maxTraceText = 1 << 30
	// maxTraceBytes bounds the text of a file, unpacked: a small one can hold an endless
	// one. maxTimedRow is the longest row of a file from which only the time is read.
	maxTraceBytes = 4 << 30
	maxTimedRow   = 1 << 20
)

// traceColumns are the names of the columns: of one, or of all four.
var traceColumns = [...]string{"instant", "operation", "PartitionKey", "RowKey"}

// ReadTrace reads a trace as CSV, row by row: an instant, or an instant, the name
// of an operation, a PartitionKey and a RowKey; a first line may name the columns.
// Instants are of one format that [clock.TimeColumn] reads, and do not fall; they count from the first.
// Where all are whole days, hours, minutes or seconds, rows with the same one are spread evenly over it. Of
// a file with a column for the time nothing else is read, and rows out of order are sorted.
//
// One row in a hundred may be skipped. The error joins up to twenty [*csvfile.Fault] that wrap
// [ErrSchedule], or is the error of the reader.
func ReadTrace(from io.Reader, o TraceOptions) (*Trace, error) {
	r := &traceReader{TraceOptions: o, trace: new(Trace)}
	r.Most = cmp.Or(o.Most, MaxTraceRows)
	longest := maxTraceRow
	if o.Time != "" {
		longest = maxTimedRow
	}
	r.Reader = csvfile.New(from, csvfile.Options{File: o.File, Holds: "the trace", Row: longest, Bytes: maxTraceBytes, Kind: ErrSchedule, Dirty: true,
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
	if t.Notes = r.Notes(); r.falling > 0 {
		slices.Sort(t.at)
		t.Notes = append(t.Notes, fmt.Sprintf("%d rows were not in the order of time: sorted", r.falling))
	}
	for i, first := 0, t.at[0]; i < len(t.at); i++ {
		t.at[i] -= first
	}
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
	// begun says that a row was read, first is its instant and last the latest so far, by a clock of the
	// file's own. Falling counts the rows before that.
	begun       bool
	first, last clock.Instant
	falling     int
	resolution  clock.Resolution
}

// begin takes the first row, and reports whether there is any sense in the next.
func (r *traceReader) begin() bool {
	at := []int{0}
	switch columns := r.Fields(); {
	case r.Time != "":
		var found bool
		if at, found = r.TimeColumns(r.Time); !found {
			return false
		}
	case len(columns) != 1 && len(columns) != len(traceColumns):
		r.Fault("the row has %d columns; expected time, or time, operation, PartitionKey and RowKey", len(columns))
		return false
	case !slices.Equal(columns, traceColumns[:len(columns)]):
		r.Unread()
	}
	return r.FindTimes(r.TimeFormat, at)
}

// read takes a row, and reports whether there is any sense in the next.
func (r *traceReader) read() bool {
	if len(r.trace.at) == r.Most {
		r.Fault("the trace goes on; expected at most %d rows", r.Most)
		return false
	}
	columns := r.Fields()
	at, sound := r.instant()
	operation, key := -1, entity.Key{}
	if r.Time == "" && len(columns) > 1 {
		var known bool
		if operation, known = r.Operations[columns[1]]; !known {
			what := fmt.Sprintf("unknown operation %q; expected one of %s", columns[1], strings.Join(slices.Sorted(maps.Keys(r.Operations)), ", "))
			if r.Unknown != nil {
				what = r.Unknown(columns[1])
			}
			r.Skip("%s", what)
			sound = false
		}
		key = entity.Key{Partition: columns[2], Row: columns[3]}
		if code, detail := entity.ValidateKey(key); code != entity.OK {
			r.Skip("%s: %s", code, detail)
			sound = false
		}
		if r.text.Len()+len(key.Partition)+len(key.Row) > maxTraceText {
			r.Fault("the keys of the trace have more than %d bytes; expected fewer", maxTraceText)
			return false
		}
	}
	if sound {
		r.trace.add(at, &r.text, operation, key)
	}
	return true
}

// instant returns the time of the row.
func (r *traceReader) instant() (time.Duration, bool) {
	at, sound := r.TimeOf(0)
	if !sound {
		return 0, false
	}
	if !r.begun {
		r.begun, r.first, r.last = true, at, at
	}
	if length := at.Sub(r.first).Abs(); length < 0 || length >= MaxLength {
		r.Fault("the instant %s lies %v or more after the first; expected less", r.TimeText(0), MaxLength)
		return 0, false
	}
	if at < r.last {
		switch {
		case r.Time == "":
			r.Fault("the instant %s lies before that of the row above; expected instants that do not fall", r.TimeText(0))
			return 0, false
		case r.InOrder:
			r.Fault("the instant %s lies before that of the row above; expected the file sorted by %s", r.TimeText(0), r.Time)
			return 0, false
		}
		r.falling++
	}
	r.last = max(r.last, at)
	r.resolution.Add(at)
	return at.Offset(), true
}

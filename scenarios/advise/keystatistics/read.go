package keystatistics

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/csvfile"
	"loadgen/engine/nearest"
)

// ReadOptions describe how to read a file of keys.
type ReadOptions struct {
	// File is the name of the file in messages.
	File string
	// Time is the column of the instants; if it is empty, the column with such a name.
	Time string
	// Progress is called with the number of rows after every 65,536 rows and at the end; it may be nil.
	Progress func(rows int64)
}

// Reading is what was read of a file.
type Reading struct {
	// Rows counts the rows below the header.
	Rows int64
	// Ignored are the names of the columns that were not used.
	Ignored []string
	// Timed is false without a column of instants: rows then count as inserted in their order. Falling
	// counts the rows with an instant before that of an earlier row.
	Timed   bool
	Falling int64
}

// progressRows is the number of rows between two calls of Progress.
const progressRows = 1 << 16

// ReadKeys adds all rows of a CSV file. The header names the columns: PartitionKey, and optionally
// RowKey, instant (or time, timestamp), entities (or count; default 1) and operation (or verb; default
// insert). Other columns are ignored. For a file without a PartitionKey see [ReadCandidates].
//
// Instants are RFC 3339 times, seconds or milliseconds since 1970, or durations such as 1h2m, all of one
// kind; a row may have none. Invalid keys are no fault of the file: the statistics count them.
//
// The error joins up to twenty [*csvfile.Fault], each wrapping [ErrKeys], or is that of the reader. Rows
// before a fault have been added.
func ReadKeys(from io.Reader, o ReadOptions, s *Statistics) (Reading, error) {
	r := reader{ReadOptions: o, into: []*Statistics{s}, spelled: make(map[string]Kind)}
	known := func(name string) bool { return meaningOf(name) != ignoredColumn || misspelled(name) != "" }
	r.Reader = csvfile.New(from, csvfile.Options{File: o.File, Holds: "the keys of", Known: known, Kind: ErrKeys})
	return r.run(r.findKeys, "there is no key; expected a PartitionKey in each line")
}

// reader reads the rows of one file.
type reader struct {
	ReadOptions
	*csvfile.Reader
	reading Reading
	// into are the statistics of each design, designs form their keys.
	into    []*Statistics
	designs []design
	// header is the first row of a file of candidates.
	header []string
	// time, entities and operation are columns, -1 for none.
	time, entities, operation int
	// notation is that of the instants so far, latest the latest of them.
	notation clock.Notation
	latest   clock.Instant
	// spelled are the spellings of operations so far.
	spelled map[string]Kind
}

// design forms the keys of a row. A fault is empty for none.
type design struct {
	partition, row func(fields []string) (key, fault string)
}

// column returns the key in a column, an empty one for -1.
func column(at int) func([]string) (string, string) {
	return func(fields []string) (string, string) {
		if at < 0 {
			return "", ""
		}
		return fields[at], ""
	}
}

// run reads the header with begin, and all rows. The fault is for a file without rows.
func (r *reader) run(begin func() bool, fault string) (Reading, error) {
	if r.Next() {
		for sound := begin(); sound && r.Next(); {
			r.row()
		}
	}
	if r.Err() == nil && r.Progress != nil {
		r.Progress(r.reading.Rows)
	}
	if r.Err() == nil && r.reading.Rows == 0 {
		r.Fault("%s", fault)
	}
	return r.reading, r.Err()
}

// findKeys finds the columns of a file of keys.
func (r *reader) findKeys() bool {
	h, fault := headerOf(r.Fields())
	if fault != "" {
		r.Fault("%s", fault)
		return false
	}
	at := func(meaning columnMeaning) int { return slices.Index(h.meanings, meaning) }
	r.time, r.entities, r.operation = at(instantColumn), at(entitiesColumn), at(operationColumn)
	r.designs = []design{{column(at(partitionColumn)), column(at(rowColumn))}}
	r.reading.Timed, r.reading.Ignored = r.time >= 0, h.ignored
	return true
}

func (r *reader) row() {
	fields := r.Fields()
	if r.header != nil && slices.Equal(fields, r.header) {
		r.Fault("the row repeats the names of the columns; expected rows below the first")
		return
	}
	row := Row{Entities: 1, Line: int64(r.Line()), Kind: Insert, Instant: clock.Instant(r.reading.Rows), HasInstant: r.time < 0}
	if r.time >= 0 && fields[r.time] != "" && !r.setInstant(&row, fields[r.time]) ||
		r.entities >= 0 && !r.setEntities(&row, fields[r.entities]) ||
		r.operation >= 0 && !r.setKind(&row, fields[r.operation]) {
		return
	}
	if row.HasInstant {
		if row.Instant < r.latest {
			r.reading.Falling++
		}
		r.latest = max(r.latest, row.Instant)
	}
	for i, one := range r.designs {
		var fault string
		if row.PartitionKey, fault = one.partition(fields); fault == "" {
			row.RowKey, fault = one.row(fields)
		}
		if fault != "" {
			r.Fault("%s", fault)
			return
		}
		r.into[i].Add(&row)
	}
	r.reading.Rows++
	if r.Progress != nil && r.reading.Rows%progressRows == 0 {
		r.Progress(r.reading.Rows)
	}
}

func (r *reader) setEntities(row *Row, text string) bool {
	const maxDigits = 10
	count, err := strconv.ParseUint(text, 10, 64)
	if err != nil || len(text) > maxDigits || count > maxEntities {
		r.Fault("the number of entities is %q; expected a whole number from 0 to %d", truncate(text), maxEntities)
		return false
	}
	row.Entities = int64(count)
	return true
}

// maxSpelled limits the spellings that are kept.
const maxSpelled = 64

func (r *reader) setKind(row *Row, text string) bool {
	kind, known := r.spelled[text]
	if known {
		row.Kind = kind
		return true
	}
	for i := 0; i < len(operations) && !known && len(text) <= maxShown; i++ {
		kind, known = operations[i].kind, plain(text) == plain(operations[i].name)
	}
	if !known {
		names := make([]string, len(operations))
		for i := range operations {
			names[i] = operations[i].name
		}
		if meant, near := nearest.Name(truncate(text), names); near {
			r.Fault("unknown operation %q; did you mean %q?", truncate(text), meant)
		} else {
			r.Fault("unknown operation %q; expected one of %s", truncate(text), strings.Join(names, ", "))
		}
		return false
	}
	if len(r.spelled) < maxSpelled {
		r.spelled[strings.Clone(text)] = kind
	}
	row.Kind = kind
	return true
}

func (r *reader) setInstant(row *Row, text string) bool {
	at, kind := clock.ParseInstant(text)
	switch {
	case kind == clock.None:
		r.Fault("the instant is %q; expected a time such as 2026-01-02T15:04:05Z, "+
			"seconds or milliseconds since 1970, or a duration such as 1h2m", truncate(text))
		return false
	case r.notation == clock.None:
		r.notation = kind
	case r.notation != kind:
		r.Fault("the instant is %q, %s; expected %s as in the rows before", truncate(text), kind, r.notation)
		return false
	}
	row.Instant, row.HasInstant = at, true
	return true
}

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
	r := keyReader{reader: reader{ReadOptions: o}, statistics: s, spelled: make(map[string]Kind)}
	known := func(name string) bool { return meaningOf(name) != ignoredColumn || misspelled(name) != "" }
	r.Reader = csvfile.New(from, csvfile.Options{File: o.File, Holds: "the keys of", Known: known, Kind: ErrKeys})
	return r.run(r.begin, r.row, "there is no key; expected a PartitionKey in each line")
}

// reader reads one file.
type reader struct {
	ReadOptions
	*csvfile.Reader
	reading Reading
	kind    clock.Notation
}

// run reads the header with begin and each further row with row. The fault is for a file without rows.
func (r *reader) run(begin func() bool, row func(), fault string) (Reading, error) {
	if r.Next() {
		for sound := begin(); sound && r.Next(); {
			row()
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

// count counts a row that was added.
func (r *reader) count() {
	r.reading.Rows++
	if r.Progress != nil && r.reading.Rows%progressRows == 0 {
		r.Progress(r.reading.Rows)
	}
}

// keyReader reads a file of keys.
type keyReader struct {
	reader
	statistics *Statistics
	// meanings are those of the columns.
	meanings []column
	// spelled are the spellings of operations so far.
	spelled map[string]Kind
}

// maxSpelled limits the spellings that are kept.
const maxSpelled = 64

func (r *keyReader) begin() bool {
	columns, fault := headerOf(r.Fields())
	if fault != "" {
		r.Fault("%s", fault)
		return false
	}
	r.meanings, r.reading.Ignored = columns.meanings, columns.ignored
	r.reading.Timed = slices.Contains(r.meanings, instantColumn)
	return true
}

func (r *keyReader) row() {
	row := Row{Entities: 1, Line: int64(r.Line()), Instant: clock.Instant(r.reading.Rows), HasInstant: !r.reading.Timed}
	for i, text := range r.Fields() {
		sound := true
		switch r.meanings[i] {
		case partitionColumn:
			row.PartitionKey = text
		case rowColumn:
			row.RowKey = text
		case instantColumn:
			sound = text == "" || r.instant(&row, text)
		case entitiesColumn:
			const maxDigits = 10
			count, err := strconv.ParseUint(text, 10, 64)
			if sound = err == nil && len(text) <= maxDigits && count <= maxEntities; !sound {
				r.Fault("the number of entities is %q; expected a whole number from 0 to %d", truncate(text), maxEntities)
			}
			row.Entities = int64(count)
		case operationColumn:
			sound = r.operation(&row, text)
		}
		if !sound {
			return
		}
	}
	r.statistics.Add(&row)
	r.count()
}

func (r *keyReader) operation(row *Row, text string) bool {
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

func (r *reader) instant(row *Row, text string) bool {
	at, kind := clock.ParseInstant(text)
	switch {
	case kind == clock.None:
		r.Fault("the instant is %q; expected a time such as 2026-01-02T15:04:05Z, "+
			"seconds or milliseconds since 1970, or a duration such as 1h2m", truncate(text))
		return false
	case r.kind == clock.None:
		r.kind = kind
	case r.kind != kind:
		r.Fault("the instant is %q, %s; expected %s as in the rows before", truncate(text), kind, r.kind)
		return false
	}
	row.Instant, row.HasInstant = at, true
	return true
}

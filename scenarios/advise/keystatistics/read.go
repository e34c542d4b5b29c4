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

// ReadOptions say how a file of keys is to be read.
type ReadOptions struct {
	// File is the name of the file, for messages alone.
	File string
	// Time is the column of the instants, empty for one that is called so.
	Time string
	// Progress is told after every 65,536 rows, and at the end, how many there were
	// so far; it may be nil.
	Progress func(rows int64)
}

// Reading is what was read of a file.
type Reading struct {
	// Rows counts the rows, without the one that names the columns.
	Rows int64
	// Ignored are the names of the columns that were not looked at.
	Ignored []string
	// Timed is false where there is no column of instants: rows then count as inserted in
	// their order. Falling is how many rows have an instant before that of an earlier one.
	Timed   bool
	Falling int64
}

// progressRows is every how many rows progress is told.
const progressRows = 1 << 16

// ReadKeys adds all rows of a CSV file to a survey. Its first row names the columns:
// PartitionKey; and, where they are there, RowKey, instant (or time, timestamp),
// entities (or count; 1 without) and operation (or verb; an insert without). Others are
// not looked at, and a file without a PartitionKey is one whose columns have to be named:
// see [ReadCandidates].
//
// Instants are RFC 3339 times, seconds or milliseconds since 1970, or durations
// such as 1h2m, all of one kind in a file; a row may have none. A key that no table
// would take is no fault of the file: the survey counts it.
//
// The error joins up to twenty [*csvfile.Fault], each of which wraps [ErrKeys], or is
// that of the reader. What was read before a fault has been added all the same.
func ReadKeys(from io.Reader, o ReadOptions, s *Statistics) (Reading, error) {
	r := keyReader{ReadOptions: o, statistics: s, spelled: make(map[string]Kind)}
	known := func(name string) bool { return meaningOf(name) != ignoredColumn || mistyped(name) != "" }
	r.Reader = csvfile.New(from, csvfile.Options{File: o.File, Holds: "the keys of", Known: known, Kind: ErrKeys})
	if r.Next() {
		columns, fault := headerOf(r.Fields())
		if fault != "" {
			r.Fault("%s", fault)
			return r.reading, r.Err()
		}
		r.meanings, r.reading.Ignored = columns.meanings, columns.ignored
		r.reading.Timed = slices.Contains(r.meanings, instantColumn)
		for r.Next() {
			r.row()
		}
	}
	if o.Progress != nil && r.Err() == nil {
		o.Progress(r.reading.Rows)
	}
	if r.Err() == nil && r.reading.Rows == 0 {
		r.Fault("there is no key; expected a PartitionKey in each line")
	}
	return r.reading, r.Err()
}

// keyReader is a file under way.
type keyReader struct {
	ReadOptions
	*csvfile.Reader
	statistics *Statistics
	reading    Reading
	// meanings are what the columns mean.
	meanings []column
	kind     clock.Notation
	// spelled are the spellings of operations that were understood.
	spelled map[string]Kind
}

// mostSpelled bounds the spellings that are remembered.
const mostSpelled = 64

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
			const mostDigits = 10
			count, err := strconv.ParseUint(text, 10, 64)
			if sound = err == nil && len(text) <= mostDigits && count <= mostEntities; !sound {
				r.Fault("the number of entities is %q; expected a whole number from 0 to %d", shown(text), mostEntities)
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
	r.reading.Rows++
	if r.Progress != nil && r.reading.Rows%progressRows == 0 {
		r.Progress(r.reading.Rows)
	}
}

func (r *keyReader) operation(row *Row, text string) bool {
	kind, known := r.spelled[text]
	if !known {
		for i := range operations {
			if len(text) <= longestShown && plain(text) == plain(operations[i].name) {
				kind, known = operations[i].kind, true
				break
			}
		}
		if !known {
			names := make([]string, len(operations))
			for i := range operations {
				names[i] = operations[i].name
			}
			if meant, near := nearest.Name(shown(text), names); near {
				r.Fault("unknown operation %q; did you mean %q?", shown(text), meant)
			} else {
				r.Fault("unknown operation %q; expected one of %s", shown(text), strings.Join(names, ", "))
			}
			return false
		}
		if len(r.spelled) < mostSpelled {
			r.spelled[strings.Clone(text)] = kind
		}
	}
	row.Kind = kind
	return true
}

func (r *keyReader) instant(row *Row, text string) bool {
	at, kind := clock.ParseInstant(text)
	switch {
	case kind == clock.None:
		r.Fault("the instant is %q; expected a time such as 2026-01-02T15:04:05Z, "+
			"seconds or milliseconds since 1970, or a duration such as 1h2m", shown(text))
		return false
	case r.kind == clock.None:
		r.kind = kind
	case r.kind != kind:
		r.Fault("the instant is %q, %s; expected %s as in the rows before", shown(text), kind, r.kind)
		return false
	}
	row.Instant, row.HasInstant = at, true
	return true
}

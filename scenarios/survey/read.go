package survey

import (
	"errors"
	"fmt"
	"io"
)

// ReadOptions say how a file of keys is to be read.
type ReadOptions struct {
	// File is the name of the file, for messages alone.
	File string
	// Progress is told after every 65,536 rows, and at the end, how many there were
	// so far; it may be nil.
	Progress func(rows int64)
	// Nearest returns which of the known names a mistyped one most likely means,
	// and whether it is near enough to be suggested. With nil a misspelling of more
	// than a letter is not seen.
	Nearest func(name string, known []string) (string, bool)
}

// Reading is what was read of a file.
type Reading struct {
	// Rows counts the rows, without the one that names the columns.
	Rows int64
	// Ignored are the names of the columns that were not looked at.
	Ignored []string
}

const (
	// mostFaults is after how many faults the rest of a file is not looked at.
	mostFaults = 20
	// progressRows is every how many rows progress is told.
	progressRows = 1 << 16
)

// ReadKeys adds all rows of a CSV file to a survey. A first row that names columns
// says which they are: PartitionKey; and, where they are there, RowKey, instant
// (or time, timestamp), entities (or count; 1 without) and operation (or verb; an
// insert without). Others are not looked at. Without such a row the first column is
// the PartitionKey, and there is no more.
//
// Instants are RFC 3339 times, seconds or milliseconds since 1970, or durations
// such as 1h2m, all of one kind in a file; a row may have none. A key that no table
// would take is no fault of the file: the survey counts it.
//
// The error joins up to twenty [*RowFault], or is that of the reader. What was read
// before a fault has been added all the same. Nothing is allocated for a row whose
// instant is no duration.
func ReadKeys(from io.Reader, o ReadOptions, s *Survey) (Reading, error) {
	r := keyReader{ReadOptions: o, records: newRecords(from), survey: s, spelled: make(map[string]Kind)}
	for len(r.faults) < mostFaults {
		switch err := r.records.next(); {
		case errors.Is(err, io.EOF):
			return r.end()
		case err != nil && !isWritten(err):
			return r.reading, fmt.Errorf("reading the keys of %s: %w", o.File, err)
		case err != nil:
			r.fault("%s", err)
			// A row that cannot be told apart names no columns.
			r.begun = true
		case !r.begun:
			if r.begun = true; !r.begin() {
				return r.reading, errors.Join(r.faults...)
			}
		default:
			r.row()
		}
	}
	return r.reading, errors.Join(r.faults...)
}

// isWritten reports whether an error is about how a row is written.
func isWritten(err error) bool {
	return errors.Is(err, errTooLong) || errors.Is(err, errBare) || errors.Is(err, errAfter) || errors.Is(err, errOpen)
}

// keyReader is a file under way.
type keyReader struct {
	ReadOptions
	records *records
	survey  *Survey
	reading Reading
	faults  []error
	// begun is set after the first row. columns is how many fields each row has, 0
	// before that is known, and meanings what they mean.
	begun    bool
	columns  int
	meanings []column
	kind     instantKind
	// spelled are the spellings of operations that were understood.
	spelled map[string]Kind
}

// mostSpelled bounds the spellings that are remembered.
const mostSpelled = 64

func (r *keyReader) fault(format string, args ...any) {
	r.faults = append(r.faults, &RowFault{r.File, r.records.first, fmt.Sprintf(format, args...)})
}

func (r *keyReader) end() (Reading, error) {
	if r.Progress != nil {
		r.Progress(r.reading.Rows)
	}
	if len(r.faults) == 0 && r.reading.Rows == 0 {
		r.records.first = max(1, r.records.first-1)
		r.fault("there is no key; expected a PartitionKey in each line")
	}
	return r.reading, errors.Join(r.faults...)
}

// begin takes the first row, and reports whether there is any sense in the next.
func (r *keyReader) begin() bool {
	columns, is, fault := r.headerOf(r.records.fields)
	switch {
	case fault != "":
		r.fault("%s", fault)
		return false
	case is:
		r.meanings, r.columns, r.reading.Ignored = columns.meanings, len(columns.meanings), columns.ignored
	default:
		r.row()
	}
	return true
}

// row takes a row of keys.
func (r *keyReader) row() {
	fields := r.records.fields
	switch r.columns {
	case 0:
		r.columns = len(fields)
		if r.meanings == nil {
			r.meanings = make([]column, r.columns)
			r.meanings[0] = partitionColumn
		}
	case len(fields):
	default:
		r.fault("the row has %d columns; expected %d as in the rows before", len(fields), r.columns)
		return
	}
	u := use{entities: 1, line: r.records.first}
	for i, meaning := range r.meanings {
		if meaning != ignoredColumn && !r.field(&u, meaning, fields[i]) {
			return
		}
	}
	r.survey.add(&u)
	r.reading.Rows++
	if r.Progress != nil && r.reading.Rows%progressRows == 0 {
		r.Progress(r.reading.Rows)
	}
}

// field takes one field of a row, and reports whether it is sound.
func (r *keyReader) field(u *use, meaning column, text []byte) bool {
	switch meaning {
	case partitionColumn:
		u.partition = text
	case rowColumn:
		u.row = text
	case instantColumn:
		return len(text) == 0 || r.instant(u, text)
	case entitiesColumn:
		count, sound := parseCount(text)
		if !sound {
			r.fault("the number of entities is %q; expected a whole number from 0 to %d", shown(text), mostEntities)
			return false
		}
		u.entities = count
	case operationColumn:
		return r.operation(u, text)
	}
	return true
}

func (r *keyReader) operation(u *use, text []byte) bool {
	kind, known := r.spelled[string(text)]
	if !known {
		if kind, known = kindOf(text); !known {
			r.fault("%s", r.unknownOperation(text))
			return false
		}
		if len(r.spelled) < mostSpelled {
			r.spelled[string(text)] = kind
		}
	}
	u.kind = kind
	return true
}

func (r *keyReader) instant(u *use, text []byte) bool {
	at, kind := parseInstant(text)
	switch {
	case kind == noInstant:
		r.fault("the instant is %q; expected a time such as 2026-01-02T15:04:05Z, "+
			"seconds or milliseconds since 1970, or a duration such as 1h2m", shown(text))
		return false
	case r.kind == noInstant:
		r.kind = kind
	case r.kind != kind:
		r.fault("the instant is %q, %s; expected %s as in the rows before", shown(text), kind, r.kind)
		return false
	}
	u.at, u.timed = at, true
	return true
}

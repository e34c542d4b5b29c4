package keystatistics

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/csvfile"
	"loadgen/engine/nearest"
	"loadgen/scenarios/keys"
)

// Candidate is a design that is tried on the rows of a file: templates whose placeholders
// are its columns. A RowKey without any text is none.
type Candidate struct {
	PartitionKey, RowKey keys.Template
}

// ReadCandidates adds all rows of a CSV file, whose first row names the columns, to the
// statistics of each of some candidates, as inserts of one entity each. Instants are those of
// the column [ReadOptions].Time, or of one that is called instant, time or timestamp; without
// any, rows count as inserted in their order, and [Reading].Timed is false. Names of columns
// may differ in case, and in what stands between words.
//
// The error is as that of [ReadKeys]; a column that is not there, one that is there twice, and
// a row that repeats the names are faults.
func ReadCandidates(from io.Reader, o ReadOptions, candidates []Candidate, into []*Statistics) (Reading, error) {
	r := rowReader{keyReader: keyReader{ReadOptions: o}, into: into}
	wanted := []string{o.Time}
	for _, one := range candidates {
		wanted = slices.Concat(wanted, one.PartitionKey.Attributes(), one.RowKey.Attributes())
	}
	known := func(name string) bool {
		return slices.ContainsFunc(wanted, func(one string) bool { return one != "" && plain(one) == plain(name) })
	}
	r.Reader = csvfile.New(from, csvfile.Options{File: o.File, Holds: "the rows of", Known: known, Kind: ErrKeys})
	if r.Next() && r.begin(candidates) {
		for r.Next() {
			r.row()
		}
	}
	if o.Progress != nil && r.Err() == nil {
		o.Progress(r.reading.Rows)
	}
	if r.Err() == nil && r.reading.Rows == 0 {
		r.Fault("the file has no rows; expected a line that names the columns, and rows")
	}
	return r.reading, r.Err()
}

// rowReader is a file of rows under way.
type rowReader struct {
	keyReader
	into []*Statistics
	// header are the names of the columns, time that of the instants, -1 for none.
	header []string
	time   int
	// formed are the designs, at their places in into.
	formed []formed
	// latest is the latest instant so far.
	latest clock.Instant
}

// formed is a candidate over columns.
type formed struct {
	partition, row template
}

// template is one whose placeholders are columns.
type template struct {
	keys.Template
	columns map[string]int
	// instants are the columns that are written as times.
	instants []string
}

// begin takes the names of the columns, and reports whether each that is asked for is there.
func (r *rowReader) begin(candidates []Candidate) bool {
	r.header = slices.Clone(r.Fields())
	for i := range r.header {
		r.header[i] = strings.Clone(r.header[i])
	}
	sound := true
	find := func(name string) int {
		// One of that very name, or the only one that is spelled like it.
		same := func(one string) bool { return one == name }
		if !slices.ContainsFunc(r.header, same) {
			same = func(one string) bool { return plain(one) == plain(name) }
		}
		at := slices.IndexFunc(r.header, same)
		if at < 0 {
			r.Fault("%s", nearest.Unknown("column", name, shownColumns(r.header)))
			sound = false
		} else if slices.ContainsFunc(r.header[at+1:], same) {
			r.Fault("there are two columns %q; expected one of that name", shown(name))
			sound = false
		}
		return at
	}
	form := func(t keys.Template) template {
		made := template{Template: t, columns: make(map[string]int), instants: t.Times()}
		for _, name := range t.Attributes() {
			made.columns[name] = find(name)
		}
		return made
	}
	r.time = -1
	if r.Time != "" {
		r.time = find(r.Time)
	} else {
		r.time = slices.IndexFunc(r.header, func(name string) bool { return meaningOf(name) == instantColumn })
	}
	for _, one := range candidates {
		r.formed = append(r.formed, formed{form(one.PartitionKey), form(one.RowKey)})
	}
	r.reading.Timed = r.time >= 0
	return sound
}

func shownColumns(header []string) []string {
	list := make([]string, len(header))
	for i, name := range header {
		list[i] = shown(name)
	}
	return list
}

func (r *rowReader) row() {
	fields := r.Fields()
	if slices.Equal(fields, r.header) {
		r.Fault("the row repeats the names of the columns; expected rows behind the first")
		return
	}
	row := Row{Entities: 1, Line: int64(r.Line()), Kind: Insert}
	if r.time < 0 {
		row.Instant, row.HasInstant = clock.Instant(r.reading.Rows), true
	} else if text := fields[r.time]; text != "" && !r.instant(&row, text) {
		return
	}
	if row.HasInstant {
		if row.Instant < r.latest {
			r.reading.Falling++
		}
		r.latest = max(r.latest, row.Instant)
	}
	for i := range r.formed {
		var fault string
		if row.PartitionKey, fault = r.formed[i].partition.expand(fields); fault == "" {
			row.RowKey, fault = r.formed[i].row.expand(fields)
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

// expand returns the key of a row, and what is wrong with it.
func (t *template) expand(fields []string) (text, fault string) {
	text = t.Expand(func(name string) string {
		value := fields[t.columns[name]]
		if !slices.Contains(t.instants, name) {
			return value
		}
		at, kind := clock.ParseInstant(value)
		if kind == clock.None || kind == clock.Lengths {
			fault = fmt.Sprintf("%s is %q, and %s writes it as a time; expected one such as 2026-01-02T15:04:05Z", name, shown(value), t)
			return value
		}
		return time.Unix(0, int64(at)).UTC().Format(time.RFC3339Nano)
	})
	return text, fault
}

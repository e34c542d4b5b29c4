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

// Candidate is a design for the rows of a file: templates whose placeholders are its columns. RowKey may
// be empty.
type Candidate struct {
	PartitionKey, RowKey keys.Template
}

// ReadCandidates adds all rows of a CSV file with a header to the statistics of each candidate, as
// inserts of one entity. Instants are those of the column [ReadOptions].Time, or of a column called
// instant, time or timestamp; without any, rows count as inserted in their order and [Reading].Timed is
// false. Names of columns may differ in case and in the separators of words.
//
// The error is that of [ReadKeys]. A missing column, a column that occurs twice, and a row that repeats
// the header are faults.
func ReadCandidates(from io.Reader, o ReadOptions, candidates []Candidate, into []*Statistics) (Reading, error) {
	r := rowReader{reader: reader{ReadOptions: o}, into: into}
	wanted := []string{o.Time}
	for _, one := range candidates {
		wanted = slices.Concat(wanted, one.PartitionKey.Attributes(), one.RowKey.Attributes())
	}
	known := func(name string) bool {
		return slices.ContainsFunc(wanted, func(one string) bool { return one != "" && plain(one) == plain(name) })
	}
	r.Reader = csvfile.New(from, csvfile.Options{File: o.File, Holds: "the rows of", Known: known, Kind: ErrKeys})
	return r.run(func() bool { return r.begin(candidates) }, r.row, "the file has no rows; expected a line that names the columns, and rows")
}

// rowReader reads a file of rows.
type rowReader struct {
	reader
	into []*Statistics
	// header has the names of the columns, time is the column of the instants, -1 for none.
	header []string
	time   int
	// designs are the templates, in the order of into.
	designs []formed
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
	// instants are the columns that the template writes as times.
	instants []string
}

// begin reads the header, and reports whether it has all columns that are needed.
func (r *rowReader) begin(candidates []Candidate) bool {
	r.header = slices.Clone(r.Fields())
	for i := range r.header {
		r.header[i] = strings.Clone(r.header[i])
	}
	sound := true
	find := func(name string) int {
		// The column with exactly this name, or else the only one with a similar spelling.
		same := func(one string) bool { return one == name }
		if !slices.ContainsFunc(r.header, same) {
			same = func(one string) bool { return plain(one) == plain(name) }
		}
		at := slices.IndexFunc(r.header, same)
		if at < 0 {
			r.Fault("%s", nearest.Unknown("column", name, shownColumns(r.header)))
			sound = false
		} else if slices.ContainsFunc(r.header[at+1:], same) {
			r.Fault("there are two columns %q; expected one of that name", truncate(name))
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
	if r.Time != "" {
		r.time = find(r.Time)
	} else {
		r.time = slices.IndexFunc(r.header, func(name string) bool { return meaningOf(name) == instantColumn })
	}
	for _, one := range candidates {
		r.designs = append(r.designs, formed{form(one.PartitionKey), form(one.RowKey)})
	}
	r.reading.Timed = r.time >= 0
	return sound
}

func (r *rowReader) row() {
	fields := r.Fields()
	if slices.Equal(fields, r.header) {
		r.Fault("the row repeats the names of the columns; expected rows below the first")
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
	for i := range r.designs {
		var fault string
		if row.PartitionKey, fault = r.designs[i].partition.expand(fields); fault == "" {
			row.RowKey, fault = r.designs[i].row.expand(fields)
		}
		if fault != "" {
			r.Fault("%s", fault)
			return
		}
		r.into[i].Add(&row)
	}
	r.count()
}

// expand returns the key of a row, or a fault.
func (t *template) expand(fields []string) (text, fault string) {
	text = t.Expand(func(name string) string {
		value := fields[t.columns[name]]
		if !slices.Contains(t.instants, name) {
			return value
		}
		at, kind := clock.ParseInstant(value)
		if kind == clock.None || kind == clock.Lengths {
			fault = fmt.Sprintf("%s is %q, and %s writes it as a time; expected one such as 2026-01-02T15:04:05Z", name, truncate(value), t)
			return value
		}
		return time.Unix(0, int64(at)).UTC().Format(time.RFC3339Nano)
	})
	return text, fault
}

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
	r := reader{ReadOptions: o, into: into, entities: -1, operation: -1}
	wanted := []string{o.Time}
	for _, one := range candidates {
		wanted = slices.Concat(wanted, one.PartitionKey.Attributes(), one.RowKey.Attributes())
	}
	known := func(name string) bool {
		return slices.ContainsFunc(wanted, func(one string) bool { return one != "" && plain(one) == plain(name) })
	}
	r.Reader = csvfile.New(from, csvfile.Options{File: o.File, Holds: "the rows of", Known: known, Kind: ErrKeys})
	return r.run(func() bool { return r.findColumns(candidates) }, "the file has no rows; expected a line that names the columns, and rows")
}

// findColumns reads the header, and reports whether it has all columns of the candidates.
func (r *reader) findColumns(candidates []Candidate) bool {
	for _, name := range r.Fields() {
		r.header = append(r.header, strings.Clone(name))
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
	for _, c := range candidates {
		for _, template := range []keys.Template{c.PartitionKey, c.RowKey} {
			if text := template.String(); len(template.Attributes()) == 0 && slices.Contains(r.header, text) {
				r.Fault("template %q has no placeholder; did you mean {%s}?", text, text)
				sound = false
			}
		}
	}
	if r.Time != "" {
		r.time = find(r.Time)
	} else {
		r.time = slices.IndexFunc(r.header, func(name string) bool { return meaningOf(name) == instantColumn })
	}
	for _, one := range candidates {
		r.designs = append(r.designs, design{expander(one.PartitionKey, find), expander(one.RowKey, find)})
	}
	r.reading.Timed = r.time >= 0
	return sound
}

// expander returns a function that forms the key of a template, whose placeholders are columns that find
// returns.
func expander(t keys.Template, find func(name string) int) func(fields []string) (key, fault string) {
	columns, instants := make(map[string]int), t.Times()
	for _, name := range t.Attributes() {
		columns[name] = find(name)
	}
	return func(fields []string) (text, fault string) {
		text = t.Expand(func(name string) string {
			value := fields[columns[name]]
			if !slices.Contains(instants, name) {
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
}

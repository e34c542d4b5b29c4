package keystatistics

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"loadgen/engine/clock"
	"loadgen/engine/csvfile"
	"loadgen/engine/nearest"
	"loadgen/scenarios/keys"
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

// design forms the keys of a row; row is nil for rows without a RowKey. A fault is empty for none.
type design struct {
	partition, row func(fields []string) (key, fault string)
}

// column returns the key in a column, nil for -1.
func column(at int) func([]string) (string, string) {
	if at < 0 {
		return nil
	}
	return func(fields []string) (string, string) { return fields[at], "" }
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
		row.RowKey, row.HasRowKey = "", one.row != nil
		if row.PartitionKey, fault = one.partition(fields); fault == "" && row.HasRowKey {
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

// columnMeaning is the meaning of a column.
type columnMeaning uint8

const (
	ignoredColumn columnMeaning = iota
	partitionColumn
	rowColumn
	instantColumn
	entitiesColumn
	operationColumn
)

// columnNames are the names of columns with their meanings, as messages spell them. The first of a
// meaning is the recommended one.
var columnNames = []struct {
	name    string
	meaning columnMeaning
}{
	{"PartitionKey", partitionColumn}, {"RowKey", rowColumn},
	{"instant", instantColumn}, {"time", instantColumn}, {"timestamp", instantColumn},
	{"entities", entitiesColumn}, {"count", entitiesColumn},
	{"operation", operationColumn}, {"verb", operationColumn},
}

// separators are the optional characters between words.
var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// plain returns a name in lower case without separators.
func plain(name string) string { return strings.ToLower(separators.Replace(name)) }

// meaningOf returns the meaning of a column's name.
func meaningOf(name string) columnMeaning {
	for _, known := range columnNames {
		if plain(known.name) == plain(name) {
			return known.meaning
		}
	}
	return ignoredColumn
}

// header is the columns of a file.
type header struct {
	meanings []columnMeaning
	// ignored are the names of the columns that are not used.
	ignored []string
}

// maxNamed is the maximum number of columns that a message names.
const maxNamed = 20

// headerOf returns the columns of a header, or its fault. A PartitionKey is required.
func headerOf(fields []string) (h header, fault string) {
	for _, field := range fields {
		h.meanings = append(h.meanings, meaningOf(field))
	}
	for i, field := range fields {
		meaning := h.meanings[i]
		if meant := misspelled(field); meaning == ignoredColumn && meant != "" {
			return h, fmt.Sprintf("unknown column %q; did you mean %q?", truncate(field), meant)
		}
		if meaning == ignoredColumn {
			h.ignored = append(h.ignored, truncate(field))
		} else if first := slices.Index(h.meanings, meaning); first < i {
			return h, fmt.Sprintf("the columns %q and %q mean the same; expected one of them", fields[first], fields[i])
		}
	}
	if !slices.Contains(h.meanings, partitionColumn) {
		// The name of the first column as a placeholder.
		example := strings.Map(func(r rune) rune {
			if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, truncate(fields[0]))
		if example == "" || example[0] >= '0' && example[0] <= '9' {
			example = "column"
		}
		names := shownColumns(fields)
		listed := strings.Join(names[:min(len(names), maxNamed)], ", ")
		if more := len(names) - maxNamed; more > 0 {
			listed += fmt.Sprintf(" and %d more", more)
		}
		return h, fmt.Sprintf("no column PartitionKey; expected one, or --partition-key with a template of columns, such as %q: %s",
			"{"+example+"}", listed)
	}
	return h, ""
}

// minLetters is the minimum length of a column's name with misspellings: too many words are similar to
// shorter ones.
const minLetters = 6

// misspelled returns the known name that another one most likely means, empty for none: a name that
// differs by one letter, or for PartitionKey, which is required, a similar name of letters that ends in
// "key". Other names are no misspellings: a file's first row may be a key.
func misspelled(name string) string {
	short := plain(name)
	if meaningOf(name) != ignoredColumn {
		return ""
	}
	for _, known := range columnNames {
		if spelled := plain(known.name); len(spelled) >= minLetters && nearest.Distance(short, spelled) == 1 {
			return known.name
		}
	}
	const required = "partitionkey"
	if !strings.HasSuffix(short, "key") || strings.Trim(short, letters) != "" {
		return ""
	}
	if _, near := nearest.Name(short, []string{required}); near {
		return columnNames[0].name
	}
	return ""
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// operations are the verbs of this tool and of others, inserts first.
var operations = []struct {
	name string
	kind Kind
}{
	{"insert", Insert}, {"insert-or-replace", Upsert}, {"insert-or-merge", Upsert}, {"upsert", Upsert},
	{"create", Insert}, {"add", Insert},
	{"get", Other}, {"read", Other}, {"query", Other}, {"scan", Other}, {"update", Other},
	{"replace", Other}, {"merge", Other}, {"delete", Other}, {"batch", Other},
}

// maxShown is the length of a key in messages, in bytes.
const maxShown = 60

// truncate returns the beginning of a key as valid text.
func truncate(key string) string {
	end := min(len(key), maxShown)
	for end > 0 && end < len(key) && !utf8.RuneStart(key[end]) {
		end--
	}
	return string([]rune(key[:end]))
}

func shownColumns(header []string) []string {
	list := make([]string, len(header))
	for i, name := range header {
		list[i] = truncate(name)
	}
	return list
}

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
		d := design{partition: expander(one.PartitionKey, find)}
		if one.RowKey.String() != "" {
			d.row = expander(one.RowKey, find)
		}
		r.designs = append(r.designs, d)
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

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
	// Time is the column of the instants, or two for the date and the clock: "Date Time". If it is empty,
	// it is the column with such a name; [NoTime] ignores times. TimeFormat is their format, empty to find it.
	Time, TimeFormat string
	// Names are other names for columns, as of [csvfile.Options].
	Names map[string]string
	// Progress is called with the number of rows after every 65,536 rows and at the end; it may be nil.
	Progress func(rows int64)
}

// NoTime as the column of the instants says that the rows have none.
const NoTime = "none"

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
	// Identical counts the inserts that equal an earlier row in every column, of the first million.
	Identical int64
	// Notes are sentences about what was assumed or left out.
	Notes []string
}

// progressRows is the number of rows between two calls of Progress.
const progressRows = 1 << 16

// ReadKeys adds all rows of a CSV file. The header names the columns: PartitionKey, and optionally
// RowKey, instant (or time, timestamp), entities (or count; default 1) and operation (or verb; default
// insert). Other columns are ignored. For a file without a PartitionKey see [ReadCandidates].
//
// Instants are of one format that [clock.TimeColumn] reads; a row may have none. Invalid keys are no fault
// of the file: the statistics count them. One row in a hundred may be skipped.
//
// The error joins up to twenty [*csvfile.Fault], each wrapping [ErrKeys], or is that of the reader. Rows
// before a fault have been added.
func ReadKeys(from io.Reader, o ReadOptions, s *Statistics) (Reading, error) {
	r := reader{ReadOptions: o, into: []*Statistics{s}, spelled: make(map[string]Kind)}
	known := func(name string) bool { return meaningOf(name) != ignoredColumn || misspelled(name) != "" }
	r.open(from, "the keys of", known)
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
	// entities and operation are columns, -1 for none, time the one or two of the instants.
	entities, operation int
	time                []int
	// asTimes are columns that templates write as instants, written those of the row as templates read them.
	asTimes []int
	written []string
	// latest is the latest instant so far.
	latest clock.Instant
	// contents are the hashes of the first rows that insert, content is a buffer for one of them.
	contents []uint64
	content  []byte
	// spelled are the spellings of operations so far.
	spelled map[string]Kind
}

func (r *reader) open(from io.Reader, holds string, known func(string) bool) {
	r.Reader = csvfile.New(from, csvfile.Options{File: r.File, Holds: holds, Known: known, Kind: ErrKeys, Dirty: true, Names: r.Names})
}

// design forms the keys of a row; row is nil for rows without a RowKey.
type design struct{ partition, row func(fields []string) string }

// column returns the key in a column, nil for -1.
func column(at int) func([]string) string {
	if at < 0 {
		return nil
	}
	return func(fields []string) string { return fields[at] }
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
	r.reading.Identical = repeated(r.contents)
	if r.reading.Notes = r.Notes(); r.reading.Falling > 0 {
		r.reading.Notes = append(r.reading.Notes, fmt.Sprintf("%d rows are earlier than a row before", r.reading.Falling))
	}
	return r.reading, r.Err()
}

// maxNamed is the maximum number of columns that a message names.
const maxNamed = 20

// findKeys finds the columns of a file of keys by the meaning of their names; each may occur once. A
// PartitionKey is required.
func (r *reader) findKeys() bool {
	fields := r.Fields()
	at := make(map[columnMeaning]int)
	for i, field := range fields {
		meaning, meant := meaningOf(field), misspelled(field)
		if r.Time != "" && meaning == instantColumn {
			meaning = ignoredColumn
		}
		first, twice := at[meaning]
		switch {
		case meaning == ignoredColumn && meant != "":
			r.Fault("unknown column %s; did you mean %q?", nearest.Quote(field), meant)
			return false
		case meaning == ignoredColumn:
			r.reading.Ignored = append(r.reading.Ignored, truncate(field))
		case twice:
			r.faultTwice(meaning, fields[first], field)
			return false
		default:
			at[meaning] = i
		}
	}
	find := func(meaning columnMeaning) int {
		if i, some := at[meaning]; some {
			return i
		}
		return -1
	}
	if find(partitionColumn) < 0 {
		r.Fault("no column PartitionKey; expected one, or --partition-key with a template of columns, such as %q: %s", exampleOf(fields[0]),
			strings.Join(nearest.NamesOf(fields[:min(len(fields), maxNamed)], truncate), ", "))
		return false
	}
	r.entities, r.operation = find(entitiesColumn), find(operationColumn)
	r.designs = []design{{column(find(partitionColumn)), column(find(rowColumn))}}
	if at := find(instantColumn); at >= 0 {
		r.time = []int{at}
	}
	return r.findTimes()
}

// faultTwice rejects two columns of one meaning.
func (r *reader) faultTwice(meaning columnMeaning, first, second string) {
	hint := ""
	if meaning == instantColumn {
		hint = ", by --time"
	}
	r.Fault("the columns %q and %q mean the same; expected one of them%s", first, second, hint)
}

// exampleOf returns the placeholder of a column, or an example if no placeholder can have its name.
func exampleOf(name string) string {
	example := "{" + name + "}"
	if _, err := keys.ParseColumns(example); err != nil || len(name) > maxShown {
		return "{column}"
	}
	return example
}

// findTimes finds the columns of times by their name, and how these are written.
func (r *reader) findTimes() (sound bool) {
	if r.Time != "" && r.Time != NoTime {
		if r.time, sound = r.TimeColumns(r.Time); !sound {
			return false
		}
	}
	r.reading.Timed = len(r.time) > 0
	var columns [][]int
	for _, at := range r.asTimes {
		columns = append(columns, []int{at})
	}
	if len(r.time) > 0 {
		columns = append(columns, r.time)
	}
	if len(columns) > 0 && !r.FindTimes(r.TimeFormat, columns...) {
		return false
	}
	for i := range r.asTimes {
		if kind := r.Notation(i); !kind.IsDate() {
			r.Fault("column %d has %s; expected dates for a placeholder that formats times", r.asTimes[i]+1, kind)
			return false
		}
	}
	return true
}

func (r *reader) row() {
	fields := r.Fields()
	if r.header != nil && slices.Equal(fields, r.header) {
		r.Skip("the row repeats the names of the columns; expected rows below the first")
		return
	}
	row := Row{Entities: 1, Line: int64(r.Line()), Kind: Insert, Instant: clock.Instant(r.reading.Rows), HasInstant: len(r.time) == 0}
	isTimed := slices.ContainsFunc(r.time, func(at int) bool { return fields[at] != "" })
	if isTimed && !r.setInstant(&row) || !r.writeTimes() ||
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
		row.PartitionKey, row.RowKey, row.HasRowKey = one.partition(fields), "", one.row != nil
		if row.HasRowKey {
			row.RowKey = one.row(fields)
		}
		r.into[i].Add(&row)
	}
	if row.Kind == Insert && len(r.contents) < maxKeys {
		r.content = r.content[:0]
		for _, field := range fields {
			r.content = append(append(r.content, field...), 0xff) // which no UTF-8 has
		}
		r.contents = append(r.contents, hash(1, r.content))
	}
	r.reading.Rows++
	if r.Progress != nil && r.reading.Rows%progressRows == 0 {
		r.Progress(r.reading.Rows)
	}
}

func (r *reader) setInstant(row *Row) (sound bool) {
	row.Instant, row.HasInstant = r.TimeOf(len(r.asTimes))
	return row.HasInstant
}

// writeTimes writes the instants of the row that templates format in the form that these read.
func (r *reader) writeTimes() bool {
	r.written = r.written[:0]
	for i := range r.asTimes {
		at, sound := r.TimeOf(i)
		if !sound {
			return false
		}
		r.written = append(r.written, time.Unix(0, int64(at)).UTC().Format(time.RFC3339Nano))
	}
	return true
}

func (r *reader) setEntities(row *Row, text string) bool {
	const maxDigits = 10
	count, err := strconv.ParseUint(text, 10, 64)
	if err != nil || len(text) > maxDigits || count > maxEntities {
		r.Skip("the number of entities is %q; expected a whole number from 0 to %d", truncate(text), maxEntities)
		return false
	}
	row.Entities = int64(count)
	return true
}

// maxSpelled limits the spellings that are kept.
const maxSpelled = 64

func (r *reader) setKind(row *Row, text string) (known bool) {
	if row.Kind, known = r.spelled[text]; known {
		return true
	}
	for i := 0; i < len(operations) && !known && len(text) <= maxShown; i++ {
		row.Kind, known = operations[i].kind, csvfile.PlainName(text) == csvfile.PlainName(operations[i].name)
	}
	if !known {
		r.Skip("%s", nearest.Unknown("operation", truncate(text), nearest.NamesOf(operations, func(o operation) string { return o.name })))
	} else if len(r.spelled) < maxSpelled {
		r.spelled[strings.Clone(text)] = row.Kind
	}
	return known
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

// meaningOf returns the meaning of a column's name.
func meaningOf(name string) columnMeaning {
	for _, known := range columnNames {
		if csvfile.PlainName(known.name) == csvfile.PlainName(name) {
			return known.meaning
		}
	}
	return ignoredColumn
}

// minLetters is the minimum length of a column's name with misspellings: too many words are similar to
// shorter ones.
const minLetters = 6

// misspelled returns the known name that another one most likely means, empty for none: a name that
// differs by one letter, or for PartitionKey, which is required, a similar name of letters that ends in
// "key". Other names are no misspellings: a file's first row may be a key.
func misspelled(name string) string {
	short := csvfile.PlainName(name)
	if meaningOf(name) != ignoredColumn {
		return ""
	}
	for _, known := range columnNames {
		if spelled := csvfile.PlainName(known.name); len(spelled) >= minLetters && nearest.Distance(short, spelled) == 1 {
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

// operation is the name of a verb, and its kind.
type operation struct {
	name string
	kind Kind
}

// operations are the verbs of this tool and of others, inserts first.
var operations = []operation{
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
		return slices.ContainsFunc(wanted, func(one string) bool { return one != "" && csvfile.PlainName(one) == csvfile.PlainName(name) })
	}
	r.open(from, "the rows of", known)
	return r.run(func() bool { return r.findColumns(candidates) }, "the file has no rows; expected a line that names the columns, and rows")
}

// findColumns reads the header, and reports whether it has all columns of the candidates.
func (r *reader) findColumns(candidates []Candidate) bool {
	for _, name := range r.Fields() {
		r.header = append(r.header, strings.Clone(name))
	}
	sound := true
	find := func(name string) int {
		at, found := r.Column(name)
		sound = sound && found
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
	isTime := func(name string) bool { return meaningOf(name) == instantColumn }
	if r.Time == "" {
		if at := slices.IndexFunc(r.header, isTime); at >= 0 {
			r.time = []int{at}
			if other := slices.IndexFunc(r.header[at+1:], isTime); other >= 0 {
				r.faultTwice(instantColumn, r.header[at], r.header[at+1+other])
				sound = false
			}
		}
	} else if slices.ContainsFunc(r.header, func(name string) bool { return csvfile.PlainName(name) == csvfile.PlainName(r.Time) }) {
		// The name may be spelled another way.
		r.Time = r.header[find(r.Time)]
	}
	for _, one := range candidates {
		d := design{partition: r.expander(one.PartitionKey, find)}
		if one.RowKey.String() != "" {
			d.row = r.expander(one.RowKey, find)
		}
		r.designs = append(r.designs, d)
	}
	return sound && r.findTimes()
}

// expander returns a function that forms the key of a template, whose placeholders are columns that find
// returns.
func (r *reader) expander(t keys.Template, find func(name string) int) func(fields []string) string {
	columns, instants := make(map[string]int), make(map[string]int)
	for _, name := range t.Attributes() {
		columns[name] = find(name)
	}
	for _, name := range t.Times() {
		at := slices.Index(r.asTimes, columns[name])
		if at < 0 {
			at, r.asTimes = len(r.asTimes), append(r.asTimes, columns[name])
		}
		instants[name] = at
	}
	return func(fields []string) string {
		return t.Expand(func(name string) string {
			if at, is := instants[name]; is {
				return r.written[at]
			}
			return fields[columns[name]]
		})
	}
}

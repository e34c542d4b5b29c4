package scenarios

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"loadgen/engine/clock"
	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// Files are those that scenarios refer to. Each is read once, however many designs or
// runs of a scenario ask for what it holds. They may be used concurrently.
type Files struct {
	// open returns a file by its path as a scenario has it.
	open  func(path string) (io.ReadCloser, error)
	mutex sync.Mutex
	held  map[string]reading
}

// reading is the result of reading a file.
type reading struct {
	value any
	err   error
}

// unopened is why a file could not be opened.
type unopened struct{ error }

// FilesIn returns the files whose paths count from a folder.
func FilesIn(folder string) *Files {
	return filesBy(func(path string) (io.ReadCloser, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, filepath.FromSlash(path))
		}
		file, err := os.Open(path)
		if err != nil {
			return nil, reason(err)
		}
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return nil, errors.Join(errors.New("a folder"), file.Close())
		}
		return file, nil
	})
}

func filesBy(open func(path string) (io.ReadCloser, error)) *Files {
	return &Files{open: open, held: make(map[string]reading)}
}

// readFileOnce returns what a file was read as before, or else reads it. As says what of the file
// is read.
func readFileOnce[T any](f *Files, path, as string, read func(io.Reader) (T, error)) (T, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	key := path + "\x00" + as
	if before, known := f.held[key]; known {
		value, _ := before.value.(T)
		return value, before.err
	}
	var value T
	file, err := f.open(path)
	if err != nil {
		err = unopened{err}
	} else {
		value, err = read(file)
		if shut := file.Close(); err == nil {
			err = shut
		}
	}
	f.held[key] = reading{value, err}
	return value, err
}

// ReadFrom is [Files.Read] of files whose paths count from a folder.
func (s *Scenario) ReadFrom(folder string) error { return FilesIn(folder).Read(s) }

// ReadFiles is [Files.Read] of files that a function opens, each by its path as the
// scenario has it.
func (s *Scenario) ReadFiles(open func(path string) (io.ReadCloser, error)) error {
	return filesBy(open).Read(s)
}

// Read reads what a scenario refers to: the rows and the sets of values that attributes
// take from a file, the traces that phases name, and the tokens that queries begin at. It is called after the last
// override, for what a file holds is no value of the scenario's. Until then nothing is
// concluded from the values of an attribute that waits for its file; now everything is,
// once.
//
// The error is [fields.Faults]: those of rows with the name of their file and their line.
func (f *Files) Read(s *Scenario) error {
	c := s.checker(nil)
	if c.sets(f) && len(c.found) == 0 {
		c.found = s.check(nil)
	}
	for i := range s.Phases {
		if t := s.Phases[i].Traffic; t != nil && t.Arrivals != nil && t.Arrivals.Trace != "" {
			c.trace(i, fmt.Sprintf("phases.%d.traffic", i), f)
		}
	}
	for path, o := range s.operations() {
		if o.From.File == "" {
			continue
		}
		text, err := readFileOnce(f, o.From.File, "token", func(from io.Reader) (string, error) {
			text, err := io.ReadAll(io.LimitReader(from, maxTokenFile))
			return strings.TrimSpace(string(text)), err
		})
		path += ".from.file"
		if c.unread(err, path, "the token", o.From.File) {
			continue
		}
		if o.From.Token = text; !isToken(text) {
			c.add(path, "%s holds no continuation token; expected its text alone, such as from.TllD.MDAx", o.From.File)
		}
	}
	return c.found.ErrorOrNil()
}

// sets reads the files of attributes, and reports whether there are any.
func (c *checker) sets(f *Files) bool {
	some := false
	// Copies of the scenario share the attributes, and keep their own sizes.
	c.Attributes = slices.Clone(c.Attributes)
	// There is no table where something is wrong with its rows.
	var table *keys.ValueTable
	if c.Rows != nil {
		names := nearest.NamesOf(c.Rows.Columns, func(one RowColumn) string { return one.Column })
		slices.Sort(names)
		names = slices.Compact(names)
		o := keys.TableOptions{File: c.Rows.File, Columns: names, Times: c.timeColumns(), TimeFormat: c.Rows.TimeFormat, Timed: c.timedBy()}
		read, err := readFileOnce(f, c.Rows.File, fmt.Sprintf("rows %+v", o), func(from io.Reader) (*keys.ValueTable, error) {
			return keys.ReadTable(from, o)
		})
		c.unread(err, "rows.file", "the rows", c.Rows.File)
		table = read
	}
	for i, a := range c.Attributes {
		switch own := a.Values.(type) {
		case keys.CSV:
			some = true
			path := "attributes." + a.Name + ".csv"
			read, err := readFileOnce(f, own.File, "csv\x00"+own.Column+"\x00"+own.Weight, own.Read)
			c.unread(err, path+".file", "the values", own.File)
			own.Set = read
			c.Attributes[i].Values = own
		case keys.ValueColumn:
			some = true
			own.Table = table
			c.Attributes[i].Values = own
		}
	}
	if curve, is := c.Entity.Sizes.(*keys.Curve); is && curve.Kind == keys.CurveCSV {
		some = true
		file := curve.File
		read, err := readFileOnce(f, file.File, "sizes\x00"+file.Column+"\x00"+file.Weight, func(from io.Reader) (*keys.Curve, error) {
			return ReadCurve(curve, from)
		})
		if !c.unread(err, "entity.size.csv.file", "the sizes", file.File) {
			c.Entity.Sizes = read
			_, c.Entity.Size = read.Ends()
		}
	}
	return some
}

// unread adds what is wrong with a file, and reports whether there is something.
func (c *checker) unread(err error, path, what, file string) bool {
	var closed unopened
	switch {
	case err == nil:
		return false
	case errors.As(err, &closed):
		c.add(path, "cannot read %s: %v; expected a file", what, closed.error)
	default:
		joined, many := err.(interface{ Unwrap() []error })
		if !many {
			c.found = append(c.found, fields.Fault{File: file, What: err.Error()})
			return true
		}
		for _, one := range joined.Unwrap() {
			var row *csvfile.Fault
			if errors.As(one, &row) {
				// A trace and rows may be one file.
				if fault := (fields.Fault{File: row.File, Line: row.Line, Column: 1, What: row.What}); !slices.Contains(c.found, fault) {
					c.found = append(c.found, fault)
				}
			}
		}
	}
	return true
}

// fileReference is the path of a value that names a file.
var fileReference = regexp.MustCompile(`^(attributes\.[^.]+\.csv|entity\.size\.csv|rows|phases\..*\.from)\.file$|^phases\..*\.arrivals\.trace$`)

// Moved returns the scenario with other paths for the files that it names, for who
// writes it into another folder. The error is [fields.Faults].
func (s *Scenario) Moved(path func(file string) string) (*Scenario, error) {
	tree := s.encode()
	tree.Walk("", func(at string, n *fields.Node) {
		if fileReference.MatchString(at) {
			n.Text = path(n.Text)
		}
	})
	moved, faults := decode(tree)
	return moved, faults.ErrorOrNil()
}

// timePlaceholder is a placeholder that formats a time.
var timePlaceholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*):[a-z]+\}`)

// timeColumns returns the columns of the rows that some template formats as times, sorted.
func (s *Scenario) timeColumns() (columns []string) {
	for _, found := range timePlaceholder.FindAllStringSubmatch(string(s.Text()), -1) {
		for _, one := range s.Rows.Columns {
			if one.Attribute == found[1] && !slices.Contains(columns, one.Column) {
				columns = append(columns, one.Column)
			}
		}
	}
	slices.Sort(columns)
	return columns
}

// timedBy returns the column of the times at which the events of the rows are due, empty for none.
func (c *checker) timedBy() string {
	for i := range c.Phases {
		if t := c.Phases[i].Traffic; t != nil && c.follows(t) {
			return t.Arrivals.Time
		}
	}
	return ""
}

// follows reports whether the rows of a trace are the very ones that its events have, one after the other.
func (s *Scenario) follows(t *Traffic) bool {
	return s.Rows != nil && s.Rows.Draw == DrawInOrder && t.Arrivals != nil && t.Arrivals.Time != "" && t.Events() &&
		filepath.Clean(s.Rows.File) == filepath.Clean(t.Arrivals.Trace)
}

// IgnoredTimes returns the columns of the rows that hold dates by which no write is due, because a phase has a
// rate of its own. The files must have been read.
func (s *Scenario) IgnoredTimes() (columns []string) {
	verbs := []entity.Verb{entity.Insert, entity.InsertOrReplace, entity.InsertOrMerge}
	writes := func(o OperationSpec) bool { return slices.Contains(verbs, o.Writes()) }
	ignores := func(p Phase) bool {
		t := p.Traffic
		return t != nil && t.Events() && !s.follows(t) && slices.ContainsFunc(t.Operations, writes)
	}
	if s.Rows == nil || !slices.ContainsFunc(s.Phases, ignores) {
		return nil
	}
	formatted := s.timeColumns()
	for _, a := range s.Attributes {
		column, is := a.Values.(keys.ValueColumn)
		if is && column.Table != nil && !slices.Contains(columns, column.Name) && (slices.Contains(formatted, column.Name) || areDates(column.Probes())) {
			columns = append(columns, column.Name)
		}
	}
	return columns
}

// areDates reports whether texts are dates, not numbers that may be dates.
func areDates(texts []string) bool {
	var column clock.TimeColumn
	for _, text := range texts {
		column.Learn(text)
	}
	return column.FindNotation() == nil && slices.Contains([]clock.Notation{clock.DayFirst, clock.MonthFirst, clock.YearFirst, clock.Times}, column.Notation()) &&
		!slices.ContainsFunc(texts, func(text string) bool { _, err := column.Parse(text); return err != nil })
}

// trace reads the trace of a phase, and judges what depends on its rows.
func (c *checker) trace(i int, path string, f *Files) {
	t := c.Phases[i].Traffic
	names, list := t.namesOfRows()
	follows := c.follows(t)
	o := arrival.TraceOptions{File: t.Arrivals.Trace, Time: t.Arrivals.Time, TimeFormat: t.Arrivals.TimeFormat, InOrder: follows, Operations: names,
		Unknown: func(name string) string { return nearest.Unknown("operation", name, list) }}
	read, err := readFileOnce(f, o.File, fmt.Sprintf("trace %q %q %t %q", o.Time, o.TimeFormat, follows, list), func(from io.Reader) (*arrival.Trace, error) {
		return arrival.ReadTrace(from, o)
	})
	if c.unread(err, path+".arrivals.trace", "the trace", o.File) {
		return
	}
	if follows {
		if rows := c.rowCount(); rows > 0 && uint64(rows) != read.Len() {
			c.add(path+".arrivals.trace", "the trace has %d sound rows, and the rows of the same file are %d; expected each row with all values", read.Len(), rows)
			return
		}
		read = read.SkipRows(c.Loaded(len(c.Phases)) % read.Len())
		c.rowByRow(i, path)
	}
	read = read.Faster(t.Arrivals.Speed)
	t.Arrivals.Recorded = read
	if t.Arrivals.Peak > 0 {
		// How many operations there are does not depend on chance.
		if _, err := t.Schedule(clock.NewStream(0, "")); err != nil {
			c.add(path+".arrivals.peak", "%s", nearest.What(err))
		}
	}
	if t.WarmUp >= t.Lasts() && t.WarmUp > 0 {
		c.add(path+".warm_up", "warm_up is %v, the trace lasts %v; expected less", t.WarmUp, t.Lasts())
	}
	if t.Lasts() > maxStep {
		c.add(path+".arrivals.trace", "the trace lasts %v; expected at most %v, or a for", t.Lasts(), maxStep)
	}
	if read.Keyed() {
		for j := range t.Operations {
			o, at := &t.Operations[j], fmt.Sprintf("%s.operations.%d", path, j)
			if len(c.Design.Copies) > 0 && o.Writes().IsChange() {
				c.add(at+".verb", "trace rows name keys, and writes have copies; expected a trace without keys, or a design without copies")
			}
			c.eventsAlone(o, at, "the trace's rows name keys; expected none, or a trace without keys")
		}
		return
	}
	c.weights(t.Operations, path+".operations")
	c.offered(i, path)
}

// rowCount returns how many rows were read, 0 for none.
func (c *checker) rowCount() int {
	for _, a := range c.Attributes {
		if column, is := a.Values.(keys.ValueColumn); is && column.Table != nil {
			return column.Table.Len()
		}
	}
	return 0
}

// rowByRow refuses what would have an operation at the time of another row than that
// which it is about.
func (c *checker) rowByRow(i int, path string) {
	for j := range i {
		if c.Phases[j].Traffic != nil {
			c.add(path+".arrivals.trace", "phase %q uses the trace's rows before; expected this phase first", c.Phases[j].Name)
			return
		}
	}
	if c.Phases[i].Traffic.Arrivals.Peak > 0 {
		c.add(path+".arrivals.peak", "each trace row is one operation; expected no peak, or another file")
	}
	for j := range c.Phases[i].Traffic.Operations {
		if c.Phases[i].Traffic.Operations[j].Verb == entity.Batch {
			c.add(fmt.Sprintf("%s.operations.%d.verb", path, j), "each trace row is one operation; expected no batch, or another file")
		}
	}
}

// namesOfRows returns what rows of the phase's trace may be called, by the position
// of the operation that this stands for: its name, or its verb where no operation
// has that as a name. A row names a single entity, which excludes batches and queries
// from it.
func (t *Traffic) namesOfRows() (names map[string]int, list []string) {
	names = make(map[string]int)
	add := func(name string, operation int) {
		if _, known := names[name]; !known {
			names[name] = operation
			list = append(list, name)
		}
	}
	for _, nameOf := range []func(*OperationSpec) string{
		func(o *OperationSpec) string { return o.Name },
		func(o *OperationSpec) string { return o.Verb.String() },
	} {
		for i := range t.Operations {
			if o := &t.Operations[i]; o.Verb != entity.Batch && o.Verb != entity.Query {
				add(nameOf(o), i)
			}
		}
	}
	return names, list
}

package keys

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
)

// ValueColumn takes the values of one column of a file whose rows are drawn whole: whatever
// columns of it an event has come from one row. In the order of the file event n has row
// n, and behind the last one the first again; by chance each row is as likely as any
// other.
type ValueColumn struct {
	// File is the path, Name what the first line of the file calls the column.
	File, Name string
	// ByChance draws the row, rather than going by the event's number.
	ByChance bool
	// ValueTable is what the file holds, of all columns that are drawn. Until it was read
	// there is none.
	Table *ValueTable
}

var _ Distribution = ValueColumn{}

// IsColumn reports whether the values are those of whole rows.
func IsColumn(d Distribution) bool {
	_, is := d.(ValueColumn)
	return is
}

// Faults implements [Distribution].
func (ValueColumn) Faults(string) []error { return nil }

// Probes implements [Distribution].
func (c ValueColumn) Probes() []string { return c.Table.columns[c.Name].probes }

func (c ValueColumn) place(i int) (path, what string) {
	one := c.Table.columns[c.Name]
	return "", fmt.Sprintf("%s of %s:%d", c.Name, c.File, one.lines[one.probed[i]])
}

// Compile implements [Distribution]. What is drawn by chance is one row only where all
// columns are drawn from one stream.
func (c ValueColumn) Compile(clock.Stream) ValueSource {
	one := c.Table.columns[c.Name]
	return ValueSource{picker: wholeRow{one.cells, c.ByChance}, texts: one.values}
}

// wholeRow picks the value that a row has.
type wholeRow struct {
	cells    []uint32
	byChance bool
}

func (w wholeRow) pick(n uint64, draw clock.Draw) int64 {
	if w.byChance {
		return int64(w.cells[draw.IntN(len(w.cells))])
	}
	return int64(w.cells[n%uint64(len(w.cells))])
}

// ValueTable is some columns of a file, row by row. It is safe for concurrent use.
type ValueTable struct {
	// Notes are sentences about what was assumed or left out of the file.
	Notes   []string
	rows    int
	columns map[string]*column

	// apart caches whether some columns together differ between all rows.
	mutex sync.Mutex
	apart map[string]bool
}

// Len returns how many rows there are.
func (t *ValueTable) Len() int { return t.rows }

// AllDiffer reports whether no two rows have the same values of some columns.
func (t *ValueTable) AllDiffer(names []string) bool {
	if len(names) == 0 {
		return t.rows <= 1
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	known := strings.Join(slices.Sorted(slices.Values(names)), "\n")
	apart, done := t.apart[known]
	if done {
		return apart
	}
	apart = slices.ContainsFunc(names, func(name string) bool { return len(t.columns[name].values) == t.rows })
	if !apart {
		groups, _ := t.Groups(t.rows, names...)
		apart = groups == t.rows
	}
	t.apart[known] = apart
	return apart
}

// Groups returns the number of groups of rows with the same values of some columns, and the share of rows
// in the largest group, of a sample of at most maxRows rows.
func (t *ValueTable) Groups(maxRows int, names ...string) (groups int, largest float64) {
	stride := max(1, (t.rows+maxRows-1)/maxRows)
	numbers := make([]uint32, (t.rows+stride-1)/stride)
	for _, name := range names {
		// The rows are numbered by the values of one column after the other.
		pairs := make(map[uint64]uint32, len(numbers))
		for i := range numbers {
			pair := uint64(numbers[i])<<32 | uint64(t.columns[name].cells[i*stride])
			number, known := pairs[pair]
			if !known {
				number = uint32(len(pairs))
				pairs[pair] = number
			}
			numbers[i] = number
		}
	}
	counts := make([]int, len(numbers)+1)
	for _, number := range numbers {
		counts[number]++
		groups = max(groups, int(number)+1)
	}
	return groups, float64(slices.Max(counts)) / float64(max(1, len(numbers)))
}

// Names returns the names of the columns in alphabetical order.
func (t *ValueTable) Names() []string { return slices.Sorted(maps.Keys(t.columns)) }

// Bounds of a file of rows.
const (
	maxRowsRead  = 10_000_000
	maxRowsBytes = 1 << 30
	maxRowBytes  = 1 << 20
)

// TableOptions say which columns of a file to read.
type TableOptions struct {
	File string
	// Columns are their names, empty for all. Names are other names for columns, as of [csvfile.Options].
	Columns []string
	Names   map[string]string
	// Times are those of Columns that hold times: their values become instants of 28 characters, as of
	// [Time]. TimeFormat is how they are written, empty to find it. Timed is a column of times that each row
	// must have, empty for none.
	Times      []string
	TimeFormat string
	Timed      string
	// Exact keeps blank rows and what begins with a number sign, of a file that is not the user's.
	Exact bool
	// isSet applies the bounds of a [ValueSet].
	isSet bool
}

// isKnown reports whether a column of the file has one of the names.
func (o *TableOptions) isKnown(name string) bool {
	return slices.ContainsFunc(o.Columns, func(one string) bool { return csvfile.PlainName(one) == csvfile.PlainName(name) })
}

// ReadTable reads columns of a file, which is CSV that begins with a line that names
// them. One row in a hundred may be skipped. The error joins up to twenty [*csvfile.Fault], each of them
// wrapping [ErrInvalidRow], or is that of the reader.
func ReadTable(from io.Reader, o TableOptions) (*ValueTable, error) {
	maxRow, maxBytes, maxRows := maxRowBytes, int64(maxRowsBytes), maxRowsRead
	if o.isSet {
		maxRow, maxBytes, maxRows = maxSetBytes, maxSetBytes, maxSetBytes
	}
	r := &tableReader{TableOptions: o, Reader: csvfile.New(from, csvfile.Options{File: o.File, Holds: "the rows of", Row: maxRow, Dirty: !o.Exact,
		Bytes: maxBytes, Names: o.Names, Kind: ErrInvalidRow, Known: o.isKnown})}
	t := &ValueTable{columns: make(map[string]*column), apart: make(map[string]bool)}
	for more := r.Next() && r.begin(); more && r.Next(); {
		if t.rows == maxRows {
			r.Fault("the file has more rows; expected at most %d", maxRows)
			break
		}
		if r.add() {
			t.rows++
		}
	}
	if r.Err() == nil && t.rows == 0 {
		r.Fault("no rows; expected a header and rows")
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	t.Notes = r.Notes()
	for _, one := range r.columns {
		one.places = nil
		text, begin := string(one.text), uint32(0)
		c := &column{values: make([]string, 0, len(one.ends)), lines: slices.Clip(one.lines), cells: slices.Clip(one.cells)}
		for _, end := range one.ends {
			c.values = append(c.values, text[begin:end])
			begin = end
		}
		c.hasTimes = one.time >= 0
		c.probed = probed(c.values)
		for _, at := range c.probed {
			c.probes = append(c.probes, c.values[at])
		}
		t.columns[one.name] = c
	}
	return t, nil
}

// tableReader reads the rows of a table.
type tableReader struct {
	TableOptions
	*csvfile.Reader
	columns []*packer
	// timed is the number of columns of times.
	timed int
	// instants are the times of a row as text, those of its columns alone.
	instants [][]byte
}

// begin finds the columns in the header.
func (r *tableReader) begin() bool {
	var times [][]int
	if len(r.Columns) == 0 {
		for _, name := range r.Fields() {
			r.Columns = append(r.Columns, strings.Clone(name))
		}
	}
	for _, name := range r.Columns {
		at, found := r.Column(name)
		if !found {
			continue
		}
		one := &packer{name: name, at: at, time: -1, places: make([]uint32, 64)}
		if slices.Contains(r.Times, name) {
			one.time, times = len(times), append(times, []int{at})
		}
		r.columns = append(r.columns, one)
	}
	r.instants = make([][]byte, len(times))
	if r.Timed != "" && r.Err() == nil {
		if at, found := r.TimeColumns(r.Timed); found {
			times = append(times, at)
		}
	}
	r.timed = len(times)
	return r.Err() == nil && (len(times) == 0 || r.FindTimes(r.TimeFormat, times...))
}

// add adds the row, unless it has no time where it must.
func (r *tableReader) add() bool {
	for i := range r.timed {
		at, found := r.TimeOf(i)
		if !found {
			return false
		}
		if i == len(r.instants) {
			break // the time that each row must have is none of the values
		}
		r.instants[i] = appendTime(r.instants[i][:0], entity.TicksOf(time.Unix(0, int64(at)).UTC()), transform{})
	}
	for _, one := range r.columns {
		value := r.Fields()[one.at]
		if one.time >= 0 {
			value = string(r.instants[one.time])
		}
		one.add(value, int32(r.Line()))
	}
	return true
}

// packer keeps each value of a column once, in one text: a map of strings would take
// ten times the memory for a column of numbers that are all different.
type packer struct {
	name string
	at   int
	// time is the number of a column of times, -1 for others.
	time int
	text []byte
	// ends is where each value ends, lines where it first occurs, cells which each row
	// has.
	ends  []uint32
	lines []int32
	cells []uint32
	// places is a hash table of positions, counted from 1, as long as a power of two and
	// at most half full.
	places []uint32
}

func (p *packer) add(value string, line int32) {
	mask := uint64(len(p.places) - 1)
	at := scattered(value) & mask
	for p.places[at] != 0 {
		if cell := p.places[at] - 1; string(p.value(cell)) == value {
			p.cells = append(p.cells, cell)
			return
		}
		at = (at + 1) & mask
	}
	cell := uint32(len(p.ends))
	p.text = append(p.text, value...)
	p.ends, p.lines, p.cells = append(p.ends, uint32(len(p.text))), append(p.lines, line), append(p.cells, cell)
	p.places[at] = cell + 1
	if 2*len(p.ends) <= len(p.places) {
		return
	}
	p.places = make([]uint32, 2*len(p.places))
	mask = uint64(len(p.places) - 1)
	for cell := range p.ends {
		at := scattered(p.value(uint32(cell))) & mask
		for p.places[at] != 0 {
			at = (at + 1) & mask
		}
		p.places[at] = uint32(cell) + 1
	}
}

// scattered returns the FNV-1a hash of a text, with its halves mixed.
func scattered[T string | []byte](text T) uint64 {
	hash := uint64(14695981039346656037)
	for i := range len(text) {
		hash = (hash ^ uint64(text[i])) * 1099511628211
	}
	return hash ^ hash>>32
}

func (p *packer) value(cell uint32) []byte {
	begin := uint32(0)
	if cell > 0 {
		begin = p.ends[cell-1]
	}
	return p.text[begin:p.ends[cell]]
}

// column is what the rows have in one column.
type column struct {
	// values are the different ones, in the order in which they first occur, and lines
	// where; cells are the positions of those that the rows have.
	values []string
	lines  []int32
	cells  []uint32
	// hasTimes says that the values are instants.
	hasTimes bool
	// probes stand for all of them in a check ahead of time; probed are their positions.
	probes []string
	probed []int
}

// fewTexts is up to how many values a check looks at each, maxShapes up to how many
// shapes of them otherwise.
const (
	fewTexts  = 1000
	maxShapes = 2000
)

// probed returns the positions of values that stand for all: of each shape, which is the
// same for texts that differ in their letters and digits alone, the first, the least and
// the greatest. So what is no number, is too great for one, is too long for a key or holds
// what no key may is among them.
func probed(values []string) []int {
	if len(values) <= fewTexts {
		every := make([]int, len(values))
		for i := range every {
			every[i] = i
		}
		return every
	}
	type ends struct{ first, least, most int }
	shapes, room := make(map[string]ends), []byte(nil)
	longest := 0
	for i, value := range values {
		if len(value) > len(values[longest]) {
			longest = i
		}
		room = appendShape(room[:0], value)
		e, known := shapes[string(room)]
		switch {
		case !known && len(shapes) < maxShapes:
			shapes[string(room)] = ends{i, i, i}
		case known && value < values[e.least]:
			e.least = i
			shapes[string(room)] = e
		case known && value > values[e.most]:
			e.most = i
			shapes[string(room)] = e
		}
	}
	list := []int{longest}
	for _, e := range shapes {
		list = append(list, e.first, e.least, e.most)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func appendShape(dst []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			dst = append(dst, '0')
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			dst = append(dst, 'a')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

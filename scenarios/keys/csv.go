package keys

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"loadgen/engine/clock"
	"loadgen/engine/csvfile"
	"loadgen/engine/nearest"
)

// CSV takes the values of a file's column: each as often as it occurs there, or as
// a column of weights says.
type CSV struct {
	_ struct{} `object:"a csv"`
	// File is the path, Column the name of the column. Weight is that of the
	// weights, empty where each row counts once.
	File   string `yaml:"file,required" says:"A CSV file with a header, plain or gzip, relative to the scenario's folder." form:"path"`
	Column string `yaml:"column,required" says:"The column of values." max:"1000"`
	Weight string `yaml:"weight,omitempty" says:"A column of whole numbers that weights rows; 1 by default." max:"1000"`
	// ValueSet is what the file holds. Until it was read there is none: what depends on
	// the values is then not checked, and no generator can be made.
	Set *ValueSet
}

// ValueSet is the different values of a file's column, in the order in which they first
// occur, and how often each does. It is immutable.
type ValueSet struct {
	file    string
	values  []string
	weights []int64
	lines   []int32
}

// Len returns how many different values there are.
func (s *ValueSet) Len() int { return len(s.values) }

// Row returns a value, how often it occurs, and the line of the file where it first does.
func (s *ValueSet) Row(i int) (value string, weight int64, line int) {
	return s.values[i], s.weights[i], int(s.lines[i])
}

var _ Distribution = CSV{}

// Unread reports whether a distribution waits for its file.
func Unread(d Distribution) bool {
	switch values := d.(type) {
	case CSV:
		return values.Set == nil
	case ValueColumn:
		return values.Table == nil
	default:
		return false
	}
}

// Faults implements [Distribution].
func (c CSV) Faults(path string) []error {
	switch {
	case c.Column == "":
		return []error{valueFaultf(path+".csv.column", "column is empty; expected a name")}
	case c.Weight == c.Column:
		return []error{valueFaultf(path+".csv.weight", "weight is %s, the column itself; expected another", nearest.Quote(c.Weight))}
	}
	return nil
}

// Probes implements [Distribution].
func (c CSV) Probes() []string { return c.Set.values }

func (c CSV) place(i int) (path, what string) {
	return ".csv", fmt.Sprintf("%s of %s:%d", c.Column, c.File, c.Set.lines[i])
}

// Compile implements [Distribution].
func (c CSV) Compile(clock.Stream) ValueSource {
	return ValueSource{picker: newWeighted(c.Set.weights), texts: c.Set.values}
}

// Bounds of a file.
const (
	maxSetValues = 1_000_000
	maxSetBytes  = 64 << 20
	// MaxRowFaults is the maximum number of reported rows with values that are invalid in a key.
	MaxRowFaults = 20
)

// Read reads the values from the file, which is CSV that begins with a line that
// names its columns. The error joins up to twenty [*csvfile.Fault], each wrapping [ErrInvalidRow], or is that of the reader.
func (c CSV) Read(from io.Reader) (*ValueSet, error) {
	o := csvfile.Options{File: c.File, Holds: "the values of", Row: maxSetBytes, Bytes: maxSetBytes, Kind: ErrInvalidRow,
		Known: func(name string) bool { return name == c.Column || c.Weight != "" && name == c.Weight }}
	r := &setReader{CSV: c, Reader: csvfile.New(from, o), set: &ValueSet{file: c.File}, known: make(map[string]int)}
	more := r.Next()
	if more {
		r.weight = -1
		r.value, _ = r.Reader.Column(c.Column)
		if c.Weight != "" {
			r.weight, _ = r.Reader.Column(c.Weight)
		}
		more = r.Err() == nil
	}
	for more && r.Next() {
		more = r.row(r.Fields()[r.value], r.Fields())
	}
	if r.Err() == nil && len(r.set.values) == 0 {
		r.Fault("no rows; expected a header and rows")
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.set, nil
}

// setReader is a file under way.
type setReader struct {
	CSV
	*csvfile.Reader
	set *ValueSet
	// known are the positions of values; value and weight are the columns that count.
	known         map[string]int
	value, weight int
}

func (r *setReader) row(value string, fields []string) bool {
	weight := int64(1)
	if r.weight >= 0 {
		number, err := strconv.ParseInt(fields[r.weight], 10, 64)
		if err != nil || number < 1 || number > maxWeight {
			r.Fault("%s is %s; expected a whole number from 1 to %d", r.Weight, nearest.Quote(fields[r.weight]), maxWeight)
			return true
		}
		weight = number
	}
	at, known := r.known[value]
	switch {
	case known:
		r.set.weights[at] += weight
	case value == "":
		r.Fault("%s is empty; expected a value", r.CSV.Column)
	case !utf8.ValidString(value):
		r.Fault("%s is not UTF-8; expected UTF-8 text", r.CSV.Column)
	case len(r.set.values) == maxSetValues:
		r.Fault("the file has over %d different values; expected fewer", maxSetValues)
		return false
	default:
		// The reader's text is a part of its row, and would keep all of it in memory.
		value = strings.Clone(value)
		r.known[value] = len(r.set.values)
		r.set.values = append(r.set.values, value)
		r.set.weights = append(r.set.weights, weight)
		r.set.lines = append(r.set.lines, int32(r.Line()))
	}
	return true
}

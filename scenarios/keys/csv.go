package keys

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
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
	o := TableOptions{File: c.File, Columns: []string{c.Column}, Exact: true, isSet: true}
	if c.Weight != "" {
		o.Columns = append(o.Columns, c.Weight)
	}
	table, err := ReadTable(from, o)
	if err != nil {
		return nil, err
	}
	var faults []*csvfile.Fault
	fault := func(line int32, format string, args ...any) {
		faults = append(faults, &csvfile.Fault{File: c.File, Line: int(line), What: fmt.Sprintf(format, args...), Kind: ErrInvalidRow})
	}
	values := table.columns[c.Column]
	for i, value := range values.values {
		switch {
		case value == "":
			fault(values.lines[i], "%s is empty; expected a value", c.Column)
		case !utf8.ValidString(value):
			fault(values.lines[i], "%s is not UTF-8; expected UTF-8 text", c.Column)
		case i == maxSetValues:
			fault(values.lines[i], "the file has over %d different values; expected fewer", maxSetValues)
		}
	}
	weigh := func(int) int64 { return 1 }
	if column := table.columns[c.Weight]; column != nil {
		numbers := make([]int64, len(column.values))
		for i, text := range column.values {
			if numbers[i], err = strconv.ParseInt(text, 10, 64); err != nil || numbers[i] < 1 || numbers[i] > maxWeight {
				fault(column.lines[i], "%s is %s; expected a whole number from 1 to %d", c.Weight, nearest.Quote(text), maxWeight)
			}
		}
		weigh = func(row int) int64 { return numbers[column.cells[row]] }
	}
	if len(faults) > 0 {
		slices.SortStableFunc(faults, func(a, b *csvfile.Fault) int { return cmp.Compare(a.Line, b.Line) })
		return nil, csvfile.NewSkips(c.File, ErrInvalidRow, MaxRowFaults).Err(faults[:min(len(faults), MaxRowFaults)]...)
	}
	set := &ValueSet{file: c.File, values: values.values, weights: make([]int64, len(values.values)), lines: values.lines}
	for row, cell := range values.cells {
		set.weights[cell] += weigh(row)
	}
	return set, nil
}

package keys

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"loadgen/engine/clock"
)

// CSV takes the values of a file's column: each as often as it occurs there, or as
// a column of weights says.
type CSV struct {
	// File is the path, Column the name of the column. Weight is that of the
	// weights, empty where each row counts once.
	File, Column, Weight string
	// Set is what the file holds. Until it was read there is none: what depends on
	// the values is then not checked, and no generator can be made.
	Set *Set
}

// Set is the different values of a file's column, in the order in which they first
// occur, and how often each does. It is immutable.
type Set struct {
	file    string
	values  []string
	weights []int64
	lines   []int32
}

// Len returns how many different values there are.
func (s *Set) Len() int { return len(s.values) }

var _ Distribution = CSV{}

// unread reports whether a distribution waits for its file.
func unread(d Distribution) bool {
	c, file := d.(CSV)
	return file && c.Set == nil
}

func (c CSV) faults(path string) []error {
	var faults []error
	if c.File == "" {
		faults = append(faults, faultf(path+".csv.file", "file is empty; expected the path of a CSV file"))
	}
	if c.Column == "" {
		faults = append(faults, faultf(path+".csv.column", "column is empty; expected the name of a column"))
	}
	if c.Weight != "" && c.Weight == c.Column {
		faults = append(faults, faultf(path+".csv.weight", "weight is %s, which is the column itself; expected another one",
			shown(c.Weight)))
	}
	return faults
}

func (c CSV) probes() []string { return c.Set.values }

func (c CSV) place(i int) (path, what string) {
	return ".csv", fmt.Sprintf("%s of %s:%d", c.Column, c.File, c.Set.lines[i])
}

func (c CSV) compile(clock.Stream) source {
	return source{picker: newWeighted(c.Set.weights), texts: c.Set.values}
}

// Bounds of a file. Beyond mostRowFaults the rest is not looked at.
const (
	maxSetValues  = 1_000_000
	maxSetBytes   = 64 << 20
	mostRowFaults = 20
)

// Read reads the values from the file, which begins with a line that names its
// columns; lines are as RFC 4180 has them. The error joins up to twenty
// [*RowFault], or is that of the reader.
func (c CSV) Read(from io.Reader) (*Set, error) {
	bounded := &io.LimitedReader{R: from, N: maxSetBytes + 1}
	r := &setReader{CSV: c, csv: csv.NewReader(bounded), set: &Set{file: c.File}, known: make(map[string]int)}
	r.csv.ReuseRecord = true
	for row := 0; len(r.faults) < mostRowFaults; row++ {
		fields, err := r.csv.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if more, err := r.take(row, fields, err); err != nil {
			return nil, fmt.Errorf("reading the values of %s: %w", c.File, err)
		} else if !more {
			break
		}
	}
	switch {
	case bounded.N == 0:
		r.faults = nil
		r.fault(1, "the file has more than %d MiB; expected at most so many", maxSetBytes>>20)
	case len(r.faults) == 0 && len(r.set.values) == 0:
		r.fault(1, "the file has no values; expected a line that names the columns, and rows")
	}
	if err := errors.Join(r.faults...); err != nil {
		return nil, err
	}
	return r.set, nil
}

// setReader is a file under way.
type setReader struct {
	CSV
	csv *csv.Reader
	set *Set
	// known are the positions of values, columns how many each row has, of which
	// value and weight are those that count.
	known         map[string]int
	columns       int
	value, weight int
	faults        []error
}

func (r *setReader) fault(line int, format string, args ...any) {
	r.faults = append(r.faults, &RowFault{r.File, line, fmt.Sprintf(format, args...)})
}

// take takes a row, and reports whether there is any sense in the next.
func (r *setReader) take(row int, fields []string, err error) (more bool, failure error) {
	var broken *csv.ParseError
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		line, _ := r.csv.FieldPos(0)
		r.fault(line, "the row has %d columns; expected %d", len(fields), r.columns)
		return true, nil
	case errors.As(err, &broken):
		r.fault(broken.Line, "column %d: a quotation mark that belongs to nothing; "+
			"expected fields with one in quotation marks, and it doubled", broken.Column)
		return false, nil
	case err != nil:
		return false, err
	case row == 0:
		return r.header(fields), nil
	}
	line, _ := r.csv.FieldPos(r.value)
	return r.row(line, fields[r.value], fields), nil
}

// header finds the columns.
func (r *setReader) header(fields []string) bool {
	r.columns, r.weight = len(fields), -1
	fields[0] = strings.TrimPrefix(fields[0], "\uFEFF")
	find := func(name string) int {
		at := slices.Index(fields, name)
		switch {
		case at < 0:
			r.fault(1, "%s", Unknown("column", name, fields))
		case slices.Contains(fields[at+1:], name):
			r.fault(1, "column %s occurs twice; expected once", shown(name))
		}
		return at
	}
	r.value = find(r.Column)
	if r.Weight != "" {
		r.weight = find(r.Weight)
	}
	return len(r.faults) == 0
}

// row takes the value of a row.
func (r *setReader) row(line int, value string, fields []string) bool {
	weight := int64(1)
	if r.weight >= 0 {
		number, err := strconv.ParseInt(fields[r.weight], 10, 64)
		if err != nil || number < 1 || number > maxWeight {
			r.fault(line, "%s is %s; expected a whole number from 1 to %d", r.Weight, shown(fields[r.weight]), maxWeight)
			return true
		}
		weight = number
	}
	at, known := r.known[value]
	switch {
	case known:
		r.set.weights[at] += weight
	case value == "":
		r.fault(line, "%s is empty; expected a value", r.Column)
	case !utf8.ValidString(value):
		r.fault(line, "%s is not UTF-8; expected UTF-8 text", r.Column)
	case len(r.set.values) == maxSetValues:
		r.fault(line, "the file has more than %d different values; expected at most so many", maxSetValues)
		return false
	default:
		// What the reader returned is a part of its row, the whole of which it would
		// keep.
		value = strings.Clone(value)
		r.known[value] = len(r.set.values)
		r.set.values = append(r.set.values, value)
		r.set.weights = append(r.set.weights, weight)
		r.set.lines = append(r.set.lines, int32(line))
	}
	return true
}

// unreadFaults returns what keeps a generator from being made of sound attributes.
func unreadFaults(attributes []Attribute) []error {
	var faults []error
	for _, a := range attributes {
		if unread(a.Values) {
			faults = append(faults, faultf("attributes."+a.Name+".csv", "%s has not been read", a.Values.(CSV).File))
		}
	}
	return faults
}

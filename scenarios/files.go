package scenarios

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"loadgen/engine/csvfile"
	"loadgen/scenarios/keys"
)

// ReadFiles reads what a scenario refers to: the sets of values that attributes
// take from a file, and the traces that phases name. Open returns each by its path
// as the scenario has it. ReadFiles is called after the last override, for what a
// file holds is no value of the scenario's. Until then nothing is concluded from
// the values of an attribute that waits for its file; now everything is, once.
//
// The error is [Faults]: those of rows with the name of their file and their line.
func (s *Scenario) ReadFiles(open func(path string) (io.ReadCloser, error)) error {
	c := &checker{Scenario: s}
	if c.sets(open) && len(c.found) == 0 {
		c.found = s.check(nil)
	}
	for i := range s.Phases {
		if t := s.Phases[i].Traffic; t != nil && t.Arrivals != nil && t.Arrivals.Trace != "" {
			c.trace(i, fmt.Sprintf("phases.%d.traffic", i), open)
		}
	}
	return c.found.errorOrNil()
}

// sets reads the files of attributes, and reports whether there are any.
func (c *checker) sets(open func(path string) (io.ReadCloser, error)) bool {
	some := false
	// Copies of the scenario share the attributes.
	c.Attributes = slices.Clone(c.Attributes)
	for i, a := range c.Attributes {
		if set, file := a.Values.(keys.CSV); file {
			some = true
			c.set(&set, "attributes."+a.Name+".csv", open)
			c.Attributes[i].Values = set
		}
	}
	return some
}

// set reads the file of one attribute.
func (c *checker) set(values *keys.CSV, path string, open func(path string) (io.ReadCloser, error)) {
	file, err := open(values.File)
	if err != nil {
		c.add(path+".file", "the values cannot be read: %v; expected a file", err)
		return
	}
	defer file.Close()
	read, err := values.Read(file)
	if err != nil {
		c.found = append(c.found, rowFaults(err, values.File)...)
		return
	}
	values.Set = read
}

// rowFaults returns the faults of a file's rows.
func rowFaults(err error, file string) Faults {
	joined, many := err.(interface{ Unwrap() []error })
	if !many {
		return Faults{{File: file, What: err.Error()}}
	}
	var faults Faults
	for _, one := range joined.Unwrap() {
		var row *csvfile.Fault
		if errors.As(one, &row) {
			faults = append(faults, Fault{File: row.File, Line: row.Line, Column: 1, What: row.What})
		}
	}
	return faults
}

// Moved returns the scenario with other paths for the files that it names, for who
// writes it into another folder. The error is [Faults].
func (s *Scenario) Moved(path func(file string) string) (*Scenario, error) {
	moved := *s
	for _, a := range s.Attributes {
		if set, file := a.Values.(keys.CSV); file {
			if err := moved.Set("attributes."+a.Name+".csv.file", path(set.File)); err != nil {
				return nil, err
			}
		}
	}
	for i := range s.Phases {
		if t := s.Phases[i].Traffic; t != nil && t.Arrivals != nil && t.Arrivals.Trace != "" {
			if err := moved.Set(fmt.Sprintf("phases.%d.traffic.arrivals.trace", i), path(t.Arrivals.Trace)); err != nil {
				return nil, err
			}
		}
	}
	return &moved, nil
}

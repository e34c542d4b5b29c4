package scenarios

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys/values"
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
	return c.found.ErrorOrNil()
}

// sets reads the files of attributes, and reports whether there are any.
func (c *checker) sets(open func(path string) (io.ReadCloser, error)) bool {
	some := false
	// Copies of the scenario share the attributes.
	c.Attributes = slices.Clone(c.Attributes)
	for i, a := range c.Attributes {
		if set, file := a.Values.(values.CSV); file {
			some = true
			c.set(&set, "attributes."+a.Name+".csv", open)
			c.Attributes[i].Values = set
		}
	}
	return some
}

func (c *checker) set(values *values.CSV, path string, open func(path string) (io.ReadCloser, error)) {
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

func rowFaults(err error, file string) fields.Faults {
	joined, many := err.(interface{ Unwrap() []error })
	if !many {
		return fields.Faults{{File: file, What: err.Error()}}
	}
	var faults fields.Faults
	for _, one := range joined.Unwrap() {
		var row *csvfile.Fault
		if errors.As(one, &row) {
			faults = append(faults, fields.Fault{File: row.File, Line: row.Line, Column: 1, What: row.What})
		}
	}
	return faults
}

// Moved returns the scenario with other paths for the files that it names, for who
// writes it into another folder. The error is [Faults].
func (s *Scenario) Moved(path func(file string) string) (*Scenario, error) {
	moved := *s
	for _, a := range s.Attributes {
		if set, file := a.Values.(values.CSV); file {
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

func (c *checker) trace(i int, path string, open func(path string) (io.ReadCloser, error)) {
	t := c.Phases[i].Traffic
	file, err := open(t.Arrivals.Trace)
	if err != nil {
		c.add(path+".arrivals.trace", "the trace cannot be read: %v; expected a file", err)
		return
	}
	defer file.Close()
	names, list := t.namesOfRows()
	read, err := arrival.ReadTrace(file, arrival.TraceOptions{File: t.Arrivals.Trace, Operations: names,
		Unknown: func(name string) string { return nearest.Unknown("operation", name, list) }})
	if err != nil {
		c.found = append(c.found, rowFaults(err, t.Arrivals.Trace)...)
		return
	}
	t.Arrivals.Recorded = read
	if t.WarmUp >= t.Lasts() && t.WarmUp > 0 {
		c.add(path+".warm_up", "warm_up is %v, and the trace lasts %v; expected less", t.WarmUp, t.Lasts())
	}
	if t.Lasts() > maxStep {
		c.add(path+".arrivals.trace", "the trace lasts %v; expected at most %v, or a for", t.Lasts(), maxStep)
	}
	if read.Keyed() {
		c.replayed(t.Operations, path+".operations")
		return
	}
	c.weights(t.Operations, path+".operations")
	c.offered(i, path)
}

// namesOfRows returns what rows of the phase's trace may be called, by the position
// of the operation that this stands for: its name, or its verb where no operation
// has that as a name. A row names a single entity, of which batches and queries are
// not.
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

// imply gives a trace whose phase offers nothing of its own one operation for each
// verb that writes or reads a single entity. Its weight is 0, so that only rows
// that name it begin one.
func (s *Scenario) imply() {
	for i := range s.Phases {
		t := s.Phases[i].Traffic
		if t == nil || t.Arrivals == nil || t.Arrivals.Trace == "" || len(t.Operations) > 0 {
			continue
		}
		for _, verb := range verbs() {
			o := OperationSpec{Name: verb.String(), Verb: verb, Group: group(verb)}
			if o.Merges() {
				o.Properties = s.Entity.Properties
			}
			if verb != entity.Batch && verb != entity.Query && (!o.Merges() || len(o.Properties) > 0) {
				t.Operations = append(t.Operations, o)
			}
		}
	}
}

func scheduleFault(err error) string {
	return strings.TrimPrefix(err.Error(), arrival.ErrSchedule.Error()+": ")
}

// clockless returns a stream for what does not depend on chance.
func clockless() clock.Stream { return clock.NewStream(0, "") }

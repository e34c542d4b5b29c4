package scenarios

import (
	"io"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/arrival"
)

// trace reads the trace of one phase.
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

// scheduleFault returns what is wrong with a schedule.
func scheduleFault(err error) string {
	return strings.TrimPrefix(err.Error(), arrival.ErrSchedule.Error()+": ")
}

// clockless returns a stream for what does not depend on chance.
func clockless() clock.Stream { return clock.NewStream(0, "") }

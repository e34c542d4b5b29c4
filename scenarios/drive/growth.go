package drive

import "loadgen/scenarios"

// growth is what the operations of a phase insert.
type growth struct {
	of         *events
	operations uint64
	// mean is how many entities an operation inserts on the average, most at most.
	mean float64
	most uint64
}

// eventsOf returns the mix of a phase of event traffic whose stage has its loop, and
// what phases like it before have left.
func (c *Campaign) eventsOf(stage *Stage, phase int) (*events, error) {
	e, err := c.newEvents(phase)
	if err != nil {
		return nil, err
	}
	spec := c.Scenario.Phases[phase].Traffic
	if stage.Schedule != nil {
		e.open(stage.Schedule)
	} else {
		e.closed(spec.Clients, spec.Pace())
	}
	for i := range phase {
		before := c.Scenario.Phases[i].Traffic
		if before == nil || !before.Events() || keyedTrace(before) != nil {
			continue
		}
		past := &Stage{Name: c.Scenario.Phases[i].Name}
		if err := c.arrive(past, before); err != nil {
			return nil, err
		}
		of, err := c.newEvents(i)
		if err != nil {
			return nil, err
		}
		if past.Schedule != nil {
			of.open(past.Schedule)
		} else {
			of.closed(before.Clients, before.Pace())
		}
		e.growth = append(e.growth, of.grown(expected(past, before)))
	}
	e.growth = append(e.growth, e.grown(stage.count()))
	return e, nil
}

// expected returns how many operations a phase comes to: in a closed loop if each is
// answered at once.
func expected(stage *Stage, spec *scenarios.Traffic) uint64 {
	if stage.Schedule != nil || spec.Count > 0 {
		return stage.count()
	}
	return min(stage.Count, uint64(spec.For/max(1, evenly(spec.Clients, spec.Think)(1))))
}

// freshAt returns the first entity number of a phase that no phase before it, nor an
// earlier run, has used.
func (c *Campaign) freshAt(phase int) uint64 {
	if phase < len(c.begun) {
		return c.begun[phase]
	}
	fresh := c.fresh
	for i := len(c.begun); i < phase; i++ {
		one := &c.Scenario.Phases[i]
		if most, err := c.mostOperations(one); err == nil {
			fresh += most * stride(one.Operations())
		}
		fresh += uint64(one.Offered().Entities)
	}
	return fresh
}

// grown returns what so many operations insert.
func (e *events) grown(operations uint64) growth {
	g, weighed := growth{of: e, operations: operations}, 0
	for i := range e.specs {
		if n := e.inserted(i); e.specs[i].Weight > 0 {
			weighed += e.specs[i].Weight * n
			g.most = max(g.most, uint64(n))
		}
	}
	g.mean = float64(weighed) / float64(e.weights)
	return g
}

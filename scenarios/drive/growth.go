package drive

// growth is what the operations of a phase insert.
type growth struct {
	of         *events
	operations uint64
	// mean is how many entities an operation inserts on the average, most at most.
	mean float64
	most uint64
}

// eventsOf returns the mix of a phase of event traffic, and what phases like it before
// have left.
func (c *Campaign) eventsOf(d *dry) (*events, error) {
	e, err := c.newEvents(d)
	if err != nil {
		return nil, err
	}
	past, err := c.dryRun(d.phase)
	if err != nil {
		return nil, err
	}
	for _, before := range past {
		if before.stage == nil || !before.Events() || keyedTrace(before.Traffic) != nil {
			continue
		}
		of, err := c.newEvents(before)
		if err != nil {
			return nil, err
		}
		e.growth = append(e.growth, of.grown(before.expected))
	}
	e.growth = append(e.growth, e.grown(d.stage.count()))
	return e, nil
}

// freshAt returns the first entity number of a phase that no phase before it, nor an
// earlier run, has used.
func (c *Campaign) freshAt(phase int) (uint64, error) {
	if phase < len(c.begun) {
		return c.begun[phase], nil
	}
	fresh := c.fresh
	past, err := c.dryRun(phase)
	for i := len(c.begun); i < len(past); i++ {
		fresh += past[i].claims()
	}
	return fresh, err
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

package figure

// renamed are figures that were called otherwise, by what they were called.
var renamed = [...]struct{ was, is string }{
	{"refused", "throttled"},
	{"relieved", "relieved_after"},
	{"lost", "lost_writes"},
	{"doubled", "doubled_writes"},
	{"unknown", "unknown_writes"},
	{"faults", "violations"},
	{"tally", "counter"},
	{"attempts", "tries"},
}

// RenamedMetrics returns what figures were called otherwise, as pairs of the name before and the
// one of now. The slice is the caller's.
func RenamedMetrics() [][2]string {
	var pairs [][2]string
	for _, one := range renamed {
		pairs = append(pairs, [2]string{one.was, one.is})
	}
	return pairs
}

// unknown says of a name that is no figure what it is called now, or that it is none: the
// caller then knows the nearest.
func (p *parser) unknown(f Reference) {
	for _, one := range renamed {
		if one.was == f.Name {
			p.fail(f.Offset, "%s is called %s now; expected that name", one.was, one.is)
			return
		}
	}
	p.fail(f.Offset, "unknown figure %q", clipped(f.Name))
	p.fault.Name = f.Name
}

// wrongUnit says of a limit that its figure is told in other units. From when on a load was
// throttled was called as the count of throttled attempts is now.
func (p *parser) wrongUnit(limit int, c *Claim, expected string) {
	if c.left.Name == "throttled" && c.number.unit() == Nanoseconds {
		expected += ", or throttled_from, as the time is called now from which on attempts are"
	}
	p.fail(limit, "%s is no limit for %s; expected %s", c.number, c.left.Name, expected)
}

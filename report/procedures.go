package report

import (
	"loadgen/report/verdict"
	"loadgen/results"
)

// proceduresOf shows what procedures counted, and whether what they left behind is as it
// must be.
func proceduresOf(p *page, record *results.Record) {
	if len(record.Tallies) > 0 {
		p.heading("Counted by procedures, in the whole run")
		t := table{wordy: true, headings: []string{"times", "operation", "what"}}
		for _, one := range record.Tallies {
			t.rows = append(t.rows, []string{verdict.Count(one.Count), harmless(one.Operation), harmless(one.Name)})
		}
		t.onto(p)
	}
	if len(record.Invariants) == 0 {
		return
	}
	p.heading("What must hold of what was left behind, read after the run")
	for i := range record.Invariants {
		one := &record.Invariants[i]
		p.line(one.Name + ": " + heldBy(one))
		for _, example := range one.Examples {
			p.item(example)
		}
		if more := one.Faults - int64(len(one.Examples)); len(one.Examples) > 0 && more > 0 {
			p.item("and " + verdict.Count(more) + " more")
		}
	}
}

// heldBy says in how many things that were looked at something holds.
func heldBy(one *results.Invariant) string {
	switch {
	case one.Looked == 0:
		return "there was nothing to look at"
	case one.Faults == 0:
		return "so in all of " + verdict.Count(one.Looked) + " cases"
	default:
		return "not so in " + verdict.Count(one.Faults) + " of " + verdict.Count(one.Looked) + " cases"
	}
}

package report

import (
	"cmp"
	"strconv"

	"loadgen/report/document"
	"loadgen/results"
)

// workflows shows what workflows counted, and whether what they left behind is as it
// must be.
func (a *author) workflows() {
	tallies := document.Table{ID: "counters", Caption: "Each count",
		Columns: []document.Column{{Title: "times"}, {Title: "operation", Words: true}, {Title: "what", Words: true}}}
	for i, one := range a.record.Counters {
		tallies.Rows = append(tallies.Rows, []document.Cell{countCell(one.Count, pointer("counters", i, "count")), wordsCell(one.Operation), wordsCell(one.Name)})
	}
	a.table("Counted by workflows, in the whole run", tallies)
	if len(a.record.Invariants) == 0 {
		return
	}
	a.section("invariants", "What must hold of what was left behind, read after the run")
	t := document.Table{ID: "invariants", Columns: []document.Column{{Title: "holds", Words: true}, {Title: "cases"}, {Title: "not so"}, {Title: "rule", Words: true}}}
	t.Caption = "Rules, and in how many cases they do not hold"
	for i := range a.record.Invariants {
		one, from := &a.record.Invariants[i], pointer("invariants", i)
		t.Rows = append(t.Rows, []document.Cell{heldBy(one), countCell(one.Looked, below(from, "looked")), countCell(one.Faults, below(from, "violations")), wordsCell(one.Name)})
	}
	a.add(t)
	if examples := faultsOf(a.record.Invariants); len(examples) > 0 {
		a.add(document.List{Items: examples})
	}
}

// tokens shows the continuation tokens that queries saved.
func (a *author) tokens() {
	t := document.Table{ID: "tokens", Caption: "The continuation token of the last page that was read",
		Columns: []document.Column{{Title: "name", Words: true}, {Title: "operation", Words: true}, {Title: "token", Words: true}}}
	for _, one := range a.record.Saved() {
		t.Rows = append(t.Rows, []document.Cell{wordsCell(one.Name), wordsCell(one.Operation), wordsCell(cmp.Or(one.Token, "none: all was read"))})
	}
	a.table("Saved, to be gone on with", t)
}

// heldBy says whether something holds in what was looked at.
func heldBy(one *results.Invariant) document.Cell {
	switch {
	case one.Looked == 0:
		return document.Cell{Text: "unknown", Tone: document.Doubtful}
	case one.Faults == 0:
		return document.Cell{Text: "yes", Tone: document.Good}
	default:
		return document.Cell{Text: "NO", Tone: document.Bad}
	}
}

// faultsOf names examples of what does not hold.
func faultsOf(list []results.Invariant) []string {
	var examples []string
	for i := range list {
		one := &list[i]
		examples = append(examples, one.Examples...)
		if more := one.Faults - int64(len(one.Examples)); len(one.Examples) > 0 && more > 0 {
			examples = append(examples, "and "+document.Count(more)+" more, where "+strconv.Quote(one.Name)+" does not hold")
		}
	}
	return examples
}

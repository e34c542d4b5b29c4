package report

import (
	"cmp"
	"strconv"

	"loadgen/report/document"
)

// workflows shows what workflows counted, whether what they left behind is as it must be, and
// the continuation tokens that queries saved.
func (a *author) workflows() {
	tallies := document.Table{ID: "counters", Caption: "Each count",
		Columns: []document.Column{{Title: "times"}, {Title: "operation", Words: true}, {Title: "what", Words: true}}}
	for i, one := range a.record.Counters {
		tallies.Rows = append(tallies.Rows, []document.Cell{countCell(one.Count, pointer("counters", i, "count")), wordsCell(one.Operation), wordsCell(one.Name)})
	}
	a.table("Counted by workflows, in the whole run", tallies)
	rules := document.Table{ID: "invariants", Caption: "Rules, and in how many cases they do not hold",
		Columns: []document.Column{{Title: "holds", Words: true}, {Title: "cases"}, {Title: "not so"}, {Title: "rule", Words: true}}}
	var examples []string
	for i := range a.record.Invariants {
		one, from := &a.record.Invariants[i], pointer("invariants", i)
		holds := document.Cell{Text: "NO", Tone: document.Bad}
		switch {
		case one.Looked == 0:
			holds = document.Cell{Text: "unknown", Tone: document.Doubtful}
		case one.Faults == 0:
			holds = document.Cell{Text: "yes", Tone: document.Good}
		}
		rules.Rows = append(rules.Rows, []document.Cell{holds, countCell(one.Looked, below(from, "looked")),
			countCell(one.Faults, below(from, "violations")), wordsCell(one.Name)})
		examples = append(examples, one.Examples...)
		if more := one.Faults - int64(len(one.Examples)); len(one.Examples) > 0 && more > 0 {
			examples = append(examples, "and "+document.Count(more)+" more, where "+strconv.Quote(one.Name)+" does not hold")
		}
	}
	a.table("What must hold of what was left behind, read after the run", rules)
	if len(examples) > 0 {
		a.add(document.List{Items: examples})
	}
	tokens := document.Table{ID: "tokens", Caption: "The continuation token of the last page that was read",
		Columns: []document.Column{{Title: "name", Words: true}, {Title: "operation", Words: true}, {Title: "token", Words: true}}}
	for _, one := range a.record.Saved() {
		tokens.Rows = append(tokens.Rows, []document.Cell{wordsCell(one.Name), wordsCell(one.Operation),
			wordsCell(cmp.Or(one.Token, "none: all was read"))})
	}
	a.table("Saved, to be gone on with", tokens)
}

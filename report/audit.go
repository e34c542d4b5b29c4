package report

import (
	"fmt"

	"loadgen/report/document"
	"loadgen/report/verdict"
)

// audit shows what became of the writes that were verified.
func (a *author) audit() {
	of := a.record.Audit
	if of == nil {
		return
	}
	a.section("audit", "Writes, read back after the run")
	count := func(n int64, member string) document.Cell { return countCell(n, pointer("audit", member)) }
	a.line(fmt.Sprintf("%s writes = %s acknowledged + %s unknown + %s absent",
		verdict.Count(of.Writes), verdict.Count(of.Acknowledged), verdict.Count(of.Unknown), verdict.Count(of.Absent)))
	lost, doubled := count(of.Lost, "lost"), count(of.Doubled, "doubled")
	if of.Lost != 0 {
		lost.Tone = document.Bad
	}
	if of.Doubled != 0 {
		doubled.Tone = document.Bad
	}
	a.add(document.Table{ID: "audit", Caption: "What reading back found",
		Columns: []document.Column{{Title: "own 409"}, {Title: "own 412"}, {Title: "own 404"}, {Title: "foreign"}, {Title: "lost"},
			{Title: "doubled"}, {Title: "read back"}, {Title: "of entities"}, {Title: "unwatched"}, {Title: "overwritten"}},
		Rows: [][]document.Cell{{count(of.Own409, "own_409"), count(of.Own412, "own_412"), count(of.Own404, "own_404"),
			count(of.ForeignConflicts, "foreign_conflicts"), lost, doubled, count(of.ReadBack, "read_back"), count(of.Keys, "keys"),
			count(of.Unwatched, "unwatched"), count(of.Overwritten, "overwritten")}}})
	if len(of.Examples) > 0 {
		var examples []string
		for _, example := range of.Examples {
			examples = append(examples, fmt.Sprintf("%s, %s: %s", example.PartitionKey, example.RowKey, example.Fault))
		}
		a.add(document.List{Items: examples})
	}
	a.line("unknown: without a word on whether it was carried out; absent: refused, or somebody else was faster; " +
		"own: a retry met its own success; foreign: conflicts with others' writes; lost: acknowledged and not there; " +
		"doubled: increments of counters beyond those acknowledged; unwatched: beyond the bound on how many are watched; " +
		"overwritten: written last by somebody whom the run does not know")
}

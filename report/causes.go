package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"loadgen/report/document"
	"loadgen/results"
)

// mostCauseRows bounds the table of causes.
const mostCauseRows = 20

// caused is one cause of one kind of operation: how many attempts that had, and where
// run.json has the cause.
type caused struct {
	results.Cause
	kind     string
	attempts int64
	from     string
}

func (a *author) causeTable() document.Table {
	var rows []caused
	for _, name := range a.kinds() {
		_, told, from := a.kindTotal(name)
		for i, one := range told.Causes {
			rows = append(rows, caused{one, name, told.Attempts, below(from, "causes", i)})
		}
	}
	// What failed comes first, whatever was throttled beside it.
	slices.SortStableFunc(rows, func(x, y caused) int {
		return cmp.Or(cmp.Compare(y.Class, x.Class), cmp.Compare(y.Attempts, x.Attempts))
	})
	t := document.Table{ID: "causes", Caption: a.caption("Each cause, over the whole run"), Columns: []document.Column{{Title: "operation", Words: true},
		{Title: "counts as", Words: true, Spare: 1}, {Title: "status"}, {Title: "code", Words: true}, {Title: "attempts"}, {Title: "share of attempts", Spare: 2}}}
	for _, one := range rows[:min(len(rows), mostCauseRows)] {
		status := document.Cell{Text: untold}
		if one.Status != 0 {
			status = sourced(strconv.Itoa(one.Status), below(one.from, "status"), 0)
		}
		code := one.Code
		if one.Injected {
			code += ", injected"
		}
		t.Rows = append(t.Rows, []document.Cell{wordsCell(one.kind), wordsCell(one.Class.String()), status, wordsCell(code),
			amountCell(one.Attempts, below(one.from, "attempts")), {Text: shareOf(one.Attempts, one.attempts)}})
	}
	note := "share of attempts: of those of the operation; no status: there was no reply, and the code says why"
	if more := rows[min(len(rows), mostCauseRows):]; len(more) > 0 {
		var attempts int64
		for _, one := range more {
			attempts += one.Attempts
		}
		note += fmt.Sprintf("; %s causes more, of %s attempts, are not shown", document.Count(int64(len(more))), document.Count(attempts))
	}
	t.Notes = []string{note}
	return t
}

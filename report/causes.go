package report

import (
	"cmp"
	"fmt"
	"slices"

	"loadgen/report/document"
	"loadgen/results"
)

// mostCauseRows bounds the table of causes.
const mostCauseRows = 20

// caused is one cause of one kind of operation: its number of attempts, and where run.json has the cause.
type caused struct {
	results.Cause
	kind     string
	attempts int64
	from     document.Pointer
}

func (a *author) causeTable() document.Table {
	var rows []caused
	for _, name := range a.kinds() {
		_, told, from := a.kindTotal(name)
		for i, one := range told.Causes {
			rows = append(rows, caused{one, name, told.Attempts, from.Below("causes", i)})
		}
	}
	// Failures come before throttling.
	slices.SortStableFunc(rows, func(x, y caused) int {
		return cmp.Or(cmp.Compare(y.Class, x.Class), cmp.Compare(y.Attempts, x.Attempts))
	})
	t := document.NewTable("causes", a.caption("Each cause, over the whole run"), "operation|named", "counts as|named|spare=1", "status|at|nonzero", "code|named",
		"attempts|rate|at", "share of attempts|share|spare=2")
	for _, one := range rows[:min(len(rows), mostCauseRows)] {
		code := one.Code
		if one.Injected {
			code += ", injected"
		}
		t.Add(one.from, one.kind, one.Class, one.Status, code, one.Attempts, document.RatioOf(one.Attempts, one.attempts))
	}
	note := "share of attempts: of the operation's; no status: no reply"
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

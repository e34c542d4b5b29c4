package report

import (
	"cmp"
	"fmt"
	"slices"

	"loadgen/report/document"
	"loadgen/results"
)

// maxCauseRows bounds the table of causes.
const maxCauseRows = 20

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
	t := a.newTable("causes")
	for _, one := range rows[:min(len(rows), maxCauseRows)] {
		code := one.Code
		if one.Injected {
			code += ", injected"
		}
		t.Add(one.from, one.kind, one.Class, one.Status, code, one.Attempts, document.RatioOf(one.Attempts, one.attempts))
	}
	if more := rows[min(len(rows), maxCauseRows):]; len(more) > 0 {
		var attempts int64
		for _, one := range more {
			attempts += one.Attempts
		}
		t.Notes[0] += fmt.Sprintf("; %s causes more, of %s attempts, are not shown", document.Count(int64(len(more))), document.Count(attempts))
	}
	return t
}

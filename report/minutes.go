package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/report/verdict"
)

// mostMinutes is how many rows the table of a load's course has at most.
const mostMinutes = 40

// minutes shows how a load fared over time, and what load balancing did. Its figures
// are of the seconds of intervals.ndjson, which run.json does not hold.
func (a *author) minutes() {
	list := verdict.Minutes(a.record, mostMinutes)
	t := document.Table{ID: "minutes", Caption: a.caption("Each stretch of the load"), Columns: []document.Column{{Title: "from"},
		{Title: "offered", Unit: "operations/s"}, {Title: "served", Unit: "entities/s"}, {Title: "throttled", Unit: "attempts/s"}, {Title: "lost"},
		{Title: "load balancing", Words: true}}}
	for i := range list {
		m := &list[i]
		var lost *float64
		if m.Offered > 0 {
			lost = new(max(0, 1-m.Served/m.Offered))
		}
		t.Rows = append(t.Rows, []document.Cell{{Text: strconv.Itoa(int(m.From/time.Minute)) + " min"}, rateCell(m.Offered, ""), rateCell(m.Served, ""),
			rateCell(m.Throttled, ""), shareCell(lost, ""), {Text: decisions(m)}})
	}
	t.Notes = []string{"from: since the load began; offered: operations/s that became due; served: entities/s; throttled: attempts/s; " +
		"lost: of what became due, where each operation is of one entity"}
	a.table("The load over time", t)
}

// decisions says what load balancing did in a stretch.
func decisions(m *verdict.Minute) string {
	var parts []string
	for _, part := range []struct {
		count int
		thing string
	}{{m.Splits, "split"}, {m.Moves, "move"}, {m.Merges, "merge"}} {
		if part.count > 0 {
			parts = append(parts, document.Counted(part.count, part.thing))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d ranges", strings.Join(parts, ", "), m.Ranges)
}

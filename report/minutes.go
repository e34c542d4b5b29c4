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
	if len(list) == 0 {
		return
	}
	t := document.Table{ID: "minutes", Caption: a.caption("Each stretch of the load"), Columns: []document.Column{{Title: "from"},
		{Title: "offered", Unit: "operations/s"}, {Title: "served", Unit: "entities/s"}, {Title: "refused", Unit: "attempts/s"}, {Title: "lost"},
		{Title: "load balancing", Words: true}}}
	for i := range list {
		m := &list[i]
		var lost *float64
		if m.Offered > 0 {
			share := max(0, 1-m.Served/m.Offered)
			lost = &share
		}
		t.Rows = append(t.Rows, []document.Cell{{Text: strconv.Itoa(int(m.From/time.Minute)) + " min"}, rateCell(m.Offered, ""), rateCell(m.Served, ""),
			rateCell(m.Refused, ""), shareCell(lost, ""), {Text: decisions(m)}})
	}
	t.Notes = []string{"from: since the load began; offered: operations/s that became due; served: entities/s; refused: attempts/s; " +
		"lost: of what became due, where each operation is of one entity"}
	a.section("minutes", "The load over time")
	a.add(t)
}

// decisions says what load balancing did in a stretch.
func decisions(m *verdict.Minute) string {
	var parts []string
	for _, part := range []struct {
		count int
		thing string
	}{{m.Splits, "split"}, {m.Moves, "move"}, {m.Merges, "merge"}} {
		switch {
		case part.count == 1:
			parts = append(parts, "1 "+part.thing)
		case part.count > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", part.count, part.thing))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d ranges", strings.Join(parts, ", "), m.Ranges)
}

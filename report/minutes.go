package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
)

// mostMinutes is how many rows the table of a load's course has at most.
const mostMinutes = 40

// minutesOf shows how a load fared over time, and what load balancing did.
func minutesOf(p *page, record *results.Record) {
	list := verdict.Minutes(record, mostMinutes)
	if len(list) == 0 {
		return
	}
	t := &table{wordy: true, headings: []string{"from", "offered", "served", "refused", "lost", "load balancing"}}
	for i := range list {
		m := &list[i]
		lost := untold
		if m.Offered > 0 {
			lost = verdict.Share(max(0, 1-m.Served/m.Offered))
		}
		t.rows = append(t.rows, []string{strconv.Itoa(int(m.From/time.Minute)) + " min", verdict.Rate(m.Offered), verdict.Rate(m.Served),
			verdict.Rate(m.Refused), lost, decisions(m)})
	}
	p.heading("The load over time")
	t.onto(p)
	p.line("from: since the load began; offered: operations/s that became due; served: entities/s; refused: attempts/s; " +
		"lost: of what became due, where each operation is of one entity")
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

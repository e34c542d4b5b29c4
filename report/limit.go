package report

import (
	"fmt"
	"strconv"

	"loadgen/report/document"
	"loadgen/results"
)

// limit shows the steps of a search for the highest rate, in the order in which
// they were tried.
func (a *author) limit(l *results.Limit) {
	if len(l.Steps) == 0 {
		return
	}
	asked := fmt.Sprintf("at most %s of the first attempts refused", percent(l.MaxRefused))
	if l.MaxP99 != nil {
		asked += fmt.Sprintf(", a response p99 of at most %s", inWords(l.MaxP99))
	}
	t := document.Table{ID: "rates-tried", Caption: a.caption("Each rate, in the order in which they were tried"), Columns: []document.Column{{Title: "step"},
		{Title: "rate", Unit: "operations/s"}, {Title: "entities/s"}, {Title: "length"}, {Title: "refused"}, {Title: "failed"},
		{Title: "p99", Unit: "ms"}, {Title: "entities"}, {Title: "outcome", Words: true}}}
	for i := range l.Steps {
		step, from := &l.Steps[i], pointer("limit", "steps", i)
		t.Rows = append(t.Rows, []document.Cell{{Text: strconv.Itoa(i + 1)}, rateCell(step.Rate, below(from, "operations_per_second")),
			rateCell(step.Offered, below(from, "offered_entities_per_second")),
			sourced(strconv.FormatFloat(step.Seconds, 'f', -1, 64)+" s", below(from, "length_s"), 0),
			percentCell(step.RefusedShare, below(from, "refused_share")), percentCell(step.FailedShare, below(from, "failed_share")),
			millisCell(step.P99, below(from, "response_p99_us")), countCell(step.Entities, below(from, "entities_counted")), wordsCell(step.Outcome)})
	}
	t.Notes = []string{"rate: operations/s; entities/s: due; refused and failed: of the first attempts; " +
		"p99: of the response times of successes; entities: counted by all attempts of the step"}
	a.section("rates-tried", "Rates tried: "+asked)
	a.add(t)
}

package report

import (
	"fmt"
	"strconv"

	"loadgen/report/verdict"
	"loadgen/results"
)

// limitOf shows the steps of a search for the highest rate, in the order in which
// they were tried.
func limitOf(p *page, l *results.Limit) {
	if len(l.Steps) == 0 {
		return
	}
	asked := fmt.Sprintf("at most %s of the first attempts refused", percent(l.MaxRefused))
	if l.MaxP99 != nil {
		asked += fmt.Sprintf(", a response p99 of at most %s ms", millis(l.MaxP99))
	}
	t := &table{wordy: true,
		headings: []string{"step", "rate", "entities/s", "length", "refused", "failed", "p99, ms", "entities", "outcome"}}
	for i := range l.Steps {
		step := &l.Steps[i]
		outcome, _ := split(harmless(step.Outcome), 20)
		t.rows = append(t.rows, []string{strconv.Itoa(i + 1), verdict.Rate(step.Rate), verdict.Rate(step.Offered),
			strconv.FormatFloat(step.Seconds, 'f', -1, 64) + " s", percent(step.RefusedShare), percent(step.FailedShare),
			millis(step.P99), verdict.Count(step.Entities), outcome})
	}
	p.heading("Rates tried: " + asked)
	t.onto(p)
	p.line("rate: operations/s; entities/s: due; refused and failed: of the first attempts; " +
		"p99: of the response times of successes; entities: counted by all attempts of the step")
}

// percent returns a share to hundredths of a per cent, in which bounds are given.
func percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 2, 64) + " %"
}

package report_test

import (
	"testing"
	"time"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
)

// A step in whose last half nothing was due cannot be judged; only one that was sent late is
// the generator's.
func TestStepsBlameTheGeneratorOnlyWhereItWasLate(t *testing.T) {
	for _, row := range []struct {
		name string
		late int64
		want string
	}{
		{"nothing late", 0, "cannot tell"},
		{"sent late", 1, "generator late"},
	} {
		step := func(begin time.Duration, rate float64, due, inTheHalf, late int64) results.Phase {
			return results.Phase{Name: begin.String(), Stage: "work", Begin: begin, End: begin + 10*time.Second, Rate: rate, Reported: true,
				Kinds: []results.KindStats{{Scheduled: due, Sent: due, Late: late, Succeeded: due, Operations: due, Attempts: due, Ok: due, Offered: due, Served: due,
					LastHalf: results.Cohort{Due: inTheHalf, Sent: inTheHalf, Succeeded: inTheHalf, Offered: inTheHalf, Served: inTheHalf}}}}
		}
		record := &results.Record{Validity: results.Valid, Duration: 20 * time.Second,
			Manifest: results.Manifest{Time: "virtual", Target: results.InProcess, Operations: []results.Kind{{Name: "put", Group: "PUT"}}},
			Phases:   []results.Phase{step(0, 0.1, 1, 0, row.late), step(10*time.Second, 100, 1000, 500, 0)}}
		got := ""
		for _, block := range report.Document(record, verdict.Judge(record)).Screen {
			if table, is := block.(document.Table); is && table.ID == "ladder" {
				got = table.Rows[0][2].Text
			}
		}
		if got != row.want {
			t.Errorf("%s: the step shows %q; want %q", row.name, got, row.want)
		}
	}
}

package report_test

import (
	"testing"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/verdict"
)

// The first screen blames the generator for a step only if it sent the step late.
func TestStepsBlameTheGeneratorOnlyWhereItWasLate(t *testing.T) {
	for late, want := range map[bool]string{false: "cannot tell", true: "generator late"} {
		record := stress().Record(t)
		summary := verdict.Judge(record)
		first := &summary.Phases[0]
		first.Holds, first.Why, first.ClientLimited = nil, "too short", late
		for _, block := range report.Document(record, summary).Screen {
			if table, is := block.(document.Table); is && table.ID == "ladder" && table.Rows[0][2].Text != want {
				t.Errorf("late %t: the step shows %q; want %q", late, table.Rows[0][2].Text, want)
			}
		}
	}
}

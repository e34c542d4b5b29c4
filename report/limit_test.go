package report_test

import (
	"strings"
	"testing"

	"loadgen/results"
)

func TestStepsOfASearchAreShownInTheirOrder(t *testing.T) {
	r := stress().Record(t)
	p99, bound := int64(7_500), int64(50_000)
	r.Limit = &results.Limit{Of: results.LimitPartition, MaxThrottled: .005, MaxP99: &bound, Steps: []results.LimitStep{
		{Rate: 4000, Offered: 8000, Seconds: 10, ThrottledShare: .495, P99: &p99, Entities: 20_199, Outcome: results.LimitThrottled},
		{Rate: 2.5, Offered: 5, Seconds: 440, FailedShare: .0004, Entities: 1100, Outcome: hostile},
	}}
	got := text(t, r)
	for _, part := range []string{
		"Rates tried: at most 0.50 % of the first attempts throttled, a response p99 of at most 50.0 ms\n",
		"  step   rate  entities/s  length  throttled  failed  p99, ms  entities  outcome\n",
		"     1  4,000       8,000    10 s    49.50 %  0.00 %     7.50    20,199  throttled\n",
		"     2    2.5           5   440 s     0.00 %  0.04 %        –     1,100  a\\x1b[2J\\x1b]0;owned\\a",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("the report lacks %q:\n%s", part, got)
		}
	}
	if strings.Contains(got, "All operations by step") {
		t.Error("the report of a search has a table of steps beside that of its rates; want one")
	}
	r.Limit.Steps = nil
	if got := text(t, r); strings.Contains(got, "Rates tried") {
		t.Errorf("the report of a search without steps has a table of them:\n%s", got)
	}
}

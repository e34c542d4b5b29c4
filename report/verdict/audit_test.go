package verdict_test

import (
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
)

func TestAuditInWords(t *testing.T) {
	for _, row := range []struct {
		name  string
		audit *results.Audit
		// verdict, findings and limits are what each must hold, not what none may.
		verdict, findings, limits, not string
	}{
		{name: "nobody looked", not: "acknowledged"},
		{name: "all is there", audit: &results.Audit{Writes: 1500, Acknowledged: 1500, Keys: 1200, ReadBack: 1200},
			verdict: "Every acknowledged write was found again, in 1,200 entities.", limits: "Each write carried its id", not: "own success"},
		{name: "no write was acknowledged", audit: &results.Audit{Writes: 3, Absent: 3}, verdict: "There was no acknowledged write to be read back."},
		{name: "not all was read", audit: &results.Audit{Acknowledged: 1500, Keys: 1200, ReadBack: 200},
			verdict: "is not known of 1,000 of the 1,200 entities written"},
		{name: "writes are lost", audit: &results.Audit{Acknowledged: 1500, Keys: 12, ReadBack: 12, Lost: 2, Doubled: 3},
			verdict: "The table broke its word: of 1,500 acknowledged writes 2 are lost, and counters were raised 3 times too often."},
		{name: "the client overwrote what it had written", audit: &results.Audit{Acknowledged: 1500, Keys: 12, ReadBack: 12, Lost: 76, Blind: 76},
			verdict: "The client overwrote 76 of 1,500 acknowledged writes", not: "broke its word"},
		{name: "some of them", audit: &results.Audit{Acknowledged: 1500, Keys: 12, ReadBack: 12, Lost: 76, Blind: 70},
			verdict:  "The table broke its word: of 1,500 acknowledged writes 6 are lost",
			findings: "The client overwrote 70 more acknowledged writes itself"},
		{name: "retries met their own success", audit: &results.Audit{Own409: 1, Own412: 2, Own404: 3},
			findings: "6 retries met their own success, after a reply that was lost: 1 inserts (409), 2 conditional writes (412), 3 deletions (404).",
			limits:   "A deletion that found nothing after a lost reply (404) counts as its own success"},
		{name: "somebody else was faster", audit: &results.Audit{ForeignConflicts: 7}, findings: "Writes met 7 conflicts"},
		{name: "nobody knows", audit: &results.Audit{Unknown: 4}, findings: "Of 4 writes nobody knows"},
		{name: "somebody else wrote", audit: &results.Audit{Overwritten: 5}, findings: "5 entities were written last by somebody"},
		{name: "more than can be watched", audit: &results.Audit{Keys: 1000, Unwatched: 9}, limits: "Whether 9 writes of further entities are there was not looked at: no more than 1,000"},
	} {
		record := (&run{manifest: manifest(), serves: 200, rates: []int{100}, seconds: 2}).record(t)
		record.Audit = row.audit
		summary := verdict.Judge(record)
		findings, limits := strings.Join(verdict.Findings(record), "\n"), strings.Join(verdict.Limits(record), "\n")
		for _, part := range []struct{ where, got, want string }{
			{"verdict", summary.Verdict, row.verdict}, {"findings", findings, row.findings}, {"limits", limits, row.limits}} {
			if !strings.Contains(part.got, part.want) {
				t.Errorf("%s: the %s is\n%s\nwant %q in it", row.name, part.where, part.got, part.want)
			}
			if row.not != "" && strings.Contains(part.got, row.not) {
				t.Errorf("%s: the %s is\n%s\nwant no %q in it", row.name, part.where, part.got, row.not)
			}
		}
		if summary.Audit != nil && summary.Audit == record.Audit {
			t.Errorf("%s: the summary shares its audit with the record; want a copy", row.name)
		}
	}
}

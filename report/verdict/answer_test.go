package verdict_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// What is said first follows from what was asked, then from what was met; what cannot be
// told has a reason, and where there is one a remedy.
func TestAnswers(t *testing.T) {
	yes, no, rate, low := new(true), new(false), 2001.0, 1500.0
	phase := func(holds *bool, why string) []results.PhaseSummary {
		return []results.PhaseSummary{{Name: "peak 3000/s", Holds: holds, Why: why, Offered: 3000, ShareLost: new(.25)}}
	}
	met := func(kind string) []results.Throttling {
		return []results.Throttling{{Kind: kind, Share: .125, Seconds: 2, From: 3, To: 4}}
	}
	checks := func(list ...results.Check) []results.Check { return list }
	passes, fails := results.Check{Expr: "a", Ok: yes, Observed: "7"}, results.Check{Expr: "b", Ok: no, Observed: "8"}
	for _, row := range []struct {
		name    string
		summary results.Summary
		number  string
		// claim and says are the words of each.
		claim, says string
	}{
		{"a limit", results.Summary{Saturation: &rate, SaturationInterval: []float64{1998, 2004}}, "2,001", "", "At 400/s"},
		{"a limit beside a check that fails", results.Summary{Saturation: &rate, Checks: checks(passes, fails), Phases: phase(no, "")},
			"2,001", "1 of 2 checks fails", "FAILS: b|8"},
		{"a limit beside checks that pass", results.Summary{Saturation: &rate, Checks: checks(passes, passes), Phases: phase(no, "")},
			"2,001", "2 of 2 checks pass", ""},
		{"a check of a load that holds", results.Summary{Checks: checks(passes), Phases: phase(yes, "")}, "400", "1 of 1 check passes", "Holds: a|7"},
		{"a check that could not be judged", results.Summary{Checks: checks(results.Check{Expr: "a", Observed: "not measured", Why: "too few"})},
			"", "1 of 1 check unknown", "annot tell: a|too few"},
		{"a step that does not hold", results.Summary{Phases: phase(no, "")}, "3,000", "", ""},
		{"throttling of no rate", results.Summary{Phases: phase(no, ""), Throttling: met("sporadic")}, "3,000", "", "12.5 %"},
		{"throttling at one rate", results.Summary{Phases: phase(no, ""), Throttling: met("limit or sporadic")}, "3,000", "", "600 operations/s"},
		{"a limit that changes", results.Summary{Phases: phase(no, ""), Throttling: met("changing")}, "3,000", "", "no fixed limit"},
		{"bursts of a second", results.Summary{Phases: phase(no, ""), Throttling: met("bursts")}, "3,000", "", "2 s"},
		{"an outage", results.Summary{Phases: phase(no, ""), Throttling: met("outage")}, "3,000", "", "an outage"},
		{"two seconds", results.Summary{Phases: phase(no, ""), Throttling: met("brief")}, "3,000", "", "2 seconds|3–4"},
		{"what retries carry", results.Summary{Phases: phase(nil, ""), Throttling: met("carried by retries")}, "", "", "retries"},
		{"a step of which it cannot be told", results.Summary{Phases: phase(nil, "the wind")}, "", "", "3000/s: the wind."},
		{"a generator that was late", results.Summary{Phases: phase(nil, "x"), ClientLimited: []string{"too few workers"}}, "", "", "too few workers"},
		{"a step that holds", results.Summary{Phases: phase(yes, "")}, "400", "", "400|200|50.0 %"},
		{"a search", results.Summary{Limit: &results.Limit{Held: &low, Finished: true}}, "1,500", "at least", ""},
		{"a search that found nothing that holds", results.Summary{Limit: &results.Limit{NotHeld: &low, Finished: true}}, "1,500", "even", ""},
		{"writes that are lost", results.Summary{Audit: &results.Audit{Writes: 9, Acknowledged: 9, Lost: 2}}, "2", "2 writes", "2 of 9"},
		{"writes that are all there say nothing of a rate", results.Summary{Audit: &results.Audit{Writes: 9, Acknowledged: 9, Keys: 8, ReadBack: 8}, Saturation: &rate},
			"2,001", "", "9 acknowledged writes"},
		{"a rule that is broken", results.Summary{Phases: phase(yes, ""), Invariants: []results.Invariant{{Name: "sum to zero", Looked: 2000, Faults: 22}}},
			"22", "violations", "sum to zero"},
		{"an invalid run", results.Summary{Validity: results.Invalid, Reasons: []string{"a reason"}}, "", "", "invalid|a reason"},
		{"a run that was stopped", results.Summary{Validity: results.Partial, Reasons: []string{"interrupted"}}, "", "", "again"},
		{"load balancing that relieves", results.Summary{Balance: &results.Balance{Outcome: results.LoadRelieved, Throttled: new(0.), Relieved: new(75.)}},
			"1 min 15 s", "40.0 %", ""},
	} {
		record := small(nil).record(t)
		if row.summary.Validity == "" {
			row.summary.Validity = results.Valid
		}
		record.Limit, record.Audit = row.summary.Limit, row.summary.Audit
		a := answer(record, &row.summary)
		state, _ := verdict.State(&row.summary)
		assert.Equal(t, []string{state, row.number}, []string{a.State, a.Number}, row.name)
		assert.Truef(t, a.Tone() != document.Plain && strings.HasPrefix(a.Claim, strings.ToUpper(state)) && len(a.Says) <= 5,
			"%s: %q of tone %d, and says %q", row.name, a.Claim, a.Tone(), a.Says)
		resultstest.CheckWords(t, row.name, a.Claim, row.number+"|"+row.claim)
		resultstest.CheckWords(t, row.name, strings.Join(a.Says, " "), row.says)
	}
}

// The remedy of a run that ended early depends on what ended it, and not on the words of its
// reasons: a file can have any name.
func TestRemedyFollowsFromWhatEndedTheRun(t *testing.T) {
	remedy := func(by results.EndedBy, reason string) string {
		record := small(nil).record(t)
		record.EndedBy = by
		said := answer(record, &results.Summary{Validity: results.Partial, Reasons: []string{reason}}).Says
		return said[len(said)-1]
	}
	seen := make(map[string]results.EndedBy)
	for _, by := range []results.EndedBy{"", results.EndedByStopOn, results.EndedByTarget} {
		plain, misleading := remedy(by, "it ended early"), remedy(by, "target.bin and stop_on.bin cannot be written")
		assert.Equalf(t, plain, misleading, "ended by %q, with file names in the reason", by)
		assert.NotContains(t, seen, plain, "remedies of other ends")
		seen[plain] = by
	}
}

// A rate that was held for a second alone is told with that reserve.
func TestAnswersOfShortSteps(t *testing.T) {
	for seconds, want := range map[int]bool{1: true, 4: false} {
		record := small(func(r *run) { r.rates, r.seconds = []int{50}, seconds }).record(t)
		a := answer(record, verdict.Judge(record))
		assert.Equalf(t, want, strings.Contains(strings.Join(a.Says, " "), "2 s"),
			"%d s: %q; %q: want the reserve %t", seconds, a.Claim, a.Says, want)
	}
}

// What a late generator sent behind its step met less load there: the share that is lost of
// the highest step is told with that.
func TestALimitOfLoadThatWasSentLate(t *testing.T) {
	for _, late := range []bool{false, true} {
		record := small(nil).record(t)
		for i := range record.Intervals {
			if late {
				record.Intervals[i].Lag.P99 = new(2 * results.HeldBackAfter.Microseconds())
			}
		}
		a := answer(record, &results.Summary{Validity: results.Valid, Saturation: new(2001.)})
		words := map[bool]string{true: "At 400/s, sent late in part, ", false: "At 400/s|!sent late"}[late]
		resultstest.CheckWords(t, fmt.Sprint("late ", late), strings.Join(a.Says, " "), words)
	}
}

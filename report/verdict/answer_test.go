package verdict_test

import (
	"strings"
	"testing"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
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
	for _, row := range []struct {
		sentence string
		summary  results.Summary
		claim    string
		says     string
	}{
		{"a limit", results.Summary{Saturation: &rate, SaturationInterval: []float64{1998, 2004}}, "SATURATES at 2,001 entities/s", "At 400/s"},
		{"a limit beside a check that fails", results.Summary{Saturation: &rate, Checks: []results.Check{{Expr: "a", Ok: yes}, {Expr: "b", Ok: no, Observed: "7"}}, Phases: phase(no, "")},
			"SATURATES at 2,001 entities/s; 1 of 2 checks fails", "Fails: b; observed: 7"},
		{"a limit beside checks that pass", results.Summary{Saturation: &rate, Checks: []results.Check{{Expr: "a", Ok: yes}, {Expr: "b", Ok: yes}}, Phases: phase(no, "")},
			"SATURATES at 2,001 entities/s; 2 of 2 checks pass", ""},
		{"a check of a load that holds", results.Summary{Checks: []results.Check{{Expr: "a", Ok: yes, Observed: "7"}}, Phases: phase(yes, "")},
			"HOLDS 400 operations/s; 1 of 1 check passes", "Holds: a; observed: 7"},
		{"a check that could not be judged", results.Summary{Checks: []results.Check{{Expr: "a", Observed: "not measured", Why: "too few"}}},
			"CANNOT TELL; 1 of 1 check cannot be told", "Cannot tell: a; observed: not measured: too few"},
		{"a step that does not hold", results.Summary{Phases: phase(no, "")}, "DOES NOT HOLD 3,000 entities/s", ""},
		{"throttling of no rate", results.Summary{Phases: phase(no, ""), Throttling: met("sporadic")}, "DOES NOT HOLD 3,000 entities/s", "12.5 % of the attempts refused at every rate"},
		{"throttling at one rate", results.Summary{Phases: phase(no, ""), Throttling: met("limit or sporadic")}, "DOES NOT HOLD 3,000 entities/s", "; 600 operations/s would"},
		{"a limit that changes", results.Summary{Phases: phase(no, ""), Throttling: met("changing")}, "DOES NOT HOLD", "by no one limit"},
		{"bursts of a second", results.Summary{Phases: phase(no, ""), Throttling: met("bursts")}, "DOES NOT HOLD", "bursts of 2 s and more would"},
		{"an outage", results.Summary{Phases: phase(no, ""), Throttling: met("outage")}, "DOES NOT HOLD", "an outage, and no limit"},
		{"two seconds", results.Summary{Phases: phase(no, ""), Throttling: met("brief")}, "DOES NOT HOLD", "Throttled in 2 seconds, between second 3 and 4"},
		{"what retries carry", results.Summary{Phases: phase(nil, ""), Throttling: met("carried by retries")}, "CANNOT TELL", "carried by retries"},
		{"a step of which it cannot be told", results.Summary{Phases: phase(nil, "the generator was late")}, "CANNOT TELL", "Peak 3000/s: the generator was late."},
		{"a generator that was late", results.Summary{Phases: phase(nil, "x"), ClientLimited: []string{"too few workers"}}, "CANNOT TELL", "Leave the machine to it, or offer less: too few workers"},
		{"a step that holds", results.Summary{Phases: phase(yes, "")}, "HOLDS 400 operations/s", "more was not tried"},
		{"a search", results.Summary{Limit: &results.Limit{Held: &low, Finished: true}}, "HOLDS 1,500 operations/s at least", ""},
		{"a search that found nothing that holds", results.Summary{Limit: &results.Limit{NotHeld: &low, Finished: true}}, "DOES NOT HOLD even 1,500 operations/s", ""},
		{"writes that are lost", results.Summary{Audit: &results.Audit{Writes: 9, Acknowledged: 9, Lost: 2}}, "DOES NOT HOLD: 2 writes lost or doubled", "2 are lost"},
		{"writes that are all there say nothing of a rate", results.Summary{Audit: &results.Audit{Writes: 9, Acknowledged: 9}, Saturation: &rate}, "SATURATES at 2,001 entities/s", "9 acknowledged writes found again"},
		{"a rule that what was left behind breaks", results.Summary{Phases: phase(yes, ""), Invariants: []results.Invariant{{Name: "the legs sum to zero", Looked: 2000, Faults: 22}}},
			"DOES NOT HOLD: 22 violations", "Not so: the legs sum to zero."},
		{"an invalid run", results.Summary{Validity: results.Invalid, Reasons: []string{"nothing succeeded"}}, "CANNOT TELL", "This run is invalid: nothing succeeded."},
		{"a run that was stopped", results.Summary{Validity: results.Partial, Reasons: []string{"interrupted"}}, "CANNOT TELL", "Run it again, to its end."},
		{"load balancing that relieves", results.Summary{Balance: &results.Balance{Outcome: results.LoadRelieved, Throttled: new(0.), Relieved: new(75.)}},
			"DOES NOT HOLD for the first 1 min 15 s (40.0 % lost), holds from then on", ""},
	} {
		record := small(func(r *run) {}).record(t)
		if row.summary.Validity == "" {
			row.summary.Validity = results.Valid
		}
		record.Limit, record.Audit = row.summary.Limit, row.summary.Audit
		a := verdict.Answer(record, &row.summary)
		if state, _ := verdict.State(&row.summary); a.State != state || a.Tone() == document.Plain {
			t.Errorf("%s: the state is %q of tone %d; want %q", row.sentence, a.State, a.Tone(), state)
		}
		if said := strings.Join(a.Says, " "); !strings.HasPrefix(a.Claim, row.claim) || !strings.Contains(said, row.says) || len(a.Says) > 5 {
			t.Errorf("%s: %q, %q; want %q and %q", row.sentence, a.Claim, said, row.claim, row.says)
		}
		if a.Number != "" && !strings.Contains(a.Claim, a.Number) {
			t.Errorf("%s: the claim %q lacks its number %q", row.sentence, a.Claim, a.Number)
		}
	}
}

// The remedy of a run that ended early depends on what ended it, and not on the words of its
// reasons: a file can have any name.
func TestRemedyFollowsFromWhatEndedTheRun(t *testing.T) {
	remedy := func(by results.EndedBy, reason string) string {
		record := small(func(*run) {}).record(t)
		record.EndedBy = by
		said := verdict.Answer(record, &results.Summary{Validity: results.Partial, Reasons: []string{reason}}).Says
		return said[len(said)-1]
	}
	seen := make(map[string]results.EndedBy)
	for _, by := range []results.EndedBy{"", results.EndedByStopOn, results.EndedByTarget} {
		plain, misleading := remedy(by, "it ended early"), remedy(by, "target.bin and stop_on.bin cannot be written")
		if other, twice := seen[plain]; twice || plain != misleading {
			t.Errorf("ended by %q: %q, with file names in the reason %q, and %q has the former: %t; want one remedy of its own", by, plain, misleading, other, twice)
		}
		seen[plain] = by
	}
}

// A rate that was held for a second alone is told with that reserve.
func TestAnswersOfShortSteps(t *testing.T) {
	for seconds, want := range map[int]bool{1: true, 4: false} {
		record := small(func(r *run) { r.rates, r.seconds = []int{50}, seconds }).record(t)
		a := verdict.Answer(record, verdict.Judge(record))
		if got := strings.Contains(strings.Join(a.Says, " "), "So short a step shows little"); got != want {
			t.Errorf("%d s: %q; %q: want the reserve %t", seconds, a.Claim, a.Says, want)
		}
	}
}

// What a late generator sent behind its step met less load there: the share that is lost of
// the highest step is told with that.
func TestALimitOfLoadThatWasSentLate(t *testing.T) {
	for _, late := range []bool{false, true} {
		record := small(func(*run) {}).record(t)
		for i := range record.Intervals {
			if late {
				record.Intervals[i].Lag.P99 = new(2 * results.HeldBackAfter.Microseconds())
			}
		}
		a := verdict.Answer(record, &results.Summary{Validity: results.Valid, Saturation: new(2001.)})
		if said := strings.Join(a.Says, " "); !strings.Contains(said, "At 400/s") || strings.Contains(said, "At 400/s, sent late in part, ") != late {
			t.Errorf("late = %t: %q", late, said)
		}
	}
}

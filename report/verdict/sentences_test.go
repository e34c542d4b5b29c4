package verdict_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// told is one run whose verdict is written down in testdata/verdicts.golden.
type told struct {
	name   string
	run    *run
	change func(*results.Record)
}

func verdicts() []told {
	asked := func(peak float64, rates ...int) *run {
		return small(func(r *run) { r.manifest.PeakAsked, r.rates = peak, rates })
	}
	return []told{
		{"saturated, against the documents' target", stress(), nil},
		{"saturated, with retries", small(func(r *run) { r.retries = 2 }), nil},
		{"saturated, with retries that outlast the step", small(func(r *run) { r.retries = 2 }), func(r *results.Record) {
			r.RetryWaits.Record(90 * time.Second)
		}},
		{"saturated below the model's target", small(func(r *run) { r.serves = 150 }), nil},
		{"not saturated up to the highest step", small(func(r *run) { r.rates = []int{50, 180} }), nil},
		{"a step too short to rely on", small(func(r *run) { r.rates, r.seconds = []int{50}, 1 }), nil},
		{"overloaded in steps too short to tell", small(func(r *run) { r.seconds = 1 }), nil},
		{"a share failed for other reasons", small(func(r *run) { r.failed = 40 }), nil},
		{"a partition that serves nothing", small(func(r *run) { r.serves = 0 }), nil},
		{"a peak that holds below saturation", asked(150, 100, 150, 300), nil},
		{"a peak that holds where nothing saturates", asked(100, 50, 100, 150), nil},
		{"a peak that does not hold", asked(300, 150, 300, 450), nil},
		{"a peak lost to failures alone", func() *run { r := asked(100, 50, 100); r.failed = 20; return r }(), nil},
		{"a peak that no step tried", asked(123, 50, 100), nil},
		{"a peak asked in steps too short to tell", func() *run { r := asked(300, 150, 300); r.seconds = 1; return r }(), nil},
		{"client-limited", small(func(r *run) { r.dropped = 10 }), nil},
		{"client-limited, with a peak asked", func() *run { r := asked(100, 50, 100); r.late = 3; return r }(), nil},
		{"partial", small(func(r *run) { r.validity, r.reasons = results.Partial, []string{"interrupted at 5 s."} }), nil},
		{"partial in steps too short to tell", small(func(r *run) {
			r.seconds, r.validity, r.reasons = 1, results.Partial, []string{"interrupted"}
		}), nil},
		{"partial before any step", small(func(r *run) {
			r.rates, r.validity, r.reasons = nil, results.Partial, []string{"interrupted"}
		}), nil},
		{"invalid for many reasons", small(nil), func(r *results.Record) {
			r.Phases[0].Kinds[1].Scheduled++
			r.Target.Requests++
			r.Intervals = r.Intervals[:3]
		}},
		{"a model without a target", small(func(r *run) { r.manifest.Targets = results.Targets{} }), nil},
		{"profile off", small(func(r *run) {
			r.manifest.Profile, r.manifest.Targets, r.serves = "off", results.Targets{}, 10_000
		}), nil},
		{"an account that gives in first", small(func(r *run) { r.manifest.Targets.Account = 100 }), nil},
		{"an account of the documents alone", small(func(r *run) {
			r.manifest.Targets = results.Targets{Account: 20_000}
		}), nil},
		{"a load on several partitions", small(nil), func(r *results.Record) {
			r.Manifest.PartitionKey = ""
			r.Phases[0].Partitions = []results.PartitionStats{{Key: "user-7", Entities: 3000, Busiest: 900}}
		}},
		{"a load on partitions that are not known", small(nil), func(r *results.Record) {
			r.Manifest.PartitionKey = ""
			r.Phases[0].Partitions, r.Phases[1].Partitions = nil, nil
		}},
		{"no step reported", small(nil), func(r *results.Record) {
			r.Phases[0].Reported, r.Phases[1].Reported = false, false
		}},
		{"another target than the embedded", small(func(r *run) { r.manifest.Target = "https://example.table" }), nil},
		{"operations that still waited, and one that took hours", small(nil), func(r *results.Record) {
			r.Phases[1].Kinds[1].Cut = 5
			r.Phases[0].Kinds[1].Response.Record(2 * time.Hour)
		}},
		{"a key with escapes in it", small(func(r *run) {
			r.manifest.PartitionKey = "a\x1b[2J\u202e\"" + strings.Repeat("ä", 100)
		}), nil},
	}
}

func TestVerdictsAsTheyAreTold(t *testing.T) {
	var got strings.Builder
	for _, row := range verdicts() {
		record := row.run.record(t)
		if row.change != nil {
			row.change(record)
		}
		summary := verdict.Judge(record)
		said := story(record) + " Limits: " + strings.Join(limitsOf(record), " ")
		fmt.Fprintf(&got, "# %s\n%s\n\n", row.name, strings.ReplaceAll(said, ". ", ".\n"))
		checkVerdict(t, row.name, record, summary)
	}
	resultstest.CheckGolden(t, "testdata/verdicts.golden", got.String())
}

// checkVerdict checks a story for what must be true of each.
func checkVerdict(t *testing.T, name string, record *results.Record, summary *results.Summary) {
	t.Helper()
	text, said := story(record), answer(record, summary)
	assert.Truef(t, !strings.ContainsFunc(text, unicode.IsControl) && !strings.ContainsRune(text, '\u202e'),
		"%s: %q; want no control characters", name, text)
	assert.NotContainsf(t, text, "not complete", "%s: a rule failed", name)
	assert.LessOrEqualf(t, len(said.Says), 4, "%s: %q", name, said.Says)
	assert.Equalf(t, said.Sentences(), summary.Verdict, "%s: the verdict of scripts is the answer", name)
	if summary.Validity == results.Valid {
		return
	}
	assert.Containsf(t, said.Says[0], "is "+summary.Validity, "%s: %q; want it to begin with the validity", name, said.Says)
}

// peak is a step at the rate that was asked for, of so many operations due in its last
// half.
func peak(due, throttled, lost int64) results.KindStats {
	half := results.Cohort{Counts: results.Counts{Scheduled: due, Sent: due, Succeeded: due - lost, FirstThrottled: throttled, Offered: due, Served: due - lost}}
	return results.KindStats{Counts: results.Counts{Scheduled: due, Sent: due, Operations: due, Succeeded: due - lost, Attempts: due, Ok: due - lost, Throttled: throttled,
		FirstThrottled: throttled}, LastHalf: half}
}

func TestChecksOfAPeak(t *testing.T) {
	for _, row := range []struct {
		name              string
		asked             float64
		stats             results.KindStats
		throttled, lost   string
		throttledP, lostP bool
	}{
		{"nothing throttled, nothing lost", 3000, peak(1000, 0, 0), "0%", "0%", true, true},
		{"exactly 0.5% throttled is held", 3000, peak(1000, 5, 0), "0.5%", "0%", true, true},
		{"a little more is not", 3000, peak(100_000, 501, 0), "0.501%", "0%", false, true},
		{"what would round to the bound is not shown as that", 3000, peak(1_000_000, 4_999, 0), "0.499%", "0%", true, true},
		{"one of ten thousand lost is too much", 3000, peak(10_000, 0, 1), "0%", "0.01%", true, false},
		{"a third of both", 3000, peak(3000, 1000, 1000), "33.3%", "33.3%", false, false},
		{"everything lost", 3000, peak(10, 10, 10), "100%", "100%", false, false},
		{"a step of another rate is not the peak", 2500, peak(10, 0, 0), "not measured", "not measured", false, false},
		{"a step of which nothing was due measures nothing", 3000, peak(0, 0, 0), "not measured", "not measured", false, false},
	} {
		record := &results.Record{Validity: results.Valid, Duration: 20 * time.Second,
			Manifest: results.Manifest{PeakAsked: row.asked, Operations: []results.Kind{{Name: "get"}}},
			Phases: []results.Phase{
				{Name: "a", End: 5 * time.Second, Rate: 1500, Reported: true, Kinds: []results.KindStats{peak(9, 9, 9)}},
				{Name: "b", Begin: 5 * time.Second, End: 10 * time.Second, Rate: 3000, Reported: true,
					Kinds: []results.KindStats{row.stats}}}}
		summary := &results.Summary{Validity: results.Valid}
		summary.Checks = verdict.Checks(record, summary)
		want := []results.Check{{Expr: fmt.Sprintf("sustained(peak %.0f/s)", row.asked), Ok: new(row.throttledP && row.lostP),
			Observed: row.throttled + " of the first attempts throttled, " + row.lost + " lost"}}
		if row.throttled == "not measured" {
			want[0].Observed, want[0].Ok, want[0].Why = row.throttled, nil, summary.Checks[0].Why
		}
		assert.Equalf(t, want, summary.Checks, "%s: Checks", row.name)
		assert.Equal(t, (row.throttledP && row.lostP), verdict.AllChecksHold(summary), row.name)
		// A run that is worth nothing is not judged.
		for _, e := range verdict.Checks(record, &results.Summary{Validity: results.Invalid}) {
			assert.Truef(t, !e.Holds() && e.Observed == "not measured",
				"%s: of an invalid run %+v; want it not measured", row.name, e)
		}
	}
}

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
		{"throttling of no rate", results.Summary{Phases: phase(no, ""), Throttling: met("sporadic")}, "3,000", "", "12.5%"},
		{"throttling at one rate", results.Summary{Phases: phase(no, ""), Throttling: met("limit or sporadic")}, "3,000", "", "600 operations/s"},
		{"a limit that changes", results.Summary{Phases: phase(no, ""), Throttling: met("changing")}, "3,000", "", "no fixed limit"},
		{"bursts of a second", results.Summary{Phases: phase(no, ""), Throttling: met("bursts")}, "3,000", "", "2 s"},
		{"what retries carry", results.Summary{Phases: phase(nil, ""), Throttling: met("carried by retries")}, "", "", "retries"},
		{"a step of which it cannot be told", results.Summary{Phases: phase(nil, "the wind")}, "", "", "3000/s: the wind."},
		{"a search", results.Summary{Limit: &results.Limit{Held: &low, Finished: true}}, "1,500", "at least", ""},
		{"a search that found nothing that holds", results.Summary{Limit: &results.Limit{NotHeld: &low, Finished: true}}, "1,500", "even", ""},
		{"writes that are lost", results.Summary{Audit: &results.Audit{Writes: 9, Acknowledged: 9, Lost: 2}}, "2", "2 writes", "2 of 9"},
		{"writes that are all there say nothing of a rate", results.Summary{Audit: &results.Audit{Writes: 9, Acknowledged: 9, Keys: 8, ReadBack: 8}, Saturation: &rate},
			"2,001", "", "9 acknowledged writes"},
		{"a rule that is broken", results.Summary{Phases: phase(yes, ""), Invariants: []results.Invariant{{Name: "sum to zero", Looked: 2000, Faults: 22}}},
			"22", "violations", "sum to zero"},
		{"load balancing that relieves", results.Summary{Balance: &results.Balance{Outcome: results.LoadRelieved, Throttled: new(0.), Relieved: new(75.)}},
			"1 min 15 s", "40.0%", ""},
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

package verdict_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"

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
		fmt.Fprintf(&got, "# %s\n%s\n\n", row.name, strings.ReplaceAll(story(record), ". ", ".\n"))
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
	assert.Equalf(t, said.Whole(), summary.Verdict, "%s: the verdict of scripts is the answer", name)
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
		{"nothing throttled, nothing lost", 3000, peak(1000, 0, 0), "0 %", "0 %", true, true},
		{"exactly 0.5 % throttled is held", 3000, peak(1000, 5, 0), "0.5 %", "0 %", true, true},
		{"a little more is not", 3000, peak(100_000, 501, 0), "0.501 %", "0 %", false, true},
		{"what would round to the bound is not shown as that", 3000, peak(1_000_000, 4_999, 0), "0.499 %", "0 %", true, true},
		{"one of ten thousand lost is too much", 3000, peak(10_000, 0, 1), "0 %", "0.01 %", true, false},
		{"a third of both", 3000, peak(3000, 1000, 1000), "33.3 %", "33.3 %", false, false},
		{"everything lost", 3000, peak(10, 10, 10), "100 %", "100 %", false, false},
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
		assert.Equal(t, (row.throttledP && row.lostP), verdict.Holds(summary), row.name)
		// A run that is worth nothing is not judged.
		for _, e := range verdict.Checks(record, &results.Summary{Validity: results.Invalid}) {
			assert.Truef(t, !e.Holds() && e.Observed == "not measured",
				"%s: of an invalid run %+v; want it not measured", row.name, e)
		}
	}
}

func TestLimitsSayWhatTheRunCannotTell(t *testing.T) {
	for _, row := range []struct {
		name  string
		run   *run
		words string
	}{
		{"an embedded run in real time", small(nil), "documented|balancing|new table|assumed|!virtual|!not known|!cold"},
		{"a start of no name", small(func(r *run) { r.manifest.Start = "" }), "!warm|!cold"},
		{"too short to tell", small(func(r *run) { r.seconds = 1 }), "unknown: throttling in only 1 s|!negligible"},
		{"profile off", small(func(r *run) { r.manifest.Profile = "off" }), "Profile off|!assumptions"},
		{"another target", small(func(r *run) { r.manifest.Target = "https://example.table" }), "!balancing|!profile|!warm"},
	} {
		checkSentences(t, row.name, verdict.Limits(row.run.record(t)), row.words)
	}
}

func TestFindings(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		words  string
	}{
		{"a target that is not documented", nil, "200/s is the model's|!hour|!waited"},
		{"operations that still waited", func(r *results.Record) { r.Phases[1].Kinds[1].Cut = 5 }, "5 operations"},
		{"durations beyond an hour", func(r *results.Record) { r.Phases[0].Kinds[1].Response.Record(2 * time.Hour) }, "1 operation|hour"},
		{"no phases", func(r *results.Record) { r.Phases = nil }, "!hour|!waited"},
	} {
		record := small(nil).record(t)
		if row.change != nil {
			row.change(record)
		}
		checkSentences(t, row.name, findings(record), row.words)
	}
}

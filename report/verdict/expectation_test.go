package verdict_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
)

// What is observed is shown with as many figures as it takes to see on which side of
// the limit it lies.
func TestObservedLiesOnItsSideOfTheLimit(t *testing.T) {
	record := small(func(r *run) { r.rates, r.seconds = []int{100}, 10 }).record(t)
	for _, row := range []struct {
		name                string
		throttled, attempts int64
		text, observed      string
		pass                bool
	}{
		{"a third", 1, 3, "throttled(get, step) < 1%", "33.3 %", false},
		{"a little below", 99_999, 10_000_000, "throttled(get, step) < 1%", "0.99999 %", true},
		{"a little above", 100_001, 10_000_000, "throttled(get, step) < 1%", "1.00001 %", false},
		{"just there", 1, 100, "throttled(get, step) < 1%", "1.0 %", false},
		{"just there, which is allowed", 1, 100, "throttled(get, step) <= 1%", "1.0 %", true},
		{"far more than the limit", 1_234_567, 1, "throttled(get, step) <= 3", "1,234,567", false},
		{"a ratio of counts", 1_000_000, 1, "throttled(get, step) / operations(get, step) < 1", "1,330", false},
		{"a ratio of counts", 127_200, 1, "throttled(get, step) / operations(get, step) < 1", "170", false},
		{"many per second", 1_234_567, 1, "throttled(get, step) <= 3/s", "123,457/s", false},
		{"many per second, just above", 1_234_567, 1, "throttled(get, step) <= 123456/s", "123,457/s", false},
	} {
		record.Phases[0].Kinds[1].Throttled, record.Phases[0].Kinds[1].Attempts = row.throttled, row.attempts
		summary := &results.Summary{Validity: results.Valid}
		record.Manifest.Checks = []string{row.text}
		got := verdict.Checks(record, summary)
		assert.Truef(t, len(got) == 1 && got[0].Observed == row.observed && got[0].Holds() == row.pass,
			"%s: %q of %d in %d = %+v; want %s, pass %t", row.name, row.text, row.throttled, row.attempts, got, row.observed, row.pass)
	}
}

func TestClaimsComeAfterThePeakAndInTheirOrder(t *testing.T) {
	r := stress()
	r.manifest.PeakAsked = 1000
	r.manifest.Checks = []string{"throttled < 1%", "p99(get)<1s", "offered(hottest) >= 5000"}
	record := r.record(t)
	summary := verdict.Judge(record)
	var got []string
	for _, e := range summary.Checks {
		got = append(got, fmt.Sprintf("%s %t", e.Expr, e.Holds()))
	}
	want := []string{"sustained(peak 1000/s) true",
		"throttled < 1% false", "p99(get) < 1s true", "offered(hottest) >= 5000 false"}
	assert.Equal(t, want, got, "Expectations")
	// A claim that fails is not the peak's failure.
	assert.Truef(t, !verdict.Holds(summary) && summary.PeakState == results.Holds,
		"Holds = %t, the peak %s; want a peak that holds in a run that does not", verdict.Holds(summary), summary.PeakState)
	r.manifest.PeakAsked, r.manifest.Checks = 0, nil
	if got := verdict.Judge(r.record(t)).Checks; got == nil || len(got) > 0 {
		t.Errorf("Expectations of a run of which nothing was asked = %#v; want an empty list", got)
	}
}

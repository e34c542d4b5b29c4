package verdict_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
)

// bursting is a phase of bursts of 1 s every 3 s, which a partition of 200 entities/s
// meets with refusals and the time between without: it serves 200 and 40 a second.
func bursting() *results.Record {
	record := &results.Record{SchemaVersion: 1, Validity: results.Valid, Duration: 12 * time.Second, Manifest: manifest(),
		Phases: []results.Phase{{Name: "measure", End: 12 * time.Second, Rate: 160, Varying: true, Reported: true,
			Kinds: make([]results.KindStats, 4)}}}
	kind := &record.Phases[0].Kinds[1]
	for second := range int64(12) {
		row := results.Interval{Second: second, Attempts: 40, Served: 40}
		if second%3 == 0 {
			row.Attempts, row.Refused, row.Served = 400, 200, 200+second
		}
		record.Intervals = append(record.Intervals, row)
		kind.Attempts, kind.Refused = kind.Attempts+row.Attempts, kind.Refused+row.Refused
	}
	kind.Ok, kind.Operations = kind.Attempts-kind.Refused, kind.Attempts
	return record
}

// What is served where a changing load is low says nothing of where it saturates.
func TestSaturationOfALoadThatChanges(t *testing.T) {
	for _, row := range []struct {
		name     string
		change   func(*results.Record)
		median   float64
		interval []float64
	}{
		{"seconds with refusals alone, after the first", func(*results.Record) {}, 206, []float64{203, 209}},
		{"less than one per cent of refusals in a second is none", func(r *results.Record) {
			r.Intervals[1].Attempts, r.Intervals[1].Refused = 1000, 9
		}, 206, []float64{203, 209}},
		{"one per cent is some", func(r *results.Record) {
			r.Intervals[1].Attempts, r.Intervals[1].Refused = 1000, 10
		}, 204.5, []float64{40, 209}},
		{"a step at one rate takes all of its seconds", func(r *results.Record) { r.Phases[0].Varying = false }, 40, []float64{40, 209}},
	} {
		record := bursting()
		row.change(record)
		rows := slices.Clone(record.Intervals)
		got := verdict.Judge(record)
		if got.Saturation == nil || *got.Saturation != row.median || !slices.Equal(got.SaturationInterval, row.interval) {
			t.Errorf("%s: saturation = %v in %v; want %v in %v", row.name, got.Saturation, got.SaturationInterval, row.median, row.interval)
		}
		if !slices.EqualFunc(rows, record.Intervals, func(a, b results.Interval) bool { return a.Second == b.Second }) {
			t.Errorf("%s: Judge altered the record's seconds", row.name)
		}
	}
}

// Clients that wait offer no more than is answered: what they were served is told,
// and that it is no limit.
func TestClosedLoopsInWords(t *testing.T) {
	closed := func(r *results.Record) { r.Phases[0].Rate = 0 }
	for _, row := range []struct {
		name                 string
		rates                []int
		change               func(*results.Record)
		shown                int
		verdict, limits, not string
	}{
		{"a closed loop", []int{400}, closed, 1, "Clients that wait for each reply were served 200 entities/s, with 50.0 % of the attempts refused",
			"not known: clients that wait for each reply", "no step"},
		{"nothing at all", nil, func(*results.Record) {}, 0, "no step of load was reported", "not known: no step had", "Clients that wait"},
		{"an open loop beside it is what the verdict is about", []int{100, 150}, closed, 2, "is not saturated: of 150 entities/s", "not known: no step had", "Clients that wait"},
		{"a run of load balancing has another account", []int{100}, func(r *results.Record) {
			closed(r)
			r.Manifest.Spread = &results.Spread{Partitions: 2, Clients: 5}
		}, 0, "", "", "Clients that wait"},
		{"so has traffic that a server saw", []int{100}, func(r *results.Record) {
			closed(r)
			r.Capture = new(results.Capture)
		}, 0, "", "", "Clients that wait"},
	} {
		record := small(func(r *run) { r.rates = row.rates }).record(t)
		row.change(record)
		if got := verdict.Shown(record); len(got) != row.shown || row.shown > 0 && !got[0].Closed() {
			t.Errorf("%s: Shown = %d steps; want %d, the first a closed loop", row.name, len(got), row.shown)
		}
		text, limits := verdict.Judge(record).Verdict, strings.Join(verdict.Limits(record), "\n")
		if !strings.Contains(text, row.verdict) || !strings.Contains(limits, row.limits) || strings.Contains(text+limits, row.not) {
			t.Errorf("%s: the verdict is\n%s\nthe limits\n%s\nwant %q and %q in them, and no %q", row.name, text, limits, row.verdict, row.limits, row.not)
		}
	}
}

// A share of refusals below the bound is not shown as the bound.
func TestSharesOfRefusalsBelowTheBound(t *testing.T) {
	for _, row := range []struct {
		name string
		rate int
		says string
	}{
		{"nothing", 50, "with 0 % of the attempts refused"},
		{"one in 201", 201, "with 0.5 % of the attempts refused"},
		{"two in 202, which would be shown as the bound", 202, "with just under 1.0 % of the attempts refused"},
	} {
		record := small(func(r *run) { r.rates = []int{row.rate} }).record(t)
		if got := verdict.Judge(record).Verdict; !strings.Contains(got, row.says) || !strings.Contains(got, "is not saturated: of") {
			t.Errorf("%s: the verdict is %q; want %q in it", row.name, got, row.says)
		}
	}
}

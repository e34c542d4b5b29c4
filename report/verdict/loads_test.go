package verdict_test

import (
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

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
		{"a closed loop", []int{400}, closed, 1, "Clients that wait for each reply were served 200 entities/s, with 50.0 % of the attempts throttled",
			"not known: clients that wait for each reply", "no step"},
		{"nothing at all", nil, func(*results.Record) {}, 0, "no step of load was reported", "not known: nothing was throttled to speak of", "Clients that wait"},
		{"an open loop beside it is what the verdict is about", []int{100, 150}, closed, 2, "is not saturated: of 150 entities/s", "not known: nothing was throttled to speak of", "Clients that wait"},
		{"a run of load balancing has another account", []int{100}, func(r *results.Record) {
			closed(r)
			r.Manifest.Start, r.Manifest.Spread = "cold", &results.Spread{Partitions: 2, Clients: 5}
		}, 0, "", "", "Clients that wait"},
		{"so has traffic that a server saw", []int{100}, func(r *results.Record) {
			closed(r)
			r.Capture = new(results.Capture)
		}, 0, "", "", "Clients that wait"},
	} {
		record := small(func(r *run) { r.rates = row.rates }).record(t)
		row.change(record)
		if got := figure.Shown(record); len(got) != row.shown || row.shown > 0 && !got[0].Closed() {
			t.Errorf("%s: Shown = %d steps; want %d, the first a closed loop", row.name, len(got), row.shown)
		}
		text, limits := verdict.Judge(record).Verdict, strings.Join(verdict.Limits(record), "\n")
		if !strings.Contains(text, row.verdict) || !strings.Contains(limits, row.limits) || strings.Contains(text+limits, row.not) {
			t.Errorf("%s: the verdict is\n%s\nthe limits\n%s\nwant %q and %q in them, and no %q", row.name, text, limits, row.verdict, row.limits, row.not)
		}
	}
}

// Throttling of less than 1 % of the attempts of each second shows no limit; its share is
// told all the same.
func TestThrottlingBelowTheBound(t *testing.T) {
	for _, row := range []struct {
		name string
		rate int
		says string
	}{
		{"nothing", 50, "with 0 % of the attempts throttled"},
		{"one in 201", 201, "with 0.5 % of the attempts throttled"},
		{"two in 202", 202, "lost 1.0 % of the operations, with 1.0 % of the attempts throttled"},
	} {
		record := small(func(r *run) { r.rates = []int{row.rate} }).record(t)
		if got := verdict.Judge(record).Verdict; !strings.Contains(got, row.says) || !strings.Contains(got, "is not saturated: of") {
			t.Errorf("%s: the verdict is %q; want %q in it", row.name, got, row.says)
		}
	}
}

package verdict_test

import (
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// Clients that wait offer no more than is answered: what they were served is told,
// and that it is no limit. Throttling of less than 1 % of the attempts of each second shows no
// limit; its share is told all the same.
func TestLoadsThatShowNoLimit(t *testing.T) {
	closed := func(r *results.Record) { r.Phases[0].Rate = 0 }
	for _, row := range []struct {
		name            string
		rates           []int
		change          func(*results.Record)
		shown           int
		verdict, limits string
	}{
		{"a closed loop", []int{400}, closed, 1, "Clients that wait|200 entities/s|50.0 %|!no step", "Clients that wait|!no step"},
		{"nothing at all", nil, nil, 0, "no step|!Clients that wait", "nothing was throttled"},
		{"an open loop beside a closed one", []int{100, 150}, closed, 2, "150 entities/s|!Clients that wait", "nothing was throttled"},
		{"a run of load balancing has another account", []int{100}, func(r *results.Record) {
			closed(r)
			r.Manifest.Start, r.Manifest.Spread = "cold", &results.Spread{Partitions: 2, Clients: 5}
		}, 0, "!Clients that wait", "!Clients that wait"},
		{"so has traffic that a server saw", []int{100}, func(r *results.Record) {
			closed(r)
			r.Capture = new(results.Capture)
		}, 0, "!Clients that wait", "!Clients that wait"},
		{"nothing throttled", []int{50}, nil, 1, "is not saturated|0 % of the attempts", ""},
		{"one in 201", []int{201}, nil, 1, "is not saturated|0.5 % of the attempts", ""},
		{"two in 202", []int{202}, nil, 1, "is not saturated|1.0 % of the operations|1.0 % of the attempts", ""},
	} {
		record := small(func(r *run) { r.rates = row.rates }).record(t)
		if row.change != nil {
			row.change(record)
		}
		if got := figure.Shown(record); len(got) != row.shown || row.shown > 0 && got[0].Closed() != (row.change != nil) {
			t.Errorf("%s: Shown = %d steps; want %d", row.name, len(got), row.shown)
		}
		resultstest.CheckWords(t, row.name, verdict.Judge(record).Verdict, row.verdict)
		resultstest.CheckWords(t, row.name, strings.ReplaceAll(strings.Join(verdict.Limits(record), "\n"), "clients that", "Clients that"), row.limits)
	}
}

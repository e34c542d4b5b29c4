package advise

import (
	"context"
	"fmt"
	"testing"

	"loadgen/report/document"
	"loadgen/results"
)

// oneKey offers a load to one partition that serves 1,000 entities/s.
const oneKey = `name: one
seed: 4
retry: none
table: one
model: {profile: documented, partition_target: 1000}
attributes: {place: {list: [a]}, id: {sequence: 1}}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - {name: day, traffic: {arrivals: {%s}, for: 10s, operations: [{name: save, verb: insert}]}}
%s
`

// The load decides the state: sustained is a load of which nothing is lost, and at most 0.5%
// of the first attempts are throttled, at any time. The checks decide what was asked, where
// there are any, and only what was asked and is not so is marked bad.
func TestLoadDecidesTheStateAndChecksWhatWasAsked(t *testing.T) {
	const holds, fails = results.Holds, results.DoesNotHold
	for _, row := range []struct {
		name, arrivals, rest string
		state                string
		ok                   bool
		checks               string
		tone                 document.Tone
		rate                 string
	}{
		{"sustained", "constant: 900", "", holds, true, "", document.Good, "900"},
		{"sustained, a check passes", "constant: 900", "expect: [throttled < 50%]", holds, true, holds, document.Good, "900"},
		{"sustained, a check fails", "constant: 900", "expect: [p50 < 1us]", holds, false, fails, document.Bad, "900"},
		{"a third throttled", "constant: 1500", "", fails, false, "", document.Bad, "1,500"},
		{"a third throttled, a check passes", "constant: 1500", "expect: [throttled < 50%]", fails, true, holds, document.Neutral, "1,500"},
		{"a third throttled, one of two checks fails", "constant: 1500", "expect: [throttled < 50%, throttled < 1%]", fails, false, fails, document.Bad, "1,500"},
		{"throttled at first alone", "ramp: {from: 1700, to: 100}", "expect: [share_throttled_settled(day) < 1%]", fails, true, holds, document.Neutral, ""},
		{"a later phase with less load", "constant: 1500", "  - {name: night, traffic: {arrivals: {constant: 100}, for: 10s, operations: [{name: more, verb: insert}]}}",
			fails, false, "", document.Bad, "1,500"},
		{"less than one a second", "constant: 0.5", "", holds, true, "", document.Good, "0.5"},
	} {
		s := parsed(t, fmt.Sprintf(oneKey, row.arrivals, row.rest))
		targets, times, err := TargetsOf(s)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(context.Background(), Options{Scenario: s, Targets: targets, Times: times})
		if err != nil {
			t.Fatal(err)
		}
		a := e.Document().Answer
		if e.State != row.state || e.Ok == nil || *e.Ok != row.ok || e.Checks != row.checks || a.Tone() != row.tone {
			t.Errorf("%s: %s, ok %v, checks %q, tone %d: %q; want %s, %t, %q, %d", row.name, e.State, e.Ok, e.Checks, a.Tone(), e.Verdict, row.state, row.ok, row.checks, row.tone)
		}
		if row.rate != "" && a.Number != row.rate {
			t.Errorf("%s: the answer is about %s operations/s; want %s", row.name, a.Number, row.rate)
		}
	}
}

// The answer is about the highest rate of operations that a phase offers, not about that of the
// phase which counts most entities: 600/s are written there, and a scan every 2 s counts more.
func TestAnswerIsAboutTheHighestRate(t *testing.T) {
	if a := explained(t, builtin(t, "log-by-hour")).Document().Answer; a.Number != "600" || a.State != results.Holds {
		t.Errorf("log-by-hour: %s %s; want that it holds 600", a.State, a.Number)
	}
}

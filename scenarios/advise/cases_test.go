package advise

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/run/runtest"
)

// Each design of which the answer is known has it, and the figures of its simulation: each
// was once predicted wrongly.
func TestKnownDesigns(t *testing.T) {
	for _, row := range []struct {
		file, state, limit, checks string
		// says is a figure or a setting in the answer.
		says string
	}{
		{"egress", results.DoesNotHold, "egress busy", "", ""},
		{"tails", results.DoesNotHold, "range busy", "", "2 × 100 = 200/s"},
		{"warm", results.CannotTell, "", "", "start=cold"},
		{"padded", results.Holds, "", "", ""},
		{"account", results.DoesNotHold, "account busy", "", ""},
		{"few", results.Holds, "", results.CannotTell, ""},
		{"node", results.DoesNotHold, "partition busy", "", "500 of 200/s"},
		{"closed", results.Holds, "", "", "HOLDS 3"},
		{"rare", results.DoesNotHold, "account busy", "", ""},
	} {
		s := runtest.Parse(t, file(t, "known/"+row.file))
		e, err := Explain(t.Context(), Options{Scenario: s, Seeds: 1})
		require.NoError(t, err, row.file)
		limit := e.Used().Rehearsal.mainLimit()
		if e.State != row.state || e.Checks != row.checks || !strings.Contains(e.Verdict, row.says) || row.limit != "" && limit != row.limit {
			t.Errorf("%s: %s by %q, checks %q: %q; want %s by %q, checks %q, with %q", row.file, e.State, limit, e.Checks, e.Verdict,
				row.state, row.limit, row.checks, row.says)
		}
		was := simulated(t, s)
		assert.Truef(t, float64(e.Cost.Requests) == was.requests && float64(e.Cost.Entities) == was.entities && (was.throttled > .02) == (e.State == results.DoesNotHold),
			"%s: %s, %d requests and %d entities; its simulation is %+v", row.file, e.State, e.Cost.Requests, e.Cost.Entities, was)
	}
}

// truth is what a simulation of a scenario comes to.
type truth struct {
	throttled, hottest, requests, entities float64
}

func simulated(t *testing.T, s *scenarios.Scenario) truth {
	t.Helper()
	record := runtest.Simulate(t, s).Record
	measured, all := record.Total(results.Reported), record.Total(results.Everything)
	hottest := figure.NewFigures(record).Value(figure.Reference{Name: "offered", Part: figure.Hottest})
	return truth{throttled: figure.ShareOf(measured.Throttled, measured.Attempts), hottest: hottest.Value,
		requests: float64(all.Attempts), entities: float64(all.Counted)}
}

// The load decides the state: sustained is a load of which nothing is lost, and at most 0.5%
// of the first attempts are throttled, at any time. The checks decide what was asked, where
// there are any, and only what was asked and is not so is marked bad.
func TestLoadDecidesTheStateAndChecksWhatWasAsked(t *testing.T) {
	const holds, fails = results.Holds, results.DoesNotHold
	for _, row := range []struct {
		name, arrivals, expect, more string
		state                        string
		ok                           bool
		checks                       string
		tone                         document.Tone
		rate                         string
	}{
		{"sustained", "constant: 900", "", "", holds, true, "", document.Good, "900"},
		{"sustained, a check passes", "constant: 900", "throttled < 50%", "", holds, true, holds, document.Good, "900"},
		{"sustained, a check fails", "constant: 900", "p50 < 1us", "", holds, false, fails, document.Bad, "900"},
		{"a third throttled", "constant: 1500", "", "", fails, false, "", document.Bad, "1,500"},
		{"a third throttled, a check passes", "constant: 1500", "throttled < 50%", "", fails, true, holds, document.Neutral, "1,500"},
		{"one of two checks fails", "constant: 1500", "throttled < 50%, throttled < 1%", "", fails, false, fails, document.Bad, "1,500"},
		{"throttled at first alone", "ramp: {from: 1700, to: 100}", "share_throttled_settled(day) < 1%", "", fails, true, holds,
			document.Neutral, "1,700"},
		{"a later phase with less load", "constant: 1500", "",
			"  - {name: night, traffic: {arrivals: {constant: 100}, for: 10s, operations: [{name: more, verb: insert}]}}\n",
			fails, false, "", document.Bad, "1,500"},
		{"less than one a second", "constant: 0.5", "", "", holds, true, "", document.Good, "0.5"},
	} {
		e := explained(t, runtest.Parse(t, file(t, "one-key")+row.more, "phases.day.arrivals={"+row.arrivals+"}", "expect=["+row.expect+"]"))
		a := e.Document().Answer
		got, want := fmt.Sprint(e.State, *e.Ok, e.Checks, a.Tone(), a.Number), fmt.Sprint(row.state, row.ok, row.checks, row.tone, row.rate)
		assert.Truef(t, got == want,
			"%s: state, ok, checks, tone and rate are %s; want %s: %s", row.name, got, want, e.Verdict)
	}
}

// The answer is about the highest rate of operations that a phase offers, not about that of the
// phase which counts most entities: 600/s are written there, and a scan every 2 s counts more.
func TestAnswerIsAboutTheHighestRate(t *testing.T) {
	if a := explained(t, runtest.Builtin(t, "log-by-hour")).Document().Answer; a.Number != "600" || a.State != results.Holds {
		t.Errorf("log-by-hour: %s %s; want that it holds 600", a.State, a.Number)
	}
}

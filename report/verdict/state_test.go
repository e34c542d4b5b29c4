package verdict_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
)

// What was counted stays so in a run whose generator was late; times and rates are told of
// the phases that it offered in time alone, unless they keep below a bound all the same;
// and of a run that is not valid nothing is.
func TestWhatBearsACheck(t *testing.T) {
	const yes, no, untold = "holds", "FAILS", "cannot tell"
	first, last := stress().rates[0], stress().rates[len(stress().rates)-1]
	late := fmt.Sprintf("the generator was late in peak %d", first)
	for _, row := range []struct {
		name, validity, text, result, why string
	}{
		{"a valid run", results.Valid, "throttled < 99%", yes, ""},
		{"a valid run, whose claim does not hold", results.Valid, "throttled < 0.01%", no, ""},
		{"an interrupted one", results.Partial, "throttled < 99%", untold, "the run is partial"},
		{"an invalid one", results.Invalid, "throttled < 99%", untold, "the run is invalid"},
		{"one that calls itself otherwise", "odd", "throttled < 99%", untold, "the run is odd"},
		{"what no record holds", results.Valid, "lost_writes == 0", untold, "not verified"},
		{"no claim", results.Valid, "throttled <> 1%", untold, "byte 11"},
		{"a count that fails", results.Valid, "succeeded < 1", no, ""},
		{"times of an attempt", results.Valid, "service_p50 < 1s", yes, ""},
		{"response times over all that keep below their bound", results.Valid, "p50 < 1h", yes, ""},
		{"those that do not", results.Valid, "p50 < 1us", untold, late},
		{"of the phase that was not late", results.Valid, fmt.Sprintf("p50(peak %d) < 1us", last), no, ""},
		{"what was offered", results.Valid, fmt.Sprintf("offered(peak %d) > 0", first), untold, late},
		{"what was served where it was not late", results.Valid, fmt.Sprintf("served(peak %d) > 0", last), yes, ""},
		{"what was lost", results.Valid, "share_lost < 99%", yes, ""},
	} {
		record := stress().record(t)
		for p := range record.Phases {
			record.Phases[p].Name = fmt.Sprintf("peak %v", record.Phases[p].Rate)
			if p > 0 {
				continue
			}
			for k := range record.Phases[p].Kinds {
				record.Phases[p].Kinds[k].Late = record.Phases[p].Kinds[k].Sent
			}
		}
		record.Manifest.Checks = []string{row.text}
		got := verdict.Checks(record, &results.Summary{Validity: row.validity})[0]
		if got.Result() != row.result || !strings.Contains(got.Why, row.why) || (got.Why == "") != got.Told() ||
			!got.Told() && (got.Observed != "not measured" || got.Said() != "not measured: "+got.Why) {
			t.Errorf("%s: %q = %s, observed %s, why %q; want %s, %q", row.name, row.text, got.Result(), got.Observed, got.Why, row.result, row.why)
		}
	}
}

// That little was throttled of a load that was not sent says nothing; that much was is the
// target's word, and what was lost counts what was not sent.
func TestWhatWasNotSentWasNotThrottled(t *testing.T) {
	const yes, no, untold = "holds", "FAILS", "cannot tell"
	played := stress().record(t)
	for p := range played.Phases {
		played.Phases[p].Name = fmt.Sprintf("peak %v", played.Phases[p].Rate)
	}
	kind := &played.Phases[0].Kinds[1]
	kind.Scheduled, kind.Dropped, kind.LastHalf.Scheduled = kind.Scheduled+1, 1, kind.LastHalf.Scheduled+1
	for _, row := range []struct{ name, text, result string }{
		{"a share throttled, of all", "throttled < 99%", untold},
		{"of the step of which all was sent", "throttled(peak 4000) < 99%", yes},
		{"of the one of which it was not", "throttled(peak 1000) < 99%", untold},
		{"more than it may be", "throttled < 0.01%", no},
		{"a number", "throttled(peak 1000) == 0", untold},
		{"of first attempts", "first_throttled < 99%", untold},
		{"of those of the last half", "share_throttled_settled < 99%", untold},
		{"a second", "throttled_per_second < 1000000", untold},
		{"a success", "throttled_per_success < 1000", untold},
		{"retries", "retries(peak 1000) == 0", untold},
		{"retries to an operation", "retries_per_operation < 9", untold},
		{"requests to an operation", "tries < 9", untold},
		{"as a divisor", "succeeded / throttled > 0", untold},
		{"against another figure", "throttled < scheduled", untold},
		{"from below", "throttled > 1", yes},
		{"what was served", "served < 1000000", untold},
		{"by a partition", "served(hottest, peak 1000) < 1000000", untold},
		{"as a mean", "mean_served(peak 1000) < 1000000", untold},
		{"what a partition was offered", "offered(hottest, peak 1000) < 1000000", yes},
		{"what was lost", "share_lost < 99%", yes},
		{"times of attempts", "service_p99 < 1h", yes},
	} {
		played.Manifest.Checks = []string{row.text}
		got := verdict.Checks(played, &results.Summary{Validity: results.Valid})[0]
		assert.Truef(t, got.Result() == row.result && (got.Told() || strings.HasPrefix(got.Why, "the generator ")),
			"%s: %q = %s, %q; want %s", row.name, row.text, got.Result(), got.Why, row.result)
	}
}

func TestState(t *testing.T) {
	holds, fails, untold := results.Check{Ok: new(true)}, results.Check{Ok: new(false)}, results.Check{}
	// phases hold, do not, or cannot be told.
	phases := func(holds ...*bool) (s results.Summary) {
		for _, one := range holds {
			s.Phases = append(s.Phases, results.PhaseSummary{Holds: one})
		}
		return s
	}
	yes, no := new(true), new(false)
	for _, row := range []struct {
		name, validity string
		summary        results.Summary
		checks         []results.Check
		state          string
		ok             *bool
	}{
		{"nothing asked, and all is held", results.Valid, phases(yes, yes), nil, results.Holds, nil},
		{"nothing asked, and some is not", results.Valid, phases(yes, no), nil, results.DoesNotHold, nil},
		{"nothing asked, and some cannot be told", results.Valid, phases(yes, nil), nil, results.CannotTell, nil},
		{"nothing asked, and one is not held behind one that cannot be told", results.Valid, phases(yes, nil, no), nil, results.DoesNotHold, nil},
		{"nothing asked, and one cannot be told before one that holds", results.Valid, phases(nil, yes), nil, results.CannotTell, nil},
		{"nothing asked, and nothing sent", results.Valid, results.Summary{}, nil, results.CannotTell, nil},
		{"nothing asked, saturated", results.Valid, results.Summary{Saturation: new(2000.0)}, nil, results.Saturates, nil},
		{"nothing asked, with limits of its phases' own", results.Valid, results.Summary{Throttling: []results.Throttling{{Rate: new(900.0)}}}, nil,
			results.Saturates, nil},
		{"nothing asked of a part of a run", results.Partial, phases(yes), nil, results.CannotTell, nil},
		{"invalid", results.Invalid, results.Summary{Saturation: new(2000.0)}, nil, results.CannotTell, nil},
		{"invalid, and asked", results.Invalid, phases(yes), []results.Check{fails}, results.CannotTell, nil},
		{"checks that hold, beyond saturation", results.Valid, results.Summary{Saturation: new(2000.0)}, []results.Check{holds}, results.Saturates, new(true)},
		{"a check that fails of a load that is sustained", results.Valid, phases(yes), []results.Check{holds, fails}, results.Holds, new(false)},
		{"checks of no load", results.Valid, phases(), []results.Check{holds}, results.Holds, new(true)},
		{"a check that cannot be told", results.Valid, phases(yes), []results.Check{holds, untold}, results.Holds, nil},
		{"a check that fails decides", results.Valid, phases(no), []results.Check{untold, fails}, results.DoesNotHold, new(false)},
		{"a peak that is sustained, below the saturation", results.Valid, results.Summary{Saturation: new(2000.0), PeakState: results.Holds}, []results.Check{holds}, results.Holds, new(true)},
		{"a search that found", results.Valid, results.Summary{Limit: &results.Limit{Held: new(1.0), Finished: true}}, nil, results.Holds, new(true)},
		{"a search that holds nothing", results.Valid, results.Summary{Limit: &results.Limit{NotHeld: new(1.0), By: results.LimitThrottled, Finished: true}}, nil,
			results.DoesNotHold, new(false)},
		{"a search without a step", results.Valid, results.Summary{Limit: &results.Limit{Finished: true}}, nil, results.CannotTell, nil},
		{"a search that found before a check fails", results.Valid, results.Summary{Limit: &results.Limit{Held: new(1.0), Finished: true}},
			[]results.Check{fails}, results.Holds, new(false)},
		{"a load that is relieved", results.Valid, results.Summary{Balance: &results.Balance{Outcome: results.LoadRelieved}}, nil, results.DoesNotHold, nil},
		{"a load that is throttled to the end", results.Valid, results.Summary{Balance: &results.Balance{Outcome: results.LoadThrottled}}, nil,
			results.DoesNotHold, nil},
		{"no write lost", results.Valid, results.Summary{Audit: &results.Audit{}}, nil, results.Holds, new(true)},
		{"a write doubled", results.Valid, results.Summary{Audit: &results.Audit{Doubled: 1}}, nil, results.DoesNotHold, new(false)},
		{"a write lost in part of a run", results.Partial, results.Summary{Audit: &results.Audit{Lost: 1}}, nil, results.DoesNotHold, new(false)},
	} {
		s := row.summary
		s.Validity, s.Checks = row.validity, row.checks
		state, ok := verdict.State(&s)
		assert.Truef(t, state == row.state && (ok == nil) == (row.ok == nil) && (ok == nil || *ok == *row.ok),
			"%s: State = %s, %v; want %s, %v", row.name, state, ok, row.state, row.ok)
	}
}

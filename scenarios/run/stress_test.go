package run_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// simulate runs the stress test with these settings on the virtual clock.
func simulate(t testing.TB, settings ...string) runtest.Record {
	t.Helper()
	return runtest.Simulate(t, runtest.Builtin(t, "stress", settings...))
}

// Where half of the operations are lost after three retries, each attempt is
// throttled with p = 0.5^(1/4), and (1 − p⁴)/(1 − p) = 3.14 attempts go to an
// operation, if attempts are throttled without regard to how often they were
// tried. The first second, before retries have piled up, takes off a little;
// arrivals in step with the partition's allowance would take off a fifth.
// Without retries half of the attempts are throttled, within what the burst takes off.
func TestRetriesMeetWhatFirstAttemptsMeet(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	for _, row := range []struct {
		retry                       string
		attempts, within, throttled float64
	}{{"short", 3.14, .08, math.Pow(.5, .25)}, {"none", 1, 0, .5}} {
		s := simulate(t, "retry="+row.retry, "model.partition_target=250", "phases.peak.rates=[500]", "phases.peak.each=8s",
			"phases.load.entities=500")
		for name, op := range s.Summary.Phases[0].PerOperation {
			require.NotNil(t, op.AttemptsPerOperation, name)
			assert.InDeltaf(t, row.attempts, *op.AttemptsPerOperation, row.within*row.attempts, "retry %s: attempts per %s", row.retry, name)
		}
		sum := s.Total(results.Reported)
		assert.GreaterOrEqual(t, sum.Attempts, int64(3_750), row.retry)
		assert.InDelta(t, row.throttled, float64(sum.Throttled)/float64(sum.Attempts), .02, row.retry)
	}
}

func TestPeakAsked(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	for _, row := range []struct {
		sentence string
		peak     float64
		holds    bool
	}{
		{"a little below the target holds", 95, true},
		{"a little above it does not, though the burst carries it", 102.4, false},
		{"twice the target does not", 200, false},
	} {
		rates := fmt.Sprintf("phases.peak.rates=[%v, %v, %v, %v]", .5*row.peak, row.peak, 1.25*row.peak, 2*row.peak)
		s := runtest.Run(t, run.Plan{Peak: row.peak, Scenario: runtest.Builtin(t, "stress", "model.partition_target=100",
			rates, "phases.peak.each=2s", "phases.load.entities=100")})
		assert.Truef(t, verdict.AllChecksHold(s.Summary) == row.holds && len(s.Summary.Checks) != 0,
			"%s: state %s, %d checks; want one, and that it holds: %t", row.sentence, s.Summary.State, len(s.Summary.Checks), row.holds)
	}
}

// Nothing is written down in advance: another limit, below or above the first rates, moves
// every figure of the stress test.
func TestEveryFigureMovesWithTheModel(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	limits := []float64{308, 125, 500, 750}
	for _, limit := range limits[:run.Tier(1, len(limits))] {
		s := simulate(t, fmt.Sprintf("model.partition_target=%v", limit), "phases.load.entities=500",
			"phases.peak.rates=[125, 250, 375, 500, 625, 750, 1000]")
		sum := s.Summary
		if sum.Validity != results.Valid || sum.Saturation == nil || math.Abs(*sum.Saturation/limit-1) > .02 {
			t.Errorf("behind %v: %s %v, saturation %v", limit, sum.Validity, sum.Reasons, sum.Saturation)
			continue
		}
		low, high := sum.SaturationInterval[0], sum.SaturationInterval[1]
		assert.Truef(t, low <= *sum.Saturation && high >= *sum.Saturation && low >= .95*limit && high <= 1.05*limit,
			"behind %v: the interval is %v; want it around that", limit, sum.SaturationInterval)
		for _, p := range sum.Phases {
			want := max(0, 1-limit/p.Offered)
			// A step whose retries end in the next one loses some of them to it.
			assert.Truef(t, p.ShareLostSettled != nil && math.Abs(*p.ShareLostSettled-want) <= .04,
				"behind %v: %s has lost %v, settled; want about %.2f", limit, p.Name, *p.ShareLostSettled, want)
			assert.Truef(t, p.Offered >= .9*limit || p.ThrottledPerSecond == 0,
				"behind %v: %s throttled %v/s; want none", limit, p.Name, p.ThrottledPerSecond)
		}
		assert.Truef(t, sum.Hottest != nil && sum.Hottest.Key == "2011 New York City Marathon__Full" &&
			s.Duration <= 45*time.Second, "behind %v: hottest %v, it took %v", limit, sum.Hottest, s.Duration)
	}
}

const rehearsable = `name: rehearsed
seed: 4
retry: short
model: {profile: documented, partition_target: 100}
attributes: {place: {list: [east, west]}, id: {sequence: 1}}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - {name: load, load: {entities: 50}}
  - {name: work, traffic: {arrivals: {constant: 300}, for: 4s, operations: [{name: save, verb: insert}]}}
`

// A rehearsal is the simulation that it stands for, retries included, and the forecast is
// what that sends.
func TestRehearsalIsTheSimulation(t *testing.T) {
	s := runtest.Parse(t, rehearsable)
	plan := run.Plan{Scenario: s, On: run.Embedded}
	r, err := plan.Rehearse(t.Context(), 1_000_000)
	require.Truef(t, err == nil && r.Whole, "Rehearse() = %+v, %v; want all of it", r, err)
	want, got := runtest.Simulate(t, s).Total(results.Everything), r.Record.Total(results.Everything)
	assert.Truef(t, got.Attempts == want.Attempts && got.Throttled == want.Throttled && want.Throttled != 0,
		"rehearsed: %d attempts, %d throttled; simulated: %d and %d", got.Attempts, got.Throttled, want.Attempts, want.Throttled)
	f, err := plan.Forecast(t.Context())
	assert.Truef(t, err == nil && f.Requests == want.Attempts && f.Entities == want.Counted && f.AtMost >= f.Requests,
		"Forecast() = %+v, %v; want %d requests and %d entities", f, err, want.Attempts, want.Counted)
}

// A rehearsal ends at its bound, or with its context.
func TestRehearsalIsBounded(t *testing.T) {
	plan := run.Plan{Scenario: runtest.Parse(t, rehearsable)}
	r, err := plan.Rehearse(t.Context(), 400)
	require.Truef(t, err == nil && !r.Whole, "Rehearse() of 400 attempts = %+v, %v; want a part", r, err)
	attempts := r.Record.Total(results.Everything).Attempts
	assert.Truef(t, attempts >= 400 && attempts <= 1500, "a rehearsal of 400 attempts made %d", attempts)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = plan.Rehearse(gone, 400)
	assert.ErrorIs(t, err, context.Canceled, "Rehearse() with an ended context")
}

// Of a load that is too long to be rehearsed, the rest goes on as it began, closed loops
// included.
func TestForecastOfAPart(t *testing.T) {
	t.Parallel()
	for _, load := range []string{"arrivals: {constant: 210}, for: 40s", "clients: 10, think: 5ms, for: 20s", "clients: 8, count: 6000"} {
		s := runtest.Parse(t, strings.Replace(rehearsable, "arrivals: {constant: 300}, for: 4s", load, 1))
		plan := run.Plan{Scenario: s}
		r, err := plan.Rehearse(t.Context(), 3000)
		require.Truef(t, err == nil && !r.Whole, "%s: Rehearse() of a part = %+v, %v", load, r, err)
		made, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "loadgentest", NewName: true, RunMark: "run", Blank: true})
		require.NoError(t, err)
		f, want := r.Forecast(made), runtest.Simulate(t, s).Total(results.Everything)
		near := math.Abs(float64(f.Requests)/float64(want.Attempts)-1) < 0.1
		assert.Truef(t, near || strings.Contains(load, "count"), "%s: Forecast() of a part has %d requests", load, f.Requests)
		assert.Truef(t, f.Sent > r.Sent && f.Requests >= 4000, "%s: Forecast() of a part = %+v", load, f)
	}
}

// What a rehearsal weighs is what a run over a socket sends and receives, whatever it is.
func TestRehearsalWeighsWhatIsSent(t *testing.T) {
	t.Parallel()
	const all = "{name: a, verb: insert}, {name: b, verb: get}, {name: c, verb: replace}, " +
		"{name: d, verb: batch, entities: 3, together: [region]}, {name: e, verb: query, by: [region]}"
	const number = `properties: [{name: Doc, type: Int64, value: "{doc}"}]`
	operations := []string{
		all, "{verb: insert}", "{verb: get}", "{verb: merge, " + number + "}", "{verb: replace}",
		"{verb: insert-or-merge, " + number + "}", "{verb: delete}", "{verb: batch, entities: 7, together: [region]}",
		"{verb: query, by: [region]}", "{verb: query, by: [region], rows: 20, select: [Doc]}",
	}
	for i, operation := range operations[:run.Tier(1, len(operations))] {
		plan := run.Plan{Scenario: runtest.Parse(t, `name: weight
seed: 1
retry: none
model: {profile: "off"}
attributes: {region: {list: [north, "the south"]}, doc: {sequence: 1}}
entity: {size: `+[]string{"300", "3000"}[i%2]+`, filler: Notes, `+number+`}
design: {partition_key: "{region}", row_key: "{doc:09d}"}
phases:
  - {name: load, load: {entities: 200}}
  - {name: work, traffic: {clients: 4, count: 100, operations: [`+operation+`]}}
`)}
		r, err := plan.Rehearse(t.Context(), 10_000)
		require.NoError(t, err)
		plan.On, plan.NoProbe = run.Embedded, true
		sum := runtest.Run(t, plan).Total(results.Everything)
		off := func(got, want int64) bool { return math.Abs(float64(got-want)) > 0.05*float64(want) }
		assert.Truef(t, !off(r.Sent, sum.BytesOut) && !off(r.Received, sum.BytesIn),
			"%s: %d sent and %d received; %d and %d on the wire", operation, r.Sent, r.Received, sum.BytesOut, sum.BytesIn)
	}
}

// looked runs 200 reads/s of two milliseconds for three seconds in real time, on so many workers and
// with these faults. It returns the record, and when the reads began.
func looked(t *testing.T, workers int, faults string) (*results.Record, time.Duration) {
	t.Helper()
	s := networked(t, "round_trip: 1ms, read_time: 1ms", 100, "get", "arrivals: {constant: 200}, for: 3s")
	settings := []string{fmt.Sprintf("workers=%d", workers)}
	if faults != "" {
		settings = append(settings, "faults=["+faults+"]")
	}
	s = runtest.Set(t, s, settings...)
	record := runtest.Run(t, run.Plan{Scenario: s, On: run.InProcess, NoProbe: true}).Record
	return record, record.Phases[slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Reported })].Begin
}

// slowdown delays the replies of a fifth of the second second by 40 ms: 40
// operations, for which six workers need 67 ms more than there are.
const slowdown = "{kind: delay, from: 1500ms, to: 1700ms, by: 40ms}"

func TestPoolThatIsTooSmallIsTold(t *testing.T) {
	for _, row := range []struct {
		name    string
		workers int
		faults  string
		seconds int
	}{
		{"six workers are enough for a prompt target", 6, "", 0},
		{"six are too few while it is slow", 6, slowdown, 1},
		{"sixteen are enough for that", 16, slowdown, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			record, _ := looked(t, row.workers, row.faults)
			s := record.Summary
			late := 0
			for _, one := range verdict.Strains(record) {
				if one.Cause == verdict.TooFewWorkers {
					late++
				}
			}
			assert.Truef(t, s.Validity == results.Valid && late == row.seconds && len(s.ClientLimited) == row.seconds,
				"%s: %s, %d seconds late, client-limited %q; want %d", row.name, s.Validity, late, s.ClientLimited, row.seconds)
			assert.Equalf(t, row.seconds > 0, s.UserBound != "", "%s: %q", row.name, s.UserBound)
			assert.Truef(t, (s.Late > 0) == (row.seconds > 0) && s.Dropped == 0 && record.Total(results.Reported).Scheduled == 600,
				"%s: %d late, %d dropped; want none dropped of 600", row.name, s.Late, s.Dropped)
		})
	}
}

// frozen has all replies of 0.8 s come at once at its end.
const frozen = "{kind: freeze, from: 700ms, to: 1500ms}"

// A target that answers nothing is told with when, whether or not the workers were enough
// for it; where they were not, what is late because of it is put down to it.
func TestFrozenTargetIsNotTheGeneratorsLimit(t *testing.T) {
	for _, row := range []struct {
		name    string
		workers int
		late    bool
	}{{"workers enough for all that is due meanwhile", 400, false}, {"sixteen of them", 16, true}} {
		synctest.Test(t, func(t *testing.T) {
			record, begin := looked(t, row.workers, frozen)
			summary := record.Summary
			silences := verdict.Silences(record)
			assert.Truef(t, len(silences) == 1 && (silences[0].From-begin).Round(100*time.Millisecond) == 700*time.Millisecond &&
				(silences[0].To-begin).Round(100*time.Millisecond) == 1500*time.Millisecond, "%s: Silences = %v", row.name, silences)
			assert.Truef(t, summary.Late > 0 == row.late, "%s: %d late; want some: %v", row.name, summary.Late, row.late)
			starved := record.Generator.Starved
			// 16 workers are gone after 80 ms, and something is due within 10 more.
			assert.Truef(t, row.late == (starved > 0) && (!row.late || starved >= 710*time.Millisecond &&
				starved <= 720*time.Millisecond+drained), "%s: something was due and nobody free for %v", row.name, starved)
			for _, one := range verdict.Strains(record) {
				assert.Truef(t, one.Cause == verdict.OnTime || row.late && one.Cause == verdict.TargetSilent,
					"%s: second %d was late: %v", row.name, one.Second, one.Cause)
			}
		})
	}
}

// drained is how long 16 workers take at 2 ms each for the 144 operations that came due
// without one, and those that come due meanwhile.
const drained = 20 * time.Millisecond

// small is the stress test with one step of a second.
func small(t *testing.T) run.Plan {
	t.Helper()
	return run.Plan{Scenario: runtest.Builtin(t, "stress", "phases.peak.rates=[200]", "phases.peak.each=1s", "phases.load.entities=100")}
}

// In virtual and in real time a run writes its interval log and its table to the end, over
// what an earlier run left in these files.
func TestRunWritesItsSeconds(t *testing.T) {
	for _, on := range []run.Place{run.Simulated, run.InProcess} {
		synctest.Test(t, func(t *testing.T) {
			plan := small(t)
			plan.On, plan.NoProbe = on, true
			plan.HistogramLog, plan.SecondsTable = filepath.Join(t.TempDir(), "run.hlog"), filepath.Join(t.TempDir(), "run.csv")
			require.NoError(t, os.WriteFile(plan.SecondsTable, bytes.Repeat([]byte("older\n"), 100_000), 0o644))
			record := runtest.Run(t, plan)
			table, err := os.ReadFile(plan.SecondsTable)
			require.NoError(t, err)
			rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
			assert.Truef(t, err == nil && len(rows) == len(record.Intervals)+1, "place %d: %d rows, %v", on, len(rows), err)
			log, err := os.ReadFile(plan.HistogramLog)
			require.NoError(t, err)
			got, most := bytes.Count(log, []byte("\nTag=")), len(record.Intervals)*len(record.Manifest.Operations)
			assert.Truef(t, got > 0 && got <= most, "place %d: %d lines; want at most %d", on, got, most)
		})
	}
}

// A file that cannot be written is a fault of its field, before anything is sent, and leaves
// neither a run nor the other file behind.
func TestSecondsThatCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	there, missing := filepath.Join(folder, "there"), filepath.Join(folder, "none", "x")
	require.NoError(t, os.WriteFile(there, []byte("kept"), 0o644))
	for _, row := range []struct{ name, hlog, csv, field string }{
		{"no such folder for the log", missing, "", "hlog"},
		{"no such folder for the table", filepath.Join(folder, "log"), missing, "csv"},
		{"a folder", "", folder, "csv"},
		{"both in one file", there, there, "csv"},
	} {
		plan := small(t)
		plan.Runs = filepath.Join(folder, "runs")
		plan.HistogramLog, plan.SecondsTable = row.hlog, row.csv
		record, err := run.Run(context.Background(), plan)
		var fault fields.Fault
		assert.Truef(t, errors.As(err, &fault) && fault.Path == row.field && record == nil, "%s: %v", row.name, err)
		text, err := os.ReadFile(there)
		assert.Truef(t, err == nil && string(text) == "kept", "%s: a file that was there holds %q, %v", row.name, text, err)
		left, err := os.ReadDir(folder)
		assert.Truef(t, err == nil && len(left) == 1, "%s: %v, %v are left; want the one file that was there", row.name, left, err)
	}
	if _, err := os.Stat("/dev/full"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no full device here")
	}
	plan := small(t)
	plan.Runs, plan.HistogramLog = filepath.Join(folder, "runs"), "/dev/full"
	_, err := run.Run(context.Background(), plan)
	assert.Truef(t, err != nil && !errors.Is(err, results.ErrWrite), "onto a full disk: %v; want a fault of the plan", err)
	left, _ := os.ReadDir(plan.Runs)
	assert.Truef(t, len(left) == 0, "%v is left of a run that did not begin", left)
}

package series

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// The table of two runs by hand: one that lost a half, and one that was cut off
// before anything was due.
func TestTableOfASweep(t *testing.T) {
	busy := results.KindStats{}
	times := results.NewHistogram()
	for i := range 2000 {
		times.Record([]time.Duration{3456 * time.Microsecond, 1_234_567 * time.Microsecond}[i/1900])
	}
	busy.Add(&results.KindStats{Counts: results.Counts{Scheduled: 4000, Operations: 4000, Succeeded: 2000, Offered: 6000, Served: 4000, Attempts: 8000, Throttled: 2000}, LastHalf: results.Cohort{Counts: results.Counts{Scheduled: 2000, Succeeded: 500, Offered: 3000, Served: 1500}},
		Response: times, Lost: results.NewHistogram()})
	made := Swept{Asked: 4, Made: []Tried{
		{Set: []scenarios.Setting{{Path: "use", Value: "by-event"}, {Path: "phases.peak.rates", Value: "[500, 1000]"}}, Folder: "runs/1", Exit: 10,
			Record: &results.Record{Manifest: results.Manifest{Operations: []results.Kind{{Name: "get"}}}, Phases: []results.Phase{
				{Name: "load", End: 9 * time.Second, Kinds: []results.KindStats{busy}},
				{Name: "peak", Begin: 9 * time.Second, End: 11 * time.Second, Reported: true, Kinds: []results.KindStats{busy}}},
				Summary: &results.Summary{Validity: results.Valid,
					Hottest: &results.HottestPartition{EntitiesPerSecond: 1999.5}, Checks: []results.Check{{Ok: new(true)}, {Ok: new(false)}}}}},
		{Set: []scenarios.Setting{{Path: "use", Value: "ё"}, {Path: "phases.peak.rates", Value: "[2]"}},
			Record: &results.Record{Summary: &results.Summary{Validity: results.Partial}}},
		{Set: []scenarios.Setting{{Path: "use", Value: "late"}, {Path: "phases.peak.rates", Value: "[3]"}},
			Record: &results.Record{Summary: &results.Summary{Validity: results.Valid, Phases: []results.PhaseSummary{{}, {ClientLimited: true}}}}},
	}}
	d := made.Document()
	table := d.Screen[0].(document.Table)
	var headings []string
	for _, column := range table.Columns {
		headings = append(headings, column.Title)
	}
	var rows [][]string
	for _, row := range table.Rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, cell.Text)
		}
		rows = append(rows, cells)
	}
	if diff := cmp.Diff([][]string{{"design", "peak rates", "validity", "offered/s", "served/s", "throttled", "lost", "requests/op", "p50", "p99", "hottest/s", "checks"},
		{"by-event", "[500, 1000]", "valid", "3,000", "2,000", "25.0%", "50.0%", "2", "3.46", "1,235", "2,000", "1 of 2"},
		{"ё", "[2]", "partial", "–", "–", "–", "–", "–", "–", "–", "–", "–"},
		{"late", "[3]", "valid, late", "–", "–", "–", "–", "–", "–", "–", "–", "–"}}, append([][]string{headings}, rows...)); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
	assert.Equal(t, results.DoesNotHold, d.Answer.State)
	assert.Equal(t, "DOES NOT HOLD in 1 of 3 runs", d.Answer.Claim)
	assert.Equal(t, []string{"3 of 4 runs made"}, d.Warnings)
	assert.True(t, table.Rows[0][0].Tone == document.Bad && table.Rows[1][0].Tone == document.Doubtful, "tones")
	d = (&Swept{Asked: 3}).Document()
	assert.Equal(t, "0 runs made", d.Answer.Claim)
	assert.Truef(t, slices.Equal(d.Warnings, []string{"0 of 3 runs made"}) && len(d.Screen) == 0,
		"of nothing: %q, %v", d.Warnings, d.Screen)
}

func TestClaimsOfASweepAgreeWithTheRuns(t *testing.T) {
	passed, failed := results.Check{Ok: new(true)}, results.Check{Ok: new(false)}
	sustained, overloaded := []results.PhaseSummary{{Holds: new(true)}}, []results.PhaseSummary{{Holds: new(false)}}
	for _, row := range []struct {
		name        string
		exit        int
		antiPattern string
		phases      []results.PhaseSummary
		checks      []results.Check
		mark        document.Tone
		want        string
	}{
		{"no checks, sustained", codeOk, "", sustained, nil, document.Good, "HOLDS"},
		{"no checks, not sustained", codeOk, "", overloaded, nil, document.Neutral, "DOES NOT HOLD"},
		{"all pass", codeOk, "", sustained, []results.Check{passed}, document.Good, "HOLDS"},
		{"all pass, and the load is not sustained", codeOk, "", overloaded, []results.Check{passed}, document.Neutral, "DOES NOT HOLD"},
		{"one fails, and the load is sustained", codeExpectation, "", sustained, []results.Check{failed}, document.Bad, "CHECKS FAIL"},
		{"a target rate is not sustained", codeExpectation, "", overloaded, nil, document.Bad, "DOES NOT HOLD"},
		{"one is inconclusive", codeUntold, "", nil, []results.Check{passed, {}}, document.Doubtful, "CANNOT TELL"},
		{"invalid", codeInvalid, "", overloaded, []results.Check{failed}, document.Doubtful, "INVALID"},
		{"an anti-pattern fails as it should", codeOk, "a mistake", overloaded, []results.Check{passed, failed}, document.Neutral, "DOES NOT HOLD"},
		{"an anti-pattern that fails no check", codeExpectation, "a mistake", sustained, []results.Check{passed}, document.Bad, "CHECKS FAIL"},
	} {
		one := Tried{Exit: row.exit, Record: &results.Record{Manifest: results.Manifest{AntiPattern: row.antiPattern},
			Summary: &results.Summary{Validity: results.Valid, Phases: row.phases, Checks: row.checks}}}
		_, claim := one.claim()
		assert.Equal(t, row.want, claim, row.name)
		assert.Equal(t, row.mark, one.mark(), row.name)
		made := Swept{Made: []Tried{one, {Record: &results.Record{Summary: &results.Summary{Validity: results.Valid, Phases: sustained}}}}}
		answer := made.answer()
		assert.Equal(t, row.mark, answer.Tone(), row.name)
		assert.Contains(t, answer.Claim, row.want, row.name)
	}
}

// A run of several phases has a row for each, and what became of its checks stands in the
// first: what one phase shows is not merged into another.
func TestPhasesOfASweepHaveRowsOfTheirOwn(t *testing.T) {
	kind := func(attempts int64) []results.KindStats {
		one := results.KindStats{}
		one.Add(&results.KindStats{Counts: results.Counts{Scheduled: 10, Operations: 10, Succeeded: 10, Attempts: attempts}, Response: results.NewHistogram(), Lost: results.NewHistogram()})
		return []results.KindStats{one}
	}
	made := Swept{Asked: 1, Made: []Tried{{Set: []scenarios.Setting{{Path: "seed", Value: "7"}}, Record: &results.Record{
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}},
		Phases: []results.Phase{{Name: "load", End: time.Second, Kinds: kind(9)},
			{Name: "by-key", Begin: time.Second, End: 3 * time.Second, Reported: true, Kinds: kind(10)},
			{Name: "by-property", Begin: 3 * time.Second, End: 5 * time.Second, Reported: true, Kinds: kind(25)}},
		Summary: &results.Summary{Validity: results.Valid, Checks: []results.Check{{Ok: new(true)}}}}}}}
	table := made.Document().Screen[0].(document.Table)
	var rows []string
	for _, row := range table.Rows {
		rows = append(rows, strings.Join([]string{row[0].Text, row[1].Text, row[7].Text, row[11].Text}, " "))
	}
	if diff := cmp.Diff([]string{"7 by-key 1 1 of 1", "7 by-property 2.5 "}, rows); diff != "" || table.Columns[1].Title != "phase" || table.Columns[7].Title != "requests/op" {
		t.Errorf("%+v, rows (-want +got):\n%s", table.Columns, diff)
	}
}

func TestHeadingsOfASweep(t *testing.T) {
	for _, row := range []struct {
		sentence string
		paths    []string
		want     []string
	}{
		{"one word", []string{"seed"}, []string{"seed"}},
		{"those of two phases", []string{"phases.peak.each", "phases.rush.traffic.each"}, []string{"peak each", "rush each"}},
		{"rates", []string{"phases.a.traffic.arrivals.constant", "phases.b.arrivals.constant", "seed"}, []string{"a arrivals/s", "b arrivals/s", "seed"}},
		{"a phase that is called like its kind", []string{"phases.load.load.entities"}, []string{"load entities"}},
		{"of an operation, by its name", []string{"phases.day.operations.hire.with.killed"}, []string{"day hire killed"}},
		{"two that come to the same", []string{"phases.a.each", "phases.a.traffic.each"}, []string{"phases.a.each", "phases.a.traffic.each"}},
		{"a design, a parameter and accounts", []string{"use", "model.partition_target", "accounts.number"}, []string{"design", "partition_target", "accounts number"}},
	} {
		var set []scenarios.Setting
		for _, path := range row.paths {
			set = append(set, scenarios.Setting{Path: path})
		}
		assert.Equal(t, row.want, headings(set), row.sentence)
	}
}

// gateChild names the variable that makes the test binary a build which a gate runs.
const gateChild = "LOADGEN_GATE_CHILD"

// TestGateChild is a build that a gate runs, where it is asked to be one.
func TestGateChild(t *testing.T) {
	switch os.Getenv(gateChild) {
	case "speaks":
		fmt.Fprintf(os.Stderr, "%s\nloadgen: the\x1b last\xff line%s\n\n", strings.Repeat("noise\n", 2000), strings.Repeat("x", 1000))
		os.Exit(3)
	case "hangs":
		// Nobody interrupts it: whoever started it has to end it.
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		<-interrupted
	}
}

// asBuild launches the test binary as a build of a kind.
func asBuild(ctx context.Context, t *testing.T, kind string) (ending, error) {
	t.Helper()
	t.Setenv(gateChild, kind)
	self, err := os.Executable()
	require.NoError(t, err)
	return launched(ctx, self, []string{"-test.run", "^TestGateChild$"})
}

func TestLaunchedBuilds(t *testing.T) {
	end, err := asBuild(t.Context(), t, "speaks")
	require.NoError(t, err)
	assert.Equal(t, ending{3, "the  last? line" + strings.Repeat("x", 276)}, end, "exit code and last line, fit to be shown")
	end, err = asBuild(t.Context(), t, "ends")
	assert.Truef(t, err == nil && end.code == 0, "launched() = %+v, %v; want exit code 0", end, err)
	bounded, stop := clock.WithTimeout(t.Context(), clock.NewReal(), 50*time.Millisecond, errTooLong)
	defer stop()
	_, err = asBuild(bounded, t, "hangs")
	assert.ErrorIs(t, err, errTooLong, "a build that hangs is killed")
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	_, err = asBuild(ctx, t, "hangs")
	assert.ErrorIs(t, err, interrupted, "no build runs after Ctrl-C")
	_, err = launched(t.Context(), filepath.Join(t.TempDir(), "nothing"), nil)
	assert.Error(t, err, "a build that is not there")
}

func TestExecutables(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, mode := range map[string]os.FileMode{"older": 0o700, "text": 0o600} {
		require.NoError(t, os.WriteFile(name, []byte("neither a program nor a script"), mode))
	}
	for name, says := range map[string]string{
		"./oldest":      "no such file or directory; expected an executable build",
		"oldest-of-all": "no such program on the path; expected a build, such as ./oldest-of-all",
		"./.":           "is a directory; expected an executable build",
		"./text":        "permission denied; expected an executable build",
	} {
		_, err := executable(name)
		var fault fields.Fault
		assert.Truef(t, errors.As(err, &fault) && fault.Path == "against" && strings.Contains(fault.What, says),
			"executable(%s) = %v; want a fault of against with %q", name, err, says)
	}
	path, err := executable("./older")
	assert.Truef(t, err == nil && filepath.IsAbs(path), "executable(./older) = %q, %v; want where it is", path, err)
}

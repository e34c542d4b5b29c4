package series

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare"
	look "loadgen/report/text"
	"loadgen/results"
	"loadgen/results/baseline"
	"loadgen/results/resultstest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// chosen returns the record of a run of the choice, with values set.
func chosen(t *testing.T, set ...string) *results.Record {
	t.Helper()
	return simulated(t, parsed(t, swept, set...))
}

// A baseline is accepted with a reason, holds the same run, and is worth nothing once
// somebody has touched it.
func TestGateKeepsABaseline(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "baselines")
	file, reasons := filepath.Join(folder, "choice.json"), filepath.Join(folder, "choice.reasons.txt")
	record := chosen(t)
	gate := func(reason string, want compare.Outcome, says string) compare.Result {
		t.Helper()
		one, err := (&Gate{Baselines: folder, Reason: reason}).Rule(record, "own.yaml")
		require.Truef(t, err == nil && one.Outcome == want && strings.Contains(one.Reason, says),
			"Rule() = %s, %q, %v; want %s and %q", one.Outcome, one.Reason, err, want, says)
		return one
	}
	one := gate("", compare.NoBaseline, "no "+file)
	assert.NoDirExists(t, folder)
	assert.Truef(t, len(one.Notes) == 1 && strings.Contains(one.Notes[0], "loadgen gate own.yaml --accept") && one.Repeat == "loadgen simulate own.yaml",
		"the hint is %q, to be repeated by %q; want what was typed", one.Notes, one.Repeat)
	assert.Equal(t, []string{"written to " + file}, gate("the first", compare.Same, "accepted").Notes)
	gate("", compare.Same, "all values are equal")
	gate("again", compare.Same, "nothing to accept")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	why, err := os.ReadFile(reasons)
	assert.Truef(t, err == nil && strings.Count(string(why), "\n") == 1 && strings.HasSuffix(string(why), " the first\n"),
		"the reasons are %q, %v; want the first alone", why, err)
	for name, altered := range map[string]string{
		"changed by hand": strings.Replace(string(text), `"throttled": `, `"throttled": 1`, 1),
		"no baseline":     string(text[:100]),
	} {
		require.NoError(t, os.WriteFile(file, []byte(altered), 0o600))
		gate("", compare.NoBaseline, name)
	}
}

// A run that repeats and does not bear its claims out fails, one that is not valid is no
// baseline.
func TestGateOfBadRuns(t *testing.T) {
	g := &Gate{Baselines: t.TempDir(), Reason: "the first"}
	failing := chosen(t, "use=by-event")
	one, err := g.Rule(failing, "")
	require.Truef(t, err == nil && one.Outcome == compare.Same, "Rule() = %+v, %v; want it accepted", one, err)
	partial := chosen(t, "use=by-event", "name=other")
	partial.Summary.Validity, partial.Summary.Reasons = results.Partial, []string{"cut off"}
	one, err = g.Rule(partial, "")
	assert.Truef(t, err == nil && one.Outcome == compare.Invalid && one.Reason == "the run is partial" && one.Notes[0] == "cut off",
		"Rule() of a run that is not valid = %+v, %v; want it to be no baseline, and why", one, err)
	g.Reason = ""
	one, err = g.Rule(failing, "")
	assert.Truef(t, err == nil && one.Outcome == compare.Failed && len(one.Notes) == 2 && strings.HasPrefix(one.Notes[0], "throttled < 1%: observed "),
		"Rule() = %+v, %v; want both claims that are not borne out", one, err)
}

// What keeps a baseline from being kept is told by its kind.
func TestGateThatCannotKeep(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	record := chosen(t)
	_, err := (&Gate{Baselines: filepath.Join(folder, "file"), Reason: "x"}).Rule(record, "")
	assert.ErrorIs(t, err, run.ErrFolder, "Rule() below a file")
	_, err = (&Gate{Baselines: folder, Reason: "a\nb"}).Rule(record, "")
	assert.ErrorIs(t, err, fields.ErrInvalid, "a reason of two lines")
	left, err := os.ReadDir(folder)
	assert.Truef(t, err == nil && len(left) == 1, "left %v, %v; want nothing new", left, err)
}

// committed is the folder of the baselines that are checked in.
var committed = filepath.Join("..", "..", "results", "baselines")

// asCommitted compares a run with its baseline that is checked in, byte for byte.
func asCommitted(t *testing.T, record *results.Record) {
	t.Helper()
	g := &Gate{Baselines: committed}
	name := record.Manifest.Scenario.Name
	one, err := g.Rule(record, "")
	assert.Truef(t, err == nil && one.Outcome == compare.Same, "%s, %v\n%s", one.Outcome, err, shown(t, one))
	was, err := os.ReadFile(g.file(name))
	require.NoError(t, err)
	kept, err := baseline.Read(was)
	require.NoError(t, err)
	made, err := baseline.New(record, kept.Accepted, kept.Reason)
	require.NoError(t, err)
	assert.Truef(t, bytes.Equal(was, made.File()), "%s: the file differs from that checked in", name)
}

// shown returns all that is said of what a gate has come to.
func shown(t *testing.T, one compare.Result) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, report.Print(&text, compare.ResultsDocument([]compare.Result{one}), report.FormText, look.Look{Verbose: true}))
	return text.String()
}

// Every baseline that is checked in is that of a scenario of the library. That it holds is
// shown by [TestLibrary], which runs them all.
func TestCommittedBaselines(t *testing.T) {
	names := (&Gate{Baselines: committed}).Stored()
	files, err := os.ReadDir(committed)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(names), 20, "scenarios with a baseline")
	assert.Len(t, files, 2*len(names)+1, "a baseline and its reasons for each scenario, and a README.md")
	assert.False(t, slices.ContainsFunc(names, func(name string) bool { return slices.Contains(grand(), name) }),
		"a scenario has a baseline that no test compares")
}

// elsewhere has a test run on one processor, in another time zone than that in which the
// baselines were written.
func elsewhere(t *testing.T) {
	processors, zone := runtime.GOMAXPROCS(1), time.Local
	time.Local = time.FixedZone("far away", 13*60*60+45*60)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(processors)
		time.Local = zone
	})
}

// A baseline is the same file, byte for byte, with one processor and with all of them,
// and wherever the machine stands. All of them are held to that with the tag ci.
func TestBaselinesAreTheSameOnOtherMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("a long run")
	}
	elsewhere(t)
	names := (&Gate{Baselines: committed}).Stored()
	for _, name := range spread(names, resultstest.Cases(1, len(names), len(names))) {
		asCommitted(t, simulated(t, builtin(t, name)))
	}
}

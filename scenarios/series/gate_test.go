package series

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
	"loadgen/report/compare/gate"
	"loadgen/results"
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
	gate := func(reason string, want compare.Outcome, says string) gate.Result {
		t.Helper()
		one, err := (&Gate{Baselines: folder, Reason: reason}).Rule(record, "own.yaml")
		require.Truef(t, err == nil && one.Outcome == want && strings.Contains(one.Reason, says),
			"Rule() = %s, %q, %v; want %s and %q", one.Outcome, one.Reason, err, want, says)
		return one
	}
	one := gate("", compare.NoBaseline, "there is no "+file)
	if _, err := os.Stat(folder); err == nil {
		t.Error("a folder was made; want nothing")
	}
	assert.Truef(t, len(one.Notes) == 1 && strings.Contains(one.Notes[0], "loadgen gate own.yaml --accept") && one.Repeat == "loadgen simulate own.yaml",
		"the hint is %q, to be repeated by %q; want what was typed", one.Notes, one.Repeat)
	if one = gate("the first", compare.Same, "accepted"); len(one.Notes) != 1 || one.Notes[0] != "written to "+file {
		t.Errorf("the notes are %q; want where it was written", one.Notes)
	}
	gate("", compare.Same, "it repeats to the last count")
	gate("again", compare.Same, "nothing was to be accepted")
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

// A scenario that has changed since its baseline was accepted has none.
func TestGateOfAnotherScenario(t *testing.T) {
	g := &Gate{Baselines: t.TempDir(), Reason: "the first"}
	if _, err := g.Rule(chosen(t), ""); err != nil {
		t.Fatal(err)
	}
	g.Reason = ""
	one, err := g.Rule(chosen(t, "phases.measure.for=3s"), "")
	if err != nil || one.Outcome != compare.NoBaseline || one.Difference != nil || !strings.Contains(one.Reason, `is "for: 3s"`) {
		t.Errorf("Rule() = %+v, %v; want no baseline, and the line that is another", one, err)
	}
}

// A run that repeats and does not bear its claims out fails, one that is not valid is no
// baseline.
func TestGateOfBadRuns(t *testing.T) {
	g := &Gate{Baselines: t.TempDir(), Reason: "the first"}
	failing := chosen(t, "use=by-event")
	if one, err := g.Rule(failing, ""); err != nil || one.Outcome != compare.Same {
		t.Fatalf("Rule() = %+v, %v; want it accepted", one, err)
	}
	partial := chosen(t, "use=by-event", "name=other")
	partial.Summary.Validity, partial.Summary.Reasons = results.Partial, []string{"cut off"}
	if one, err := g.Rule(partial, ""); err != nil || one.Outcome != compare.Invalid || one.Reason != "the run is partial" || one.Notes[0] != "cut off" {
		t.Errorf("Rule() of a run that is not valid = %+v, %v; want it to be no baseline, and why", one, err)
	}
	g.Reason = ""
	one, err := g.Rule(failing, "")
	if err != nil || one.Outcome != compare.Failed || len(one.Notes) != 2 || !strings.HasPrefix(one.Notes[0], "throttled < 1%: observed ") {
		t.Errorf("Rule() = %+v, %v; want both claims that are not borne out", one, err)
	}
}

// What keeps a baseline from being kept is told by its kind.
func TestGateThatCannotKeep(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	record := chosen(t)
	if _, err := (&Gate{Baselines: filepath.Join(folder, "file"), Reason: "x"}).Rule(record, ""); !errors.Is(err, run.ErrFolder) {
		t.Errorf("Rule() below a file = %v; want that it cannot be written", err)
	}
	if _, err := (&Gate{Baselines: folder, Reason: "a\nb"}).Rule(record, ""); !errors.Is(err, fields.ErrInvalid) || !strings.Contains(err.Error(), "expected one line") {
		t.Errorf("Rule() by a reason of two lines = %v; want a fault", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v; want nothing new", left, err)
	}
}

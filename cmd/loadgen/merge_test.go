package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loadgen/results"
)

// Two runs become one with the counts of both, which every verb reads; what does not fit is
// refused by its field, and leaves nothing.
func TestRunsMerge(t *testing.T) {
	t.Chdir(t.TempDir())
	here := filepath.Join("results", "runs")
	a := kept{takes: 3 * time.Millisecond, scenario: "orders", validity: results.Valid}.write(t, here)
	b := kept{night: 1, takes: 5 * time.Millisecond, scenario: "orders", validity: results.Valid}.write(t, here)
	other := kept{night: 2, takes: time.Millisecond, scenario: "votes", validity: results.Valid}.write(t, here)
	code, stdout, stderr := say(t, "runs", "merge", a, filepath.Base(b), "--out", "both", "--format", "json")
	if code != codeOk || !strings.Contains(stdout, `"scheduled": 48,`) || !strings.Contains(stderr, "the run is in both") {
		t.Fatalf("runs merge = %d, %q\n%s\nwant 48 operations, and where they are", code, stderr, stdout)
	}
	code, stdout, stderr = say(t, "report", "both", "--verbose")
	for _, says := range []string{"2 runs merged", filepath.Base(a), filepath.Base(b), "24h0m0s apart"} {
		if code != codeOk || !strings.Contains(stdout, says) {
			t.Errorf("report both = %d, %q\n%s\nwant it to say %q", code, stderr, stdout, says)
		}
	}
	for _, row := range []struct {
		name, says string
		args       []string
	}{
		{"another scenario", "manifest.scenario.name: votes; expected orders", []string{a, other}},
		{"one twice", "it is given twice", []string{a, a}},
		{"one alone", "takes two runs or more, and got 1", []string{a}},
		{"a run that does not exist", "nowhere", []string{a, "nowhere"}},
		{"a folder that holds a run", "already holds a run", []string{a, b, "--out", "both"}},
	} {
		code, stdout, stderr := say(t, append([]string{"runs", "merge"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: exit code %d, %q on stdout, %q on stderr; want %d and one line with %q", row.name, code, stdout, stderr, codeUsage, row.says)
		}
	}
	if left := leftIn(t, here); len(left) != 12 {
		t.Errorf("%v are kept; want the three that were, of three files each", left)
	}
}

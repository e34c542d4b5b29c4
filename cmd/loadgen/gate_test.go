package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const gated = "stress-one-partition"

// A baseline is accepted with a reason, holds the same run, and is worth nothing once
// somebody has touched it.
func TestGateKeepsABaseline(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	file, reasons := filepath.Join("results", "baselines", gated+".json"), filepath.Join("results", "baselines", gated+".reasons.txt")
	gate := func(want int, says string, args ...string) {
		t.Helper()
		code, stdout, stderr := say(t, append([]string{"gate", gated, "--quiet"}, args...)...)
		if code != want || !strings.Contains(stdout, says) || stderr != "" {
			t.Fatalf("gate %v = %d, %q, %q; want %d and %q", args, code, stdout, stderr, want, says)
		}
	}
	gate(12, "no baseline: there is no "+file)
	if left := leftIn(t, "."); len(left) > 0 {
		t.Fatalf("left %v; want nothing", left)
	}
	gate(codeOk, "accepted", "--accept", "--reason", "the first")
	gate(codeOk, "it repeats to the last count")
	gate(codeOk, "nothing was to be accepted", "--accept", "--reason", "again")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	why, err := os.ReadFile(reasons)
	if err != nil || strings.Count(string(why), "\n") != 1 || !strings.HasSuffix(string(why), " the first\n") {
		t.Errorf("the reasons are %q, %v; want the first alone", why, err)
	}
	for name, altered := range map[string]string{
		"changed by hand": strings.Replace(string(text), `"refused": `, `"refused": 1`, 1),
		"no baseline":     string(text[:100]),
	} {
		if err := os.WriteFile(file, []byte(altered), 0o600); err != nil {
			t.Fatal(err)
		}
		gate(12, name)
	}
}

// A scenario whose file has changed since its baseline was accepted has none.
func TestGateOfAnotherScenario(t *testing.T) {
	ownFiles(t)
	if code, stdout, stderr := say(t, "gate", filepath.Join("tables", "own.yaml"), "--quiet", "--accept", "--reason", "the first"); code != codeOk {
		t.Fatalf("accepting = %d, %q, %q", code, stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join("tables", "own.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("tables", "own.yaml"), []byte(strings.Replace(string(text), "for: 2s", "for: 3s", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := say(t, "gate", filepath.Join("tables", "own.yaml"), "--quiet", "--format", "json")
	var got struct {
		Verdict   string
		Metrics   []any
		Scenarios []struct {
			Reason string
			Notes  []string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v in %q, %q", err, stdout, stderr)
	}
	if code != 12 || got.Verdict != "no baseline" || len(got.Metrics) != 0 || !strings.Contains(got.Scenarios[0].Reason, `is "for: 3s"`) {
		t.Errorf("gate = %d, %+v; want 12, and the line that is another", code, got)
	}
	if hint := "loadgen gate " + filepath.Join("tables", "own.yaml") + " --accept"; !strings.Contains(got.Scenarios[0].Notes[0], hint) {
		t.Errorf("the hint is %q; want the file that was typed: %s", got.Scenarios[0].Notes, hint)
	}
}

func TestGateBadInput(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"no scenario", []string{"gate"}, "takes scenarios, and there is none"},
		{"an unknown scenario", []string{"gate", "strss"}, "strss"},
		{"an unknown form", []string{"gate", gated, "--format", "xml"}, "--format xml: expected"},
		{"no reason", []string{"gate", gated, "--accept"}, "--accept needs a reason"},
		{"a reason for nothing", []string{"gate", gated, "--reason", "x"}, "expected --accept beside it"},
		{"a scenario twice", []string{"gate", gated, gated}, "another scenario is called"},
		{"all and one", []string{"gate", gated, "--all"}, "--all is every built-in scenario"},
		{"all of none", []string{"gate", "--all"}, "no built-in scenario has a baseline"},
		{"a report without an ending", []string{"gate", gated, "--report", "gate"}, "--report gate: expected a file that ends in .xml"},
		{"a report of an unknown form", []string{"gate", gated, "--report", "gate.html"}, "--report gate.html: expected"},
		{"a report twice", []string{"gate", gated, "--report", "a.md", "--report", "a.md"}, "--report a.md is there twice"},
		{"a report that cannot be written", []string{"gate", gated, "--report", "a.md", "--report", "nowhere/a.xml"}, "nowhere/a.xml"},
		{"a reason of two lines", []string{"gate", gated, "--quiet", "--accept", "--reason", "a\nb"}, "expected one line"},
	} {
		t.Chdir(t.TempDir())
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %v = %d, %q, %q; want 2 and one line with %q", row.name, row.args, code, stdout, stderr, row.says)
		}
		if left := leftIn(t, "."); len(left) > 0 {
			t.Errorf("%s: left %v; want nothing", row.name, left)
		}
	}
}

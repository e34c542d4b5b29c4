package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loadgen/report/compare/gate"
)

const gated = "stress-one-partition"

// A baseline is accepted with a reason, in the folder that is named or the usual one, and
// decides the exit code afterwards.
func TestGateKeepsABaseline(t *testing.T) {
	ownFiles(t)
	file := filepath.Join("tables", "own.yaml")
	gate := func(want int, says string, args ...string) {
		t.Helper()
		code, stdout, stderr := say(t, append([]string{"gate", file, "--quiet"}, args...)...)
		if code != want || !strings.Contains(stdout, says) || stderr != "" {
			t.Fatalf("gate %v = %d, %q, %q; want %d and %q", args, code, stdout, stderr, want, says)
		}
	}
	gate(12, " ? NO BASELINE: own\n   there is no "+filepath.Join("results", "baselines", "own.json"))
	if _, err := os.Stat("results"); err == nil {
		t.Error("a folder was made; want nothing")
	}
	gate(codeOk, "accepted", "--accept", "--reason", "the first")
	gate(codeOk, "it repeats to the last count")
	gate(codeOk, "nothing was to be accepted", "--accept", "--reason", "again")
	gate(12, " ? NO BASELINE: own\n   there is no "+filepath.Join("kept", "own.json"), "--baselines", "kept")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "for: 2s", "for: 3s", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := say(t, "gate", file, "--format", "json")
	var got struct {
		Verdict   string
		Scenarios []struct{ Notes []string }
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v in %q, %q", err, stdout, stderr)
	}
	if code != 12 || got.Verdict != "no baseline" || !strings.Contains(got.Scenarios[0].Notes[0], "loadgen gate "+file+" --accept") ||
		!strings.Contains(stderr, "measure: ") {
		t.Errorf("gate = %d, %+v, %q; want 12, the file that was typed, and progress", code, got, stderr)
	}
}

// All built-in scenarios that have a baseline are held to it, and no others.
func TestGateOfAll(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"upsert", "saved-token"} {
		if code, stdout, stderr := say(t, "gate", name, "--quiet", "--accept", "--reason", "the first"); code != codeOk {
			t.Fatalf("gate %s = %d, %q, %q", name, code, stdout, stderr)
		}
	}
	code, stdout, stderr := say(t, "gate", "--all", "--quiet")
	if code != codeOk || !strings.Contains(stdout, " ✓ NO DIFFERENCE in 2 of 2 scenarios\n") || !strings.Contains(stdout, "\n ✓ saved-token  no difference ") || !strings.Contains(stdout, "\n ✓ upsert       no difference ") {
		t.Errorf("gate --all = %d, %q, %q; want a line for each of the two", code, stdout, stderr)
	}
}

// What is typed wrongly is refused in one line, before anything is written.
func TestGateBadInput(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"no scenario", nil, "takes scenarios, and there is none"},
		{"an unknown scenario", []string{"strss"}, "strss"},
		{"an unknown form", []string{gated, "--format", "xml"}, "--format \"xml\": expected text, json, md, csv, html, junit, github or benchfmt"},
		{"no reason", []string{gated, "--accept"}, "--accept needs a reason"},
		{"a reason for nothing", []string{gated, "--reason", "x"}, "expected --accept beside it"},
		{"a scenario twice", []string{gated, gated}, "another scenario is called"},
		{"all and one", []string{gated, "--all"}, "--all is every built-in scenario"},
		{"all of none", []string{"--all"}, "no built-in scenario has a baseline"},
		{"a report without an ending", []string{gated, "--report", "gate"}, "--report gate: expected a file that ends in .xml"},
		{"a report of an unknown form", []string{gated, "--report", "gate.pdf"}, "--report gate.pdf: expected"},
		{"a report twice", []string{gated, "--report", "a.md", "--report", "a.md"}, "--report a.md is there twice"},
		{"a report that cannot be written", []string{gated, "--report", "a.md", "--report", "nowhere/a.xml"}, "--report: open nowhere/a.xml"},
		{"a reason of two lines", []string{"upsert", "--quiet", "--accept", "--reason", "a\nb"}, "loadgen: a reason of 3 bytes; expected one line"},
		{"baselines in a file", []string{"upsert", "--quiet", "--accept", "--reason", "x", "--baselines", "text"}, "cannot write a run there: mkdir text"},

		{"pairs of nothing", []string{gated, "--pairs", "8"}, "--pairs is of live runs; expected --against"},
		{"a folder of nothing", []string{gated, "--out", "x"}, "--out is of live runs; expected --against"},
		{"an empty name", []string{gated, "--against="}, "--against: expected a value"},
		{"no pairs", []string{gated, "--against", "./older", "--pairs", "0"}, "--pairs 0: expected a number from 1 to 1000"},
		{"all scenarios", []string{"--all", "--against", "./older"}, "--all is of baselines"},
		{"accepting it", []string{gated, "--accept", "--reason", "x", "--against", "./older"}, "--accept is of baselines"},
		{"two scenarios", []string{gated, "stress", "--against", "./older"}, "one scenario, and got 2"},
		{"an unknown scenario of builds", []string{"strss", "--against", "./older", "--report", "a.md"}, "strss"},
		{"an unknown form of pairs", []string{gated, "--against", "./older", "--format", "xml"}, "--format \"xml\": expected text"},
		{"a build that is not there", []string{gated, "--against", "./oldest", "--report", "a.md"},
			"--against ./oldest: no such file or directory; expected an older build"},
		{"a build that is on no path", []string{gated, "--against", "oldest-of-all"}, "--against oldest-of-all: no such program is on the path"},
		{"a program of no known form", []string{gated, "--against", "./older", "--quiet"}, "older cannot be run: exec format error; expected a build of loadgen"},
		{"a folder that holds something", []string{gated, "--against", "./older", "--out", "."}, ". is not empty; expected a new folder"},
	} {
		t.Chdir(t.TempDir())
		for name, mode := range map[string]os.FileMode{"older": 0o700, "text": 0o600} {
			if err := os.WriteFile(name, []byte("neither a program nor a script"), mode); err != nil {
				t.Fatal(err)
			}
		}
		code, stdout, stderr := say(t, append([]string{"gate"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: gate %v = %d, %q, %q; want 2 and one line with %q", row.name, row.args, code, stdout, stderr, row.says)
		}
		left := slices.DeleteFunc(leftIn(t, "."), func(name string) bool { return strings.HasPrefix(name, "results") })
		if len(left) != 2 {
			t.Errorf("%s: left %v; want the files alone, and the folder of the runs", row.name, left)
		}
	}
}

// Each form is printed by its name and written by its ending, and one does not alter the
// other nor the exit code.
func TestGateForms(t *testing.T) {
	ownFiles(t)
	begins := map[string]string{"text": "loadgen gate · 1 scenario: 1 no baseline\n\n ? NO BASELINE: own\n", "json": "{\n  \"verdict\": \"no baseline\"", "junit": "<?xml version=",
		"md": "# loadgen gate\n", "csv": "section,table,row,column,value,unit\n", "html": "<!DOCTYPE html>", "github": "::warning title=own%3A no baseline::"}
	for _, form := range gate.Forms() {
		file := "gate" + strings.ToUpper(form.Ending)
		code, stdout, stderr := say(t, "gate", filepath.Join("tables", "own.yaml"), "--quiet", "--format", form.Name, "--report", file, "--report", "second.md")
		if code != 12 || !strings.HasPrefix(stdout, begins[form.Name]) || (begins[form.Name] == "") != (stdout == "") || stderr != "" {
			t.Errorf("--format %s = %d, %q, %q; want 12 and %q", form.Name, code, stdout, stderr, begins[form.Name])
		}
		if written, err := os.ReadFile(file); err != nil || string(written) != stdout && form.Name != "text" {
			t.Errorf("--report %s has %q, %v; want what was printed", file, written, err)
		}
		if written, err := os.ReadFile("second.md"); err != nil || !strings.HasPrefix(string(written), "# loadgen gate") {
			t.Errorf("--report second.md has %q, %v; want Markdown", written, err)
		}
	}
}

// A gate that is interrupted leaves no report of an earlier one; one of live runs tells
// what was done.
func TestInterruptedGate(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("gate.xml", []byte("all passed"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errors.New("stopped"))
	var out bytes.Buffer
	code := execute(ctx, []string{"gate", "upsert", "--quiet", "--report", "gate.xml"}, strings.NewReader(""), &out, &out)
	if text, err := os.ReadFile("gate.xml"); code == codeOk || err != nil || len(text) > 0 {
		t.Errorf("gate = %d, and gate.xml has %q, %v; want a failure and an empty file", code, text, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop = context.WithCancelCause(context.Background())
	stop(interruption{os.Interrupt})
	var stdout, stderr bytes.Buffer
	code = execute(ctx, []string{"gate", "upsert", "--against", self, "--report", "gate.xml"}, strings.NewReader(""), &stdout, &stderr)
	text, err := os.ReadFile("gate.xml")
	if err != nil || code != codeInterrupted || !strings.Contains(stdout.String(), " ? INCONCLUSIVE: upsert\n   ended after 0 of 10 pairs of runs") ||
		!strings.Contains(stderr.String(), "loadgen: interrupted") || !bytes.Contains(text, []byte("ended after 0 of 10 pairs")) {
		t.Errorf("gate --against = %d, %q, %q, and gate.xml has %q, %v; want 130 and what was done", code, &stdout, &stderr, text, err)
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/compare"
	"loadgen/results/expectation"
	"loadgen/scenarios"
)

// gateChild names the variable that makes the test binary a build which a gate runs.
const gateChild = "LOADGEN_GATE_CHILD"

// TestGateChild is a build that a gate runs, where it is asked to be one.
func TestGateChild(t *testing.T) {
	switch os.Getenv(gateChild) {
	case "speaks":
		fmt.Fprintf(os.Stderr, "%s\nloadgen: the\x1b last\xff line\n\n", strings.Repeat("noise\n", 2000))
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
	if err != nil {
		t.Fatal(err)
	}
	return launched(ctx, self, []string{"-test.run", "^TestGateChild$"})
}

func TestLaunchedBuilds(t *testing.T) {
	if end, err := asBuild(t.Context(), t, "speaks"); err != nil || end.code != 3 || end.said != "the  last? line" {
		t.Errorf("launched() = %+v, %v; want exit code 3 and the last line, fit to be shown", end, err)
	}
	if end, err := asBuild(t.Context(), t, "ends"); err != nil || end.code != 0 {
		t.Errorf("launched() = %+v, %v; want exit code 0", end, err)
	}
	bounded, end := within(t.Context(), clock.NewReal(), 50*time.Millisecond)
	defer end()
	if _, err := asBuild(bounded, t, "hangs"); !errors.Is(err, errTooLong) {
		t.Errorf("launched() of what hangs = %v; want it killed", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interruption{os.Interrupt})
	if _, err := asBuild(ctx, t, "hangs"); !errors.As(err, new(interruption)) {
		t.Errorf("launched() after Ctrl-C = %v; want it not to run", err)
	}
	if _, err := launched(t.Context(), filepath.Join(t.TempDir(), "nothing"), nil); err == nil {
		t.Error("launched() of what is not there = no error")
	}
}

func TestTailKeepsTheLastLine(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"one line without an end", "broken", "broken"},
		{"this program's own word is left out", "a\nloadgen: b\n", "b"},
		{"a line that is too long", strings.Repeat("x", 10_000), strings.Repeat("x", 300)},
	} {
		kept := new(tail)
		for at := 0; at < len(row.text); at += 7 {
			if n, err := kept.Write([]byte(row.text[at:min(at+7, len(row.text))])); err != nil || n > 7 {
				t.Fatalf("%s: Write = %d, %v", row.name, n, err)
			}
		}
		if got := kept.line(); got != row.want || len(kept.kept) > mostTail {
			t.Errorf("%s: line() = %q of %d bytes; want %q", row.name, got, len(kept.kept), row.want)
		}
	}
}

// What is typed beside --against is refused in one line, before anything is written.
func TestBadInputOfLiveGates(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, mode := range map[string]os.FileMode{"older": 0o700, "text": 0o600} {
		if err := os.WriteFile(name, []byte("neither a program nor a script"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"pairs of nothing", []string{gated, "--pairs", "8"}, "--pairs is of live runs; expected --against"},
		{"a folder of nothing", []string{gated, "--out", "x"}, "--out is of live runs; expected --against"},
		{"an empty name", []string{gated, "--against="}, "--against: expected a value"},
		{"no pairs", []string{gated, "--against", "./older", "--pairs", "0"}, "--pairs 0: expected a number from 1 to 1000"},
		{"too many pairs", []string{gated, "--against", "./older", "--pairs", "1001"}, "--pairs 1001: expected"},
		{"all scenarios", []string{"--all", "--against", "./older"}, "--all is of baselines"},
		{"accepting it", []string{gated, "--accept", "--reason", "x", "--against", "./older"}, "--accept is of baselines"},
		{"two scenarios", []string{gated, "stress", "--against", "./older"}, "one scenario, and got 2"},
		{"an unknown scenario", []string{"strss", "--against", "./older"}, "strss"},
		{"an unknown form", []string{gated, "--against", "./older", "--format", "xml"}, "--format xml: expected"},
		{"a build that is not there", []string{gated, "--against", "./oldest"}, "--against ./oldest: no such file or directory; expected an older build"},
		{"a build that is on no path", []string{gated, "--against", "oldest-of-all"}, "expected an older build, such as ./oldest-of-all"},
		{"a folder", []string{gated, "--against", "./."}, "is a directory; expected an older build"},
		{"a file that is no program", []string{gated, "--against", "./text"}, "permission denied; expected an older build"},
		{"a program of no known form", []string{gated, "--against", "./older", "--quiet"}, "older cannot be run: exec format error; expected a build of loadgen"},
		{"a folder that holds something", []string{gated, "--against", "./older", "--out", "."}, ". is not empty; expected a new folder"},
	} {
		code, stdout, stderr := say(t, append([]string{"gate"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: gate %v = %d, %q, %q; want 2 and one line with %q", row.name, row.args, code, stdout, stderr, row.says)
		}
	}
	left := strings.Join(leftIn(t, "."), " ")
	if left != "older results results/runs text" {
		t.Errorf("left %s; want the files alone, and the folder of the runs", left)
	}
}

// Both builds run the same scenario from another folder: files are found all the same,
// and what is for the gate is left out.
func TestScenarioOfBothBuilds(t *testing.T) {
	ownFiles(t)
	file := filepath.Join("tables", "traced.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("attributes:\n"), []byte("attributes:\n  town: {csv: {file: towns.csv, column: town}}\n"), 1)
	if err := os.WriteFile(file, append(text, "gate: {metrics: [served], threshold: 10%}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("tables", "towns.csv"), []byte("town\nOslo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, most, err := readScenario(file)
	if err != nil {
		t.Fatal(err)
	}
	if gate := s.Gated(); len(gate.Metrics) != 1 || gate.Threshold != .1 || most < 5*time.Minute {
		t.Errorf("readScenario() has the gate %+v and lasts at most %v; want the one of the file", gate, most)
	}
	both := portable(s)
	if both.Gate != nil || s.Gate == nil {
		t.Errorf("portable() has the gate %+v, the scenario %+v; want none in the one", both.Gate, s.Gate)
	}
	if err := os.Mkdir("elsewhere", 0o755); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join("elsewhere", "scenario.yaml")
	if err := os.WriteFile(moved, both.Text(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readScenario(moved); err != nil || !bytes.Contains(both.Text(), []byte("towns.csv")) {
		t.Errorf("the scenario cannot be read from elsewhere: %v", err)
	}
}

// What a scenario declares is what the statistics take.
func TestGateBoundsAreThoseOfTheStatistics(t *testing.T) {
	gate := new(scenarios.Scenario).Gated()
	if gate.Threshold != compare.DefaultThreshold || len(gate.Metrics) > compare.MostMetrics {
		t.Errorf("Gated() = %+v; want the threshold %v, and at most %d metrics", gate, compare.DefaultThreshold, compare.MostMetrics)
	}
	for _, text := range gate.Metrics {
		if m, err := expectation.ParseMetric(text); err != nil || m.String() != text {
			t.Errorf("ParseMetric(%q) = %v, %v; want a metric", text, m, err)
		}
	}
}

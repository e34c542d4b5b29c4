package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loadgen/results"
)

// What is wrong with any combination is told before the first one runs.
func TestBadSweepsRunNothing(t *testing.T) {
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
		lines    int
	}{
		{"a value that cannot be, the last of three", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2,x"}, "--sweep seed=x: seed is x; expected a whole number", 1},
		{"two that cannot be, in six combinations", []string{"simulate", "choice.yaml", "--sweep", "seed=1,x,y", "--sweep", "workers=1,2"}, "--sweep seed=y: seed is y", 2},
		{"a path that is nearly one", []string{"run", "choice.yaml", "--sweep", "sed=1,2"}, `did you mean "seed"?`, 2},
		{"a design that does not exist", []string{"run", "choice.yaml", "--sweep", "use=by-event,by-bob"}, `--sweep use=by-bob: unknown design "by-bob"`, 1},
		{"an empty value", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--sweep", "workers=1,,2"}, "loadgen: --sweep workers=1,,2: a value is empty", 1},
		{"no value", []string{"simulate", "choice.yaml", "--sweep", "seed"}, "loadgen: --sweep seed: expected path=v1,v2", 1},
		{"what is set as well", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--set", "seed=3"}, "seed is given a value of its own, too", 1},
		{"what a flag sets as well", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--seed", "3"}, "seed is given a value of its own, too", 1},
		{"a recording of several runs", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--record", "a.bin"}, "--record is of one run", 1},
		{"an interval log of several runs", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2", "--hlog", "a.hlog"}, "--hlog is of one run", 1},
		{"a table of the seconds of several runs", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--csv", "a.csv"}, "--csv is of one run", 1},
		{"no run at all", []string{"run", "choice.yaml", "--count", "0"}, "--count 0: expected 1 to 100 runs", 1},
		{"more runs than there may be", []string{"simulate", "choice.yaml", "--count", "101"}, "--count 101: expected 1 to 100 runs", 1},
		{"no number of runs", []string{"stress", "--count", "six"}, "--count", 1},
		{"a sweep that is repeated", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2", "--count", "3"}, "--count repeats one run, and --sweep makes several", 1},
		{"an interval log of a repeated run", []string{"simulate", "choice.yaml", "--count", "2", "--hlog", "a.hlog"}, "--hlog is of one run, and --count makes several", 1},
		{"a recording of a repeated run", []string{"run", "choice.yaml", "--count", "2", "--record", "a.bin"}, "--record is of one run, and --count", 1},
		{"a form of one run, repeated", []string{"simulate", "choice.yaml", "--count", "2", "--format", "junit"}, "--format junit is of one run; expected benchfmt, text", 1},
		{"a target that does not exist", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--target", "azure"}, "--target azure", 1},
		{"a format that does not exist", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2", "--format", "junit"}, "loadgen: --format junit is of one run; expected text, json, md, csv or html beside --sweep", 1},
		{"a folder that is a file", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2", "--out", "choice.yaml"}, "--out choice.yaml: it is a file", 1},
		{"a folder of which one holds a run", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2,3", "--out", "old"}, "already holds a run", 1},
		{"more memory than there may be, in the last", []string{"simulate", "choice.yaml", "--memory-limit", "8MiB",
			"--sweep", "phases.load.entities=10,1000000"}, "would take about", 1},
	} {
		choiceIn(t)
		if err := errors.Join(os.MkdirAll("old/3", 0o755), os.WriteFile("old/3/run.json", nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != row.lines || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: exit code %d, %q on stdout and %q on stderr; want %d and %d lines with %q", row.sentence, code, stdout, stderr,
				codeUsage, row.lines, row.says)
		}
		if left := leftIn(t, "."); len(left) != 5 {
			t.Errorf("%s: left %v behind; want nothing new", row.sentence, left)
		}
	}
}

// The runs of a sweep are compared in a table, and the worst of them is the exit code.
func TestSweepComparesItsRuns(t *testing.T) {
	choiceIn(t)
	code, stdout, stderr := say(t, "simulate", "choice.yaml", "--sweep", "use=by-event,by-bib", "--sweep", "arrivals=nonsense")
	if code != codeUsage {
		t.Errorf("a sweep of what is nothing = %d %q %q; want %d", code, stdout, stderr, codeUsage)
	}
	code, stdout, stderr = say(t, "simulate", "choice.yaml", "--out", "all", "--sweep", "use=by-event,by-bib", "--sweep", "phases.measure.arrivals.constant=50,300")
	for _, want := range []string{" ✗ DOES NOT HOLD in 1 of 4 runs", "✓ by-event 50 2 of 2", "✗ by-event 300 0 of 2", "✓ by-bib 50 2 of 2", "✓ by-bib 300 2 of 2"} {
		if !slices.ContainsFunc(strings.Split(stdout, "\n"), func(line string) bool {
			cells := strings.Fields(line)
			return line == want || len(cells) > 6 && strings.Join(append(cells[:3:3], cells[len(cells)-3:]...), " ") == want
		}) {
			t.Errorf("no row %q in\n%s", want, stdout)
		}
	}
	if code != codeExpectation {
		t.Errorf("exit code %d; want %d, for one run failed", code, codeExpectation)
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(stderr), "\n") {
		before, _, _ := strings.Cut(line, " (about")
		lines = append(lines, before)
	}
	if len(lines) != 8 || lines[2] != "2 of 4: use=by-event, phases.measure.arrivals.constant=300" || lines[3] != "2 of 4: the run is in "+filepath.Join("all", "2") {
		t.Errorf("told %q; want each run and its folder", lines)
	}
	// Each run stands for itself, and can be made again.
	for i, use := range []string{"by-event", "by-event", "by-bib", "by-bib"} {
		m := read(t, filepath.Join("all", string(rune('1'+i)))).Manifest
		command := strings.Join(m.Command, " ")
		if !strings.Contains(command, "--set use="+use+" --set phases.measure.arrivals.constant=") || strings.Contains(command, "sweep") {
			t.Errorf("run %d is repeated by %q; want its own values by --set", i+1, command)
		}
	}
}

// A run that a budget of its own ended is one of the sweep's, and as JSON each run is told
// with its values, its exit code and the summary of its record.
func TestSweepAsJSON(t *testing.T) {
	choiceIn(t)
	code, table, _ := say(t, "simulate", "choice.yaml", "--quiet", "--sweep", "use=by-event,by-bib", "--format", "json",
		"--set", "phases.measure.stop_on=[throttled > 10%]", "--set", "phases.measure.for=20s")
	var all []struct {
		Set     map[string]string
		Folder  string
		Exit    int `json:"exit_code"`
		Summary *results.Summary
	}
	if err := json.Unmarshal([]byte(table), &all); err != nil || len(all) != 2 || code != codeExpectation {
		t.Fatalf("exit code %d, %v, %d runs in\n%s", code, err, len(all), table)
	}
	for i, use := range []string{"by-event", "by-bib"} {
		one, exit, validity := all[i], []int{codeExpectation, codeOk}[i], []string{results.Partial, results.Valid}[i]
		if one.Set["use"] != use || one.Exit != exit || one.Summary.Validity != validity || !cmp.Equal(one.Summary, read(t, one.Folder).Summary) {
			t.Errorf("run %d: set %v, exit code %d, %s; want %s, %d, %s, and the summary of its record", i+1, one.Set, one.Exit, one.Summary.Validity, use, exit, validity)
		}
	}
}

// A sweep that is interrupted tells of the runs that it made, the last one in part.
func TestInterruptedSweepTellsWhatWasDone(t *testing.T) {
	choiceIn(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	var out, said bytes.Buffer
	code := execute(ctx, []string{"simulate", "choice.yaml", "--sweep", "seed=1,2,3"}, strings.NewReader(""), &out,
		&stopper{Buffer: &said, at: "2 of 3: seed=2", stop: func() { cancel(interruption{os.Interrupt}) }})
	if code != codeInterrupted || !strings.Contains(out.String(), "2 of 3 runs were made") || !strings.Contains(out.String(), "\n ✓ 1 ") || !strings.Contains(out.String(), "\n ? 2 ") ||
		!strings.Contains(said.String(), "loadgen: interrupted") {
		t.Errorf("exit code %d, %q on stderr, and\n%s\nwant %d, two rows, and that there are no more", code, &said, &out, codeInterrupted)
	}
}

// stopper calls when a text is written.
type stopper struct {
	*bytes.Buffer
	at   string
	stop func()
}

func (s *stopper) Write(text []byte) (int, error) {
	if strings.Contains(string(text), s.at) {
		s.stop()
	}
	return s.Buffer.Write(text)
}

// benchstat reads the runs of --count as repetitions of one: six of them have an interval,
// and in virtual time each has a seed of its own.
func TestCountForBenchstat(t *testing.T) {
	modules, err := filepath.Abs(filepath.Join("..", "..", ".ci", "tools", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	choiceIn(t)
	_, stdout, stderr := say(t, "simulate", "choice.yaml", "--count", "6", "--one-profile", "--no-charts", "--seed", "40", "--format", "benchfmt")
	if n := strings.Count(stdout, "\nBenchmarkLoad/scenario=choice 1 "); n != 6 || !strings.Contains(stderr, "6 of 6: seed=45") {
		t.Fatalf("%d lines of the run, %q; want six, the last with the seed 45\n%s", n, stderr, stdout)
	}
	if err := os.WriteFile("six.bench", []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	runs, err := os.ReadDir(filepath.Join("results", "runs"))
	if err != nil || len(runs) != 6 {
		t.Fatalf("%v, %v are kept; want six", runs, err)
	}
	record := read(t, filepath.Join("results", "runs", runs[0].Name()))
	if again := strings.Join(record.Manifest.Command, " "); strings.Contains(again, "count") || strings.Contains(again, "--seed=") || !strings.Contains(again, "--set seed=") {
		t.Errorf("a run is repeated by %q; want it alone, with its seed", again)
	}
	if testing.Short() {
		t.Skip("builds benchstat")
	}
	file, err := filepath.Abs("six.bench")
	if err != nil {
		t.Fatal(err)
	}
	reads := exec.Command("go", "tool", "-modfile="+modules, "benchstat", file)
	reads.Dir = module
	out, err := reads.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Load/scenario=choice/of=get") || strings.Contains(string(out), "need >= 6 samples") {
		t.Errorf("benchstat: %v\n%s\nwant the operation, of six samples", err, out)
	}
}

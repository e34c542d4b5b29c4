package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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

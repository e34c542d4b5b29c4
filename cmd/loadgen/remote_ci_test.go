//go:build ci

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/results"
)

// Neither the artefacts of a run, nor what it says, nor the trace of a panic
// while it is under way holds a part of the secret.
func TestSecretsAreNowhere(t *testing.T) {
	leftOutWhenShort(t)
	if os.Getenv(panicking) != "" {
		panicUnderWay(t)
	}
	s := newService(t, model.Documented, 0)
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, s.args("--yes", "--record", "attempts.bin", "--no-charts=false", "--out", "run")...)
	require.Equalf(t, codeOk, code, "exit code %d: %s", code, stderr)
	child := exec.Command(os.Args[0], "-test.run=^TestSecretsAreNowhere$")
	child.Env = append(os.Environ(), panicking+"=1", "GOTRACEBACK=all")
	trace, err := child.CombinedOutput()
	require.Truef(t, err != nil && bytes.Contains(trace, []byte("panic: ")) && bytes.Contains(trace, []byte("goroutine ")),
		"the child = %v; want a panic's trace:\n%s", err, trace)
	said := map[string]string{"stdout": stdout, "stderr": stderr, "the panic's trace": string(trace)}
	addFiles(t, said, ".")
	assert.Truef(t, len(said) >= 10, "searched %d texts; want the whole record", len(said))
	withoutKey(t, said)
}

// panicking has the test above end in a panic instead, in a process of its own.
const panicking = "LOADGEN_TEST_PANIC"

// panicUnderWay panics while a run is under way, with the whole of its options
// in the message, in every form that a careless line of code could give it.
func panicUnderWay(t *testing.T) {
	s := newService(t, model.Documented, 0)
	t.Chdir(t.TempDir())
	plan, err := planned(t, s.args("--yes")[1:]...)
	require.NoError(t, err)
	go execute(context.Background(), s.args("--yes", "--quiet", "--duration", "1h"), nil, &bytes.Buffer{}, &bytes.Buffer{})
	clk := clock.NewReal()
	for s.handler.Counts().Requests < 40 {
		require.NoError(t, clk.Sleep(t.Context(), clk.Now().Add(time.Millisecond)))
	}
	panic(fmt.Sprintf("%+v %#v %+v", plan, plan, plan.Accounts[0]))
}

// A table that is to be kept is not said to be dropped, and is named where nobody can wait for
// the end.
func TestSignalsWithKeep(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		signals []os.Signal
		says    string
		left    bool
	}{
		{[]os.Signal{os.Interrupt}, "interrupted: --keep leaves table loadgen", false},
		{[]os.Signal{os.Interrupt, os.Interrupt}, "left: table loadgen", true},
	} {
		s := newStage(t, moments[3])
		e := s.play(t, row.signals, "--keep")
		if e.code != codeInterrupted || len(e.left) != 1 || !strings.Contains(e.said, row.says) || strings.Contains(e.said, "dropping") ||
			strings.Contains(e.said, "left: ") != row.left {
			t.Errorf("%v: exit code %d, the tables %v are left\n%s\nwant %d, one and %q", row.signals, e.code, e.left, e.said, codeInterrupted, row.says)
		}
	}
}

// A table that the service refuses to drop is named, though nobody ended the run.
func TestTableThatCannotBeDropped(t *testing.T) {
	t.Parallel()
	s := newStage(t, moments[4])
	s.refusing = true
	e := s.play(t, nil)
	assert.Truef(t, e.code == codeTarget && len(e.left) == 1 && len(e.unnamed(s.url)) <= 0 && strings.Contains(e.said, "403"),
		"exit code %d, the tables %v are left\n%swant %d, and one that was named", e.code, e.left, e.said, codeTarget)
}

// A service that stops answering keeps nobody waiting for long: what could not be dropped is
// named, with the report and the exit code of the signal.
func TestSignalAndAFrozenService(t *testing.T) {
	t.Parallel()
	for _, m := range moments[1:] {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s, clk := newStage(t, m), clock.NewReal()
			s.frozen = true
			e := s.play(t, []os.Signal{os.Interrupt})
			if e.code != codeInterrupted || e.printed == "" || !strings.Contains(e.said, "interrupted: dropping table loadgen") ||
				!strings.Contains(e.said, "\nleft: table loadgen") || len(e.unnamed(s.url)) > 0 {
				t.Errorf("exit code %d, %v left, %d bytes printed\n%swant %d, a report, and the table named", e.code, e.left, len(e.printed), e.said, codeInterrupted)
			}
			// 7 s by design; an attempt by itself takes 35 s.
			if took := clk.Now().Offset(); took > 20*time.Second {
				t.Errorf("it took %v; want about 7 s", took)
			}
		})
	}
}

// With the engine in process there are queues and blobs beside it.
func TestStandInsBesideTheEngine(t *testing.T) {
	for _, s := range ofEachKind(furnished(t)) {
		folder := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			asLive(t, s, folder, append(curtailed(s, time.Second), "--target", targetInProcess)...)
		})
	}
}

// job is a scenario whose first part reads some pages of 2,500 entities and breaks off,
// and whose second goes on, each with what is said of where; without a load it works on
// what is there.
func job(t *testing.T, name, load, begins, goesOn string) {
	t.Helper()
	phases := "phases:\n" + load
	for _, part := range []struct{ name, operation string }{{"begin", begins}, {"goes-on", goesOn}} {
		if part.operation != "" {
			phases += fmt.Sprintf("  - {name: %s, traffic: {partitions: [journal], arrivals: {constant: 2}, for: 1s, operations: [{name: %s, verb: query, class: partition-scan, %s}]}}\n", part.name, part.name, part.operation)
		}
	}
	text := `name: job
retry: none
model: {profile: "off"}
attributes: {id: {sequence: 100000}}
design: {partition_key: journal, row_key: "{id}"}
` + phases
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

const jobLoad = "  - {name: load, load: {entities: 2500}}\n"

// counted returns how many entities operations of a name counted, each.
func counted(record *results.Record, name string) float64 {
	all := record.Total(func(_ *results.Phase, k results.Kind) bool { return k.Name == name })
	return float64(all.Counted) / float64(all.Sent)
}

// A process that reads a table of a service is killed after the first part of its job. The
// service ends as well and comes back with what it held; the next process goes on at the
// token that the record of the first has, which is that service's own text.
func TestATokenOverARestart(t *testing.T) {
	for _, row := range []struct{ top, pages int }{{1000, 2}, {130, 3}} {
		t.Chdir(t.TempDir())
		first := openShop(t, "", "--profile", "off", "--export", "all.jsonl")
		job(t, "begin.yaml", jobLoad, fmt.Sprintf("top: %d, pages: %d, save: here", row.top, row.pages),
			"from: {saved: here}}]}}\n  - {name: long, traffic: {partitions: [journal], arrivals: {constant: 1}, for: 60s, operations: [{verb: get")
		there := []string{"--target", "env:LOADGEN_TOKEN_TEST", "--table", "loadgenJournal", "--keep", "--no-probe", "--quiet", "--yes"}
		c := program(t, []string{"LOADGEN_TOKEN_TEST=" + first.ready}, append([]string{"run", "begin.yaml", "--out", "first"}, there...)...)
		var said bytes.Buffer
		c.Dir, c.Stdout, c.Stderr = ".", &said, &said
		require.NoError(t, c.Start())
		clk := clock.NewReal()
		for told := false; !told && clk.Now().Offset() < 20*time.Second; {
			if err := clk.Sleep(t.Context(), clk.Now().Add(20*time.Millisecond)); err != nil {
				break
			}
			text, _ := os.ReadFile(filepath.Join("first", results.EventsFile))
			told = bytes.Contains(text, []byte(results.TokenSaved))
		}
		require.NoError(t, c.Process.Kill())
		_ = c.Wait()
		if code := first.stop(); code != codeOk {
			t.Fatalf("serve = %d %s", code, &first.stderr)
		}
		code, token, stderr := say(t, "report", "first", "--saved", "here")
		require.Truef(t, code == codeOk && strings.HasPrefix(token, "from."),
			"report --saved = %d %q %s; the run said %s", code, token, stderr, &said)
		require.NoError(t, os.WriteFile("token.txt", []byte(token), 0o600))
		second := openShop(t, "", "--profile", "off", "--import", "all.jsonl")
		t.Setenv("LOADGEN_TOKEN_TEST", second.ready)
		job(t, "on.yaml", "", "", "from: {file: token.txt}")
		if code, _, stderr := say(t, append([]string{"run", "on.yaml", "--reuse", "--out", "second"}, there...)...); code != codeOk {
			t.Fatalf("run = %d %s", code, stderr)
		}
		assert.Equalf(t, float64(2500-row.top*row.pages), counted(read(t, "second"), "goes-on"),
			"%d pages of %d: the second process read", row.pages, row.top)
		if code := second.stop(); code != codeOk {
			t.Fatalf("serve = %d", code)
		}
	}
}

// The page whose commands take seconds. Its picture is heat.png of the contest that it names.
func TestTablePageShowsWhatTheCommandsPrint(t *testing.T) { checkShownOutput(t, "your-table.md") }

// What init writes is explained and runs at once: as it stands it holds, and its
// anti-pattern does not.
func TestStarterRunsAsItStands(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	if code, _, stderr := say(t, "scenarios", "init"); code != codeOk {
		t.Fatalf("init = %d %q; want files", code, stderr)
	}
	for _, row := range []struct {
		sentence string
		args     []string
		foretold int
	}{
		{"as it stands", nil, codeOk},
		{"its anti-pattern, for a moment", []string{"--anti-pattern", "--set", "phases.day.for=2s"}, codeExpectation},
	} {
		args := append([]string{"simulate", "my-table.yaml", "--quiet", "--one-profile", "--out", row.sentence}, row.args...)
		code, stdout, stderr := say(t, args...)
		assert.Equalf(t, codeOk, code, "%s: exit code %d, %q, and\n%s\nwant %d", row.sentence, code, stderr, stdout, codeOk)
		if code, stdout, stderr := say(t, append([]string{"explain", "my-table.yaml"}, row.args...)...); code != row.foretold {
			t.Errorf("%s: explain = %d, %q, and\n%s\nwant %d", row.sentence, code, stderr, stdout, row.foretold)
		}
		if record := read(t, row.sentence); record.Validity != results.Valid || len(record.Summary.Checks) < 5 {
			t.Errorf("%s: validity %s %v, %d expectations; want a valid run of five or more", row.sentence, record.Validity, record.Reasons,
				len(record.Summary.Checks))
		}
	}
}

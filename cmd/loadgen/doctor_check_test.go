package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// finds is a check that comes to a verdict.
func finds(name, verdict string, needs ...string) check {
	return check{name: name, needs: needs, examine: at(func() finding {
		return finding{Verdict: verdict, Measured: "3", Bound: "at most 5"}
	})}
}

func TestDiagnosis(t *testing.T) {
	for _, row := range []struct {
		sentence string
		checks   []check
		verdicts []string
		passed   int
		failed   int
		says     string
		exit     int
	}{
		{"no check at all", nil, []string{}, 0, 0, "all 0 checks passed", codeOk},
		{"all is well", []check{finds("a", checkPasses), finds("b", checkPasses, "a")},
			[]string{checkPasses, checkPasses}, 2, 0, "all 2 checks passed", codeOk},
		{"one fails", []check{finds("a", checkPasses), finds("b", checkFails), finds("c", checkPasses)},
			[]string{checkPasses, checkFails, checkPasses}, 2, 1, "1 of 3 checks failed: b", codeExpectation},
		{"what cannot be told fails nothing", []check{finds("a", checkPasses), finds("b", checkUnknown)},
			[]string{checkPasses, checkUnknown}, 1, 0, "1 of 2 checks passed, none failed; cannot tell: b", codeOk},
		{"what needs a failure is not tried, nor what needs that", []check{finds("a", checkFails), finds("b", checkPasses, "a"), finds("c", checkPasses, "b"), finds("d", checkPasses)},
			[]string{checkFails, checkNotTried, checkNotTried, checkPasses}, 1, 1, "1 of 4 checks failed: a; not tried: b, c", codeExpectation},
		{"what needs the unknown is not tried", []check{finds("a", checkUnknown), finds("b", checkPasses, "a")},
			[]string{checkUnknown, checkNotTried}, 0, 0, "0 of 2 checks passed, none failed; cannot tell: a; not tried: b", codeOk},
	} {
		d := diagnose(context.Background(), row.checks, io.Discard)
		verdicts := []string{}
		for i, one := range d.Checks {
			verdicts = append(verdicts, one.Verdict)
			if one.Name != row.checks[i].name {
				t.Errorf("%s: check %d is called %q; want %q", row.sentence, i, one.Name, row.checks[i].name)
			}
		}
		if !slices.Equal(verdicts, row.verdicts) {
			t.Errorf("%s: verdicts = %q; want %q", row.sentence, verdicts, row.verdicts)
		}
		if d.Passed != row.passed || d.Failed != row.failed || d.Verdict != row.says {
			t.Errorf("%s: diagnose = %d passed, %d failed, %q; want %d, %d, %q", row.sentence, d.Passed, d.Failed, d.Verdict, row.passed, row.failed, row.says)
		}
		exit := codeOk
		if err := d.judge(); err != nil {
			exit, _ = explain(context.Background(), err)
		}
		if exit != row.exit {
			t.Errorf("%s: exit code %d; want %d", row.sentence, exit, row.exit)
		}
	}
}

// What was under way when the program was interrupted is not told, and what comes
// after it is not tried.
func TestInterruptedDiagnosis(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	tried := 0
	interrupting := check{name: "b", examine: func(context.Context) finding {
		cancel()
		return finding{Verdict: checkFails, Measured: "half of it"}
	}}
	never := check{name: "c", lasts: "an age", examine: at(func() finding { tried++; return finding{} })}
	var progress bytes.Buffer
	d := diagnose(ctx, []check{finds("a", checkPasses), interrupting, never}, &progress)
	if tried > 0 || progress.Len() > 0 || d.Passed != 1 || d.Failed != 0 || d.Checks[1].Measured != "" {
		t.Errorf("an interrupted diagnosis = %+v, tried %d more, said %q; want one pass and nothing else", d, tried, &progress)
	}
	if want := "1 of 3 checks passed, none failed; not tried: b, c"; d.Verdict != want {
		t.Errorf("verdict %q; want %q", d.Verdict, want)
	}
}

func TestProgressOfADiagnosis(t *testing.T) {
	var progress bytes.Buffer
	slow := finds("b", checkPasses)
	slow.lasts = "20 s of load"
	diagnose(context.Background(), []check{finds("a", checkPasses), slow}, &progress)
	if got, want := progress.String(), "b: 20 s of load\n"; got != want {
		t.Errorf("progress = %q; want %q", got, want)
	}
}

func TestErrorOfAMeasurementIsAFailedCheck(t *testing.T) {
	for _, row := range []struct {
		sentence string
		err      error
		want     string
	}{
		{"figures speak for themselves", nil, checkPasses},
		{"no figures are a failure", errors.New("no port"), checkFails},
	} {
		f := told(row.err, func() finding { return held(true, "3", "5", "") })
		if f.Verdict != row.want || row.err != nil && f.Measured != "no port" {
			t.Errorf("%s: told(%v) = %+v; want %s", row.sentence, row.err, f, row.want)
		}
	}
}

func TestPageOfADiagnosis(t *testing.T) {
	long := strings.Repeat("words and ", 30)
	d := &diagnosis{Verdict: "2 of 3 checks failed", Checks: []finding{
		{Name: "a", Verdict: checkPasses, Measured: "3 µs", Bound: "at most 5 µs"},
		{Name: "folder", Verdict: checkFails, Measured: long, Bound: "less", Note: "buy another " + long},
		{Name: "c", Verdict: checkNotTried, Note: "it needs a"},
		{Name: "d", Verdict: checkUnknown, Measured: "nobody knows"},
	}}
	text := d.text()
	for _, line := range []string{
		"pass         a       3 µs; wanted at most 5 µs\n",
		"\nFAIL         folder  words and ",
		"\n                     buy another words",
		"\nnot tried    c       it needs a\n",
		"\ncannot tell  d       nobody knows\n",
		"\n\ndoctor: 2 of 3 checks failed\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the page has no %q:\n%s", line, text)
		}
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > pageWidth || strings.HasSuffix(line, " ") {
			t.Errorf("the page has the line %q; want at most %d characters, without blanks at the end", line, pageWidth)
		}
	}
	if strings.Count(text, "it needs a") != 1 {
		t.Errorf("a note is told twice:\n%s", text)
	}
}

func TestDiagnosisAsJSON(t *testing.T) {
	d := diagnose(context.Background(), []check{finds("a", checkPasses), finds("b", checkFails)}, io.Discard)
	var out bytes.Buffer
	if err := d.print(&out, "json"); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	// The keys are a contract for scripts.
	first := map[string]any{"name": "a", "verdict": "pass", "measured": "3", "bound": "at most 5", "note": ""}
	checks, _ := got["checks"].([]any)
	if len(got) != 4 || got["passed"] != 1.0 || got["failed"] != 1.0 || got["verdict"] != d.Verdict || len(checks) != 2 {
		t.Fatalf("the JSON is %v; want checks, passed, failed and verdict", got)
	}
	for key, want := range first {
		if one := checks[0].(map[string]any); one[key] != want || len(one) != len(first) {
			t.Errorf("the first check is %v; want %v", one, first)
		}
	}
}

func TestBrief(t *testing.T) {
	for _, row := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 ns"}, {56, "56 ns"}, {999, "999 ns"}, {time.Microsecond, "1 µs"}, {99_400, "99 µs"},
		{100 * time.Microsecond, "0.10 ms"}, {1800 * time.Microsecond, "1.80 ms"}, {9994 * time.Microsecond, "9.99 ms"},
		{10 * time.Millisecond, "10 ms"}, {999 * time.Millisecond, "999 ms"}, {time.Second, "1 s"},
		{1800 * time.Millisecond, "1.80 s"}, {20 * time.Second, "20 s"}, {15 * time.Minute, "15m0s"},
		{240 * time.Hour, "240h0m0s"},
	} {
		if got := brief(row.d); got != row.want {
			t.Errorf("brief(%d) = %q; want %q", row.d, got, row.want)
		}
	}
}

func TestBadInputOfDoctor(t *testing.T) {
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
	}{
		{"a format that does not exist", []string{"--format", "yaml"}, "--format yaml"},
		{"no workers", []string{"--workers", "0"}, "--workers 0"},
		{"workers beyond all bounds", []string{"--workers", "100001"}, "1 to 100,000"},
		{"a flag that is nearly one", []string{"--worker", "5"}, "nearest is --workers"},
		{"an argument", []string{"now"}, `"now"`},
		{"an empty folder name", []string{"--out="}, "--out"},
		{"a target that is here anyway", []string{"--target", "embedded"}, "--target embedded"},
		{"a target without an address", []string{"--target", "in-process"}, "--target in-process"},
		{"a target that does not exist", []string{"--target", "azure"}, "--target azure"},
		{"a key without a target", []string{"--key-file", "key"}, "--key-file"},
		{"a URL without a key", []string{"--target", "http://127.0.0.1:1/races"}, "--key-file"},
		{"a connection string on the command line", []string{"--target", "AccountName=races;AccountKey=" + planted}, "takes no connection string"},
		{"a variable that is not set", []string{"--target", "env:LOADGEN_NOT_SET"}, "LOADGEN_NOT_SET"},
	} {
		t.Chdir(t.TempDir())
		code, stdout, stderr := say(t, append([]string{"doctor"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) || strings.Contains(stderr, planted) {
			t.Errorf("%s: doctor = %d, stdout %q, stderr %q; want %d and one line with %q", row.sentence, code, stdout, stderr, codeUsage, row.says)
		}
		if left := leftIn(t, "."); len(left) != 0 {
			t.Errorf("%s: left %v behind; want nothing", row.sentence, left)
		}
	}
}

// A run of the verb that is over before it began prints what it has, and leaves
// nothing behind.
func TestDoctorThatIsInterruptedAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interruption{os.Interrupt})
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"doctor", "--format", "json"}, nil, &stdout, &stderr)
	var d diagnosis
	if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range d.Checks {
		names = append(names, one.Name)
	}
	want := []string{"clock", "memory", "files", "ports", "folder", "pacing", "ceiling", "books", "stall"}
	if code != codeInterrupted || !slices.Equal(names, want) || len(d.names(checkNotTried)) != len(want) {
		t.Errorf("doctor = %d, %v, %s; want %d and none of %v tried", code, names, d.Verdict, codeInterrupted, want)
	}
	if left := leftIn(t, "."); len(left) != 0 {
		t.Errorf("doctor left %v behind; want nothing", left)
	}
}

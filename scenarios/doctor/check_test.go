package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// finds is a check that comes to a verdict.
func finds(name, verdict string, needs ...string) check {
	return check{name: name, needs: needs, examine: at(func() Finding {
		return Finding{Verdict: verdict, Measured: "3", Bound: "at most 5"}
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
	}{
		{"no check at all", nil, []string{}, 0, 0, "all 0 checks passed"},
		{"all is well", []check{finds("a", Pass), finds("b", Pass, "a")},
			[]string{Pass, Pass}, 2, 0, "all 2 checks passed"},
		{"one fails", []check{finds("a", Pass), finds("b", Fail), finds("c", Pass)},
			[]string{Pass, Fail, Pass}, 2, 1, "1 of 3 checks failed: b"},
		{"what cannot be told fails nothing", []check{finds("a", Pass), finds("b", CannotTell)},
			[]string{Pass, CannotTell}, 1, 0, "1 of 2 checks passed, none failed; cannot tell: b"},
		{"what needs a failure is not tried, nor what needs that", []check{finds("a", Fail), finds("b", Pass, "a"), finds("c", Pass, "b"), finds("d", Pass)},
			[]string{Fail, NotTried, NotTried, Pass}, 1, 1, "1 of 4 checks failed: a; not tried: b, c"},
		{"what needs the unknown is not tried", []check{finds("a", CannotTell), finds("b", Pass, "a")},
			[]string{CannotTell, NotTried}, 0, 0, "0 of 2 checks passed, none failed; cannot tell: a; not tried: b"},
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
	}
}

// What was under way when the program was interrupted is not told, and what comes
// after it is not tried.
func TestInterruptedDiagnosis(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	tried := 0
	interrupting := check{name: "b", examine: func(context.Context) Finding {
		cancel()
		return Finding{Verdict: Fail, Measured: "half of it"}
	}}
	never := check{name: "c", lasts: "an age", examine: at(func() Finding { tried++; return Finding{} })}
	var progress bytes.Buffer
	d := diagnose(ctx, []check{finds("a", Pass), interrupting, never}, &progress)
	if tried > 0 || progress.Len() > 0 || d.Passed != 1 || d.Failed != 0 || d.Checks[1].Measured != "" {
		t.Errorf("an interrupted diagnosis = %+v, tried %d more, said %q; want one pass and nothing else", d, tried, &progress)
	}
	if want := "1 of 3 checks passed, none failed; not tried: b, c"; d.Verdict != want {
		t.Errorf("verdict %q; want %q", d.Verdict, want)
	}
}

func TestProgressOfADiagnosis(t *testing.T) {
	var progress bytes.Buffer
	slow := finds("b", Pass)
	slow.lasts = "20 s of load"
	diagnose(context.Background(), []check{finds("a", Pass), slow}, &progress)
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
		{"figures speak for themselves", nil, Pass},
		{"no figures are a failure", errors.New("no port"), Fail},
	} {
		examine := measured(func(context.Context) (pacingFigures, error) { return pacingFigures{}, row.err })
		if f := examine(t.Context()); f.Verdict != row.want || row.err != nil && f.Measured != "no port" {
			t.Errorf("%s: a measurement with %v = %+v; want %s", row.sentence, row.err, f, row.want)
		}
	}
}

func TestPageOfADiagnosis(t *testing.T) {
	long := strings.Repeat("words and ", 30)
	d := &Diagnosis{Verdict: "2 of 3 checks failed", Checks: []Finding{
		{Name: "a", Verdict: Pass, Measured: "3 µs", Bound: "at most 5 µs"},
		{Name: "folder", Verdict: Fail, Measured: long, Bound: "less", Note: "buy another " + long},
		{Name: "c", Verdict: NotTried, Note: "it needs a"},
		{Name: "d", Verdict: CannotTell, Measured: "nobody knows"},
	}}
	text := d.Text()
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
	d := diagnose(context.Background(), []check{finds("a", Pass), finds("b", Fail)}, io.Discard)
	var got map[string]any
	if err := json.Unmarshal([]byte(d.JSON()), &got); err != nil {
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

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
	"unicode/utf8"

	"loadgen/report/document"
)

// finds is a check that comes to a verdict.
func finds(name, verdict string, needs ...string) check {
	return check{name: name, needs: needs, examine: withoutContext(func() Finding {
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
	never := check{name: "c", lasts: "an age", examine: withoutContext(func() Finding { tried++; return Finding{} })}
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

func TestDocumentOfADiagnosis(t *testing.T) {
	long := strings.Repeat("words and ", 30)
	ceiling := Finding{Name: "ceiling", Verdict: Pass, Measured: "17,000/s", Bound: "4,000/s", Note: "up to 13,600", offers: 13_600}
	for _, row := range []struct {
		sentence    string
		checks      []Finding
		claim, tone string
		says, cell  string
	}{
		{"all pass", []Finding{{Name: "a", Verdict: Pass, Measured: "3 µs", Bound: "at most 5 µs"}, ceiling},
			"HOLDS: this machine can offer 13,600 attempts/s", "✓", "up to 13,600", "3 µs; wanted at most 5 µs"},
		{"one fails, and others need it", []Finding{ceiling, {Name: "folder", Verdict: Fail, Measured: long, Bound: "less", Note: "buy another"}, {Name: "c", Verdict: NotTried, Note: "it needs folder"}},
			"DOES NOT HOLD: 1 of 3 checks failed: folder; not tried: c", "✗", "wanted less; buy another", "17,000/s; wanted 4,000/s; up to 13,600"},
		{"one cannot tell", []Finding{{Name: "d", Verdict: CannotTell, Measured: "nobody knows"}}, "CANNOT TELL: 0 of 1 checks passed, none failed; cannot tell: d", "?", "", "nobody knows"},
		{"one was not tried", []Finding{{Name: "e", Verdict: NotTried, Note: "interrupted"}}, "CANNOT TELL: 0 of 1 checks passed, none failed; not tried: e", "?", "", "interrupted"},
	} {
		d := &Diagnosis{Checks: row.checks}
		d.Passed, d.Failed = len(d.names(Pass)), len(d.names(Fail))
		d.Verdict = d.sentence()
		doc := d.Document()
		a, screen, whole := doc.Answer, doc.Screen[0].(document.Facts), doc.Sections[0].Blocks[0].(document.Table)
		if a.Claim != row.claim || a.Tone().Sign() != row.tone || !strings.Contains(strings.Join(a.Says, " "), row.says) {
			t.Errorf("%s: the answer is %+v; want %q with %q", row.sentence, a, row.claim, row.says)
		}
		if got := whole.Rows[0][2].Text; got != row.cell {
			t.Errorf("%s: the first check says %q; want %q", row.sentence, got, row.cell)
		}
		for i, line := range screen.Lines {
			if mark, said, both := strings.Cut(line, " "); !both || !strings.Contains("✓✗?", mark) || !strings.HasPrefix(said, row.checks[i].Name+": ") || utf8.RuneCountInString(line) > 79 {
				t.Errorf("%s: line %d is %q; want a mark, the check and what was measured, on one line", row.sentence, i, line)
			}
		}
	}
}

func TestDiagnosisAsJSON(t *testing.T) {
	d := diagnose(context.Background(), []check{finds("a", Pass), finds("b", Fail)}, io.Discard)
	spelled, err := json.Marshal(d.Document().Data)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(spelled, &got); err != nil {
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

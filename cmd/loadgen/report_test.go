package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loadgen/report"
	"loadgen/results"
)

// Each form is printed, or written to a file, and text is what the run printed at its end.
func TestReportOfAKeptRun(t *testing.T) {
	choiceIn(t)
	const name = "20260301T020000Z-choice"
	code, printed, stderr := say(t, "simulate", "choice.yaml", "--one-profile", "--quiet", "--out", filepath.Join(runsKept(), name))
	if code != codeOk {
		t.Fatalf("simulate = %d %q", code, stderr)
	}
	if code, stdout, stderr := say(t, "report", name); code != codeOk || stdout != printed || stderr != "" {
		t.Errorf("report = %d %q; want what the run printed:\n%s\ngot\n%s", code, stderr, printed, stdout)
	}
	kept, err := report.Read(results.Dir(filepath.Join(runsKept(), name)))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range report.Forms() {
		var want bytes.Buffer
		if err := form.Write(&want, kept); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "report")
		if code, nothing, stderr := say(t, "report", "latest", "--format", form.Name, "--out", file); code != codeOk || nothing != "" || stderr != "" {
			t.Errorf("--format %s --out = %d, %q on stdout, %q", form.Name, code, nothing, stderr)
		}
		if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, want.Bytes()) {
			t.Errorf("--format %s --out wrote another text than report.Forms has, %v", form.Name, err)
		}
	}
}

// judgedRun is a kept run of a few reads, by its name, in a folder in which the test then
// is.
func judgedRun(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	return keptJudged(t, runsKept(), kept{0, time.Millisecond, "orders", results.Valid, nil})
}

// The charts that lie beside a run can be drawn again from its record, byte for byte, or
// by another axis, and so can its page.
func TestReportDrawsCharts(t *testing.T) {
	name := judgedRun(t)
	folder := results.Dir(filepath.Join(runsKept(), name))
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Illustrate(folder, record); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := say(t, "report", name, "--charts", "again/and")
	drawn := strings.Fields(stdout)
	if code != codeOk || stderr != "" || len(drawn) < 4 {
		t.Fatalf("report --charts = %d %q, %q; want the names of the charts", code, stdout, stderr)
	}
	if code, _, stderr := say(t, "report", name, "--charts", "even", "--axis", "linear"); code != codeOk {
		t.Fatalf("report --charts --axis = %d %q", code, stderr)
	}
	differ := 0
	for _, file := range drawn {
		again, err := os.ReadFile(file)
		was, missing := os.ReadFile(filepath.Join(string(folder), filepath.Base(file)))
		if err != nil || missing != nil || !bytes.Equal(again, was) {
			t.Errorf("%s differs from what lay beside the run: %v, %v", file, err, missing)
		}
		if even, err := os.ReadFile(filepath.Join("even", filepath.Base(file))); err != nil {
			t.Error(err)
		} else if !bytes.Equal(even, was) {
			differ++
		}
	}
	if differ == 0 || differ == len(drawn) {
		t.Errorf("by a linear axis %d of %d files differ; want those that had another", differ, len(drawn))
	}
	page, err := os.ReadFile(filepath.Join(string(folder), "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, axis := range []string{"usual", "linear"} {
		if code, stdout, stderr := say(t, "report", name, "--format", "html", "--axis", axis); code != codeOk || (stdout == string(page)) != (axis == "usual") {
			t.Errorf("--format html --axis %s = %d %q; that is the page of the run: %v", axis, code, stderr, stdout == string(page))
		}
	}
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
	}{
		{"an axis that is nearly one", []string{"--charts", "x", "--axis", "lin"}, `expected linear, log or usual`},
		{"an axis of nothing", []string{"--axis", "log"}, "--axis is one of charts"},
		{"an axis of a text", []string{"--axis", "log", "--format", "md"}, "--axis is one of charts"},
		{"charts and a form", []string{"--charts", "x", "--format", "html"}, "in place of a report"},
		{"charts in a file", []string{"--charts", filepath.Join(string(folder), "run.json", "x")}, "cannot be made"},
	} {
		code, stdout, stderr := say(t, append([]string{"report", name}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %d, %q, %q; want 2 and one line with %q", row.sentence, code, stdout, stderr, row.says)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("bad input left a folder behind")
	}
}

func TestReportSaysWhatIsWrong(t *testing.T) {
	name := judgedRun(t)
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"a form that is mistyped", []string{"report", name, "--format", "htm"}, "the nearest is html"},
		{"one that is none", []string{"report", name, "--format", "pdf-a-4"}, "expected text, json, md, csv, html, seconds, benchfmt, hlog or junit"},
		{"a run that is not there", []string{"report", "20260301T020000Z-order-s"}, `did you mean "` + name + `"?`},
		{"no run", []string{"report"}, "takes one run, and got 0"},
		{"two", []string{"report", name, name}, "takes one run, and got 2"},
		{"a folder that is not there", []string{"report", name, "--out", filepath.Join("nowhere", "x.md")}, "cannot be written"},
	} {
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage || stdout != "" || !strings.Contains(stderr, row.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %q = %d, %q on stdout, %q; want %d and one line with %q", row.name, row.args, code, stdout, stderr, codeUsage, row.says)
		}
	}
}

// A record that is cut off is reported on as far as it goes, and every form says so.
func TestReportOfACutRecord(t *testing.T) {
	name := judgedRun(t)
	file := filepath.Join(runsKept(), name, results.RunFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, form := range report.Forms() {
		code, stdout, stderr := say(t, "report", name, "--format", form.Name)
		const says = "run.json is cut off after"
		if code != codeOk || strings.Count(stdout+stderr, says) != 1 || form.Words != (stderr == "") {
			t.Errorf("--format %s = %d %q; want that it is cut off, once, and beside the form where it has no words:\n%.400s", form.Name, code, stderr, stdout)
		}
	}
}

// A contest is shown once more in the forms of every document, by its name, its folder or
// its file; a form of runs, and a file that holds none, is refused in a line.
func TestReportOfAContest(t *testing.T) {
	ordersIn(t)
	name := filepath.Join(runsKept(), "20260401T020000Z-contest")
	if code, _, stderr := say(t, shortly("--one-profile", "--quiet", "--out", name)...); code != codeOk {
		t.Fatalf("the contest: %d, %s", code, stderr)
	}
	for _, row := range []struct {
		sentence string
		args     []string
		begins   string
	}{
		{"the latest", []string{"latest"}, "Contest of designs: orders · 2 designs"},
		{"the beginning of its name", []string{"20260401", "--verbose"}, "Contest of designs: orders · 2 designs"},
		{"its folder, as Markdown", []string{name, "-o", "md"}, "# Contest of designs: orders\n"},
		{"its file, for scripts", []string{filepath.Join(name, "contest.json"), "-o", "json"}, "{\n  \"verdict\": "},
	} {
		code, stdout, stderr := say(t, append([]string{"report"}, row.args...)...)
		if code != codeOk || stderr != "" || !strings.HasPrefix(stdout, row.begins) {
			t.Errorf("%s: %d, %.80q, %q; want %q", row.sentence, code, stdout, stderr, row.begins)
		}
	}
	was, err := os.ReadFile(filepath.Join(name, "report.html"))
	if code, stdout, stderr := say(t, "report", name, "-o", "html"); code != codeOk || err != nil || stdout != string(was) || !strings.Contains(stdout, "<svg") {
		t.Errorf("as a page: %d, %q, %d bytes, %v; want that of the contest, with its picture", code, stderr, len(stdout), err)
	}
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
	}{
		{"a form of runs", []string{"-o", "junit"}, "--format junit is of a run, and " + name + " is a contest; expected text, json, md, csv or html"},
		{"charts of a run", []string{"--charts", "slides"}, "--charts draws a run, and " + name + " is a contest"},
	} {
		if code, stdout, stderr := say(t, append([]string{"report", name}, row.args...)...); code != codeUsage || stdout != "" || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %d, %q, %q; want %q", row.sentence, code, stdout, stderr, row.says)
		}
	}
	spoil(t, filepath.Join(name, "contest.json"), func(text string) string { return text[:len(text)/2] })
	if code, stdout, stderr := say(t, "report", name); code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "cannot be read: it holds no contest: ") {
		t.Errorf("half a file: %d, %q, %q; want one line", code, stdout, stderr)
	}
}

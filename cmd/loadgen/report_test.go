package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loadgen/results"
)

// reported is a kept run, by its name, and what it printed at its end.
func reported(t *testing.T) (name, printed string) {
	t.Helper()
	choiceIn(t)
	name = "20260301T020000Z-choice"
	code, stdout, stderr := say(t, "simulate", "choice.yaml", "--one-profile", "--quiet", "--out", filepath.Join(runsKept(), name))
	if code != codeOk {
		t.Fatalf("simulate = %d %q", code, stderr)
	}
	return name, stdout
}

func TestReportOfAKeptRun(t *testing.T) {
	name, printed := reported(t)
	if code, stdout, stderr := say(t, "report", name); code != codeOk || stdout != printed || stderr != "" {
		t.Errorf("report = %d %q; want what the run printed:\n%s\ngot\n%s", code, stderr, printed, stdout)
	}
	for _, row := range []struct{ format, begins, holds string }{
		{"html", "<!", "Verdict"}, {"md", "# ", "\n## Verdict\n"}, {"json", "{\n", `"verdict": "`},
		{"csv", "section,table,row,column,value,unit\n", "\nseconds,rate,0,due,"}, {"benchfmt", "", "Benchmark"},
		{"hlog", "#", "Tag="}, {"junit", "<?xml", "<testcase"},
	} {
		code, stdout, stderr := say(t, "report", "latest", "--format", row.format)
		if code != codeOk || stderr != "" || !strings.HasPrefix(stdout, row.begins) || !strings.Contains(stdout, row.holds) {
			t.Errorf("--format %s = %d %q, which begins with %.60q; want %q and %q in it", row.format, code, stderr, stdout, row.begins, row.holds)
		}
		if row.format == "html" && len(stdout) > 1_500_000 {
			t.Errorf("the page has %d bytes; want at most 1.5 million", len(stdout))
		}
		file := filepath.Join(t.TempDir(), "report")
		if code, nothing, stderr := say(t, "report", name, "--format", row.format, "--output", file); code != codeOk || nothing != "" || stderr != "" {
			t.Errorf("--format %s --output = %d, %q on stdout, %q", row.format, code, nothing, stderr)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != stdout {
			t.Errorf("--format %s --output wrote another text, %v", row.format, err)
		}
	}
}

// The charts that a run drew can be drawn again from its record, byte for byte, or by
// another axis.
func TestReportDrawsCharts(t *testing.T) {
	choiceIn(t)
	if code, _, stderr := say(t, "simulate", "choice.yaml", "--one-profile", "--quiet", "--no-charts=false", "--out", "run"); code != codeOk {
		t.Fatalf("simulate = %d %q", code, stderr)
	}
	code, stdout, stderr := say(t, "report", "run", "--charts", "again/and")
	drawn := strings.Fields(stdout)
	if code != codeOk || stderr != "" || len(drawn) < 8 {
		t.Fatalf("report --charts = %d %q, %q; want the names of the charts", code, stdout, stderr)
	}
	if code, _, stderr := say(t, "report", "run", "--charts", "even", "--axis", "linear"); code != codeOk {
		t.Fatalf("report --charts --axis = %d %q", code, stderr)
	}
	differ := 0
	for _, file := range drawn {
		again, err := os.ReadFile(file)
		was, missing := os.ReadFile(filepath.Join("run", filepath.Base(file)))
		if err != nil || missing != nil || !bytes.Equal(again, was) {
			t.Errorf("%s differs from what the run drew: %v, %v", file, err, missing)
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
	usual, even := new(bytes.Buffer), new(bytes.Buffer)
	for axis, page := range map[string]*bytes.Buffer{"usual": usual, "linear": even} {
		code, stdout, stderr := say(t, "report", "run", "--format", "html", "--axis", axis)
		if page.WriteString(stdout); code != codeOk {
			t.Errorf("--format html --axis %s = %d %q", axis, code, stderr)
		}
	}
	if bytes.Equal(usual.Bytes(), even.Bytes()) {
		t.Error("the page is the same by another axis")
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
		{"charts in a file", []string{"--charts", "choice.yaml/x"}, "cannot be made"},
	} {
		code, stdout, stderr := say(t, append([]string{"report", "run"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %d, %q, %q; want 2 and one line with %q", row.sentence, code, stdout, stderr, row.says)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("bad input left a folder behind")
	}
}

// Every chart that the document of a run names is on its page.
func TestPageHasEveryChart(t *testing.T) {
	name, _ := reported(t)
	one, err := readReport(filepath.Join(runsKept(), name))
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := picturesOf(one)
	if err != nil || len(pictures) < 2 {
		t.Fatalf("%d pictures, %v; want some", len(pictures), err)
	}
	var page bytes.Buffer
	if err := writePage(&page, one); err != nil {
		t.Fatal(err)
	}
	for _, section := range []string{"Verdict", "What this run cannot tell", "Times by operation", "Second by second", "Books of the whole run", "To repeat it"} {
		if !strings.Contains(page.String(), section) {
			t.Errorf("the page has no section %q", section)
		}
	}
	if got := strings.Count(page.String(), "<svg"); got < len(pictures) {
		t.Errorf("the page has %d graphics; want at least the %d charts", got, len(pictures))
	}
}

func TestReportSaysWhatIsWrong(t *testing.T) {
	name, _ := reported(t)
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"a form that is mistyped", []string{"report", name, "--format", "htm"}, `unknown form "htm"; did you mean "html"?`},
		{"one that is none", []string{"report", name, "--format", "pdf-a-4"}, "expected text, html, md, json, csv, benchfmt, hlog or junit"},
		{"a stream of attempts", []string{"report", name, "--format", "vegeta"}, "--record FILE"},
		{"a run that is not there", []string{"report", "20260301T020000Z-chose"}, `did you mean "` + name + `"?`},
		{"no run", []string{"report"}, "takes one run, and got 0"},
		{"two", []string{"report", name, name}, "takes one run, and got 2"},
		{"a folder that is not there", []string{"report", name, "--output", filepath.Join("nowhere", "x.md")}, "cannot be written"},
	} {
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage || stdout != "" || !strings.Contains(stderr, row.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %q = %d, %q on stdout, %q; want %d and one line with %q", row.name, row.args, code, stdout, stderr, codeUsage, row.says)
		}
	}
}

// A record that is cut off is reported on as far as it goes, and every form says so.
func TestReportOfACutRecord(t *testing.T) {
	name, _ := reported(t)
	file := filepath.Join(runsKept(), name, results.RunFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "html", "md", "csv", "json", "benchfmt", "hlog", "junit"} {
		code, stdout, stderr := say(t, "report", name, "--format", format)
		if code != codeOk || strings.Count(stdout+stderr, "run.json is cut off after") != 1 {
			t.Errorf("--format %s = %d %q; want that it is cut off, once:\n%.400s", format, code, stderr, stdout)
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loadgen/results"
)

// recordedIn writes a judged run in virtual time, whose reads take so long, into a folder
// of a folder, and returns it.
func recordedIn(t *testing.T, folder string, seed uint64, takes time.Duration) string {
	t.Helper()
	return filepath.Join(folder, keptJudged(t, folder, kept{0, takes, "orders", results.Valid,
		func(m *results.Manifest) { m.Time, m.Seed = "virtual", seed }}))
}

// compared is what scripts read of a comparison.
type compared struct {
	Verdict  string
	Warnings []string
	Metrics  []struct {
		Metric, Phase, Operation string
		A, B                     *float64
	}
	Exact *struct{ Difference struct{ Total int } }
}

// Two runs are told apart to the last count, and their figures are those of their summaries.
func TestCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	one := recordedIn(t, "one", 1, time.Millisecond)
	again := recordedIn(t, "again", 1, time.Millisecond)
	other := recordedIn(t, "set", 9, 2*time.Millisecond)
	if code, stdout, stderr := say(t, "compare", one, again); code != codeOk || !strings.Contains(stdout, " ✓ IDENTICAL\n   They repeat to the last count.\n") || stderr != "" {
		t.Errorf("a run that repeats: %d, %q, %q", code, stdout, stderr)
	}
	code, stdout, stderr := say(t, "compare", one, "set", "--format", "json")
	var got compared
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v in %q, %q", err, stdout, stderr)
	}
	if code != codeOk || got.Verdict != "different" || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "seed") || got.Exact == nil || got.Exact.Difference.Total == 0 {
		t.Errorf("compare = %d, %s, %q, %+v; want 0, another seed, and what differs", code, got.Verdict, got.Warnings, got.Exact)
	}
	a, b := read(t, one).Summary, read(t, other).Summary
	same := 0
	for _, m := range got.Metrics {
		for i := range a.Phases {
			if m.Phase == a.Phases[i].Name && m.Operation == "" && m.Metric == "served_entities_per_second" {
				if *m.A != a.Phases[i].Served || *m.B != b.Phases[i].Served {
					t.Errorf("served of %s is %v and %v; want %v and %v", m.Phase, *m.A, *m.B, a.Phases[i].Served, b.Phases[i].Served)
				}
				same++
			}
		}
	}
	if same != len(a.Phases) || same == 0 {
		t.Errorf("%d phases were compared; want %d", same, len(a.Phases))
	}
	code, stdout, stderr = say(t, "compare", one, "set", "-o", "md", "--out", "page.html")
	if page, err := os.ReadFile("page.html"); code != codeOk || !strings.HasPrefix(stdout, "# A and B side by side\n") || err != nil || !bytes.HasPrefix(page, []byte("<!DOCTYPE html>")) {
		t.Errorf("-o md --out page.html = %d, %.80q, %q, and the page is %.80q, %v; want Markdown, and the page beside", code, stdout, stderr, page, err)
	}
}

func TestCompareBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	run := recordedIn(t, "runs", 1, time.Millisecond)
	write := func(folder string, alter func(map[string]any)) {
		t.Helper()
		var record map[string]any
		text, err := os.ReadFile(filepath.Join(run, results.RunFile))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &record); err != nil {
			t.Fatal(err)
		}
		alter(record)
		if text, err = json.Marshal(record); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, results.RunFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("newer", func(r map[string]any) { r["schema_version"] = 3 })
	write("empty", func(r map[string]any) { r["phases"], r["duration_ns"] = []any{}, 0 })
	write(filepath.Join("set", "bad"), func(r map[string]any) { r["phases"] = "none" })
	if err := os.Mkdir("nothing", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(leftIn(t, "."))
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"no folder", nil, "takes two folders, A and B, and got 0"},
		{"one folder", []string{run}, "got 1"},
		{"three folders", []string{run, run, run}, "got 3"},
		{"a folder that is not there", []string{run, "rum"}, "there is no rum; expected"},
		{"a folder without a run", []string{"nothing", run}, "nothing holds no run; expected"},
		{"a file", []string{run, "file"}, "file cannot be read"},
		{"a record of a newer schema", []string{run, "newer"}, "run.json has version 3; expected 2"},
		{"a run of no length", []string{run, "empty"}, "empty is of no length"},
		{"a broken record in a set", []string{"set", run}, filepath.Join("set", "bad") + " cannot be read"},
		{"an unknown form", []string{run, run, "--format", "xml"}, "--format \"xml\": expected text, json, md, csv or html"},
		{"a form that was called otherwise", []string{run, run, "--format", "markdown"}, "--format \"markdown\": expected text, json, md, csv or html"},
		{"a page that is none", []string{run, run, "--out", "page.pdf"}, "--out page.pdf: expected a file that ends in .html"},
		{"a page that cannot be written", []string{run, run, "--out", "none/page.html"}, "--out none/page.html cannot be written: "},
	} {
		code, stdout, stderr := say(t, append([]string{"compare"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %d, %q, %q; want 2 and one line with %q", row.name, code, stdout, stderr, row.says)
		}
	}
	if after := len(leftIn(t, ".")); after != before {
		t.Errorf("%d files are left; want %d", after, before)
	}
}

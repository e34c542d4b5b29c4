package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/results"
)

// april is after all runs of the tests, and so long after the first that days are easy to
// count: that began on 1 March at two o'clock.
var april = time.Date(2026, 4, 1, 2, 0, 0, 0, time.UTC)

// aged is a run of a scenario, so many days before [april], and what else there is to it.
func aged(name, scenario string, days int, change func(*shelfRun)) shelfRun {
	begun := april.Add(-time.Duration(days) * day)
	k := shelfRun{name: name, begun: begun, written: begun, head: &results.Head{Summary: &results.Summary{}, Manifest: results.Manifest{Scenario: results.Scenario{Name: scenario}}}}
	if change != nil {
		change(&k)
	}
	return k
}

func TestPruningPlans(t *testing.T) {
	tagged := func(k *shelfRun) { k.tags = []string{"keep"} }
	untold := func(k *shelfRun) { k.tagFault = errTags }
	broken := func(k *shelfRun) { k.head, k.fault = nil, results.ErrCorrupt }
	written := func(ago time.Duration) func(*shelfRun) {
		return func(k *shelfRun) { k.head.Summary, k.written = nil, april.Add(-ago) }
	}
	s := &shelf{runs: []shelfRun{
		aged("a", "orders", 1, nil), aged("b", "votes", 2, nil), aged("c", "orders", 3, tagged), aged("d", "orders", 10, nil), aged("e", "orders", 20, written(59*time.Minute)),
		aged("f", "orders", 30, written(time.Hour)), aged("g", "orders", 31, written(-day)), aged("h", "orders", 40, untold), aged("i", "orders", 50, broken), aged("j", "votes", 60, nil),
	}}
	for _, row := range []struct {
		name string
		by   pruning
		goes string
		kept map[keptWhy]int
	}{
		{"the age is exceeded by none that is exactly as old", pruning{olderThan: 30 * day, keepLast: -1}, "j", map[keptWhy]int{keptNew: 4, keptTagged: 2, keptUnderWay: 2, keptUnreadable: 1}},
		{"a little less", pruning{olderThan: 30*day - 1, keepLast: -1}, "fj", map[keptWhy]int{keptNew: 3, keptTagged: 2, keptUnderWay: 2, keptUnreadable: 1}},
		{"the newest of each scenario, tagged ones not counted", pruning{keepLast: 1}, "dfj", map[keptWhy]int{keptNew: 2, keptTagged: 2, keptUnderWay: 2, keptUnreadable: 1}},
		{"the newest two", pruning{keepLast: 2}, "f", map[keptWhy]int{keptNew: 4, keptTagged: 2, keptUnderWay: 2, keptUnreadable: 1}},
		{"both", pruning{olderThan: 15 * day, keepLast: 1}, "fj", map[keptWhy]int{keptNew: 3, keptTagged: 2, keptUnderWay: 2, keptUnreadable: 1}},
		{"of one scenario", pruning{olderThan: time.Hour, keepLast: -1, scenario: "votes"}, "bj", map[keptWhy]int{keptOther: 3, keptTagged: 2, keptUnderWay: 2, keptUnreadable: 1}},
		{"nothing is old enough", pruning{olderThan: 1000 * day, keepLast: -1}, "", map[keptWhy]int{keptNew: 5, keptTagged: 2, keptUnderWay: 2, keptUnreadable: 1}},
	} {
		row.by.now = april
		plan := row.by.plan(s)
		got := ""
		for _, k := range plan.goes {
			got += k.name
		}
		if got != row.goes || fmt.Sprint(plan.kept) != fmt.Sprint(row.kept) {
			t.Errorf("%s: %q go, and %v stay; want %q and %v", row.name, got, plan.kept, row.goes, row.kept)
		}
	}
}

// Of whatever there is in the folder, what goes is what was said, and of that what
// loadgen wrote.
func TestRunsPrune(t *testing.T) {
	folder := library(t)
	outside := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := func(parts ...string) string { return filepath.Join(append([]string{folder}, parts...)...) }
	// A run that is elsewhere, to which links lead; one within another's folder; and what
	// people put beside records.
	put(filepath.Join(outside, "notes.txt"), "mine")
	elsewhere := kept{1, time.Millisecond, "orders", results.Valid, nil}.write(t, outside)
	for link, to := range map[string]string{"linked": elsewhere, "20260301T020000Z-orders/latency.png": filepath.Join(outside, "notes.txt")} {
		if err := os.Symlink(to, in(filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	kept{1, time.Millisecond, "orders", results.Valid, nil}.write(t, in("20260303T020000Z-votes"))
	put(in("20260303T020000Z-votes", "notes.png"), "mine")
	put(in("20260306T020000Z-orders", "latency.svg"), strings.Repeat("x", 1<<20))
	put(in("20260306T020000Z-orders", ".run.json-123"), "cut short")
	put(in("20260306T020000Z-orders", "report.html"), "<html>")
	put(in("20260308T020000Z-orders", tagsFile), "spoilt")
	ago := time.Now().Add(-2 * stillWritten)
	for _, path := range leftIn(t, folder) {
		// 2026-03-03 is being written.
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && !strings.Contains(path, "20260303") {
			if err := os.Chtimes(path, ago, ago); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := leftIn(t, ".")

	code, said, stderr := say(t, "runs", "prune", "--older-than", "1d", "--scenario", "orders")
	want := `20260306T020000Z-orders  2026-03-06 02:00  orders  1028KiB
20260301T020000Z-orders  2026-03-01 02:00  orders     4KiB
2 runs would go, 1032KiB; nothing has been deleted, --yes does it
left alone: 2 with tags, 1 being written, 1 that cannot be read, 1 of other scenarios, 1 contest, 1 other folder, 2 links
`
	if code != codeOk || stderr != "" || !strings.Contains(said, "2 runs would go, ") || !strings.HasSuffix(said, want[strings.Index(want, "left alone"):]) ||
		!strings.HasPrefix(said, "20260306T020000Z-orders  2026-03-06 02:00  orders  10") {
		t.Errorf("runs prune = %d, %q\n%s\nwant something like\n%s", code, stderr, said, want)
	}
	if after := leftIn(t, "."); !slices.Equal(after, before) {
		t.Errorf("without --yes %v is left; want all of %v", after, before)
	}
	if code, said, stderr = say(t, "runs", "prune", "--older-than", "1d", "--scenario", "orders", "--yes"); code != codeOk || stderr != "" ||
		!strings.Contains(said, "20260301T020000Z-orders: the run is gone; left what loadgen did not write: latency.png\ndeleted 2 runs, ") {
		t.Errorf("runs prune --yes = %d, %q\n%s", code, stderr, said)
	}
	var gone []string
	after := leftIn(t, ".")
	for _, path := range before {
		if !slices.Contains(after, path) {
			gone = append(gone, strings.TrimPrefix(filepath.ToSlash(path), "results/runs/"))
		}
	}
	if want := []string{"20260301T020000Z-orders/events.ndjson", "20260301T020000Z-orders/intervals.ndjson", "20260301T020000Z-orders/run.json",
		"20260306T020000Z-orders", "20260306T020000Z-orders/.run.json-123", "20260306T020000Z-orders/events.ndjson", "20260306T020000Z-orders/intervals.ndjson",
		"20260306T020000Z-orders/latency.svg", "20260306T020000Z-orders/report.html", "20260306T020000Z-orders/run.json"}; !slices.Equal(gone, want) {
		t.Errorf("gone are %v; want %v", gone, want)
	}
	code, said, _ = say(t, "runs", "prune", "--keep-last", "1", "--yes")
	if code != codeOk || !strings.Contains(said, "deleted 0 runs, 0B\n") {
		t.Errorf("runs prune of scenarios with one run each = %d, %q; want none to go", code, said)
	}
	if err := os.Chtimes(in("20260303T020000Z-votes", results.RunFile), ago, ago); err != nil {
		t.Fatal(err)
	}
	if code, said, _ = say(t, "runs", "prune", "--older-than", "1h", "--yes"); code != codeOk || !strings.Contains(said, "1 being written") {
		t.Errorf("runs prune of a run whose seconds are being written = %d, %q", code, said)
	}
	for _, name := range []string{results.IntervalsFile, results.EventsFile} {
		if err := os.Chtimes(in("20260303T020000Z-votes", name), ago, ago); err != nil {
			t.Fatal(err)
		}
	}
	if code, said, _ = say(t, "runs", "prune", "--older-than", "1h", "--yes"); code != codeOk || !strings.Contains(said, "20260303T020000Z-votes: the run is gone; left what loadgen did not write: ") {
		t.Errorf("runs prune of a folder that holds another's = %d, %q", code, said)
	}
	for _, path := range []string{filepath.Join(outside, "notes.txt"), filepath.Join(elsewhere, results.RunFile), in("20260303T020000Z-votes", "notes.png"),
		in("20260302T020000Z-broken", results.RunFile), in("20260309T020000Z-contest", contestFile), in("nothing", "notes.txt"), in("loose.txt"), in("linked")} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s is gone: %v", path, err)
		}
	}
	if names, err := filepath.Glob(in("20260303T020000Z-votes", "*", results.RunFile)); err != nil || len(names) != 1 {
		t.Errorf("the run within the folder of another is %v, %v; want it to be there", names, err)
	}
	if left, err := runNames(folder); err != nil || !slices.Equal(left, []string{"20260302T020000Z-broken", "20260308T020000Z-orders", "20260310T020000Z-orders", "a-link", "linked"}) {
		t.Errorf("left are the runs %v, %v", left, err)
	}
}

// A tag that comes between the plan and the deed is heeded, and a folder that has become
// a link is not followed.
func TestPruneHeedsWhatHappensMeanwhile(t *testing.T) {
	folder, runs := shelfOf(t)
	s, err := readShelf(context.Background(), folder)
	if err != nil {
		t.Fatal(err)
	}
	by := pruning{now: april.Add(1e4 * day), olderThan: day, keepLast: -1}
	plan := by.plan(s)
	if len(plan.goes) != 3 {
		t.Fatalf("%d runs go; want all three", len(plan.goes))
	}
	if err := writeTags(results.Dir(filepath.Join(folder, runs[0])), []string{"keep"}); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "moved")
	if err := errors.Join(os.Rename(filepath.Join(folder, runs[1]), outside), os.Symlink(outside, filepath.Join(folder, runs[1]))); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = deleteRuns(context.Background(), s, by, &plan, &out)
	if err == nil || !strings.Contains(err.Error(), runs[1]+" could not be deleted whole: it is no folder any more") || !strings.HasPrefix(out.String(), "deleted 1 run, ") || !strings.Contains(out.String(), "1 with tags") {
		t.Errorf("deleteRuns = %v, %q; want one deleted, one tagged, and a fault for the link", err, &out)
	}
	if !holdsRun(outside) || !holdsRun(filepath.Join(folder, runs[0])) || holdsRun(filepath.Join(folder, runs[2])) {
		t.Error("gone is not what should be")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	plan = prunePlan{goes: []*shelfRun{&s.runs[0]}, kept: map[keptWhy]int{}}
	if err := deleteRuns(cancelled, s, by, &plan, &out); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted, deleteRuns = %v", err)
	}
}

// Whatever a run leaves in its folder is known as its own, so that nothing of it is left
// behind; and what a person may put there is not.
func TestOwnFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := say(t, "simulate", "density", "--out", "run", "--quiet"); code != codeOk {
		t.Fatalf("simulate = %d, %q", code, stderr)
	}
	if code, _, stderr := say(t, "runs", "tag", "run", "keep"); code != codeOk {
		t.Fatalf("runs tag = %d, %q", code, stderr)
	}
	for _, path := range leftIn(t, "run") {
		if !ownFile(filepath.Base(path)) {
			t.Errorf("%s is not known as loadgen's own", path)
		}
	}
	for _, name := range []string{"notes.txt", "notes.png", "run.json.bak", "run.json~", "attempts.bin", "contest.json", "latency.pdf", ".run.json", ".notes-1", "RUN.JSON", ""} {
		if ownFile(name) {
			t.Errorf("%q is taken for loadgen's own", name)
		}
	}
}

// Where a deletion is cut short, there is still a record by which the rest is found.
func TestTheRecordIsDeletedLast(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"events.ndjson", results.RunFile, "steps.png", "tags.json"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, entry := range recordLast(entries) {
		got += entry.Name() + " "
	}
	if want := "events.ndjson steps.png tags.json run.json "; got != want {
		t.Errorf("the files go in the order %s; want %s", got, want)
	}
	if got := recordLast(entries[:1]); len(got) != 1 {
		t.Errorf("of a folder without a record %v go", got)
	}
}

func TestTagAndUntag(t *testing.T) {
	folder, runs := shelfOf(t)
	record, err := os.ReadFile(filepath.Join(folder, runs[2], results.RunFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"two", []string{"latest", "keep", "Ünïcode-1.5_x"}, "keep, Ünïcode-1.5_x"},
		{"one that it has, and another", []string{"latest", "keep", "baseline"}, "baseline, keep, Ünïcode-1.5_x"},
		{"one twice", []string{"latest", "again", "again"}, "again, baseline, keep, Ünïcode-1.5_x"},
		{"two less, one of them twice", []string{"latest", "again", "keep", "again", "--remove"}, "baseline, Ünïcode-1.5_x"},
		{"none left", []string{"latest", "baseline", "Ünïcode-1.5_x", "--remove"}, "no tag"},
	} {
		code, stdout, stderr := say(t, append([]string{"runs", "tag"}, row.args...)...)
		if code != codeOk || stderr != "" || stdout != filepath.Join(folder, runs[2])+": "+row.want+"\n" {
			t.Errorf("%s: runs tag %v = %d, %q, %q; want %q", row.name, row.args, code, stdout, stderr, row.want)
		}
	}
	if again, err := os.ReadFile(filepath.Join(folder, runs[2], results.RunFile)); err != nil || string(again) != string(record) {
		t.Errorf("the record is another after it was tagged, %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, runs[2], tagsFile), []byte("spoilt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := say(t, "runs", "tag", "latest", "keep"); code != codeUsage || !strings.Contains(stderr, "delete its tags.json to begin anew") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("with spoilt tags: %d, %q", code, stderr)
	}
	if code, stdout, _ := say(t, "runs", "show", "latest"); code != codeOk || !strings.Contains(stdout, "its tags cannot be read: ") {
		t.Errorf("runs show of spoilt tags = %d, %q", code, stdout)
	}
}

// Show prints the report, then the files; of a run that was not judged, too.
func TestRunsShow(t *testing.T) {
	folder := library(t)
	for _, row := range []struct {
		name, run string
		says      []string
	}{
		{"a judged run", "latest", []string{"This run is partial", "\nFiles\n  " + filepath.Join(folder, "20260310T020000Z-orders") + "\n", "    events.ndjson", "    run.json          ", "  tags: baseline, keep\n"}},
		{"one that was not judged", "20260301", []string{"The load is not saturated", "20260301T020000Z-orders\n    events.ndjson"}},
	} {
		code, stdout, stderr := say(t, "runs", "show", row.run)
		if code != codeOk || stderr != "" || strings.Contains(stdout, "\x1b") {
			t.Errorf("%s: runs show = %d, %q", row.name, code, stderr)
		}
		for _, says := range row.says {
			if !strings.Contains(stdout, says) {
				t.Errorf("%s: runs show lacks %q:\n%s", row.name, says, stdout)
			}
		}
	}
}

// Any text is refused in words, or is tags that are written and read back the same.
func FuzzTags(f *testing.F) {
	for _, text := range []string{`{"tags": ["keep", "baseline", "keep"]}`, `{"tags": null}`, "{}", `{"tags": ["\u001b[31m"]}`, `{"tags": ["-x"]}`, "[]", "\x00", `{"tags": ["` + strings.Repeat("x", 41) + `"]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tags, err := parseTags(text)
		if err != nil {
			if !errors.Is(err, errTags) || strings.ContainsAny(err.Error(), "\x1b") {
				t.Fatalf("parseTags(%q) = %v; want errTags", text, err)
			}
			return
		}
		folder := new(results.Memory)
		if err := writeTags(folder, tags); err != nil {
			t.Fatal(err)
		}
		again, err := readTags(folder)
		if err != nil || !slices.Equal(again, tags) || len(tags) > mostTags {
			t.Fatalf("tags %q are read back as %q, %v", tags, again, err)
		}
	})
}

func TestParseTags(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"in order, each once", `{"tags": ["keep", "baseline", "keep"]}`, "baseline keep"},
		{"none", `{}`, ""},
		{"too long a file", `{"tags": ["a"]}` + strings.Repeat(" ", longestTags), "error"},
		{"too many", `{"tags": [` + strings.Repeat(`"a",`, mostTags) + `"a"]}`, "error"},
		{"no tag", `{"tags": ["a b"]}`, "error"},
		{"another key, which was to be tags", `{"tag": ["keep"]}`, "error"},
		{"something behind them", `{} {"tags": ["keep"]}`, "error"},
		{"an empty one", `{"tags": [""]}`, "error"},
		{"no text", `{"tags": ["` + "\xff" + `"]}`, "error"},
	} {
		tags, err := parseTags([]byte(row.text))
		if got := strings.Join(tags, " "); err == nil && got != row.want || err != nil && (row.want != "error" || !errors.Is(err, errTags)) {
			t.Errorf("%s: %q, %v; want %q", row.name, got, err, row.want)
		}
	}
}

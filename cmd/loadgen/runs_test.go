package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
)

// kept is a run that is kept in a folder: of the n-th night, its reads taking so long.
type kept struct {
	night    int
	takes    time.Duration
	scenario string
	validity string
	change   func(m *results.Manifest)
}

// write writes the run into a folder and returns its name.
func (k kept) write(t testing.TB, folder string) string {
	t.Helper()
	m := results.Manifest{Scenario: results.Scenario{Name: k.scenario, Text: "name: orders\n"}, Target: results.Embedded, Time: "real",
		Started:    time.Date(2026, 3, 1+k.night, 2, 0, 0, 0, time.UTC),
		Operations: []results.Kind{{Name: "get", Group: "GET"}}}
	if k.change != nil {
		k.change(&m)
	}
	dir, err := results.MakeDir(folder, m.Started, k.scenario)
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := results.NewRecorder(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	const reads = 24
	phase := recorder.Phase(results.Phase{Name: "peak", End: time.Second, Rate: reads, Reported: true})
	for n := range reads {
		due := time.Duration(n) * time.Second / reads
		recorder.Scheduled(&results.Scheduled{Phase: phase, Intended: due, Sent: due, Entities: 1})
		recorder.Attempt(&results.Attempt{Class: results.Ok, Phase: phase, Number: uint64(n), Intended: due, Sent: due, Done: due + k.takes, Counted: 1, Returned: 1})
		recorder.Completed(&results.Completed{Class: results.Ok, Phase: phase, Number: uint64(n), Intended: due, Done: due + k.takes, Attempts: 1, Entities: 1, Served: 1})
	}
	if err := recorder.Finish(3*time.Second, k.validity, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Seal(nil); err != nil {
		t.Fatal(err)
	}
	return string(dir)
}

// spoil changes a file.
func spoil(t *testing.T, name string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if change(string(text)) == string(text) {
		t.Fatalf("%s is not changed", name)
	}
	if err := os.WriteFile(name, []byte(change(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
}

// runIndexOf is a folder of runs: two of orders, one of votes between them, one that cannot
// be read, and what is no run. The names of those that can are returned.
func runIndexOf(t *testing.T) (folder string, runs []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	folder = runsKept()
	for _, k := range []kept{{0, time.Millisecond, "orders", results.Valid, nil}, {2, time.Millisecond, "votes", results.Valid, nil}, {5, time.Millisecond, "orders", results.Valid, nil}} {
		runs = append(runs, filepath.Base(k.write(t, folder)))
	}
	const contested = `{"verdict": "by-day wins: it sustains more.", "winner": "by-day", "state": "holds", "scenario": "votes", "target": "in-process",
			"ranking": [{"design": "by-day", "rank": 1, "seeds": [1], "partition_key": "{at:day}", "row_key": "{id}"}]}`
	for name, text := range map[string]string{
		"20260302T020000Z-broken/run.json":      `{"schema_version": 2, "mani`,
		"20260304T020000Z-contest/contest.json": contested,
		"nothing/notes.txt":                     "x", "loose.txt": "x",
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder, runs
}

// keptJudged writes a run into a folder, judges and seals it, and returns its name.
func keptJudged(t testing.TB, folder string, k kept) string {
	t.Helper()
	name := k.write(t, folder)
	record, err := results.Read(results.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	record.Summary = verdict.Judge(record)
	record.Validity, record.Reasons = record.Summary.Validity, record.Summary.Reasons
	text, err := json.MarshalIndent(record, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Dir(name).Replace(results.RunFile, append(text, '\n')); err != nil {
		t.Fatal(err)
	}
	return filepath.Base(name)
}

// library is a folder of runs of every kind, in which the test then is.
func library(t *testing.T) string {
	t.Helper()
	folder, _ := runIndexOf(t)
	keptJudged(t, folder, kept{7, 3 * time.Millisecond, "orders", results.Valid, func(m *results.Manifest) { m.Checks = []string{"p50(get) < 1s", "throttled == 0", "served > 5000"} }})
	keptJudged(t, folder, kept{8, 3 * time.Millisecond, "an-escape\x1b[31m", results.Valid, func(m *results.Manifest) { m.Target = "https://\u202e\x1b]0;x\x07.example.org/with/a/long/path/to/it" }})
	newest := keptJudged(t, folder, kept{9, 5 * time.Millisecond, "orders", results.Partial, nil})
	if code, stdout, stderr := say(t, "runs", "tag", newest, "keep", "baseline"); code != codeOk || stdout != filepath.Join(folder, newest)+": baseline, keep\n" {
		t.Fatalf("runs tag = %d, %q, %q", code, stdout, stderr)
	}
	if err := os.Symlink(newest, filepath.Join(folder, "a-link")); err != nil {
		t.Fatal(err)
	}
	return folder
}

const listing = `run                              started (UTC)     scenario        target                    validity  verdict                           tags           served/s  p99 ms  throttled
20260310T020000Z-orders          2026-03-10 02:00  orders          embedded                  partial   This run is partial. An embedde…  baseline,keep        24       –        0 %
20260309T020000Z-an-escape--31m  2026-03-09 02:00  an-escape?[31m  https://??]0;x?.example…  valid     The load is not saturated: of 2…                       24       –        0 %
20260308T020000Z-orders          2026-03-08 02:00  orders          embedded                  valid     2/3 hold                                               24       –        0 %
20260306T020000Z-orders          2026-03-06 02:00  orders          embedded                  valid     –                                                       –       –          –
20260304T020000Z-contest         2026-03-04 02:00  votes           in-process                contest   by-day wins                                             –       –          –
20260303T020000Z-votes           2026-03-03 02:00  votes           embedded                  valid     –                                                       –       –          –
20260301T020000Z-orders          2026-03-01 02:00  orders          embedded                  valid     –                                                       –       –          –
cannot be read: 20260302T020000Z-broken: results: corrupt record: run.json: unexpected end of JSON input
not listed: 1 other folder, 1 link
`

func TestRunsList(t *testing.T) {
	folder := library(t)
	code, stdout, stderr := say(t, "runs", "list")
	if code != codeOk || stderr != "" {
		t.Fatalf("runs list = %d, %q", code, stderr)
	}
	if diff := cmp.Diff(listing, stdout); diff != "" {
		t.Errorf("runs list differs (-want +printed):\n%s", diff)
	}
	for _, row := range []struct {
		name string
		args []string
		// runs are the names in the order in which they stand, more what is told of others.
		runs []string
		more string
	}{
		{"of a scenario", []string{"--scenario", "orders"}, []string{"20260310", "20260308", "20260306", "20260301"}, ""},
		{"with a tag", []string{"--tag", "keep"}, []string{"20260310"}, ""},
		{"with both of two tags", []string{"--tag", "keep", "--tag", "baseline"}, []string{"20260310"}, ""},
		{"since a day", []string{"--since", "2026-03-08"}, []string{"20260310", "20260309", "20260308"}, ""},
		{"since an instant", []string{"--since", "2026-03-08T03:00:00Z"}, []string{"20260310", "20260309"}, ""},
		{"within an age", []string{"--since", "1h"}, nil, "no run in " + folder},
		{"the newest two", []string{"--limit", "2"}, []string{"20260310", "20260309"}, "and 5 more; --limit 0 lists all\n"},
		{"all", []string{"--limit", "0"}, []string{"20260310", "20260309", "20260308", "20260306", "20260304", "20260303", "20260301"}, "1 other folder, 1 link"},
	} {
		code, stdout, stderr := say(t, append([]string{"runs", "list"}, row.args...)...)
		var got []string
		for line := range strings.Lines(stdout) {
			if strings.HasPrefix(line, "2026") {
				got = append(got, line[:8])
			}
		}
		if code != codeOk || stderr != "" || fmt.Sprint(got) != fmt.Sprint(row.runs) || !strings.Contains(stdout, row.more) {
			t.Errorf("%s: runs list %v = %d, %q, lists %v; want %v and %q\n%s", row.name, row.args, code, stderr, got, row.runs, row.more, stdout)
		}
	}
}

// What scripts read has every run, and no escape is in it.
func TestRunsListForScripts(t *testing.T) {
	library(t)
	code, stdout, _ := say(t, "runs", "list", "--format", "json")
	var list report.RunList
	if err := json.Unmarshal([]byte(stdout), &list); code != codeOk || err != nil || strings.ContainsAny(stdout, "\x1b\x07\u202e") {
		t.Fatalf("runs list --format json = %d, %v:\n%s", code, err, stdout)
	}
	if len(list.Runs) != 7 || list.Matching != 7 || len(list.Unreadable) != 1 || list.Contests != 1 || list.Others != 1 || list.Links != 1 {
		t.Errorf("the list is %+v; want 6 runs and a contest, one that cannot be read, another folder and a link", list)
	}
	if one := list.Runs[2]; one.Short != "2/3 hold" || *one.Attempts != 24 || one.Tags == nil {
		t.Errorf("of claims of which one fails %+v is told", one)
	}
}

func TestRunsBadInput(t *testing.T) {
	folder := library(t)
	if err := os.MkdirAll("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	before := leftIn(t, folder)
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"no folder", []string{"list", "--runs", "nowhere"}, "the folder nowhere cannot be read"},
		{"a scenario with a letter too many", []string{"list", "--scenario", "orderss"}, `did you mean "orders"?`},
		{"a tag with a letter too few", []string{"list", "--tag", "kee"}, `did you mean "keep"?`},
		{"a form that there is not", []string{"list", "--format", "csv"}, "expected text or json"},
		{"a limit below none", []string{"list", "--limit", "-1"}, "expected a number of runs"},
		{"no age", []string{"list", "--since", "soon"}, "expected an age such as 7d"},
		{"an argument", []string{"list", "x"}, "takes no argument"},
		{"no run", []string{"show"}, "takes one run, and got 0"},
		{"two runs", []string{"show", "a", "b"}, "takes one run, and got 2"},
		{"a run that is not there", []string{"show", "20260301T020000Z-order"}, ""},
		{"a tag of no run", []string{"tag", "keep"}, "takes a run and one tag or more"},
		{"a tag with a slash", []string{"tag", "latest", "fine", "a/b"}, "expected letters, digits"},
		{"a tag that moves the cursor", []string{"tag", "latest", "\x1b[2J"}, "expected letters, digits"},
		{"a tag that is a flag", []string{"tag", "latest", "--", "-x"}, "begins with -"},
		{"a tag that is too long", []string{"tag", "latest", strings.Repeat("x", 41)}, "is longer than 40 bytes"},
		{"a tag to remove that there is not", []string{"tag", "latest", "baselin", "--remove"}, `did you mean "baseline"?`},
		{"more tags than there may be", append([]string{"tag", "latest"}, strings.Fields("tt a b c d e f g h i j k l m n o p q r s t")...), "more than 20"},
		{"nothing to prune by", []string{"prune"}, "expected --older-than 30d or --keep-last 20"},
		{"nothing to prune by, in earnest", []string{"prune", "--yes"}, "expected --older-than 30d or --keep-last 20"},
		{"no age of what goes", []string{"prune", "--older-than", "30", "--yes"}, "no age; expected one such as 30d"},
		{"an age of none", []string{"prune", "--older-than", "0d", "--yes"}, "no age"},
		{"to keep none", []string{"prune", "--keep-last", "0", "--yes"}, "expected 1 or more"},
		{"to prune a scenario that there is not", []string{"prune", "--keep-last", "1", "--scenario", "order", "--yes"}, `did you mean "orders"?`},
		{"to prune nowhere", []string{"prune", "--keep-last", "1", "--runs", "nowhere", "--yes"}, "the folder nowhere cannot be read"},
		{"a part that is nearly one", []string{"prun"}, `did you mean "prune"?`},
	} {
		code, stdout, stderr := say(t, append([]string{"runs"}, row.args...)...)
		if row.says == "" {
			if code != codeOk {
				t.Errorf("%s: %d, %q; want the one that begins so", row.name, code, stderr)
			}
			continue
		}
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) || strings.Contains(stderr, "\x1b") {
			t.Errorf("%s: runs %q = %d, %q, %q; want 2 and one line with %q", row.name, row.args, code, stdout, stderr, row.says)
		}
	}
	if after := leftIn(t, folder); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%v is left of %v; want all", after, before)
	}
	if code, stdout, _ := say(t, "runs", "list", "--runs", "empty"); code != codeOk || stdout != "no run in empty\n" {
		t.Errorf("of an empty folder: %d, %q", code, stdout)
	}
}

// Ctrl-C ends the reading.
func TestRunsListIsInterrupted(t *testing.T) {
	library(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interruption{os.Interrupt})
	var stdout, stderr strings.Builder
	if code := execute(ctx, []string{"runs", "list"}, strings.NewReader(""), &stdout, &stderr); code != codeInterrupted || stdout.Len() > 0 {
		t.Errorf("interrupted, runs list = %d, %q, %q; want %d", code, &stdout, &stderr, codeInterrupted)
	}
}

func TestTagAndUntag(t *testing.T) {
	folder, runs := runIndexOf(t)
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"two", []string{"latest", "keep", "baseline"}, "baseline, keep"},
		{"one less", []string{"latest", "keep", "--remove"}, "baseline"},
		{"none left", []string{"latest", "baseline", "--remove"}, "no tag"},
	} {
		code, stdout, stderr := say(t, append([]string{"runs", "tag"}, row.args...)...)
		if code != codeOk || stderr != "" || stdout != filepath.Join(folder, runs[2])+": "+row.want+"\n" {
			t.Errorf("%s: runs tag %v = %d, %q, %q; want %q", row.name, row.args, code, stdout, stderr, row.want)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, runs[2], "tags.json"), []byte("spoilt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := say(t, "runs", "tag", "latest", "keep"); code != codeUsage || !strings.Contains(stderr, "delete its tags.json to begin anew") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("with spoilt tags: %d, %q", code, stderr)
	}
}

// Show prints the report, then the files; of a run that was not judged, too.
func TestRunsShow(t *testing.T) {
	folder := library(t)
	for _, row := range []struct {
		name, run string
		says      []string
	}{
		{"a judged run", "latest", []string{"run partial", "\nFiles\n  " + filepath.Join(folder, "20260310T020000Z-orders") + "\n", "    events.ndjson", "    run.json          ", "  tags: baseline, keep\n"}},
		{"one that was not judged", "20260301", []string{"HOLDS 24 operations/s", "20260301T020000Z-orders\n    events.ndjson"}},
		{"a contest", "20260304", []string{" ✓ WINS: by-day", "PartitionKey {at:day}, RowKey {id}", "20260304T020000Z-contest\n    contest.json"}},
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

// Prune says what would go, and with --yes what loadgen wrote of it goes: pictures, tags
// and page, too.
func TestRunsPrune(t *testing.T) {
	folder := library(t)
	orders := filepath.Join(folder, "20260308T020000Z-orders")
	for _, name := range append(report.Illustrations(), "notes.txt") {
		if err := os.WriteFile(filepath.Join(orders, name), make([]byte, 64<<10), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := leftIn(t, folder)
	code, said, stderr := say(t, "runs", "prune", "--older-than", "1d", "--scenario", "orders")
	const stay = "left alone: 1 with tags, 3 being written, 1 that cannot be read, 1 of contests, 1 of other scenarios, 1 other folder, 1 link\n"
	if code != codeOk || stderr != "" || !strings.HasPrefix(said, "20260308T020000Z-orders  2026-03-08 02:00  orders  ") ||
		!strings.HasSuffix(said, "; nothing has been deleted, --yes does it\n"+stay) {
		t.Errorf("runs prune = %d, %q\n%s\nwant one run, and\n%s", code, stderr, said, stay)
	}
	if after := leftIn(t, folder); !slices.Equal(after, before) {
		t.Errorf("without --yes %v is left; want all of %v", after, before)
	}
	if code, said, stderr = say(t, "runs", "prune", "--older-than", "1d", "--scenario", "orders", "--yes"); code != codeOk || stderr != "" ||
		!strings.HasPrefix(said, "20260308T020000Z-orders: the run is gone; left what loadgen did not write: notes.txt\ndeleted 1 run, ") || !strings.HasSuffix(said, stay) {
		t.Errorf("runs prune --yes = %d, %q\n%s", code, stderr, said)
	}
	if left := leftIn(t, orders); len(left) != 1 {
		t.Errorf("left of the run is %v; want the notes alone", left)
	}
	if code, said, _ = say(t, "runs", "prune", "--keep-last", "1", "--yes"); code != codeOk || !strings.HasPrefix(said, "deleted 0 runs, 0 B\n") {
		t.Errorf("runs prune of scenarios with one run each = %d, %q; want none to go", code, said)
	}
}

// The names of runs complete the first argument, and latest with them.
func TestRunsAreCompleted(t *testing.T) {
	folder, runs := runIndexOf(t)
	for _, verb := range []string{"show", "tag"} {
		if _, stdout, _ := say(t, "__complete", "runs", verb, "20260303"); !strings.HasPrefix(stdout, runs[1]+"\n:") {
			t.Errorf("runs %s is completed by %q", verb, stdout)
		}
		if _, stdout, _ := say(t, "__complete", "runs", verb, "--runs", folder, "lat"); !strings.HasPrefix(stdout, "latest\n:") {
			t.Errorf("runs %s --runs is completed by %q", verb, stdout)
		}
	}
}

// keptNights writes so many nights of orders, which take a fifth longer from the middle
// on, into results/runs of a folder that the test then is in.
func keptNights(t testing.TB, nights int) {
	t.Helper()
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(1, 24))
	for n := range nights {
		micros := 10_000 * (1 + .02*rng.NormFloat64())
		if n >= nights/2 {
			micros *= 1.2
		}
		kept{n, time.Duration(micros) * time.Microsecond, "orders", results.Valid, nil}.write(t, filepath.Join("results", "runs"))
	}
}

// The nights of a scenario are found by its name, by its file and by their folder, and
// told, drawn and exported.
func TestHistoryOfNights(t *testing.T) {
	keptNights(t, 14)
	runs := filepath.Join("results", "runs")
	kept{30, time.Millisecond, "apples", results.Valid, nil}.write(t, runs)
	cut := kept{31, time.Millisecond, "orders", results.Valid, nil}.write(t, runs)
	spoil(t, filepath.Join(cut, results.IntervalsFile), func(text string) string { return text[:len(text)-5] })
	newer := kept{32, time.Millisecond, "orders", results.Valid, nil}.write(t, runs)
	spoil(t, filepath.Join(newer, results.RunFile), func(text string) string {
		return strings.Replace(text, `"schema_version": 2`, `"schema_version": 99`, 1)
	})
	kept{33, time.Millisecond, "orders", results.Partial, nil}.write(t, runs)
	kept{34, time.Millisecond, "orders", results.Valid, func(m *results.Manifest) { m.Time = "virtual" }}.write(t, runs)
	code, stdout, stderr := say(t, "runs", "history", "orders", "--metric", "p50(get)", "--png", "trend.PNG", "--verbose")
	for _, says := range []string{"orders: p50(get) steps on 2026-03-08 (+", "p50(get) steps from ", "left out: 1 partial, 1 virtual",
		cut + ": the record is cut off", newer + ": results: record of another schema"} {
		if code != codeOk || stderr != "" || !strings.Contains(stdout, says) {
			t.Errorf("runs history = %d, %q\n%s\nwant 0, and %q", code, stderr, stdout, says)
		}
	}
	if strings.Contains(stdout, "apples") {
		t.Errorf("the history of one scenario names another:\n%s", stdout)
	}
	if png, err := os.ReadFile("trend.PNG"); err != nil || !strings.HasPrefix(string(png), "\x89PNG") {
		t.Errorf("the chart is %.8q, %v; want a PNG", png, err)
	}
	_, again, _ := say(t, "runs", "history", runs, "orders", runs, "--metric", "p50(get)")
	if !strings.Contains(again, "\n ? apples    inconclusive     1\n ✗ orders    step            14\n") || strings.Count(again, "p50(get) steps from") != 1 {
		t.Errorf("of the folder the history is\n%s\nwant a row for apples and one for orders, each run once", again)
	}
	code, stdout, stderr = say(t, "runs", "history", "orders", "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if code != codeOk || err != nil || len(rows) != 15 || strings.Count(stderr, "left out: ") != 3 {
		t.Errorf("the CSV has %d rows, %v, %q; want 15, and what was left out beside it", len(rows), err, stderr)
	}
	code, stdout, _ = say(t, "runs", "history", "--format", "json", "--metric", "p50(get)")
	var told struct{ Verdict string }
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || code != codeOk || told.Verdict != "step" {
		t.Errorf("runs history --format json = %d, %v, %q; want a step", code, err, told.Verdict)
	}
}

// What has nothing to be compared with says so, and ends with 12.
func TestHistoryOfTooLittle(t *testing.T) {
	for _, row := range []struct {
		name string
		of   kept
		says string
	}{
		{"a single run", kept{0, time.Millisecond, "orders", results.Valid, nil}, "orders: no history: a single run has nothing to be compared with"},
		{"none that is valid", kept{0, time.Millisecond, "orders", results.Invalid, nil}, "orders: left out: 1 invalid"},
	} {
		t.Chdir(t.TempDir())
		folder := row.of.write(t, "runs")
		for _, args := range [][]string{{folder}, {"runs"}, {"orders", "--runs", "runs"}, {"runs", "--png", "x.svg"}} {
			code, stdout, stderr := say(t, append([]string{"runs", "history"}, args...)...)
			if code != 12 || stderr != "" || !strings.Contains(stdout, row.says) {
				t.Errorf("%s: %v = %d, %q, %q; want 12 and %q", row.name, args, code, stdout, stderr, row.says)
			}
		}
		if left := leftIn(t, "."); len(left) != 5 {
			t.Errorf("%s: left %v; want the run alone", row.name, left)
		}
	}
}

func TestHistoryBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for n := range 2 {
		kept{n, time.Millisecond, "orders", results.Valid, nil}.write(t, "runs")
		kept{n, time.Millisecond, "invoices", results.Valid, nil}.write(t, "runs")
	}
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("broken.yaml", []byte("name: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(leftIn(t, "."))
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"no folder of runs", []string{"orders"}, "the folder results/runs cannot be read: no such file"},
		{"no folder of runs, and no scenario", nil, "the folder results/runs cannot be read"},
		{"an empty folder", []string{"empty"}, "the folder empty holds no run; expected folders with a run.json each"},
		{"a scenario without runs", []string{"ordrs", "--runs", "runs"}, `no run in runs: unknown scenario "ordrs"; did you mean "orders"?`},
		{"another without runs", []string{"x", "--runs", "runs"}, "expected invoices or orders"},
		{"a file that is none", []string{"none.yaml", "--runs", "runs"}, "none.yaml cannot be read"},
		{"a file that is broken", []string{"broken.yaml", "--runs", "runs"}, "broken.yaml:1"},
		{"an unknown metric", []string{"runs", "--metric", "sered"}, `--metric: unknown figure "sered"; did you mean "served"?`},
		{"no metric", []string{"runs", "--metric", "p99(get) < 5ms"}, "expected its end"},
		{"a metric twice", []string{"runs", "--metric", "p99(get)", "--metric", "p99( get )"}, "p99(get) is named twice"},
		{"an operation that no run has", []string{"runs", "--metric", "p99(gett)"}, `unknown operation or phase "gett"; did you mean "get"?`},
		{"an unknown form", []string{"runs", "--format", "xml"}, "--format \"xml\": expected text"},
		{"a picture of another kind", []string{"runs", "--png", "x.gif"}, "--png x.gif: expected a file that ends in"},
		{"a picture of two scenarios", []string{"runs", "--png", "x.png"}, "--png draws one scenario, and there are 2; expected one of invoices or orders"},
		{"a picture in no folder", []string{"orders", "--runs", "runs", "--png", "nowhere/x.png"}, "--png nowhere/x.png cannot be written: no such file"},
		{"too many metrics", append([]string{"runs"}, strings.Fields(strings.Repeat("--metric p99 ", 25))...), "25 are more than 24"},
	} {
		code, stdout, stderr := say(t, append([]string{"runs", "history"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %v = %d, %q, %q; want 2 and one line with %q", row.name, row.args, code, stdout, stderr, row.says)
		}
	}
	if code, _, stderr := say(t, "runs", "histry"); code != codeUsage || !strings.Contains(stderr, `did you mean "history"?`) {
		t.Errorf("runs histry = %d, %q", code, stderr)
	}
	if left := leftIn(t, "."); len(left) != before {
		t.Errorf("left %v; want nothing new", left)
	}
}

// Ctrl-C ends the reading.
func TestHistoryIsInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	for n := range 3 {
		kept{n, time.Millisecond, "orders", results.Valid, nil}.write(t, "runs")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interruption{os.Interrupt})
	var stdout, stderr strings.Builder
	if code := execute(ctx, []string{"runs", "history", "runs"}, strings.NewReader(""), &stdout, &stderr); code != codeInterrupted || stdout.Len() > 0 {
		t.Errorf("interrupted, runs history = %d, %q, %q; want %d", code, &stdout, &stderr, codeInterrupted)
	}
}

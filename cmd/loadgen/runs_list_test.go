package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/report/verdict"
	"loadgen/results"
)

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
	folder, _ := shelfOf(t)
	keptJudged(t, folder, kept{7, 3 * time.Millisecond, "orders", results.Valid, func(m *results.Manifest) { m.Expectations = []string{"p50(get) < 1s", "refused == 0", "served > 5000"} }})
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

const listing = `run                              started (UTC)     scenario        target                    validity  verdict                           tags           served/s  p99 ms  refused
20260310T020000Z-orders          2026-03-10 02:00  orders          embedded                  partial   This run is partial. An embedde…  baseline,keep        24       –      0 %
20260309T020000Z-an-escape--31m  2026-03-09 02:00  an-escape?[31m  https://??]0;x?.example…  valid     The load is not saturated: of 2…                       24       –      0 %
20260308T020000Z-orders          2026-03-08 02:00  orders          embedded                  valid     2/3 hold                                               24       –      0 %
20260306T020000Z-orders          2026-03-06 02:00  orders          embedded                  valid     –                                                       –       –        –
20260303T020000Z-votes           2026-03-03 02:00  votes           embedded                  valid     –                                                       –       –        –
20260301T020000Z-orders          2026-03-01 02:00  orders          embedded                  valid     –                                                       –       –        –
cannot be read: 20260302T020000Z-broken: results: corrupt record: run.json: unexpected end of JSON input
not listed: 1 contest, 1 other folder, 1 link
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
		{"the newest two", []string{"--limit", "2"}, []string{"20260310", "20260309"}, "and 4 more; --limit 0 lists all\n"},
		{"all", []string{"--limit", "0"}, []string{"20260310", "20260309", "20260308", "20260306", "20260303", "20260301"}, "1 contest, 1 other folder, 1 link"},
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

// What scripts read is what the records say, unshortened, and no escape is in it.
func TestRunsListForScripts(t *testing.T) {
	folder := library(t)
	code, stdout, _ := say(t, "runs", "list", "--format", "json")
	var list runList
	if err := json.Unmarshal([]byte(stdout), &list); code != codeOk || err != nil || strings.ContainsAny(stdout, "\x1b\x07\u202e") {
		t.Fatalf("runs list --format json = %d, %v:\n%s", code, err, stdout)
	}
	if len(list.Runs) != 6 || list.Matching != 6 || len(list.Unreadable) != 1 || list.Contests != 1 || list.Others != 1 || list.Links != 1 {
		t.Errorf("the list is %+v; want 6 runs, one that cannot be read, a contest, another folder and a link", list)
	}
	if u := list.Unreadable[0]; u.Name != "20260302T020000Z-broken" || !strings.Contains(u.Reason, "corrupt record") {
		t.Errorf("what cannot be read is %+v", u)
	}
	for _, one := range list.Runs {
		record, err := results.Read(results.Dir(filepath.Join(folder, one.Name)))
		if err != nil {
			t.Fatal(err)
		}
		if one.Scenario != record.Manifest.Scenario.Name || one.Target != record.Manifest.Target || one.Validity != record.Validity || one.Folder != filepath.Join(folder, one.Name) {
			t.Errorf("%+v is listed of %+v", one, record.Manifest)
		}
		s := record.Summary
		if s == nil {
			if one.Verdict != nil || one.Served != nil || one.Short != untold {
				t.Errorf("of a run that was not judged %+v is told", one)
			}
			continue
		}
		if *one.Verdict != s.Verdict || *one.Attempts != s.Attempts || *one.Refused != s.Refused || *one.Served != s.Phases[0].Served || (one.P99 == nil) != (s.Response.P99 == nil) {
			t.Errorf("%+v is listed of %+v", one, s)
		}
	}
	if one := list.Runs[2]; one.Short != "2/3 hold" || one.Tags == nil || len(one.Tags) != 0 {
		t.Errorf("of claims of which one fails %+v is told", one)
	}
}

func TestShortVerdict(t *testing.T) {
	rate := 1850.0
	for _, row := range []struct {
		name string
		of   results.Summary
		want string
	}{
		{"nothing else", results.Summary{Verdict: "The load does not saturate."}, "The load does not saturate."},
		{"much to say", results.Summary{Verdict: strings.Repeat("word ", 20)}, "word word word word word word w…"},
		{"where it saturates", results.Summary{Verdict: "long", Saturation: &rate}, "saturates at 1,850/s"},
		{"claims first", results.Summary{Verdict: "long", Saturation: &rate, Expectations: []results.Expectation{{Pass: true}, {}}}, "1/2 hold, saturates at 1,850/s"},
		{"the rate that was searched", results.Summary{Verdict: "long", Limit: &results.Limit{Held: &rate}}, "holds 1,850/s"},
		{"no rate that holds", results.Summary{Verdict: "none holds", Limit: &results.Limit{}}, "none holds"},
		{"what load balancing came to", results.Summary{Verdict: "long", Balance: &results.Balance{Outcome: "relieved"}}, "relieved"},
	} {
		if got := shortVerdict(&row.of); got != row.want {
			t.Errorf("%s: %q; want %q", row.name, got, row.want)
		}
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
		{"a tag that is too long", []string{"tag", "latest", strings.Repeat("x", longestTag+1)}, "is longer than 40 bytes"},
		{"a tag to remove that there is not", []string{"tag", "latest", "baselin", "--remove"}, `did you mean "baseline"?`},
		{"more tags than there may be", append([]string{"tag", "latest"}, strings.Fields(strings.Repeat("t", mostTags)+" a b c d e f g h i j k l m n o p q r s t")...), "more than 20"},
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
	if code := run(ctx, []string{"runs", "list"}, strings.NewReader(""), &stdout, &stderr); code != codeInterrupted || stdout.Len() > 0 {
		t.Errorf("interrupted, runs list = %d, %q, %q; want %d", code, &stdout, &stderr, codeInterrupted)
	}
}

func TestParseAge(t *testing.T) {
	for _, row := range []struct {
		text string
		want time.Duration
	}{{"30d", 720 * time.Hour}, {"2w", 336 * time.Hour}, {"0.5d", 12 * time.Hour}, {"12h", 12 * time.Hour}, {"1h30m", 90 * time.Minute}} {
		if got, err := parseAge(row.text); err != nil || got != row.want {
			t.Errorf("parseAge(%q) = %v, %v; want %v", row.text, got, err, row.want)
		}
	}
	for _, text := range []string{"", "d", "30", "-1d", "0d", "0h", "-5h", "NaNd", "Infd", "1e300d", "200000d", "1e-30d", "30 d", "d30"} {
		if got, err := parseAge(text); !errors.Is(err, errAge) {
			t.Errorf("parseAge(%q) = %v, %v; want an error", text, got, err)
		}
	}
}

func TestRunsListLeavesOutWhatPreparesTheTable(t *testing.T) {
	of := func(attempts, refused int64) results.OperationSummary {
		return results.OperationSummary{Attempts: attempts, Refused: refused}
	}
	step := func(served float64, names ...string) results.PhaseSummary {
		p := results.PhaseSummary{Offered: served, Served: served, PerOperation: make(map[string]results.PhaseOperationSummary)}
		for _, name := range names {
			p.PerOperation[name] = results.PhaseOperationSummary{}
		}
		return p
	}
	all := map[string]results.OperationSummary{"load": of(300, 90), "get": of(60, 15), "put": of(40, 5)}
	for _, row := range []struct {
		name            string
		summary         results.Summary
		served, refused string
	}{
		{"a run with steps", results.Summary{Phases: []results.PhaseSummary{step(300, "get"), step(200, "get", "put")}, PerOperation: all, Attempts: 400, Refused: 110}, "300", "20.0 %"},
		{"one that nothing is reported of", results.Summary{PerOperation: all, Attempts: 400, Refused: 110}, untold, "27.5 %"},
		{"one that ended before the last half of its step", results.Summary{Phases: []results.PhaseSummary{step(0, "get")}, PerOperation: all, Attempts: 400, Refused: 110}, untold, "25.0 %"},
		{"one without an attempt", results.Summary{Phases: []results.PhaseSummary{step(0, "get")}}, untold, untold},
	} {
		one := listedOf(&shelfRun{head: &results.Head{Summary: &row.summary}})
		cells := one.row()
		if served, refused := cells[len(cells)-3], cells[len(cells)-1]; served != row.served || refused != row.refused {
			t.Errorf("%s: served %s, refused %s; want %s, %s", row.name, served, refused, row.served, row.refused)
		}
	}
}

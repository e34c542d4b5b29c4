package report_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/results"
	"loadgen/results/catalog"
	"loadgen/results/resultstest"
)

// listed is a run of the n-th night of March 2026 as a catalog has it.
func listed(n int, scenario string, summary *results.Summary) catalog.Run {
	begun := time.Date(2026, 3, n, 2, 0, 0, 0, time.UTC)
	name := begun.Format("20060102T150405Z") + "-" + scenario
	return catalog.Run{Name: name, Folder: filepath.Join("runs", name), Begun: begun, Written: begun,
		Head: &results.Head{Validity: results.Valid, Summary: summary, Manifest: results.Manifest{Started: begun, Target: results.Embedded, Time: "real",
			Scenario: results.Scenario{Name: scenario}}}}
}

// runIndex is a catalog of some runs.
func runIndex() *catalog.Catalog {
	p99, served := int64(5120), 1850.4
	judged := &results.Summary{Verdict: "It holds.", Checks: []results.Check{{Ok: new(true)}, {Ok: new(false)}}, Attempts: 400, Throttled: 90, ShareThrottled: new(.15),
		Phases: []results.PhaseSummary{{Offered: 1900, Served: served}}}
	judged.Response.P99 = &p99
	c := &catalog.Catalog{Folder: "runs", Links: 2, Runs: []catalog.Run{
		listed(9, "an-escape\x1b[31m", judged), listed(8, "orders", nil), listed(7, "broken", nil), listed(6, "orders", nil), listed(5, "contest-keys", nil)}}
	c.Runs[0].Tags = []string{"baseline", "keep"}
	c.Runs[1].TagFault = catalog.ErrTags
	c.Runs[4].Head, c.Runs[4].Contest = nil, &catalog.Contest{Verdict: "by-day wins: it sustains more.", Winner: new("by-day"), State: "does not hold", Scenario: "keys", Target: "in-process"}
	c.Runs[2].Head, c.Runs[2].Fault = nil, errors.Join(results.ErrCorrupt, errors.New("two\x1blines"))
	return c
}

// chosen returns all runs of a catalog.
func chosen(c *catalog.Catalog) []*catalog.Run {
	var all []*catalog.Run
	for i := range c.Runs {
		all = append(all, &c.Runs[i])
	}
	return all
}

func TestListOfRuns(t *testing.T) {
	c := runIndex()
	for name, list := range map[string]*report.RunList{"all": report.List(c, chosen(c), 0), "one": report.List(c, chosen(c)[1:], 1),
		"none": report.List(&catalog.Catalog{Folder: "\x1b"}, nil, 0)} {
		resultstest.CheckGolden(t, "testdata/runs_"+name+".golden", printText(t, list.Text))
	}
	many := new(catalog.Catalog)
	for range 8 {
		many.Runs = append(many.Runs, c.Runs[2])
	}
	if text := printText(t, report.List(many, chosen(many), 0).Text); strings.Count(text, "-broken: ") != 5 || !strings.HasSuffix(text, " 3 more\n") {
		t.Errorf("of many that cannot be read is told\n%s", text)
	}
}

// printText returns what is written to a writer.
func printText(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, write(&text))
	return text.String()
}

// What scripts read is what the records say, unshortened, and no escape is in it.
func TestListOfRunsForScripts(t *testing.T) {
	c := runIndex()
	text := printText(t, report.List(c, chosen(c), 0).JSON)
	require.Falsef(t, strings.ContainsAny(text, "\x1b\x07\u202e"), "the list is\n%s", text)
	resultstest.CheckGolden(t, "testdata/runs.json", text)
}

func TestShortVerdict(t *testing.T) {
	rate, checks := 1850.0, []results.Check{{Ok: new(true)}, {Ok: new(false)}}
	overloaded := []results.PhaseSummary{{Holds: new(false)}}
	for _, row := range []struct {
		name, validity string
		of             results.Summary
		want           string
	}{
		{"a state of a newer build", "unheard", results.Summary{Verdict: "It does not."}, "? unheard"},
		{"nothing else", "", results.Summary{Verdict: strings.Repeat("word ", 20)}, "? word word word word word word word wo…"},
		{"where it saturates", results.Valid, results.Summary{Saturation: &rate}, "• saturates at 1,850/s"},
		{"and its checks", results.Valid, results.Summary{Saturation: &rate, Checks: checks}, "✗ saturates at 1,850/s, 1/2 checks fail"},
		{"checks that allow an overload", results.Valid, results.Summary{Phases: overloaded, Checks: checks[:1]}, "• does not hold, 1/1 checks pass"},
		{"a check that is unknown", results.Valid, results.Summary{Phases: overloaded, Checks: []results.Check{{}}}, "? does not hold, 1 check unknown"},
		{"the rate that was found", results.Valid, results.Summary{Limit: &results.Limit{Held: &rate, Finished: true}}, "✓ holds 1,850/s"},
		{"no rate that holds", results.Valid, results.Summary{Limit: &results.Limit{NotHeld: &rate, Finished: true}}, "✗ does not hold"},
		{"relieved by load balancing", results.Valid, results.Summary{Balance: &results.Balance{Outcome: results.LoadRelieved}}, "• relieved"},
		{"interrupted after it was relieved", results.Partial, results.Summary{Balance: &results.Balance{Outcome: results.LoadRelieved}}, "? partial, relieved"},
		{"interrupted", results.Partial, results.Summary{Phases: overloaded, Checks: make([]results.Check, 2)}, "? partial, 2 checks unknown"},
	} {
		row.of.Validity = row.validity
		run := listed(1, "orders", &row.of)
		assert.Equal(t, row.want, report.List(new(catalog.Catalog), []*catalog.Run{&run}, 0).Runs[0].Short, row.name)
	}
}

func TestFilesOfARun(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "run.json"), make([]byte, 3000), 0o600))
	files := func(w io.Writer) error { return report.Files(w, folder+"/") }
	assert.Equal(t, "\nFiles\n  "+folder+"\n    run.json  3 KiB\n", printText(t, files), "the files")
	_, err := catalog.ChangeTags(folder, []string{"keep", "baseline"}, false)
	require.NoError(t, err)
	assert.Contains(t, printText(t, files), "tags.json   41 B\n  tags: baseline, keep\n", "the files of a run with tags")
	require.NoError(t, os.WriteFile(filepath.Join(folder, catalog.TagsFile), []byte("x"), 0o600))
	assert.Contains(t, printText(t, files), catalog.ErrTags.Error(), "the files of a run with spoilt tags")
	var fault *catalog.Fault
	assert.ErrorAs(t, report.Files(io.Discard, filepath.Join(folder, "nowhere")), &fault, "of no folder")
}

func TestPruningInWords(t *testing.T) {
	c := runIndex()
	now := time.Date(2026, 3, 20, 2, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name string
		by   catalog.Pruning
		done *catalog.Deletion
		want string
	}{
		{"one that would go", catalog.Pruning{Now: now, KeepLast: 0, OlderThan: 13 * 24 * time.Hour}, nil, `20260306T020000Z-orders  2026-03-06 02:00  orders  0 B
1 run would go, 0 B; nothing has been deleted, --yes does it
left alone: 2 with tags, 1 that cannot be read, 1 of contests, 2 links
`},
		{"none", catalog.Pruning{Now: now, KeepLast: 1}, nil, "no run would go\nleft alone: 2 with tags, 1 that cannot be read, 1 of contests, 1 new enough, 2 links\n"},
		{"some that are gone", catalog.Pruning{Now: now, KeepLast: 1}, &catalog.Deletion{Runs: 2, Bytes: 5 << 10, Left: []catalog.Remains{{Name: "a\x1b", Files: []string{"x.txt", "y"}}}},
			"a?: the run is gone; left what loadgen did not write: x.txt, y\ndeleted 2 runs, 5 KiB\nleft alone: 2 with tags, 1 that cannot be read, 1 of contests, 1 new enough, 2 links\n"},
	} {
		plan, err := c.Plan(row.by)
		require.NoError(t, err)
		got := printText(t, func(w io.Writer) error {
			if row.done != nil {
				return report.Pruned(w, plan, row.done)
			}
			return report.Pruning(w, plan)
		})
		assert.Equalf(t, row.want, got, "%s:\n%s\nwant\n%s", row.name, got, row.want)
	}
}

package catalog

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// april is after all runs of the tests, and so long after the first that days are easy to
// count.
var april = time.Date(2026, 4, 1, 2, 0, 0, 0, time.UTC)

// aged is a run of a scenario, so many days before [april], and what else there is to it.
func aged(name, scenario string, days int, change func(*Run)) Run {
	begun := april.Add(-time.Duration(days) * day)
	r := Run{Name: name, Begun: begun, Written: begun, Head: &results.Head{Summary: &results.Summary{}, Manifest: results.Manifest{Scenario: results.Scenario{Name: scenario}}}}
	if change != nil {
		change(&r)
	}
	return r
}

func TestPlans(t *testing.T) {
	tagged := func(r *Run) { r.Tags = []string{"keep"} }
	untold := func(r *Run) { r.TagFault = ErrTags }
	broken := func(r *Run) { r.Head, r.Fault = nil, results.ErrCorrupt }
	contested := func(r *Run) { r.Head, r.Contest = nil, &Contest{Scenario: r.Scenario()} }
	written := func(ago time.Duration) func(*Run) {
		return func(r *Run) { r.Head.Summary, r.Written = nil, april.Add(-ago) }
	}
	c := &Catalog{Runs: []Run{
		aged("a", "orders", 1, nil), aged("b", "votes", 2, nil), aged("c", "orders", 3, tagged), aged("d", "orders", 10, nil), aged("e", "orders", 20, written(59*time.Minute)),
		aged("f", "orders", 30, written(time.Hour)), aged("g", "orders", 31, written(-day)), aged("h", "orders", 40, untold), aged("i", "orders", 50, broken), aged("j", "votes", 60, nil),
		aged("k", "orders", 70, contested), aged("l", "votes", 80, contested),
	}}
	const always = "2 with tags, 2 being written, 1 that cannot be read, 2 of contests"
	for _, row := range []struct {
		name       string
		by         Pruning
		goes, stay string
	}{
		{"the age is exceeded by none that is exactly as old", Pruning{OlderThan: 30 * day}, "j", always + ", 4 new enough"},
		{"a little less", Pruning{OlderThan: 30*day - 1}, "fj", always + ", 3 new enough"},
		{"the newest of each scenario, tagged ones not counted", Pruning{KeepLast: 1}, "dfj", always + ", 2 new enough"},
		{"the newest two", Pruning{KeepLast: 2}, "f", always + ", 4 new enough"},
		{"both", Pruning{OlderThan: 15 * day, KeepLast: 1}, "fj", always + ", 3 new enough"},
		{"of one scenario", Pruning{OlderThan: time.Hour, Scenario: "votes"}, "bj", always + ", 3 of other scenarios"},
		{"nothing is old enough", Pruning{OlderThan: 1000 * day}, "", always + ", 5 new enough"},
	} {
		row.by.Now = april
		plan, err := c.Plan(row.by)
		require.NoError(t, err, row.name)
		got := ""
		for _, r := range plan.Goes {
			got += r.Name
		}
		assert.Equal(t, []string{row.goes, row.stay}, []string{got, plan.Stay()}, row.name)
	}
	for _, by := range []Pruning{{}, {Now: april, Scenario: "orders"}, {KeepLast: -1, OlderThan: -1}, {KeepLast: 1, Scenario: "order"}} {
		plan, err := c.Plan(by)
		var fault *Fault
		assert.Truef(t, errors.As(err, &fault) && plan == nil, "Plan(%+v) = %+v, %v; want a fault", by, plan, err)
	}
}

// What a run leaves in its folder is known as its own; what a person may put there is not.
func TestOwnFiles(t *testing.T) {
	by := &Pruning{Own: []string{"latency.png", "report.html"}}
	for _, name := range append(recordFiles(), TagsFile, "latency.png", "report.html", ".probe-1", ".run.json-123", ".tags.json-1", ".report.html-2") {
		assert.Truef(t, by.owns(name), "%q is not known as the tool's own", name)
	}
	for _, name := range []string{"notes.txt", "notes.png", "steps.png", "run.json.bak", "run.json~", "attempts.bin", "contest.json", "latency.pdf", ".run.json", ".notes-1", "RUN.JSON", ""} {
		assert.Falsef(t, by.owns(name), "%q is taken for the tool's own", name)
	}
}

// Where a deletion is cut short, there is still a record by which the rest is found.
func TestTheRecordIsDeletedLast(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"events.ndjson", results.RunFile, "steps.png", "tags.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o644))
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	got := ""
	for _, entry := range recordLast(entries) {
		got += entry.Name() + " "
	}
	assert.Equal(t, "events.ndjson steps.png tags.json run.json ", got, "the files go in the order")
	assert.Len(t, recordLast(entries[:1]), 1, "what goes of a folder without a record")
}

// Any text is throttled in words, or is tags that are written and read back the same.
func FuzzTags(f *testing.F) {
	for _, text := range []string{`{"tags": ["keep", "baseline", "keep"]}`, `{"tags": null}`, "{}", `{"tags": ["\u001b[31m"]}`, `{"tags": ["-x"]}`, "[]", "\x00", `{"tags": ["` + strings.Repeat("x", 41) + `"]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tags, err := parseTags(text)
		if err != nil {
			require.Truef(t, errors.Is(err, ErrTags) && !strings.ContainsAny(err.Error(), "\x1b"),
				"parseTags(%q) = %v; want ErrTags", text, err)
			return
		}
		folder := new(results.Memory)
		written, err := json.Marshal(tagsForm{tags})
		require.NoError(t, errors.Join(err, folder.Replace(TagsFile, written)))
		again, err := ReadTags(folder)
		require.Truef(t, err == nil && slices.Equal(again, tags) && len(tags) <= maxTags,
			"tags %q are read back as %q, %v", tags, again, err)
	})
}

func TestParseTags(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"in order, each once", `{"tags": ["keep", "baseline", "keep"]}`, "baseline keep"},
		{"none", `{}`, ""},
		{"too long a file", `{"tags": ["a"]}` + strings.Repeat(" ", maxTagsSize), "error"},
		{"too many", `{"tags": [` + strings.Repeat(`"a",`, maxTags) + `"a"]}`, "error"},
		{"no tag", `{"tags": ["a b"]}`, "error"},
		{"another key, which was to be tags", `{"tag": ["keep"]}`, "error"},
		{"something behind them", `{} {"tags": ["keep"]}`, "error"},
		{"an empty one", `{"tags": [""]}`, "error"},
		{"no text", `{"tags": ["` + "\xff" + `"]}`, "error"},
	} {
		tags, err := parseTags([]byte(row.text))
		if got := strings.Join(tags, " "); err == nil && got != row.want || err != nil && (row.want != "error" || !errors.Is(err, ErrTags)) {
			t.Errorf("%s: %q, %v; want %q", row.name, got, err, row.want)
		}
	}
}

// Any text is a contest with a verdict, or refused in a line that moves no cursor.
func FuzzContest(f *testing.F) {
	for _, text := range []string{`{"verdict": "day wins.", "winner": "day", "state": "holds"}`, "{}", "null", "", "\x1b[2J", `{"verdict": 1}`, `{"winner": "\u001b"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseContest([]byte(text))
		if err == nil && c.Verdict == "" || err != nil && (!errors.Is(err, errContest) || strings.ContainsAny(err.Error(), "\n\x1b")) {
			t.Errorf("parseContest(%q) = %+v, %v; want a verdict, or a line", text, c, err)
		}
	})
}

package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/catalog"
	"loadgen/results/resultstest"
)

// library is runIndex with two more runs of orders, the last of which has tags, and a link.
func library(t *testing.T) *catalog.Catalog {
	t.Helper()
	folder, _ := runIndex(t)
	kept{7, "orders", &results.Summary{Validity: results.Valid}}.write(t, folder)
	newest := kept{9, "an-escape\x1b[31m", &results.Summary{Validity: results.Valid}}.write(t, folder)
	if _, err := catalog.ChangeTags(newest, []string{"keep", "baseline"}, false); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, os.Symlink(filepath.Base(newest), filepath.Join(folder, "a-link")))
	return open(t, folder)
}

// What is told of a contest is who won; one that cannot be read is told so.
func TestContestsAreListed(t *testing.T) {
	c := library(t)
	at := slices.IndexFunc(c.Runs, func(r catalog.Run) bool { return r.Name == "20260304T020000Z-contest" })
	if at < 0 || c.Runs[at].Contest == nil || c.Runs[at].Fault != nil || *c.Runs[at].Contest.Winner != "day" || c.Runs[at].Scenario() != "orders" ||
		!c.Runs[at].Begun.Equal(time.Date(2026, 3, 4, 2, 0, 0, 0, time.UTC)) {
		t.Errorf("the contest is %+v; want that the day wins", c.Runs)
	}
	for _, text := range []string{"", "{}", "[]", "null", "{\"verdict\": 1}", "\x1b[2J\n"} {
		put(t, text, c.Folder, "20260304T020000Z-contest", "contest.json")
		if one := open(t, c.Folder).Runs[at]; one.Contest != nil || one.Fault == nil || strings.ContainsAny(one.Fault.Error(), "\n\x1b") {
			t.Errorf("of %q the contest is %+v, %v; want one line about the file", text, one.Contest, one.Fault)
		}
	}
}

func TestSelect(t *testing.T) {
	c := library(t)
	assert.Equal(t, "1 other folder, 1 link", c.OtherContents(), "beside the runs")
	day := func(n int) time.Time { return time.Date(2026, 3, n, 2, 0, 0, 0, time.UTC) }
	for _, row := range []struct {
		name string
		by   catalog.Selection
		// days are those of March on which the runs were begun.
		days string
	}{
		{"all, one that cannot be read among them", catalog.Selection{}, "10 8 6 4 3 2 1"},
		{"of a scenario", catalog.Selection{Scenario: "orders"}, "8 6 4 1"},
		{"of a scenario whose name moves a cursor", catalog.Selection{Scenario: "an-escape\x1b[31m"}, "10"},
		{"with a tag", catalog.Selection{Tags: []string{"keep"}}, "10"},
		{"with both of two tags", catalog.Selection{Tags: []string{"keep", "baseline"}}, "10"},
		{"since the instant at which one was begun", catalog.Selection{Since: day(6)}, "10 8 6"},
		{"since a little later", catalog.Selection{Since: day(6).Add(1)}, "10 8"},
		{"of a scenario, with a tag", catalog.Selection{Scenario: "orders", Tags: []string{"keep"}}, ""},
	} {
		chosen, err := c.Select(row.by)
		got := ""
		for _, r := range chosen {
			got += fmt.Sprintf(" %d", r.Begun.Day())
		}
		assert.Truef(t, err == nil && strings.TrimSpace(got) == row.days,
			"%s: those of%s, %v; want %s", row.name, got, err, row.days)
	}
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := catalog.Open(interrupted, c.Folder)
	assert.ErrorIs(t, err, context.Canceled, "interrupted, Open")
}

// What is told of a run that cannot be read is what its folder says.
func TestRunThatCannotBeRead(t *testing.T) {
	folder, _ := runIndex(t)
	put(t, "{", folder, "mine", results.RunFile)
	written := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
	require.NoError(t, os.Chtimes(filepath.Join(folder, "mine", results.RunFile), written, written))
	runs := open(t, folder).Runs
	for _, row := range []struct {
		at    int
		name  string
		begun time.Time
	}{
		{0, "mine", written}, {4, "20260302T020000Z-broken", time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)},
	} {
		r := &runs[row.at]
		if r.Name != row.name || !r.Begun.Equal(row.begun) || r.Head != nil || !errors.Is(r.Fault, results.ErrCorrupt) ||
			r.Scenario() != "" {
			t.Errorf("run %d is %+v; want %s, begun at %v", row.at, r, row.name, row.begun)
		}
	}
}

// The rate is of the phases that got to one.
func TestServedIsOfTheReportedPhases(t *testing.T) {
	step := func(served float64) results.PhaseSummary {
		return results.PhaseSummary{Offered: served, Served: served}
	}
	for _, row := range []struct {
		name   string
		phases []results.PhaseSummary
		served float64
	}{
		{"the most of several", []results.PhaseSummary{step(300), step(200)}, 300},
		{"nothing is reported", nil, -1},
		{"the run ended before the last half of its step", []results.PhaseSummary{step(0)}, -1},
	} {
		served := -1.0
		if most := catalog.Served(&results.Summary{Phases: row.phases}); most != nil {
			served = *most
		}
		assert.Equalf(t, row.served, served, "%s: served", row.name)
	}
}

// pruning is by an instant after all runs of the tests.
func pruning() catalog.Pruning {
	return catalog.Pruning{Now: time.Date(2026, 4, 1, 2, 0, 0, 0, time.UTC), OlderThan: 24 * time.Hour, Own: []string{"latency.png", "latency.svg", "report.html"}}
}

// prune carries out what is to go of a folder, and says what came of it.
func prune(t *testing.T, folder string, by catalog.Pruning) string {
	t.Helper()
	plan, err := open(t, folder).Plan(by)
	require.NoError(t, err)
	done, err := plan.Delete(context.Background())
	require.NoError(t, err)
	return fmt.Sprintf("%d gone, left %v; %s", done.Runs, done.Left, plan.Stay())
}

// Of whatever there is in the folder, what goes is what was planned, and of that what the
// tool wrote.
func TestDelete(t *testing.T) {
	folder := library(t).Folder
	outside := t.TempDir()
	in := func(parts ...string) string { return filepath.Join(append([]string{folder}, parts...)...) }
	// A run that is elsewhere, to which links lead; one within another's folder; and what
	// people put beside records.
	put(t, "mine", outside, "notes.txt")
	elsewhere := kept{1, "orders", nil}.write(t, outside)
	for link, to := range map[string]string{"linked": elsewhere, "20260301T020000Z-orders/latency.png": filepath.Join(outside, "notes.txt")} {
		require.NoError(t, os.Symlink(to, in(filepath.FromSlash(link))))
	}
	kept{1, "orders", nil}.write(t, in("20260303T020000Z-votes"))
	put(t, "mine", in("20260303T020000Z-votes", "notes.png"))
	put(t, strings.Repeat("x", 1<<20), in("20260306T020000Z-orders", "latency.svg"))
	put(t, "cut short", in("20260306T020000Z-orders", ".run.json-123"))
	put(t, "<html>", in("20260306T020000Z-orders", "report.html"))
	put(t, "spoilt", in("20260308T020000Z-orders", catalog.TagsFile))
	by := pruning()
	written := func(ago time.Duration, names ...string) {
		t.Helper()
		for _, name := range names {
			require.NoError(t, os.Chtimes(name, by.Now.Add(-ago), by.Now.Add(-ago)))
		}
	}
	// Only that of 3 March is being written.
	for _, path := range below(t, folder) {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			written(time.Hour, path)
		}
	}
	record := []string{in("20260303T020000Z-votes", results.RunFile), in("20260303T020000Z-votes", results.IntervalsFile), in("20260303T020000Z-votes", results.EventsFile)}
	written(time.Minute, record...)
	before := below(t, ".")

	orders := by
	orders.Scenario = "orders"
	plan, err := open(t, folder).Plan(orders)
	require.Truef(t, err == nil && len(plan.Goes) == 2, "%+v go, %v; want two runs", plan, err)
	size := plan.Size(plan.Goes[0])
	assert.Truef(t, size >= 1<<20+6+9 && size <= 1<<20+8<<10, "what goes of the first has %d bytes", size)
	if after := below(t, "."); !slices.Equal(after, before) {
		t.Errorf("after the plan %v is left; want all of %v", after, before)
	}
	const beside = "1 of contests, 1 other folder, 2 links"
	if got, want := prune(t, folder, orders), "2 gone, left [{20260301T020000Z-orders [latency.png]}]; 2 with tags, 1 being written, 1 that cannot be read, "+beside; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	var gone []string
	after := below(t, ".")
	for _, path := range before {
		if !slices.Contains(after, path) {
			gone = append(gone, strings.TrimPrefix(path, "runs/"))
		}
	}
	if want := []string{"20260301T020000Z-orders/events.ndjson", "20260301T020000Z-orders/intervals.ndjson", "20260301T020000Z-orders/run.json",
		"20260306T020000Z-orders", "20260306T020000Z-orders/.run.json-123", "20260306T020000Z-orders/events.ndjson", "20260306T020000Z-orders/intervals.ndjson",
		"20260306T020000Z-orders/latency.svg", "20260306T020000Z-orders/report.html", "20260306T020000Z-orders/run.json"}; !slices.Equal(gone, want) {
		t.Errorf("gone are %v; want %v", gone, want)
	}

	written(time.Hour, record[0])
	if got := prune(t, folder, by); !strings.HasPrefix(got, "0 gone, left []; 2 with tags, 1 being written, ") {
		t.Errorf("of a run whose seconds are being written: %s", got)
	}
	written(time.Hour, record...)
	if got := prune(t, folder, by); !strings.HasPrefix(got, "1 gone, left [{20260303T020000Z-votes [20260302T020000Z-orders notes.png]}]; ") {
		t.Errorf("of a folder that holds another's: %s", got)
	}
	for _, path := range []string{filepath.Join(outside, "notes.txt"), filepath.Join(elsewhere, results.RunFile), in("20260303T020000Z-votes", "notes.png"),
		in("20260303T020000Z-votes", "20260302T020000Z-orders", results.RunFile), in("20260302T020000Z-broken", results.RunFile),
		in("20260304T020000Z-contest", "contest.json"), in("nothing", "notes.txt"), in("loose.txt"), in("linked")} {
		_, err := os.Lstat(path)
		assert.NoErrorf(t, err, "%s is gone", path)
	}
	if left, err := catalog.Names(folder); err != nil || !slices.Equal(left, []string{"20260302T020000Z-broken", "20260304T020000Z-contest", "20260308T020000Z-orders", "20260310T020000Z-an-escape--31m", "a-link", "linked"}) {
		t.Errorf("left are the runs %v, %v", left, err)
	}
}

// A tag that comes between the plan and the deed is heeded, and a folder that has become
// a link is not followed.
func TestDeleteHeedsWhatHappensMeanwhile(t *testing.T) {
	folder, runs := runIndex(t)
	by := pruning()
	by.Now = by.Now.AddDate(50, 0, 0)
	plan, err := open(t, folder).Plan(by)
	require.Truef(t, err == nil && len(plan.Goes) == 3, "%+v go, %v; want all three", plan, err)
	if _, err := catalog.ChangeTags(filepath.Join(folder, runs[0]), []string{"keep"}, false); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "moved")
	if err := errors.Join(os.Rename(filepath.Join(folder, runs[1]), outside), os.Symlink(outside, filepath.Join(folder, runs[1]))); err != nil {
		t.Fatal(err)
	}
	done, err := plan.Delete(context.Background())
	assert.Truef(t, err != nil && err.Error() == "the run "+runs[1]+" was deleted in part: it is no folder any more" && done.Runs == 1 && done.Bytes != 0 && strings.HasPrefix(plan.Stay(), "1 with tags"),
		"Delete = %+v, %v, %s stay; want one deleted, one tagged, and a fault for the link", done, err, plan.Stay())
	holds := func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, results.RunFile))
		return err == nil
	}
	assert.True(t, holds(outside) && holds(filepath.Join(folder, runs[0])) && !holds(filepath.Join(folder, runs[2])),
		"gone is not what should be")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	done, err = plan.Delete(cancelled)
	assert.Truef(t, errors.Is(err, context.Canceled) && done.Runs == 0, "interrupted, Delete = %+v, %v", done, err)
	require.NoError(t, os.Rename(folder, folder+"-moved"))
	var fault *catalog.Fault
	done, err = plan.Delete(context.Background())
	assert.Truef(t, errors.As(err, &fault) && done == nil, "of a folder that is gone, Delete = %+v, %v", done, err)
}

func TestFind(t *testing.T) {
	folder, runs := runIndex(t)
	in := func(name string) string { return filepath.Join(folder, name) }
	absolute, err := filepath.Abs(in(runs[1]))
	require.NoError(t, err)
	for _, row := range []struct{ name, says, want string }{
		{"the last that was begun", "latest", in(runs[2])},
		{"the one before it", "latest~1", in("20260304T020000Z-contest")},
		{"the first", "latest~4", in(runs[0])},
		{"a path", in(runs[0]), in(runs[0])},
		{"a path with a slash behind it", in(runs[0]) + string(filepath.Separator), in(runs[0]) + string(filepath.Separator)},
		{"an absolute path", absolute, absolute},
		{"the record itself", filepath.Join(in(runs[0]), results.RunFile), in(runs[0])},
		{"a name", runs[1], in(runs[1])},
		{"the beginning of one name", "20260303", in(runs[1])},
		{"a contest", "20260304", in("20260304T020000Z-contest")},
		{"what a contest came to", filepath.Join(in("20260304T020000Z-contest"), catalog.ContestFile), in("20260304T020000Z-contest")},
		{"a record that cannot be read", "20260302", in("20260302T020000Z-broken")},
	} {
		got, err := catalog.Find(context.Background(), folder, row.says)
		assert.Equal(t, []any{nil, row.want}, []any{err, got}, row.name)
	}
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = catalog.Find(interrupted, folder, catalog.Latest)
	assert.ErrorIs(t, err, context.Canceled, "interrupted, Find")
}

// The last run is that by its record, and where that cannot be read by its name.
func TestLatest(t *testing.T) {
	folder, runs := runIndex(t)
	latest := func(want string) {
		t.Helper()
		got, err := catalog.Find(context.Background(), folder, catalog.Latest)
		assert.Truef(t, err == nil && filepath.Base(got) == want, "the latest run is %q, %v; want %s", got, err, want)
	}
	require.NoError(t, os.Rename(filepath.Join(folder, runs[2]), filepath.Join(folder, "0-a-name-of-my-own")))
	latest("0-a-name-of-my-own")
	put(t, "{", folder, runs[1], results.RunFile)
	latest("0-a-name-of-my-own")
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "0-a-name-of-my-own")))
	latest("20260304T020000Z-contest")
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "20260304T020000Z-contest")))
	latest(runs[1])
}

func TestTagAndUntag(t *testing.T) {
	folder, runs := runIndex(t)
	run := filepath.Join(folder, runs[2])
	record, err := os.ReadFile(filepath.Join(run, results.RunFile))
	require.NoError(t, err)
	for _, row := range []struct {
		name   string
		remove bool
		tags   []string
		want   string
	}{
		{"two", false, []string{"keep", "Ünïcode-1.5_x"}, "keep Ünïcode-1.5_x"},
		{"one that it has, and another", false, []string{"keep", "baseline"}, "baseline keep Ünïcode-1.5_x"},
		{"one twice", false, []string{"again", "again"}, "again baseline keep Ünïcode-1.5_x"},
		{"one that it has", false, []string{"keep"}, "again baseline keep Ünïcode-1.5_x"},
		{"two less, one of them twice", true, []string{"again", "keep", "again"}, "baseline Ünïcode-1.5_x"},
		{"none left", true, []string{"baseline", "Ünïcode-1.5_x"}, ""},
	} {
		tags, err := catalog.ChangeTags(run, row.tags, row.remove)
		got := strings.Join(tags, " ")
		assert.Equal(t, []any{nil, row.want}, []any{err, got}, row.name)
		if again, err := catalog.ReadTags(results.Dir(run)); err != nil || !slices.Equal(again, tags) {
			t.Errorf("%s: %q are read back as %q, %v", row.name, tags, again, err)
		}
	}
	again, err := os.ReadFile(filepath.Join(run, results.RunFile))
	assert.Equal(t, []any{nil, string(record)}, []any{err, string(again)}, "the record is another after it was tagged")
	if _, err := catalog.ChangeTags(run, []string{"keep"}, false); err != nil {
		t.Fatal(err)
	}
	many := strings.Fields("a b c d e f g h i j k l m n o p q r s t")
	for _, row := range []struct {
		name   string
		remove bool
		tags   []string
		says   string
	}{
		{"a slash", false, []string{"fine", "a/b"}, `the tag "a/b" has characters other than letters, digits and - _ .; expected`},
		{"what moves the cursor", false, []string{"\x1b[2J"}, `the tag "?[2J" has characters other than`},
		{"a flag", false, []string{"-x"}, "begins with -"},
		{"nothing", false, []string{""}, "is empty"},
		{"too long a one", false, []string{strings.Repeat("x", 41)}, "is longer than 40 bytes"},
		{"one that there is not", true, []string{"keep", "kep"}, `it has no such tag: unknown tag "kep"; did you mean "keep"?`},
		{"more than there may be", false, many, "21 tags are more than 20; expected fewer"},
	} {
		_, err := catalog.ChangeTags(run, row.tags, row.remove)
		checkFault(t, row.name, err, row.says)
		tags, err := catalog.ReadTags(results.Dir(run))
		assert.Equal(t, []any{nil, 1}, []any{err, len(tags)}, row.name)
	}
	_, err = catalog.ChangeTags(run, many[1:], false)
	assert.NoError(t, err, "as many as there may be")
	put(t, "spoilt", run, catalog.TagsFile)
	if _, err := catalog.ChangeTags(run, []string{"keep"}, false); !errors.Is(err, catalog.ErrTags) || !strings.Contains(err.Error(), "delete its tags.json to start over") {
		t.Errorf("with spoilt tags: %v", err)
	}
	r := &open(t, folder).Runs[0]
	assert.Truef(t, errors.Is(r.TagFault, catalog.ErrTags) && r.Tags == nil, "of spoilt tags there is read %+v", r)
}

// Tags that cannot be written are so told of, and none of them is there.
func TestTagsThatCannotBeWritten(t *testing.T) {
	folder, runs := runIndex(t)
	run := filepath.Join(folder, runs[0])
	require.NoError(t, os.Mkdir(filepath.Join(run, catalog.TagsFile), 0o755))
	var fault *catalog.Fault
	if _, err := catalog.ChangeTags(run, []string{"keep"}, false); !errors.As(err, &fault) || strings.Contains(err.Error(), "start over") {
		t.Errorf("where a folder is in their place: %v; want that they cannot be read", err)
	}
	_, err := catalog.ChangeTags(filepath.Join(folder, "nowhere"), []string{"keep"}, false)
	assert.ErrorIs(t, err, results.ErrWrite, "where there is no folder")
}

func TestParseAge(t *testing.T) {
	for _, row := range []struct {
		text string
		want time.Duration
	}{{"30d", 720 * time.Hour}, {"2w", 336 * time.Hour}, {"0.5d", 12 * time.Hour}, {"12h", 12 * time.Hour}, {"1h30m", 90 * time.Minute}} {
		got, err := catalog.ParseAge(row.text)
		assert.Truef(t, err == nil && got == row.want, "ParseAge(%q) = %v, %v; want %v", row.text, got, err, row.want)
	}
	for _, text := range []string{"", "d", "30", "-1d", "0d", "0h", "-5h", "NaNd", "Infd", "1e300d", "200000d", "1e-30d", "30 d", "d30"} {
		_, err := catalog.ParseAge(text)
		assert.ErrorIs(t, err, catalog.ErrAge, text)
	}
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		text string
		want time.Time
	}{
		{"2026-03-08", time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)},
		{"2026-03-08T03:00:00Z", time.Date(2026, 3, 8, 3, 0, 0, 0, time.UTC)},
		{"1h", now.Add(-time.Hour)}, {"7d", now.AddDate(0, 0, -7)},
	} {
		got, err := catalog.ParseSince(row.text, now)
		assert.Truef(t, err == nil && got.Equal(row.want), "ParseSince(%q) = %v, %v; want %v", row.text, got, err, row.want)
	}
	_, err := catalog.ParseSince("soon", now)
	assert.ErrorIs(t, err, catalog.ErrAge, "no instant")
}

func TestRead(t *testing.T) {
	folder, runs := runIndex(t)
	read := func(name string) (string, error) {
		var got []string
		err := catalog.Read(name, func(folder string, record *results.Record) error {
			got = append(got, filepath.Base(folder)+" of "+record.Manifest.Scenario.Name)
			return nil
		})
		return strings.Join(got, ", "), err
	}
	got, err := read(filepath.Join(folder, runs[1]))
	assert.Truef(t, err == nil && got == runs[1]+" of votes", "of a run there is read %s, %v", got, err)
	kept{0, "orders", nil}.write(t, "set")
	kept{3, "votes", nil}.write(t, "set")
	put(t, "x", "set", "notes.txt")
	if got, err := read("set"); err != nil || got != "20260301T020000Z-orders of orders, 20260304T020000Z-votes of votes" {
		t.Errorf("of a folder of runs there is read %s, %v", got, err)
	}
	for _, row := range []struct{ name, of, says string }{
		{"a folder that is not there", "nowhere", "the folder nowhere cannot be read: no such file or directory; expected one of runs"},
		{"one without a run", filepath.Join(folder, "nothing"), "nothing has no run; expected folders with a run.json"},
		{"a file", filepath.Join(folder, "loose.txt"), "cannot be read: not a directory; expected"},
		{"a folder with one that cannot be read", folder, "the run " + filepath.Join(folder, "20260302T020000Z-broken") + " cannot be read: results: corrupt record"},
	} {
		_, err := read(row.of)
		checkFault(t, row.name, err, row.says)
	}
	throttled := errors.New("no more")
	err = catalog.Read("set", func(string, *results.Record) error { return throttled })
	assert.Truef(t, err == throttled, "Read = %v; want what was returned to it", err)
}

// archive keeps what is put into it.
type archive struct {
	mu               sync.Mutex
	added, throttled []string
}

func (a *archive) Add(folder string, record *results.Record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.added = append(a.added, fmt.Sprint(record.Manifest.Started.Day()))
}

func (a *archive) Refuse(folder, reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.throttled = append(a.throttled, filepath.Base(folder)+": "+reason)
}

// told returns what was put in, in order.
func (a *archive) told() string {
	slices.Sort(a.added)
	slices.Sort(a.throttled)
	return strings.Join(append(a.added, a.throttled...), " ")
}

// Runs are read once each, however they are come to, and those of a scenario by its name.
func TestReader(t *testing.T) {
	folder, runs := runIndex(t)
	const broken = "20260302T020000Z-broken: results: corrupt record: run.json: unexpected end of JSON input"
	ctx := context.Background()
	for _, row := range []struct {
		name string
		read func(*catalog.Reader) error
		want string
	}{
		{"a folder", func(r *catalog.Reader) error { return r.Read(ctx, folder) }, "1 3 6 " + broken},
		{"a run", func(r *catalog.Reader) error { return r.Read(ctx, filepath.Join(folder, runs[1])) }, "3"},
		{"a run, and the folder that it is in", func(r *catalog.Reader) error {
			return errors.Join(r.Read(ctx, filepath.Join(folder, runs[1])), r.Read(ctx, folder), r.Read(ctx, folder, "orders", "votes"))
		}, "1 3 6 " + broken},
		{"a scenario", func(r *catalog.Reader) error { return r.Read(ctx, folder, "votes") }, "3 " + broken},
		{"two scenarios", func(r *catalog.Reader) error { return r.Read(ctx, folder, "votes", "orders") }, "1 3 6 " + broken},
	} {
		a := new(archive)
		err := row.read(&catalog.Reader{Archive: a})
		assert.Equal(t, []any{nil, row.want}, []any{err, a.told()}, row.name)
	}
	for _, row := range []struct {
		name string
		read func(*catalog.Reader) error
		says string
	}{
		{"no folder", func(r *catalog.Reader) error { return r.Read(ctx, "nowhere") }, "the folder nowhere cannot be read: no such file or directory; expected one of runs"},
		{"a folder without a run", func(r *catalog.Reader) error { return r.Read(ctx, filepath.Join(folder, "nothing")) }, "has no run; expected folders with a run.json"},
		{"a scenario without a run", func(r *catalog.Reader) error { return r.Read(ctx, folder, "orders", "vote") }, `no run in runs: unknown scenario "vote"; did you mean "votes"?`},
	} {
		err := row.read(&catalog.Reader{Archive: new(archive)})
		checkFault(t, row.name, err, row.says)
	}
	interrupted, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, (&catalog.Reader{Archive: new(archive)}).Read(interrupted, folder), context.Canceled,
		"interrupted, Read")
}

// kept is a run of a scenario that is kept: of the n-th night of March 2026, with a summary
// unless it has not come to its end.
type kept struct {
	night    int
	scenario string
	summary  *results.Summary
}

// write writes the run into a folder and returns its own.
func (k kept) write(t testing.TB, folder string) string {
	t.Helper()
	m := results.Manifest{Scenario: results.Scenario{Name: k.scenario}, Target: results.Embedded, Time: "real",
		Started: time.Date(2026, 3, 1+k.night, 2, 0, 0, 0, time.UTC)}
	dir, err := results.MakeDir(folder, m.Started, k.scenario)
	require.NoError(t, err)
	recorder := resultstest.Open(t, dir, m)
	resultstest.Finish(t, recorder, time.Second)
	require.NoError(t, recorder.Seal(k.summary))
	return string(dir)
}

// put writes a file, and the folders above it.
func put(t testing.TB, text string, parts ...string) {
	t.Helper()
	path := filepath.Join(parts...)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// runIndex is a folder of runs, in which the test then is: two of orders, one of votes between
// them, one that cannot be read, and what is no run. The names of those that can are
// returned.
func runIndex(t *testing.T) (folder string, runs []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	folder = "runs"
	for _, k := range []kept{{0, "orders", nil}, {2, "votes", nil}, {5, "orders", nil}} {
		runs = append(runs, filepath.Base(k.write(t, folder)))
	}
	put(t, `{"schema_version": 2, "mani`, folder, "20260302T020000Z-broken", results.RunFile)
	put(t, `{"verdict": "day wins.", "winner": "day", "state": "holds", "scenario": "orders"}`, folder, "20260304T020000Z-contest", "contest.json")
	put(t, "x", folder, "nothing", "notes.txt")
	put(t, "x", folder, "loose.txt")
	return folder, runs
}

// open reads what has to be a folder of runs.
func open(t *testing.T, folder string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(context.Background(), folder)
	require.NoError(t, err)
	return c
}

// below lists every file and folder below a folder.
func below(t *testing.T, folder string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		list = append(list, filepath.ToSlash(path))
		return err
	})
	require.NoError(t, err)
	return list
}

// checkFault checks that an error is a fault in one line with some words.
func checkFault(t *testing.T, name string, err error, says string) {
	t.Helper()
	var fault *catalog.Fault
	if assert.ErrorAs(t, err, &fault, name) {
		assert.Contains(t, err.Error(), says, name)
		assert.False(t, strings.ContainsAny(err.Error(), "\n\x1b"), name)
	}
}

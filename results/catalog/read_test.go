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

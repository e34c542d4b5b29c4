package catalog_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/catalog"
	"loadgen/results/resultstest"
)

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

// cut cuts a file in half.
func cut(t *testing.T, parts ...string) {
	t.Helper()
	path := filepath.Join(parts...)
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()/2)
	}
	require.NoError(t, err)
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

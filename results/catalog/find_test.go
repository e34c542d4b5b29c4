package catalog_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/catalog"
)

func TestFind(t *testing.T) {
	folder, runs := runIndex(t)
	in := func(name string) string { return filepath.Join(folder, name) }
	absolute, err := filepath.Abs(in(runs[1]))
	require.NoError(t, err)
	for _, row := range []struct{ name, says, want string }{
		{"the last that was begun", "latest", in(runs[2])},
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
	for _, row := range []struct{ name, runs, says, want string }{
		{"nothing", folder, "", "unknown run"},
		{"the beginning of several", folder, "2026030", `5 runs in ` + folder + ` begin with "2026030"; expected one of 20260301T020000Z-orders, `},
		{"a name with a letter too many", folder, "20260301T020000Z-orderss", `did you mean "20260301T020000Z-orders"?`},
		{"the word, mistyped", folder, "lates", `did you mean "latest"?`},
		{"a folder without a run", folder, filepath.Join(folder, "nothing"), "holds no run; expected a folder with a run.json"},
		{"a way out of the folder", folder, "..", "holds no run"},
		{"what moves a cursor", folder, "\x1b[2Jx", `"\x1b[2Jx"`},
		{"no folder of runs", "nowhere", "x", `there is no run "x": there is no folder nowhere`},
		{"the last of no folder", "nowhere", "latest", "the folder nowhere cannot be read"},
		{"the last of an empty folder", filepath.Join(folder, "nothing"), "latest", "nothing holds none"},
		{"one of an empty folder", filepath.Join(folder, "nothing"), "x", "nothing holds none"},
		{"a file in the place of the folder", filepath.Join(folder, "loose.txt"), "x", "cannot be read"},
	} {
		_, err := catalog.Find(context.Background(), row.runs, row.says)
		checkFault(t, row.name, err, row.want)
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
	cut(t, folder, runs[1], results.RunFile)
	latest("0-a-name-of-my-own")
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "0-a-name-of-my-own")))
	latest("20260304T020000Z-contest")
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "20260304T020000Z-contest")))
	latest(runs[1])
}

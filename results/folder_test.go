package results_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

func TestMakeDirNamesAFolderAfterItsRun(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "results", "runs")
	started := time.Date(2011, 11, 6, 4, 40, 5, 0, time.FixedZone("EST", -5*3600))
	for _, row := range []struct {
		name, scenario, want string
	}{
		{"time in UTC, then the scenario", "stress", "20111106T094005Z-stress"},
		{"a name that is taken gets a number", "stress", "20111106T094005Z-stress-2"},
		{"and the next one", "stress", "20111106T094005Z-stress-3"},
		{"a scenario's name leads nowhere else", "../../etc/x", "20111106T094005Z-------etc-x"},
		{"control characters are no part of a file's name", "a\x1b[2Jb\x00", "20111106T094005Z-a--2Jb-"},
		{"an empty name is none", "", "20111106T094005Z-"},
		{"letters of every script stay", "größe_1", "20111106T094005Z-größe_1"},
		{"a long name is cut", strings.Repeat("世", 300), "20111106T094005Z-" + strings.Repeat("世", 48)},
	} {
		dir, err := results.MakeDir(parent, started, row.scenario)
		want := filepath.Join(parent, row.want)
		assert.Equal(t, []any{nil, want}, []any{err, string(dir)}, row.name)
		info, err := os.Stat(string(dir))
		assert.Truef(t, err == nil && info.IsDir(), "%s: Stat(%q) = %v; want a folder", row.name, dir, err)
	}
}

func TestFoldersThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	taken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(taken, results.RunFile), nil, 0o600))
	_, err := results.MakeDir(filepath.Join(file, "runs"), time.Time{}, "stress")
	assert.ErrorIs(t, err, results.ErrWrite, "MakeDir below a file")
	for _, row := range []struct{ name, folder string }{
		{"a file is no folder", file},
		{"nothing lies below a file", filepath.Join(file, "run")},
		{"a folder with a record is not written over", taken},
	} {
		dir, err := results.UseDir(row.folder)
		assert.Truef(t, errors.Is(err, results.ErrWrite), "%s: UseDir = %q, %v; want ErrWrite", row.name, dir, err)
	}
}

func TestUseDirLeavesNothingBehind(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a", "b")
	dir, err := results.UseDir(name)
	require.Truef(t, err == nil && string(dir) == name, "UseDir(%q) = %q, %v; want the folder", name, dir, err)
	entries, err := os.ReadDir(name)
	assert.Equal(t, []any{nil, 0}, []any{err, len(entries)}, "the folder")
	_, err = results.UseDir(name)
	assert.NoError(t, err, "UseDir of an empty folder")
}

// TestFoldersAgree holds the two folders to one behaviour.
func TestFoldersAgree(t *testing.T) {
	for name, folder := range map[string]results.Folder{
		"Memory": new(results.Memory), "Dir": results.Dir(t.TempDir()),
	} {
		content := func(file string) string {
			t.Helper()
			open, err := folder.Open(file)
			require.NoErrorf(t, err, "%s: Open(%s)", name, file)
			defer open.Close()
			text, err := io.ReadAll(open)
			require.NoErrorf(t, err, "%s: ReadAll", name)
			return string(text)
		}
		if _, err := folder.Open("a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: Open of a missing file = %v; want fs.ErrNotExist", name, err)
		}
		file, err := folder.Create("a")
		require.NoErrorf(t, err, "%s: Create", name)
		assert.Emptyf(t, content("a"), "%s: what a new file holds", name)
		long := strings.Repeat("two ", 1<<19)
		for _, text := range []string{"one " + long, "three", long + "four"} {
			file.Write([]byte(text))
		}
		assert.Truef(t, content("a") == "one "+long+"three"+long+"four", "%s: an open file reads", name)
		assert.NoErrorf(t, file.Close(), "%s: Close", name)
		for _, text := range []string{"a long text", "short"} {
			if err := folder.Replace("a", []byte(text)); err != nil || content("a") != text {
				t.Errorf("%s: Replace(%q) = %v and left %q; want it whole", name, text, err, content("a"))
			}
		}
		if again, err := folder.Create("a"); err != nil || content("a") != "" || again.Close() != nil {
			t.Errorf("%s: Create of an old file = %v and left %q; want it empty", name, err, content("a"))
		}
	}
}

func TestDirReplacesWithoutATrace(t *testing.T) {
	dir := results.Dir(t.TempDir())
	require.NoError(t, dir.Replace(results.RunFile, []byte("{}")), "Replace")
	entries, err := os.ReadDir(string(dir))
	assert.Truef(t, err == nil && len(entries) == 1 && entries[0].Name() == results.RunFile,
		"the folder holds %v, %v; want %s alone", entries, err, results.RunFile)
	gone := results.Dir(filepath.Join(string(dir), "gone"))
	assert.Error(t, gone.Replace(results.RunFile, nil), "Replace in a folder that is gone = nil; want an error")
	// A folder stands where the file should go: the temporary one is taken away.
	require.NoError(t, os.Mkdir(filepath.Join(string(dir), "taken"), 0o700))
	assert.Error(t, dir.Replace("taken", nil), "Replace of a folder = nil; want an error")
	entries, _ = os.ReadDir(string(dir))
	assert.Truef(t, len(entries) == 2, "a failed Replace left %v; want nothing of its own", entries)
}

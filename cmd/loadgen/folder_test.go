package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder that cannot keep the tables is refused before anything is served: one line, exit
// code 2. What the folder's own tests find of disks that are full, read-only or broken comes
// by the same way.
func TestServeFoldersThatWillNotDo(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"file": "mine", "loadgen-tables.json": "{}"})
	for _, name := range []string{"other", "newer"} {
		require.NoError(t, os.Mkdir(name, 0o700))
	}
	put(t, map[string]string{filepath.Join("other", "notes.txt"): "mine",
		filepath.Join("newer", "loadgen-tables.json"): `{"format":"loadgen tables","version":2,"account":"devstoreaccount1"}`})
	s := openShop(t, "", "--data-dir", "used")
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
	}{
		{"a file", []string{"--data-dir", "file"}, "--data-dir file: it is a file; expected a folder"},
		{"beneath a file", []string{"--data-dir", "file/data"}, "--data-dir file/data: mkdir file: not a directory"},
		{"a folder of something else", []string{"--data-dir", "other"}, "--data-dir other: it holds files of something else"},
		{"a folder that is in use", []string{"--data-dir", "used"}, "--data-dir used: it is in use"},
		{"a folder of a newer version", []string{"--data-dir", "newer"}, "--data-dir newer: a newer version of loadgen has written it: format 2, and this one reads 1"},
		{"a marker that says nothing", []string{"--data-dir", "."}, "--data-dir .: it is damaged"},
		{"a durability that there is not", []string{"--data-dir", "new", "--durability", "synk"}, `--durability: unknown durability "synk"; did you mean "sync"?`},
		{"a durability of memory", []string{"--durability", "sync"}, "--durability sync: "},
		{"an export now and then of nothing", []string{"--export-every", "5m"}, "--export-every 5m0s: "},
		{"an export all the time", []string{"--export", "x.csv", "--export-every", "5ms"}, "--export-every 5ms: expected 1s or more"},
	} {
		code, stdout, stderr := say(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: serve %v = %d %q %q; want %d and one line with %q", row.sentence, row.args, code, stdout, stderr, codeUsage, row.says)
		}
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("a folder was made for what is refused")
	}
	if code := s.stop(); code != codeOk {
		t.Errorf("serve = %d: %s", code, &s.stderr)
	}
}

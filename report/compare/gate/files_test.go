package gate_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare/gate"
)

// Files have the form of their ending in any case, and each is there once.
func TestFilesOfKnownForms(t *testing.T) {
	for _, row := range []struct {
		files gate.Files
		says  string
	}{
		{nil, ""},
		{gate.Files{"a.xml", "a.XML", "b.md", "c.json", "d.txt", "e.github", "f.bench", "g.csv", "h.html"}, ""},
		{gate.Files{"a.md", "gate"}, "gate: expected"},
		{gate.Files{"gate.pdf"}, "gate.pdf: expected"},
		{gate.Files{"a.md", "b.md", "a.md"}, "a.md is there twice"},
	} {
		if err := row.files.Validate(); (err == nil) != (row.says == "") || err != nil && !strings.HasPrefix(err.Error(), row.says) {
			t.Errorf("Validate() of %q = %v; want %q", row.files, err, row.says)
		}
	}
}

// What an earlier gate left is gone at once; what is new is gone again where there is no
// result, or where one of the files cannot be written.
func TestFilesFromBeginToEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	left := func() string {
		entries, err := filepath.Glob("*")
		require.NoError(t, err)
		var all []string
		for _, name := range entries {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all = append(all, name+"="+strings.SplitN(string(text), "\n", 2)[0])
		}
		return strings.Join(all, " ")
	}
	for name, text := range map[string]string{"old.md": "all passed", "kept.txt": "mine"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	if err := (gate.Files{"new.xml", "nowhere/a.md"}).Begin(); !errors.Is(err, fs.ErrNotExist) || left() != "kept.txt=mine old.md=all passed" {
		t.Errorf("Begin() = %v, left %s; want what was there before", err, left())
	}
	files := gate.Files{"old.md", "new.txt"}
	err := files.Begin()
	require.Equal(t, []any{nil, "kept.txt=mine new.txt= old.md="}, []any{err, left()}, "Begin()")
	list := []gate.Result{{Scenario: "own", Reason: "it repeats"}}
	if err := files.Write(list); err != nil || !strings.Contains(left(), "new.txt=loadgen gate · 1 scenario") || !strings.Contains(left(), "old.md=# loadgen gate") {
		t.Errorf("Write() = %v, left %s; want the ruling in both", err, left())
	}
	require.NoError(t, os.WriteFile("old.md", nil, 0o600))
	if err := files.Withdraw(); err != nil || !strings.HasPrefix(left(), "kept.txt=mine new.txt=loadgen gate") || strings.Contains(left(), "old.md") {
		t.Errorf("Withdraw() = %v, left %s; want those gone that nothing was written to", err, left())
	}
	assert.Error(t, (gate.Files{"nowhere/a.md"}).Write(list), "Write() to a folder that is not there = no error")
}

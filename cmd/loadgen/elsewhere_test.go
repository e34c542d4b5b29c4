package main

import (
	"os"
	"strings"
	"testing"
)

// What cannot be written says by which flag it goes elsewhere, and nothing is run before.
func TestAFolderThatCannotBeWrittenNamesTheFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("results", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		typed string
		want  string
	}{
		{"stress --rate 1 --duration 1s --no-probe", "--out"},
		{"simulate upsert --quiet", "--out"},
		{"gate upsert --quiet --accept --reason x", "--baselines"},
	} {
		code, _, stderr := say(t, strings.Fields(row.typed)...)
		if code != codeUsage || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "; choose another folder with "+row.want+"\n") {
			t.Errorf("%s = %d %q; want %d and one line that ends with %s", row.typed, code, stderr, codeUsage, row.want)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The page about back-off shows what the commands print.
func TestBackoffPageShowsWhatTheCommandsPrint(t *testing.T) {
	leftOutWhenShort(t)
	path, err := filepath.Abs("../../docs/backoff.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	commands := [][]string{{"contest", "--outage", "15s", "--clients", "500"}, {"show", "documented"}}
	shown := blocksOf(page, "text")
	if len(shown) != len(commands) {
		t.Fatalf("the page shows %d outputs; want %d", len(shown), len(commands))
	}
	for i, args := range commands {
		t.Chdir(t.TempDir())
		_, stdout, _ := say(t, append(append([]string{"backoff"}, args...), "--out", "o")...)
		if *rewrite {
			page = strings.Replace(page, shown[i], stdout, 1)
		} else if diff := cmp.Diff(shown[i], stdout); diff != "" {
			t.Errorf("docs/backoff.md differs from what `loadgen backoff %s` prints (-page +printed):\n%s", strings.Join(args, " "), diff)
		}
	}
	if *rewrite {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

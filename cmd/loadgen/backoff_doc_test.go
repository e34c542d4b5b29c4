package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The page about back-off shows what the commands print.
func TestBackoffPageShowsWhatTheCommandsPrint(t *testing.T) {
	leftOutWhenShort(t)
	text, err := os.ReadFile("../../docs/backoff.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	rest, found := string(text), true
	for {
		var block string
		if _, rest, found = strings.Cut(rest, "```text\n"); !found {
			break
		}
		block, rest, _ = strings.Cut(rest, "\n```")
		shown = append(shown, block)
	}
	commands := [][]string{{"contest", "--outage", "15s", "--clients", "500"}, {"show", "documented"}}
	if len(shown) != len(commands) {
		t.Fatalf("the page shows %d outputs; want %d", len(shown), len(commands))
	}
	for i, args := range commands {
		t.Chdir(t.TempDir())
		_, stdout, _ := say(t, append(append([]string{"backoff"}, args...), "--out", "o")...)
		if diff := cmp.Diff(shown[i], strings.TrimRight(stdout, "\n")); diff != "" {
			t.Errorf("docs/backoff.md differs from what `loadgen backoff %s` prints (-page +printed):\n%s", strings.Join(args, " "), diff)
		}
	}
}

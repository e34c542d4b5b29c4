package main

import (
	"os"
	"strings"
	"testing"
)

// The command prints of a pattern what docs/patterns.md has of it, each pattern once.
func TestPatternsOfOneName(t *testing.T) {
	leftOutWhenShort(t)
	page, err := os.ReadFile("../../docs/patterns.md")
	if err != nil {
		t.Fatal(err)
	}
	const name = "bank-transfer"
	code, stdout, stderr := say(t, "scenarios", "patterns", name, name)
	_, section, both := strings.Cut(stdout, "\n\n")
	if code != codeOk || stderr != "" || !both || !strings.Contains(string(page), section) {
		t.Errorf("exit code %d, %q on stderr; want what docs/patterns.md has of it:\n%s", code, stderr, stdout)
	}
	for _, row := range []struct{ sentence, name, says string }{
		{"no scenario", "bank-transfr", `did you mean "bank-transfer"?`},
		{"a scenario that shows no pattern", "stress", "shows no pattern of the documents"},
	} {
		if code, stdout, stderr := say(t, "scenarios", "patterns", row.name); code != codeUsage || stdout != "" ||
			strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: exit code %d, %q on stdout, %q on stderr; want %d and one line with %q", row.sentence, code, stdout, stderr, codeUsage, row.says)
		}
	}
}

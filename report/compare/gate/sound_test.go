package gate_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare/gate"
	"loadgen/results/resultstest"
)

// soundForm holds a form to what must be true of it whatever it is about.
func soundForm(t testing.TB, f gate.Form, list []gate.Result) {
	t.Helper()
	text := printed(t, f, list)
	for _, r := range text {
		if (unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r)) && f.Name != "json" {
			t.Errorf("%s holds %q:\n%q", f.Name, r, text)
			break
		}
	}
	switch lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n"); f.Name {
	case "junit":
		if s := resultstest.ReadJUnit(t, text).Suites[0]; s.Tests != len(list) || len(s.Cases) != len(list) || s.Failures+s.Errors+s.Skipped > len(list) {
			t.Errorf("the suite is %+v; want %d cases", s, len(list))
		}
	case "github":
		if len(list) > 0 {
			soundAnnotations(t, lines)
		}
	case "benchfmt":
		if text != "" {
			resultstest.CheckBenchmarks(t, text, "build: [AB]")
		}
	}
}

// soundAnnotations checks that each line is one command, and how many there are.
func soundAnnotations(t testing.TB, lines []string) {
	t.Helper()
	kinds := map[string]int{}
	for _, line := range lines {
		kind, rest, found := strings.Cut(strings.TrimPrefix(line, "::"), " title=")
		title, _, ended := strings.Cut(rest, "::")
		assert.Truef(t, found && ended && strings.HasPrefix(line, "::") && !strings.ContainsAny(title, ":,") && (kind == "error" || kind == "warning" || kind == "notice"),
			"%q is no annotation", line)
		if kinds[kind]++; kinds[kind] > 10 {
			t.Errorf("%d annotations of kind %s; want 10 at most", kinds[kind], kind)
		}
	}
}

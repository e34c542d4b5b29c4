package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/scenarios"
	"loadgen/scenarios/vitals"
)

// contrasts are the patterns that this test binary has run, each once.
var contrasts sync.Map

// contrastOf returns a pattern of the library beside what it replaces.
func contrastOf(t *testing.T, name string) *sideBySide {
	t.Helper()
	once := sync.OnceValues(func() (*sideBySide, error) { return newContrast(context.Background(), name) })
	shared, _ := contrasts.LoadOrStore(name, once)
	c, err := shared.(func() (*sideBySide, error))()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// patternHolds fails where a pattern does not show what it claims, or its opposite
// does, by any of its seeds.
func patternHolds(t *testing.T, name string) {
	t.Helper()
	c := contrastOf(t, name)
	for i, seed := range c.told.Seeds {
		for _, e := range c.as[i].Expectations {
			if !e.Pass {
				t.Errorf("seed %d: %s: observed %s; want it to hold", seed, e.Expr, e.Observed)
			}
		}
		if verdict.Holds(c.instead[i]) {
			t.Errorf("seed %d: the opposite, %s, meets every expectation: %v; want one that fails", seed, c.told.Contrary, c.instead[i].Expectations)
		}
	}
}

// patternsOfLibrary returns the names of the patterns.
func patternsOfLibrary(t *testing.T) []string {
	t.Helper()
	names, err := patternNames()
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Every row of the documents has a scenario that shows it, with a claim that can fail.
func TestEveryPatternOfTheDocumentsHasAScenario(t *testing.T) {
	shown := make(map[string]bool)
	for _, name := range patternsOfLibrary(t) {
		s, err := scenarios.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Expect) == 0 || s.Opposite == nil || s.Pattern.Buys == "" || s.Pattern.Costs == "" {
			t.Errorf("%s expects %d things, has an opposite: %v, and says %+v; want claims, what it warns of, what it buys and costs",
				name, len(s.Expect), s.Opposite != nil, *s.Pattern)
		}
		shown[s.Pattern.Row] = true
	}
	for _, row := range scenarios.PatternRows() {
		if !shown[row] {
			t.Errorf("no scenario of the library shows the documents' pattern %q; want one with `pattern: {row: %s, …}`", row, row)
		}
	}
}

const patternsPage = "../../docs/patterns.md"

// What the command prints stands on the page between these lines.
const (
	patternsBegin = "<!-- loadgen scenarios patterns -->\n"
	patternsEnd   = "<!-- the end of what it prints -->\n"
)

// The page shows what `loadgen scenarios patterns` prints.
func TestPatternsPageShowsWhatTheCommandPrints(t *testing.T) {
	leftOutWhenShort(t)
	text, err := os.ReadFile(patternsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), patternsBegin)
	shown, after, ends := strings.Cut(rest, patternsEnd)
	if !begins || !ends {
		t.Fatalf("docs/patterns.md has no part between %q and %q", patternsBegin, patternsEnd)
	}
	names := patternsOfLibrary(t)
	list := make([]report.Pattern, len(names))
	var two sync.WaitGroup
	for half := range 2 {
		two.Go(func() {
			for i := half; i < len(names); i += 2 {
				list[i] = contrastOf(t, names[i]).told
			}
		})
	}
	two.Wait()
	var printed bytes.Buffer
	if err := report.Patterns(&printed, scenarios.PatternRows(), list); err != nil {
		t.Fatal(err)
	}
	if used, told := vitals.CPU(); told {
		t.Logf("%d patterns and what they replace, by three seeds each: the process has used %v of processor time so far", len(names), used)
	}
	if *rewrite {
		if err := os.WriteFile(patternsPage, []byte(before+patternsBegin+printed.String()+patternsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(shown, printed.String()); diff != "" {
		t.Errorf("docs/patterns.md differs from what `loadgen scenarios patterns` prints (-page +printed); -rewrite writes it anew:\n%s", diff)
	}
}

// The command prints of one pattern what the page has of it, and twice the same.
func TestPatternsOfOneName(t *testing.T) {
	leftOutWhenShort(t)
	const name = "bank-transfer"
	var want bytes.Buffer
	c := contrastOf(t, name)
	if err := report.Patterns(&want, []string{c.told.Row}, []report.Pattern{c.told}); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := say(t, "scenarios", "patterns", name, name)
	if code != codeOk || stderr != "" || stdout != want.String() {
		t.Errorf("exit code %d, %q on stderr (-want +printed):\n%s", code, stderr, cmp.Diff(want.String(), stdout))
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

func TestPatternSeedsAreThreeOfTheirOwn(t *testing.T) {
	for _, row := range []struct {
		own  uint64
		want []uint64
	}{{81, []uint64{81, 1, 2}}, {1, []uint64{1, 2, 3}}, {2, []uint64{2, 1, 3}}} {
		if got := patternSeeds(row.own); !slices.Equal(got, row.want) {
			t.Errorf("patternSeeds(%d) = %v; want %v", row.own, got, row.want)
		}
	}
}

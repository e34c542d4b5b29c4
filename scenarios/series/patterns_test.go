package series

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/scenarios"
)

// Every row of the documents has a scenario that shows it, with a claim that can fail.
func TestEveryPatternOfTheDocumentsHasAScenario(t *testing.T) {
	shown := make(map[string]bool)
	names, _, err := PatternsOf(nil)
	require.NoError(t, err)
	for _, name := range names {
		s := builtin(t, name)
		if len(s.Expect) == 0 || s.AntiPattern == nil || s.Pattern.Buys == "" || s.Pattern.Costs == "" {
			t.Errorf("%s expects %d things, has an anti_pattern: %v, and says %+v; want claims, what it warns of, what it buys and costs",
				name, len(s.Expect), s.AntiPattern != nil, *s.Pattern)
		}
		shown[s.Pattern.Row] = true
	}
	for _, row := range scenarios.PatternRows() {
		assert.Truef(t, shown[row],
			"no scenario of the library shows the documents' pattern %q; want one with `pattern: {row: %s, …}`", row, row)
	}
}

const patternsPage = "../../docs/patterns.md"

// patternsOfPage returns the page with what stands before, on and after the part that
// `loadgen scenarios patterns` prints.
func patternsOfPage(t *testing.T) (before, shown, after string) {
	t.Helper()
	text, err := os.ReadFile(patternsPage)
	require.NoError(t, err)
	const begin, end = "<!-- loadgen scenarios patterns -->\n", "<!-- the end of what it prints -->\n"
	before, rest, begins := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	require.Truef(t, begins && ends, "docs/patterns.md has no part between %q and %q", begin, end)
	return before + begin, shown, end + after
}

// Of a pattern the page has what it comes to beside what it replaces, row and section.
func TestPatternsPageShowsAPattern(t *testing.T) {
	told := 0
	list, err := Patterns(context.Background(), []string{"bank-transfer"}, func() { told++ })
	require.Truef(t, err == nil && told == 1, "%v, told %d times; want once", err, told)
	var text bytes.Buffer
	require.NoError(t, report.Patterns(&text, []string{list[0].Row}, list))
	_, shown, _ := patternsOfPage(t)
	table, section, both := strings.Cut(text.String(), "\n\n")
	row := table[strings.LastIndexByte(table, '\n'):]
	assert.Truef(t, both && strings.Contains(shown, row) && strings.Contains(shown, section),
		"docs/patterns.md has not what the pattern comes to:\n%s", &text)
	if _, err := Patterns(context.Background(), []string{"stress"}, func() {}); err == nil || !strings.Contains(err.Error(), "shows no pattern") {
		t.Errorf("stress: %v; want that it shows no pattern", err)
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

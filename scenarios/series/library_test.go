package series

import (
	"bytes"
	"context"
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// What a run leaves behind is large and short-lived: histograms, and what packs them.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// grand are the scenarios of the library that are no examples but what verbs of their
// own run, to be changed by flags: they have tests of their own.
func grand() []string { return []string{"simulate", "stress"} }

// builtin returns a scenario of the library.
func builtin(t testing.TB, name string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin(name)
	require.NoError(t, err)
	return s
}

// spread returns so many of a list, from all over it.
func spread[T any](list []T, n int) []T {
	some := make([]T, min(n, len(list)))
	for i := range some {
		some[i] = list[i*len(list)/len(some)]
	}
	return some
}

// simulated returns the record of a scenario in virtual time.
func simulated(t testing.TB, s *scenarios.Scenario) *results.Record {
	t.Helper()
	record, err := run.Run(t.Context(), run.Plan{Scenario: s})
	require.NoError(t, err)
	return record
}

// Every example of the library shows what it claims, and its anti-pattern does not; where a
// baseline of it is checked in, it is the same run to the byte. Patterns show what they
// claim by other seeds, too: see [TestPatterns]. All of them are run with the tag ci, of
// which each run of the tests without it has some.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs")
	}
	kept := (&Gate{Baselines: committed}).Stored()
	names := slices.DeleteFunc(scenarios.Library(), func(name string) bool { return slices.Contains(grand(), name) })
	for _, name := range spread(names, resultstest.Cases(1, len(names), len(names))) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := builtin(t, name)
			require.True(t, s.AntiPattern != nil && len(s.AntiPattern.Fails) != 0 && s.AntiPattern.Why != "",
				"the scenario has no anti_pattern, or none that says which checks fail, and why; want all of it")
			if record := holdsAsPromised(t, s); slices.Contains(kept, name) {
				asCommitted(t, record)
			}
			// What an example shows is no luck of its seed.
			for seed := range uint64(resultstest.Cases(0, 0, 20)) {
				s.Seed = seed + 1
				holdsAsPromised(t, s)
			}
		})
	}
}

// holdsAsPromised returns the record of an example, of which each check holds, and each fails
// that its anti-pattern promises to fail.
func holdsAsPromised(t *testing.T, s *scenarios.Scenario) *results.Record {
	t.Helper()
	record := simulated(t, s)
	for _, e := range record.Summary.Checks {
		assert.Truef(t, e.Holds(), "seed %d: %s: observed %s; want it to hold", s.Seed, e.Expr, e.Observed)
	}
	losesWhereItSaturates(t, record)
	opposed, err := s.Opposed()
	require.NoError(t, err)
	opposed.Seed = s.Seed
	other, err := run.Run(t.Context(), run.Plan{Scenario: opposed, AntiPattern: s.AntiPattern})
	require.NoError(t, err)
	losesWhereItSaturates(t, other)
	_, ok := verdict.Result(other, other.Summary)
	assert.Truef(t, ok != nil && *ok, "seed %d: the checks of the anti-pattern are %+v; must fail: %q", s.Seed, other.Summary.Checks, s.AntiPattern.Fails)
	return record
}

// losesWhereItSaturates fails the test where a run is said to saturate of which less than
// 1% was lost in any of its phases: what retries carry, or bursts of a query's pages throttle,
// is no limit.
func losesWhereItSaturates(t *testing.T, record *results.Record) {
	t.Helper()
	saturates := slices.ContainsFunc(record.Summary.Throttling, func(one results.Throttling) bool { return one.Rate != nil })
	loses := slices.ContainsFunc(record.Summary.Phases, func(p results.PhaseSummary) bool { return p.ShareLost != nil && *p.ShareLost >= .01 })
	assert.Falsef(t, saturates && !loses,
		"it saturates at %v, and next to nothing is lost: %s", record.Summary.Throttling, record.Summary.Verdict)
}

// patternNames returns the names of the patterns of the library.
var patternNames = sync.OnceValues(func() ([]string, error) {
	names, _, err := PatternsOf(nil)
	return names, err
})

// Every row of the documents has a scenario that shows it, with a claim that can fail.
func TestEveryPatternOfTheDocumentsHasAScenario(t *testing.T) {
	shown := make(map[string]bool)
	names, err := patternNames()
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

const patternsPage = "../../docs/development/patterns.md"

// patternsOfPage returns the page with what stands before, on and after the part that
// `loadgen scenarios patterns` prints.
func patternsOfPage(t *testing.T) (before, shown, after string) {
	t.Helper()
	text, err := os.ReadFile(patternsPage)
	require.NoError(t, err)
	const begin, end = "<!-- loadgen scenarios patterns -->\n", "<!-- the end of what it prints -->\n"
	before, rest, begins := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	require.Truef(t, begins && ends, "docs/development/patterns.md has no part between %q and %q", begin, end)
	return before + begin, shown, end + after
}

var rewrite = flag.Bool("rewrite", false, "write what `loadgen scenarios patterns` prints in docs/development/patterns.md anew; read the difference before it is kept")

// Every pattern shows what it claims by each of its seeds, and its anti-pattern by none; and
// docs/development/patterns.md has what `loadgen scenarios patterns` prints of them, row and section. All
// of them are run with the tag ci.
func TestPatterns(t *testing.T) {
	all, err := patternNames()
	require.NoError(t, err)
	names := spread(all, resultstest.Cases(1, len(all), len(all)))
	list := make([]report.Pattern, len(names))
	t.Run("hold", func(t *testing.T) {
		for i, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				pattern, with, without, err := comparePattern(context.Background(), name)
				require.NoError(t, err)
				list[i] = pattern
				for i, seed := range pattern.Seeds {
					for _, e := range with[i].Checks {
						assert.Truef(t, e.Holds(), "seed %d: %s: observed %s; want it to hold", seed, e.Expr, e.Observed)
					}
					assert.Falsef(t, verdict.AllChecksHold(without[i]), "seed %d: the anti-pattern, %s, meets every expectation: %v", seed, pattern.Contrary, without[i].Checks)
				}
			})
		}
	})
	before, shown, after := patternsOfPage(t)
	rows := scenarios.PatternRows()
	if len(names) < len(all) {
		rows = []string{list[0].Row}
	}
	var printed bytes.Buffer
	require.NoError(t, report.Patterns(&printed, rows, list))
	switch table, section, _ := strings.Cut(printed.String(), "\n\n"); {
	case len(names) < len(all):
		assert.Contains(t, shown, table[strings.LastIndexByte(table, '\n'):])
		assert.Contains(t, shown, section)
	case *rewrite:
		require.NoError(t, os.WriteFile(patternsPage, []byte(before+printed.String()+after), 0o644))
	default:
		assert.Equal(t, shown, printed.String(), "docs/development/patterns.md is what `loadgen scenarios patterns` prints; -rewrite writes it anew")
	}
	told := 0
	again, err := Patterns(context.Background(), names[:1], func() { told++ })
	require.NoError(t, err)
	assert.Equal(t, list[:1], again)
	assert.Equal(t, 1, told, "calls")
	_, err = Patterns(context.Background(), []string{"stress"}, func() {})
	assert.ErrorContains(t, err, "has no pattern")
}

func TestPatternSeedsAreThreeOfTheirOwn(t *testing.T) {
	for _, row := range []struct {
		own  uint64
		want []uint64
	}{{81, []uint64{81, 1, 2}}, {1, []uint64{1, 2, 3}}, {2, []uint64{2, 1, 3}}} {
		assert.Equalf(t, row.want, patternSeeds(row.own), "patternSeeds(%d)", row.own)
	}
}

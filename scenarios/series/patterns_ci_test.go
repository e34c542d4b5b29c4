//go:build ci

package series

import (
	"bytes"
	"context"
	"flag"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

var rewrite = flag.Bool("rewrite", false, "write what `loadgen scenarios patterns` prints in docs/patterns.md anew; read the difference before it is kept")

// contrasts are the patterns that this test binary has run, each once.
var comparisons sync.Map

// comparisonOf returns a pattern of the library beside what it replaces.
func comparisonOf(t *testing.T, name string) *comparison {
	t.Helper()
	once := sync.OnceValues(func() (*comparison, error) { return newComparison(context.Background(), name) })
	shared, _ := comparisons.LoadOrStore(name, once)
	c, err := shared.(func() (*comparison, error))()
	require.NoError(t, err)
	return c
}

// Every pattern shows what it claims by each of its seeds, and its anti-pattern by none; and
// docs/patterns.md shows what `loadgen scenarios patterns` prints of them.
func TestPatterns(t *testing.T) {
	names, _, err := PatternsOf(nil)
	require.NoError(t, err)
	t.Run("hold", func(t *testing.T) {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := comparisonOf(t, name)
				for i, seed := range c.told.Seeds {
					for _, e := range c.as[i].Checks {
						assert.Truef(t, e.Holds(), "seed %d: %s: observed %s; want it to hold", seed, e.Expr, e.Observed)
					}
					if verdict.Holds(c.instead[i]) {
						t.Errorf("seed %d: the anti-pattern, %s, meets every expectation: %v; want one that fails", seed, c.told.Contrary, c.instead[i].Checks)
					}
				}
			})
		}
	})
	before, shown, after := patternsOfPage(t)
	list := make([]report.Pattern, len(names))
	for i, name := range names {
		list[i] = comparisonOf(t, name).told
	}
	var printed bytes.Buffer
	require.NoError(t, report.Patterns(&printed, scenarios.PatternRows(), list))
	if used, told := run.CPU(); told {
		t.Logf("%d patterns and what they replace, by three seeds each: the process has used %v of processor time so far", len(names), used)
	}
	if *rewrite {
		require.NoError(t, os.WriteFile(patternsPage, []byte(before+printed.String()+after), 0o644))
		return
	}
	if diff := cmp.Diff(shown, printed.String()); diff != "" {
		t.Errorf("docs/patterns.md differs from what `loadgen scenarios patterns` prints (-page +printed); -rewrite writes it anew:\n%s", diff)
	}
}

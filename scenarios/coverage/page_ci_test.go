//go:build ci

package coverage_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/run"
)

var rewrite = flag.Bool("rewrite", false, "write docs/coverage.md anew; read the difference before it is kept")

// All rows are what they were foretold to be, by both of their variations, and
// docs/coverage.md says so.
func TestAllRows(t *testing.T) {
	observed := playRows(t, func(*row) bool { return true })
	if used, told := run.CPU(); told {
		t.Logf("%d rows, two variations each: the process has used %v of processor time so far", len(observed), used)
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	all := rows()
	if *rewrite {
		require.NoError(t, os.WriteFile(page, []byte(written(string(text), all, observed)), 0o644))
		return
	}
	for i, got := range numbered.FindAllString(string(text), -1) {
		assert.Equalf(t, line(&all[i], observed[i+1]), got, "row %d of docs/coverage.md", i+1)
	}
}

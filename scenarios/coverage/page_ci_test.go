//go:build ci

package coverage_test

import (
	"github.com/stretchr/testify/require"

	"flag"
	"os"
	"testing"

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
	if !*rewrite {
		holdPage(t, observed)
		return
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(page, []byte(written(string(text), rows(), observed)), 0o644))
}

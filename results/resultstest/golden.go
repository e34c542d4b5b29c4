package resultstest

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var golden = flag.Bool("golden", false, "write the golden files anew; read the difference before committing it")

// CheckGolden checks that a text is that of a golden file, which the flag -golden writes anew.
func CheckGolden(t testing.TB, file, got string) {
	t.Helper()
	if *golden {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoErrorf(t, err, "-golden writes %s", file)
	assert.Emptyf(t, cmp.Diff(string(want), got), "%s differs (-golden +got); the flag -golden writes it anew", file)
}

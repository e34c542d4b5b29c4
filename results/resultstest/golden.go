package resultstest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var golden = flag.Bool("golden", false, "rewrite the golden files; read the difference before committing it")

// CheckGolden compares a text with a golden file. The flag -golden rewrites the file.
func CheckGolden(t testing.TB, file, got string) {
	t.Helper()
	if *golden {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoErrorf(t, err, "-golden writes %s", file)
	assert.Emptyf(t, cmp.Diff(string(want), got), "%s differs (-golden +got); the flag -golden rewrites it", file)
}

// CheckGoldens runs a subtest for each golden file that matches a pattern: replay returns what the file
// should hold, made from its text.
func CheckGoldens(t *testing.T, pattern string, replay func(t *testing.T, text string) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			CheckGolden(t, file, replay(t, string(text)))
		})
	}
}

// Replay runs the commands of a script, one a line, and returns the script with their replies: lines below the
// command that begin with "  = ". Blank lines and comments, which begin with #, stay.
func Replay(script string, run func(command []string) []string) string {
	var out strings.Builder
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "  =") {
			continue
		}
		out.WriteString(line)
		if command := strings.Fields(line); len(command) > 0 && !strings.HasPrefix(line, "#") {
			for _, reply := range run(command) {
				fmt.Fprintln(&out, "  =", reply)
			}
		}
	}
	return out.String()
}

package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each promise of docs/reliability.md has its tests, and no test is named that there is not.
func TestReliability(t *testing.T) {
	promises := 0
	for line := range strings.Lines(ofProject(t, "docs/reliability.md")) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || strings.HasPrefix(line, "| promise ") {
			continue
		}
		promises++
		tests := quoted(cells[1])
		assert.Truef(t, len(tests) > 0 && len(tests)%2 == 0, "%s: want tests, each with its package", cells[0])
		for i := 0; i+1 < len(tests); i += 2 {
			assert.Truef(t, hasTest(t, tests[i+1], tests[i]), "%s: there is no test %s in %s", cells[0], tests[i], tests[i+1])
		}
	}
	assert.NotZero(t, promises, "docs/reliability.md has no promises")
}

// hasTest reports whether a package has a test of that name.
func hasTest(t *testing.T, room, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", filepath.FromSlash(room), "*_test.go"))
	require.NoError(t, err)
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if declared.Match(text) {
			return true
		}
	}
	return false
}

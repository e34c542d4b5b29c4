package advise

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every condition in the code has one row, and every row a condition in the code.
func TestNarrativeHasARowForEachCondition(t *testing.T) {
	rows, places, used := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range narrative() {
		assert.Falsef(t, rows[r.condition], "two rows for %s", r.condition)
		where, _, _ := strings.Cut(r.condition, "/")
		rows[r.condition], places[where] = true, true
	}
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	literal := regexp.MustCompile(`"([a-z]+(?:/[a-z -]+)?)"`)
	for _, file := range files {
		if name := file.Name(); !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == "narrative.go" {
			continue
		}
		text, err := os.ReadFile(file.Name())
		require.NoError(t, err)
		for _, found := range literal.FindAllStringSubmatch(string(text), -1) {
			used[found[1]] = true
			if where, _, compound := strings.Cut(found[1], "/"); compound && places[where] {
				assert.Truef(t, rows[found[1]], "%s has the condition %s, which has no row", file.Name(), found[1])
			}
		}
	}
	for condition := range rows {
		assert.Truef(t, used[condition] || strings.HasPrefix(condition, "limit/"), "nothing uses the row %s", condition)
	}
}

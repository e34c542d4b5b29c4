// Package house_test checks the structure of the module: which package may import which, how time
// and randomness enter, that links in comments lead somewhere, and that errors name their package.
// It reads the sources and builds nothing. staticcheck.conf has the rules of style, .ci/words what
// no file may contain. With -tags ci it checks the licences of linked modules.
package house_test

import (
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// rule is a rule of structure. Its check returns each violation, with the place and what to write
// instead.
type rule struct {
	name  string
	check func(*house) []string
}

func TestHouse(t *testing.T) {
	h := readTree(t)
	for _, r := range slices.Concat(importRules(), purityRules()) {
		t.Run(r.name, func(t *testing.T) {
			for _, fault := range r.check(h) {
				t.Error(fault)
			}
		})
	}
}

var wholeTree = sync.OnceValues(func() (*house, error) { return readHouse(os.DirFS("../../..")) })

// readTree reads the module, once for all tests.
func readTree(t *testing.T) *house {
	t.Helper()
	h, err := wholeTree()
	require.NoError(t, err)
	require.GreaterOrEqualf(t, len(h.rooms), 10, "found %d packages in the module", len(h.rooms))
	return h
}

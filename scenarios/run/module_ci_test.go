//go:build ci

package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/run/runtest"
)

// A module of somebody else's, outside of this one, holds its own table to its peak in its
// own tests, with the packages that are public.
func TestAModuleOfItsOwnRunsIt(t *testing.T) {
	runtest.SkipIfShort(t)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	outside := t.TempDir()
	require.NoError(t, os.CopyFS(outside, os.DirFS("testdata/own")))
	for _, args := range [][]string{{"mod", "edit", "-replace", "loadgen=" + root}, {"test", "-count=1", "./..."}} {
		c := exec.Command("go", args...)
		c.Dir = outside
		said, err := c.CombinedOutput()
		assert.Truef(t, err == nil, "go %v in a folder outside of the module: %v\n%s", args, err, said)
	}
}

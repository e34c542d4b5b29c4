//go:build ci

package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A module of somebody else's, outside of this one, holds its own table to its peak in its
// own tests, with the packages that are public.
func TestAModuleOfItsOwnRunsIt(t *testing.T) {
	leftOutWhenShort(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := os.CopyFS(outside, os.DirFS("testdata/own")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"mod", "edit", "-replace", "loadgen=" + root}, {"test", "-count=1", "./..."}} {
		c := exec.Command("go", args...)
		c.Dir = outside
		if said, err := c.CombinedOutput(); err != nil {
			t.Errorf("go %v in a folder outside of the module: %v\n%s", args, err, said)
		}
	}
}

package run_test

import (
	"os/exec"
	"testing"
)

// A module of somebody else's holds its own table to its peak in its own tests.
func TestAModuleOfItsOwnRunsIt(t *testing.T) {
	leftOutWhenShort(t)
	c := exec.Command("go", "test", "-count=1", "./...")
	c.Dir = "testdata/own"
	if said, err := c.CombinedOutput(); err != nil {
		t.Errorf("go test in %s: %v\n%s", c.Dir, err, said)
	}
}

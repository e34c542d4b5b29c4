package coverage_test

import (
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often: what a run leaves behind is large and short-lived.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

package report_test

import (
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often: histograms are large, and collecting them took a sixth
// of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

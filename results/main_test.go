package results_test

import (
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often: histograms are large, and collecting them took a quarter
// of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

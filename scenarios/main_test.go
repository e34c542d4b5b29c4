package scenarios_test

import (
	"runtime/debug"
	"testing"
)

// TestMain lets garbage lie up to a bound: what is small and made again and again leaves so
// much that a third of the time went into collecting it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(400 << 20)
	m.Run()
}

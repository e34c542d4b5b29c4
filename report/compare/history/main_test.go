package history_test

import (
	"runtime/debug"
	"testing"
)

// TestMain lets garbage lie for longer: what is small and made again and again leaves so
// much that a third of the time went into collecting it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

package keystatistics_test

import (
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often: the streams of rows are large and short-lived.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

package campaign_test

import (
	"runtime/debug"
	"testing"
)

// TestMain lets garbage lie for longer: what a run leaves behind is large and short-lived.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

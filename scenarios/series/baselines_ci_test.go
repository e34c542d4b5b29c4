//go:build ci

package series

import "testing"

// Each baseline is the same file on one processor and in another time zone.
func TestAllBaselinesAreTheSameOnOtherMachines(t *testing.T) {
	elsewhere(t)
	for _, name := range (&Gate{Baselines: committed}).Kept() {
		asCommitted(t, simulated(t, builtin(t, name)))
	}
}

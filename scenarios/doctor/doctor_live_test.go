//go:build live

package doctor

import (
	"slices"
	"testing"

	"loadgen/engine/clock"
)

// All checks on this machine, with a visit, as a user has them. What depends on how
// busy the machine is has three tries; all else holds at once.
func TestLiveDoctor(t *testing.T) {
	endpoint := endpointAt(t, newService(t, 0).url, planted)
	t.Chdir(t.TempDir())
	for n := 1; n <= 3; n++ {
		d := Diagnose(t.Context(), Options{Workers: 256, Folder: "runs", Service: &endpoint, Clock: clock.NewReal()}, t.Output())
		t.Logf("run %d:\n%s", n, spelled(d))
		for _, one := range d.Checks {
			if one.Verdict == Fail && !slices.Contains([]string{"pacing", "ceiling", "stall"}, one.Name) {
				t.Fatalf("%s failed: %+v", one.Name, one)
			}
		}
		mustHold(t, 0)
		if stalled := d.Checks[len(d.Checks)-1]; d.Failed == 0 && stalled.Verdict == Pass {
			return
		}
	}
	t.Error("in none of three runs did all checks pass")
}

//go:build live

package doctor

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
)

// All checks on this machine, with a visit, as a user has them. How busy the machine is
// decides pacing, ceiling and stall; all else holds.
func TestLiveDoctor(t *testing.T) {
	endpoint := endpointAt(t, newService(t, 0).URL, planted)
	t.Chdir(t.TempDir())
	d := Diagnose(t.Context(), Options{Workers: 256, Folder: "runs", Service: &endpoint, Clock: clock.NewReal()}, t.Output())
	t.Logf("\n%s", spelled(d))
	for _, one := range d.Checks {
		assert.Truef(t, one.Verdict != Fail || slices.Contains([]string{"pacing", "ceiling", "stall"}, one.Name),
			"%s failed: %+v", one.Name, one)
	}
	mustHold(t, 0)
}

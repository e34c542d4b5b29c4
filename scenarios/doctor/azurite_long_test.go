//go:build peers && long

package doctor_test

import (
	"slices"
	"testing"

	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/run"
)

// The simulator under a profile of Azurite takes what Azurite takes, within 20%: the median of
// five pairs of a calibration and of a measurement, each first in turn, so that a machine whose
// speed drifts is drifting for both.
func TestAzuriteCalibratedLong(t *testing.T) {
	at := azurite(t)
	list := make(map[string][]float64)
	for pair := range uint64(5) {
		var simulated, fresh map[string]float64
		measure := func() {
			fresh = medians(t, run.Plan{On: run.Remote, Accounts: []run.Endpoint{at}, Consent: func(run.Ask) error { return nil }}, pair+1, nil)
		}
		if pair%2 == 0 {
			measure()
		}
		simulated = medians(t, run.Plan{On: run.Simulated}, pair+1, calibrated(t, at, 5*time.Second, 1500))
		if pair%2 == 1 {
			measure()
		}
		for name, got := range simulated {
			list[name] = append(list[name], got/fresh[name])
		}
		t.Logf("pair %d, seconds: simulated %v, Azurite %v", pair+1, simulated, fresh)
	}
	for name, ratios := range list {
		slices.Sort(ratios)
		t.Logf("p50(%s): simulated / Azurite %.2f", name, ratios)
		median := ratios[len(ratios)/2]
		assert.Truef(t, median >= 0.8 && median <= 1.2, "p50(%s): the simulator takes %.2f of Azurite's time", name, median)
	}
}

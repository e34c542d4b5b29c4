//go:build peers && long

package calibrate_test

import (
	"slices"
	"testing"
	"time"

	"loadgen/scenarios/calibrate/profile"
	"loadgen/scenarios/run"
)

// The simulator under the profile of Azurite takes what Azurite takes, within 20 %: the median of
// five pairs.
func TestAzuriteCalibratedLong(t *testing.T) {
	at := azurite(t)
	p := calibrated(t, at, 20*time.Second, 20_000)
	for name, list := range ratios(t, at, p) {
		t.Logf("p50(%s): simulated / Azurite %.2f, median %.2f", name, list, list[len(list)/2])
		if median := list[len(list)/2]; median < 0.8 || median > 1.2 {
			t.Errorf("p50(%s): the simulator takes %.2f of Azurite's time; want it within 20 %%", name, median)
		}
	}
}

// ratios plays five pairs in turn, the simulator under a profile and Azurite itself, and returns
// by operation what the first takes of the second's time, in their order.
func ratios(t *testing.T, at run.Endpoint, p *profile.Profile) map[string][]float64 {
	list := make(map[string][]float64)
	for pair := range uint64(5) {
		simulated := medians(t, run.Plan{On: run.Simulated}, pair+1, p)
		fresh := medians(t, run.Plan{On: run.Remote, Accounts: []run.Endpoint{at}, Consent: func(run.Ask) error { return nil }}, pair+1, nil)
		for name, got := range simulated {
			list[name] = append(list[name], got/fresh[name])
		}
	}
	for name := range list {
		slices.Sort(list[name])
	}
	return list
}

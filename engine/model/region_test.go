package model_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/model"
)

// A region is a round trip with a word on where it is from; a round trip of the user's own
// takes both back.
func TestRegionsAreRoundTrips(t *testing.T) {
	last := time.Duration(0)
	for _, r := range model.Regions() {
		m := mustNew(t, model.Documented)
		if err := m.Set(model.RegionName, r.Name); err != nil || m.RoundTrip != r.RoundTrip || m.Region != r.Name {
			t.Errorf("Set(region, %s) = %v, a round trip of %v; want %v", r.Name, err, m.RoundTrip, r.RoundTrip)
		}
		assert.Truef(t, last < r.RoundTrip, "%s is %v away, and one before it %v", r.Name, r.RoundTrip, last)
		last = r.RoundTrip
		about := func() string {
			for _, p := range m.Parameters() {
				if p.Name == "round_trip" {
					return p.About
				}
			}
			return ""
		}
		assert.Containsf(t, about(), r.Where, "%s: the round trip is told as", r.Name)
		if err := m.Set("round_trip", "77ms"); err != nil || strings.Contains(about(), r.Where) {
			t.Errorf("%s, then 77 ms: %v, told as %q; want no word on the region", r.Name, err, about())
		}
	}
	m := mustNew(t, model.Documented)
	if err := m.Set(model.RegionName, "same-regoin"); !errors.Is(err, model.ErrValue) || !strings.Contains(err.Error(), `did you mean "same-region"`) {
		t.Errorf("Set of a misspelt region = %v; want the nearest", err)
	}
	m.ClientMachines = 4
	if faults := m.Validate(); len(faults) != 1 || !strings.Contains(faults[0].Error(), "client_bandwidth") {
		t.Errorf("four machines without a bandwidth: %v; want a fault that asks for one", faults)
	}
}

package model

import (
	"fmt"
	"time"

	"loadgen/engine/nearest"
)

// RegionName is what a scenario calls the place of its clients; [Model.Set] takes it like
// a parameter.
const RegionName = "region"

// Region is a place of clients as seen from the account, and the round trip from there.
type Region struct {
	Name string
	// RoundTrip is assumed: of the order of what is measured between regions.
	RoundTrip time.Duration
	// Where completes a sentence on the round trip.
	Where string
}

// Regions returns the places that clients can be in, the nearest first. The slice is the
// caller's.
func Regions() []Region {
	return []Region{
		{"same-region", time.Millisecond, "from a client in the account's region"},
		{"same-continent", 30 * time.Millisecond, "from a client in another region of the same continent"},
		{"other-continent", 150 * time.Millisecond, "from a client on another continent"},
	}
}

// RegionNames returns the names of [Regions].
func RegionNames() []string { return nearest.Of(Regions(), func(r Region) string { return r.Name }) }

// place puts the clients into a region: the round trip is from there.
func (m *Model) place(name string) error {
	for _, r := range Regions() {
		if r.Name == name {
			m.Region, m.RoundTrip = name, r.RoundTrip
			return nil
		}
	}
	return fmt.Errorf("%w: %s", ErrValue, nearest.Unknown(RegionName, name, RegionNames()))
}

// whence says where the round trip is from, empty where nobody did.
func (m *Model) whence() string {
	for _, r := range Regions() {
		if r.Name == m.Region && r.RoundTrip == m.RoundTrip {
			return " " + r.Where
		}
	}
	return ""
}

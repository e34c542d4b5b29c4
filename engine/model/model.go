// Package model holds the parameters of the partition model: each with its
// value, unit, bounds and provenance.
//
// Take a profile with [New], change single parameters with [Model.Set], check
// the whole with [Model.Validate], and hand the model to the engine, which
// reads its fields. [Model.ParametersOf] lists, for a report, those that a run
// rests on, so that every assumption can be shown as one.
//
// A Model is a plain value; copy it before
// it is shared.
//
// The package never decides anything: it knows numbers, not behaviour.
package model

import (
	"errors"
	"slices"
	"time"

	"loadgen/engine/nearest"
)

// Model is a full set of parameters. Rates are in entities per second, 0 being
// no limit.
type Model struct {
	// Profile is the name of the set that the parameters started from.
	Profile string
	// PartitionTarget and AccountTarget are rates that one PartitionKey and
	// one account may have.
	PartitionTarget, AccountTarget int64
	// PartitionBurst and AccountBurst are how much of a second's allowance an
	// idle partition or account has saved up.
	PartitionBurst, AccountBurst time.Duration
	// AccountIngress and AccountEgress are bytes per second that limit one account, as
	// they are on the wire: requests that come in, replies that go out.
	AccountIngress, AccountEgress int64
	// AccountCapacity is how many bytes an account holds. Nothing is refused for want of
	// room: plans of a table report when it is full.
	AccountCapacity int64
	// PageEntities is the greatest number of entities in a page.
	PageEntities int64
	// PageTime is how long a page's query may run, ScanRate how many entities
	// it scans per second meanwhile.
	PageTime time.Duration
	ScanRate int64
	// Region is where the clients are, one of [Regions], empty if unknown; it has set
	// RoundTrip.
	Region string
	// ClientBandwidth is how many bytes per second one client machine sends, and as many it
	// receives, 0 being no bound; ClientMachines of them share the load in turn.
	ClientBandwidth, ClientMachines int64
	// PacketLoss is the share of round trips that lose a packet, in thousandths, and
	// RetransmitTime what the first loss of an attempt costs it; each further one costs
	// twice as much as the one before.
	PacketLoss     int64
	RetransmitTime time.Duration
	// RoundTrip is the network's part of every attempt. ReadTime and WriteTime
	// are the mean time the service works on a request for one entity;
	// EntityTime is added for each further entity of a transaction.
	RoundTrip, ReadTime, WriteTime, EntityTime time.Duration
	// ThrottleTime is how long the service takes to answer a throttled request.
	ThrottleTime time.Duration
	// ThrottleCost is the work that a throttled request takes of the target that throttled it, in
	// thousandths of an entity's.
	ThrottleCost int64
	// TimeSpread is the coefficient of variation of ReadTime and WriteTime, in
	// thousandths.
	TimeSpread int64
	// NameDelay is how long after a table was deleted no client can create one of the
	// same name.
	NameDelay time.Duration
	// Idle is how far idle servers let partitions exceed their target; it counts
	// at either start.
	Idle Idle
	// Stamp is what a cold start runs on: ranges on servers, and who moves them.
	Stamp Stamp
}

// BoundsServers reports whether the model sets how many servers there are, or what each of
// them takes: then partitions share servers after a warm start as well. Otherwise each has
// one to itself there.
func (m *Model) BoundsServers() bool {
	asProfile := slices.Contains(withServers, m.Profile) && m.Stamp.Servers == defaultStamp.Servers && m.Stamp.ServerTarget == defaultStamp.ServerTarget
	return m.Stamp.ServerTarget > 0 && !asProfile
}

// ErrUnknown is wrapped by errors about a name that does not exist.
var ErrUnknown = errors.New("model: unknown name")

// ErrValue is wrapped by errors about a value that a parameter cannot take.
var ErrValue = errors.New("model: impossible value")

// PageScan returns the greatest number of entities that one page's query may
// scan: what it gets through in PageTime.
func (m *Model) PageScan() int64 {
	return int64(m.PageTime/time.Millisecond) * m.ScanRate / 1000
}

// Validate returns every parameter that lies outside its bounds, and every pair
// of them that cannot be together.
func (m *Model) Validate() []error {
	var faults []error
	parameters := make(map[string]Parameter)
	for _, s := range m.slots() {
		p := s.Parameter
		p.Value = *s.field
		parameters[p.Name] = p
		if p.Value < p.Least || p.Value > p.Greatest {
			faults = append(faults, nearest.Faultf(ErrValue, "%s is %s; expected %s to %s",
				p.Name, p.Text(), p.text(p.Least), p.text(p.Greatest)))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	if m.ClientMachines > 1 && m.ClientBandwidth == 0 {
		faults = append(faults, nearest.Faultf(ErrValue, "client_machines %d requires client_bandwidth",
			m.ClientMachines))
	}
	for _, o := range orders {
		low, high := parameters[o.low], parameters[o.high]
		if low.Value > high.Value {
			faults = append(faults, nearest.Faultf(ErrValue, "%s is %s; expected at least %s, %s",
				high.Name, high.Text(), low.Name, low.Text()))
		}
	}
	return faults
}

// order says that one parameter must not be greater than another.
type order struct{ low, high string }

var orders = []order{
	{"tick", "detection"},
	{"tick", "quiet"},
	{"tick", "load_memory"},
	{"utilisation_low", "utilisation_high"},
	{"pending_low", "pending_high"},
	{"offline_least", "offline_most"},
}

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
		{"same-region", time.Millisecond, "from the account's region"},
		{"same-continent", 30 * time.Millisecond, "from another region of the continent"},
		{"other-continent", 150 * time.Millisecond, "from another continent"},
	}
}

// RegionNames returns the names of [Regions].
func RegionNames() []string {
	return nearest.NamesOf(Regions(), func(r Region) string { return r.Name })
}

// Version numbers the model. It is raised with each change of what a profile assumes: a
// parameter more or less, another value, unit or bound of one. Figures that two versions
// modelled are not to be compared.
const Version = 1

package model

import (
	"fmt"
	"time"
)

// The profiles that [New] knows.
const (
	// Documented takes the documents' targets as hard limits.
	Documented = "documented"
	// Headroom lets a partition exceed its target while its server is idle.
	Headroom = "headroom"
	// Measured2010 is fitted to the measurements that the service's own team
	// published in 2010, when its targets were a quarter of today's.
	Measured2010 = "measured-2010"
	// Off has no limits and answers at once: what remains is the engine itself.
	Off = "off"
)

// Profiles returns the names of the profiles.
func Profiles() []string { return []string{Documented, Headroom, Measured2010, Off} }

// withServers are the profiles that have the servers of defaultStamp.
var withServers = []string{Documented, Headroom, Measured2010}

// The ways a run can start.
const (
	// Warm spreads the ranges so that no server binds: only the limits of
	// partition and account do.
	Warm = "warm"
	// Cold begins with one range for a new table.
	Cold = "cold"
)

// New returns the model of a profile.
func New(profile string) (*Model, error) {
	m := &Model{
		Profile:        profile,
		PartitionBurst: 100 * time.Millisecond,
		AccountBurst:   250 * time.Millisecond,
		PageEntities:   1000,
		PageTime:       5 * time.Second,
		ScanRate:       10_000,
		ClientMachines: 1,
		RetransmitTime: 200 * time.Millisecond,
		Idle:           Idle{Headroom: 1000, UtilisationLow: 300, UtilisationHigh: 800, RateMemory: 5 * time.Second},
		Stamp:          defaultStamp,
	}
	switch profile {
	case Documented:
		m.document()
	case Headroom:
		m.document()
		m.Idle.Headroom = 2000
		m.ThrottleCost = 10
		m.Stamp.RangeTarget = 0
		m.Stamp.SizeWeight = 1000
		// No limit for a range but its pipeline: the one measured in 2010 at four times the speed,
		// as the targets are.
		m.Stamp.PipelineRequest, m.Stamp.PipelineEntity = 142*time.Microsecond, 98_500*time.Nanosecond
		// The pipeline has what the documented profile adds for each entity.
		m.EntityTime = 0
	case Measured2010:
		m.document()
		// Pipeline and times fit the published plateaus: 1,040 single inserts and 2,500 entities in
		// transactions per second, 48 ms for a single insert, 0.87 s for a transaction of 100.
		m.PartitionTarget, m.AccountTarget = 500, 17_000
		m.Idle.Headroom = 5000
		m.Stamp.RangeTarget = 0
		m.Stamp.PipelineRequest, m.Stamp.PipelineEntity = 567*time.Microsecond, 394*time.Microsecond
		m.Stamp.PendingLow, m.Stamp.PendingHigh = 80*time.Millisecond, 480*time.Millisecond
		m.Stamp.OfflineLeast, m.Stamp.OfflineMost = 10*time.Second, 20*time.Second
		m.ReadTime, m.WriteTime = 38*time.Millisecond, 47*time.Millisecond
		m.EntityTime = 7900 * time.Microsecond
	case Off:
		m.Stamp.Servers = 1
		m.Stamp.RangeTarget, m.Stamp.ServerTarget = 0, 0
		m.Stamp.ServerBandwidth = 0
		m.Stamp.RangeBytes = 0
	default:
		return nil, fmt.Errorf("%w: profile %q; expected %q", ErrUnknown, profile, Profiles())
	}
	return m, nil
}

// gigabitPerSecond is in bytes a second.
const gigabitPerSecond = 125_000_000

// document sets the targets and the times of the documented profile.
func (m *Model) document() {
	m.PartitionTarget, m.AccountTarget = 2000, 20_000
	m.AccountIngress, m.AccountEgress = 10*gigabitPerSecond, 15*gigabitPerSecond
	m.AccountCapacity = 500_000_000_000_000
	m.RoundTrip = time.Millisecond
	m.ReadTime, m.WriteTime = 3*time.Millisecond, 8*time.Millisecond
	m.EntityTime = 100 * time.Microsecond
	m.ThrottleTime = 2 * time.Millisecond
	m.TimeSpread = 400
	m.NameDelay = 40 * time.Second
}

// defaultStamp is what a cold start runs on unless a profile says otherwise.
var defaultStamp = Stamp{
	Servers: 30, RangeTarget: 2000, ServerTarget: 4000, Burst: 100 * time.Millisecond,
	ServerBandwidth: 10 * gigabitPerSecond,
	PendingLow:      20 * time.Millisecond, PendingHigh: 120 * time.Millisecond, PendingDrop: 400,
	Timeout: 30 * time.Second,
	Tick:    15 * time.Second, LoadMemory: time.Minute,
	OverloadThrottled: 10, OverloadBusy: 900, OverloadCPU: 800, OverloadRate: 900,
	Detection: 5 * time.Minute, Gap: 30 * time.Second,
	SplitsPerTick: 2, SplitShare: 950, SplitGuard: 900, Relief: 600, MoveGain: 100,
	Pause: 500 * time.Millisecond, OfflineLeast: 5 * time.Second, OfflineMost: 5 * time.Second,
	OfflineThrottled: 700, MapStale: time.Second,
	Quiet: 30 * time.Minute, MergeBelow: 100, LowWatermark: 1, HighWatermark: 10,
	RangeBytes: 10 << 30,
}

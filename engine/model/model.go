package model

import (
	"errors"
	"time"
)

// Model is a full set of parameters. Rates are in entities per second, 0 being
// no limit.
type Model struct {
	// Profile is the name of the set that the parameters started from.
	Profile string
	// PartitionTarget and AccountTarget are rates that one PartitionKey and
	// one account are held to.
	PartitionTarget, AccountTarget int64
	// PartitionBurst and AccountBurst are how much of a second's allowance an
	// idle partition or account has saved up.
	PartitionBurst, AccountBurst time.Duration
	// AccountIngress and AccountEgress are bytes per second that one account is held to, as
	// they are on the wire: requests that come in, replies that go out.
	AccountIngress, AccountEgress int64
	// AccountCapacity is how many bytes an account holds. Nothing is refused for want of
	// room: who plans a table is told when it is full.
	AccountCapacity int64
	// PageEntities is the greatest number of entities in a page.
	PageEntities int64
	// PageTime is how long a page's query may run, ScanRate how many entities
	// it scans per second meanwhile.
	PageTime time.Duration
	ScanRate int64
	// Region is where the clients are, one of [Regions], empty where nobody said; it has set
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
	// ThrottleCost is the work that a throttled request takes of whoever throttled it, in
	// thousandths of an entity's.
	ThrottleCost int64
	// TimeSpread is the coefficient of variation of ReadTime and WriteTime, in
	// thousandths.
	TimeSpread int64
	// NameDelay is how long after a table was deleted nobody can create one of the
	// same name.
	NameDelay time.Duration
	// Idle is how far idle servers let partitions exceed their target; it counts
	// at either start.
	Idle Idle
	// Stamp is what a cold start runs on: ranges on servers, and who moves them.
	Stamp Stamp
}

// BoundsServers reports whether somebody has set how many servers there are, or what each of
// them takes: then partitions share servers after a warm start as well. Otherwise each has
// one to itself there.
func (m *Model) BoundsServers() bool {
	own, err := New(m.Profile)
	return m.Stamp.ServerTarget > 0 && (err != nil || own.Stamp.Servers != m.Stamp.Servers || own.Stamp.ServerTarget != m.Stamp.ServerTarget)
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

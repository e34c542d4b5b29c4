package model

import "time"

// slot ties a parameter's description to the field of a model that holds it.
type slot struct {
	Parameter
	field *int64
	// scope is where the parameter counts.
	scope scope
}

// scope says which runs rest on a parameter.
type scope uint8

const (
	// everywhere: every run.
	everywhere scope = iota
	// ifSet: runs in which it is not 0.
	ifSet
	// whenIdle: runs whose partitions may exceed their target, and cold ones.
	whenIdle
	// whenCold: cold runs alone.
	whenCold
	// whenColdOrSet: cold runs, and warm ones in which it is not 0.
	whenColdOrSet
	// whenServers: cold runs, and warm ones whose servers are bounded.
	whenServers
	// onLine and onLoss: runs whose clients have a bandwidth, and lose packets.
	onLine
	onLoss
)

const (
	maxRate      = 100_000_000
	maxBandwidth = 10_000_000_000
	maxBytes     = 1 << 50
	thousand     = 1000
)

// slots lists the parameters in the order in which they are shown.
func (m *Model) slots() []slot {
	list := m.admissionSlots()
	for _, s := range m.Stamp.slots() {
		if s.scope == everywhere {
			s.scope = whenCold
		}
		list = append(list, s)
	}
	return list
}

func rate(field *int64, name string, from Provenance, about string) slot {
	s := number(field, name, EntitiesPerSecond, maxRate, about)
	s.From = from
	return s
}

// wait is a time; the provenance is an assumption unless it is said otherwise.
func wait(field *time.Duration, name string, greatest time.Duration, about string) slot {
	return number((*int64)(field), name, Duration, int64(greatest), about)
}

func share(field *int64, name string, greatest int64, about string) slot {
	return number(field, name, Thousandths, greatest, about)
}

func bandwidth(field *int64, name, about string) slot {
	return number(field, name, BytesPerSecond, maxBandwidth, about)
}

func number(field *int64, name string, unit Unit, greatest int64, about string) slot {
	return slot{Parameter: Parameter{Name: name, Unit: unit, Greatest: greatest, From: Assumed, About: about}, field: field}
}

func (s slot) withMin(value int64) slot { s.Least = value; return s }

func (s slot) atLeast(d time.Duration) slot { return s.withMin(int64(d)) }

func (s slot) named(words ...string) slot { s.Words = words; return s }

func (s slot) when(sc scope) slot { s.scope = sc; return s }

func (s slot) whenSet() slot { return s.when(ifSet) }

func (s slot) ofServers() slot { return s.when(whenServers) }

func (s slot) documented() slot { s.From = FromDocuments; return s }

// admissionSlots are the parameters of partition, account, page, times and idle servers.
func (m *Model) admissionSlots() []slot {
	from := "" // where the round trip is from, empty if unknown
	for _, r := range Regions() {
		if r.Name == m.Region && r.RoundTrip == m.RoundTrip {
			from = " " + r.Where
			break
		}
	}
	return []slot{
		rate(&m.PartitionTarget, "partition_target", FromDocuments, "maximum entities per second of a partition; 0 is no limit"),
		rate(&m.AccountTarget, "account_target", FromDocuments, "maximum entities per second of the account; 0 is no limit"),
		wait(&m.PartitionBurst, "partition_burst", 10*time.Second, "burst allowance of an idle partition").atLeast(time.Millisecond),
		wait(&m.AccountBurst, "account_burst", 10*time.Second, "burst allowance of an idle account").atLeast(time.Millisecond),
		number(&m.PageEntities, "page_entities", Entities, 1000, "maximum entities per page").withMin(1).documented(),
		wait(&m.PageTime, "page_time", 30*time.Second, "maximum time per page").atLeast(time.Millisecond).documented(),
		rate(&m.ScanRate, "scan_rate", FromMeasurement, "entities scanned per second").withMin(1),
		wait(&m.RoundTrip, "round_trip", time.Minute, "network time per attempt"+from),
		wait(&m.ReadTime, "read_time", time.Minute, "mean service time of a point read"),
		wait(&m.WriteTime, "write_time", time.Minute, "mean service time of a one-entity write"),
		wait(&m.EntityTime, "entity_time", time.Minute, "time per further entity of a transaction"),
		wait(&m.ThrottleTime, "throttle_time", time.Minute, "service time of a throttled request"),
		share(&m.TimeSpread, "time_spread", 2000, "coefficient of variation of read_time and write_time"),
		wait(&m.NameDelay, "name_delay", time.Hour, "time before a deleted table's name is reusable").documented(),
		wait(&m.Stamp.Timeout, "timeout", time.Hour, "maximum request time, with queueing").atLeast(time.Millisecond).documented(),
		bandwidth(&m.AccountIngress, "account_ingress", "ingress bytes per second of the account; 0 is no limit").documented(),
		bandwidth(&m.AccountEgress, "account_egress", "egress bytes per second of the account; 0 is no limit").documented(),
		number(&m.AccountCapacity, "account_capacity", Bytes, maxBytes, "bytes per account, forecast only; 0 is no limit").documented(),
		share(&m.ThrottleCost, "throttle_cost", thousand/2,
			"throttled request's share of an entity's work").whenSet(),
		bandwidth(&m.ClientBandwidth, "client_bandwidth", "bytes per second of a client, each way; 0 is no limit").whenSet(),
		number(&m.ClientMachines, "client_machines", Machines, thousand, "client machines that take turns").withMin(1).when(onLine),
		share(&m.PacketLoss, "packet_loss", thousand/2, "share of attempts that lose a packet").whenSet(),
		wait(&m.RetransmitTime, "retransmit_time", time.Minute,
			"retransmission delay, doubled after each loss").atLeast(time.Millisecond).when(onLoss),
		// What an idle server grants.
		share(&m.Idle.Headroom, "headroom", 100_000,
			"multiple of a partition's target on an idle server; 1000 is none").withMin(thousand).when(whenIdle),
		share(&m.Idle.UtilisationLow, "utilisation_low", thousand,
			"others' utilisation up to which headroom is full").when(whenIdle),
		share(&m.Idle.UtilisationHigh, "utilisation_high", thousand,
			"others' utilisation that ends headroom").when(whenIdle),
		share(&m.Idle.Background, "background_load", thousand, "utilisation of each server by other tenants").when(whenIdle),
		wait(&m.Idle.RateMemory, "rate_memory", time.Hour,
			"time constant of the throttled rate above the limit").atLeast(10 * time.Millisecond).when(whenIdle),
	}
}

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

func (s slot) least(value int64) slot { s.Least = value; return s }

func (s slot) atLeast(d time.Duration) slot { return s.least(int64(d)) }

func (s slot) when(sc scope) slot { s.scope = sc; return s }

func (s slot) whenSet() slot { return s.when(ifSet) }

func (s slot) ofServers() slot { return s.when(whenServers) }

func (s slot) documented() slot { s.From = FromDocuments; return s }

// admissionSlots are the parameters of partition, account, page, times and idle servers.
func (m *Model) admissionSlots() []slot {
	from := "" // where the round trip is from, empty where nobody said
	for _, r := range Regions() {
		if r.Name == m.Region && r.RoundTrip == m.RoundTrip {
			from = " " + r.Where
			break
		}
	}
	return []slot{
		rate(&m.PartitionTarget, "partition_target", FromDocuments, "entities per second that one PartitionKey is held to; 0 is no limit"),
		rate(&m.AccountTarget, "account_target", FromDocuments, "entities per second that one account is held to; 0 is no limit"),
		wait(&m.PartitionBurst, "partition_burst", 10*time.Second, "allowance that an idle partition has saved up").atLeast(time.Millisecond),
		wait(&m.AccountBurst, "account_burst", 10*time.Second, "allowance that an idle account has saved up").atLeast(time.Millisecond),
		number(&m.PageEntities, "page_entities", Entities, 1000, "greatest number of entities in a page").least(1).documented(),
		wait(&m.PageTime, "page_time", 30*time.Second, "time after which a page ends").atLeast(time.Millisecond).documented(),
		rate(&m.ScanRate, "scan_rate", FromMeasurement, "entities that a query scans per second").least(1),
		wait(&m.RoundTrip, "round_trip", time.Minute, "network time of an attempt"+from),
		wait(&m.ReadTime, "read_time", time.Minute, "mean time the service works on a point read"),
		wait(&m.WriteTime, "write_time", time.Minute, "mean time the service works on a write of one entity"),
		wait(&m.EntityTime, "entity_time", time.Minute, "time added by each further entity of a transaction"),
		wait(&m.ThrottleTime, "throttle_time", time.Minute, "time the service takes to answer a throttled request"),
		share(&m.TimeSpread, "time_spread", 2000, "coefficient of variation of read_time and write_time"),
		wait(&m.NameDelay, "name_delay", time.Hour, "time for which the name of a deleted table cannot be used again").documented(),
		wait(&m.Stamp.Timeout, "timeout", time.Hour, "longest that a request may take, its waiting included").atLeast(time.Millisecond).documented(),
		bandwidth(&m.AccountIngress, "account_ingress", "bytes per second that one account takes in; 0 is no limit").documented(),
		bandwidth(&m.AccountEgress, "account_egress", "bytes per second that one account gives out; 0 is no limit").documented(),
		number(&m.AccountCapacity, "account_capacity", Bytes, maxBytes, "bytes that one account holds, forecast and not enforced; 0 is no limit").documented(),
		share(&m.ThrottleCost, "throttle_cost", thousand/2,
			"work that a throttled request takes of its partition, range and server, of an entity's").whenSet(),
		bandwidth(&m.ClientBandwidth, "client_bandwidth", "bytes per second that one client machine sends, and receives; 0 is no bound").whenSet(),
		number(&m.ClientMachines, "client_machines", Machines, thousand, "client machines that take the operations in turn").least(1).when(onLine),
		share(&m.PacketLoss, "packet_loss", thousand/2, "share of attempts that lose a packet between client and service").whenSet(),
		wait(&m.RetransmitTime, "retransmit_time", time.Minute,
			"time after which a lost packet is sent again, doubled by each further loss").atLeast(time.Millisecond).when(onLoss),
		// What an idle server grants.
		share(&m.Idle.Headroom, "headroom", 100_000,
			"multiple of its target that a partition reaches on an idle server; 1000 is none").least(thousand).when(whenIdle),
		share(&m.Idle.UtilisationLow, "utilisation_low", thousand,
			"utilisation of a server by others up to which the whole headroom is granted").when(whenIdle),
		share(&m.Idle.UtilisationHigh, "utilisation_high", thousand,
			"utilisation of a server by others from which on no headroom is granted").when(whenIdle),
		share(&m.Idle.Background, "background_load", thousand, "utilisation of every server by tenants outside of the model").when(whenIdle),
		wait(&m.Idle.RateMemory, "rate_memory", time.Hour,
			"time constant of the rate by which a partition beyond its limit is throttled").atLeast(10 * time.Millisecond).when(whenIdle),
	}
}

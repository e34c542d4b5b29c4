package model

import "time"

// slot ties a parameter's description to the field that holds it.
type slot struct {
	Parameter
	field func(*Model) *int64
	// scope is where the parameter counts.
	scope scope
}

// scope says which runs rest on a parameter.
type scope uint8

const (
	// everywhere: every run.
	everywhere scope = iota
	// whenIdle: runs whose partitions may exceed their target, and cold ones.
	whenIdle
	// whenCold: cold runs alone.
	whenCold
)

// counts reports whether a run of that start rests on the parameter.
func (s slot) counts(m *Model, start string) bool {
	return s.scope == everywhere || start == Cold || s.scope == whenIdle && m.Idle.Headroom > thousand
}

const (
	maxRate      = 100_000_000
	maxBandwidth = 10_000_000_000
	maxBytes     = 1 << 50
	thousand     = 1000
)

// slots lists the parameters in the order in which they are shown.
func slots() []slot {
	list := admissionSlots()
	list = append(list, idleSlots()...)
	for _, more := range [][]slot{serverSlots(), balanceSlots(), moveSlots()} {
		for _, s := range more {
			s.scope = whenCold
			list = append(list, s)
		}
	}
	return list
}

func rate(name string, from Provenance, about string, field func(*Model) *int64) slot {
	s := number(name, EntitiesPerSecond, maxRate, about, field)
	s.From = from
	return s
}

// wait is a time; the provenance is an assumption unless it is said otherwise.
func wait(name string, greatest time.Duration, about string, field func(*Model) *time.Duration) slot {
	return number(name, Duration, int64(greatest), about, func(m *Model) *int64 { return (*int64)(field(m)) })
}

func share(name string, greatest int64, about string, field func(*Model) *int64) slot {
	return number(name, Thousandths, greatest, about, field)
}

func number(name string, unit Unit, greatest int64, about string, field func(*Model) *int64) slot {
	p := Parameter{Name: name, Unit: unit, Greatest: greatest, From: Assumed, About: about}
	return slot{Parameter: p, field: field}
}

func (s slot) least(value int64) slot { s.Least = value; return s }

func (s slot) atLeast(d time.Duration) slot { return s.least(int64(d)) }

func (s slot) documented() slot { s.From = FromDocuments; return s }

// admissionSlots are the parameters of partition, account, page and times.
func admissionSlots() []slot {
	return []slot{
		rate("partition_target", FromDocuments, "entities per second that one PartitionKey is held to; 0 is no limit",
			func(m *Model) *int64 { return &m.PartitionTarget }),
		rate("account_target", FromDocuments, "entities per second that one account is held to; 0 is no limit",
			func(m *Model) *int64 { return &m.AccountTarget }),
		wait("partition_burst", 10*time.Second, "allowance that an idle partition has saved up",
			func(m *Model) *time.Duration { return &m.PartitionBurst }).atLeast(time.Millisecond),
		wait("account_burst", 10*time.Second, "allowance that an idle account has saved up",
			func(m *Model) *time.Duration { return &m.AccountBurst }).atLeast(time.Millisecond),
		number("page_entities", Entities, 1000, "greatest number of entities in a page",
			func(m *Model) *int64 { return &m.PageEntities }).least(1).documented(),
		wait("page_time", 30*time.Second, "time after which a page ends",
			func(m *Model) *time.Duration { return &m.PageTime }).atLeast(time.Millisecond).documented(),
		rate("scan_rate", FromMeasurement, "entities that a query scans per second",
			func(m *Model) *int64 { return &m.ScanRate }).least(1),
		wait("round_trip", time.Minute, "network time of an attempt",
			func(m *Model) *time.Duration { return &m.RoundTrip }),
		wait("read_time", time.Minute, "mean time the service works on a point read",
			func(m *Model) *time.Duration { return &m.ReadTime }),
		wait("write_time", time.Minute, "mean time the service works on a write of one entity",
			func(m *Model) *time.Duration { return &m.WriteTime }),
		wait("entity_time", time.Minute, "time added by each further entity of a transaction",
			func(m *Model) *time.Duration { return &m.EntityTime }),
		wait("refusal_time", time.Minute, "time the service takes to refuse",
			func(m *Model) *time.Duration { return &m.RefusalTime }),
		share("time_spread", 2000, "coefficient of variation of read_time and write_time",
			func(m *Model) *int64 { return &m.TimeSpread }),
		wait("name_delay", time.Hour, "time for which the name of a deleted table cannot be used again",
			func(m *Model) *time.Duration { return &m.NameDelay }).documented(),
	}
}

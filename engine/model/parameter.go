package model

import (
	"fmt"
	"strconv"
	"time"
)

// Provenance says where a parameter's value comes from.
type Provenance string

// The provenances. A value that the user typed is an assumption of theirs.
const (
	FromDocuments   Provenance = "documented"
	FromMeasurement Provenance = "published measurement"
	Assumed         Provenance = "assumption"
)

// Parameter describes one number of a model, for a report or a check.
type Parameter struct {
	// Name is what a scenario calls it.
	Name string
	// Value is in Unit; durations are in nanoseconds.
	Value int64
	Unit  Unit
	// Least and Greatest bound the value.
	Least, Greatest int64
	// From is the provenance of the profile's own value.
	From Provenance
	// About is one line on what it does.
	About string
}

// Unit is what a parameter is counted in.
type Unit string

// The units.
const (
	EntitiesPerSecond Unit = "entities/s"
	Entities          Unit = "entities"
	Duration          Unit = "duration"
	Thousandths       Unit = "thousandths"
)

// Text returns the value as a person would type it.
func (p Parameter) Text() string { return p.text(p.Value) }

func (p Parameter) text(value int64) string {
	if p.Unit == Duration {
		return time.Duration(value).String()
	}
	return strconv.FormatInt(value, 10)
}

// slot ties a parameter's description to the field that holds it.
type slot struct {
	Parameter
	field func(*Model) *int64
}

const maxRate = 100_000_000

// slots lists the parameters in the order in which they are shown.
func slots() []slot {
	rate := func(name string, from Provenance, about string, field func(*Model) *int64) slot {
		return slot{Parameter{Name: name, Unit: EntitiesPerSecond, Greatest: maxRate, From: from, About: about}, field}
	}
	wait := func(name string, greatest time.Duration, about string, field func(*Model) *int64) slot {
		return slot{Parameter{Name: name, Unit: Duration, Greatest: int64(greatest), From: Assumed, About: about}, field}
	}
	least := func(s slot, value int64) slot { s.Least = value; return s }
	documented := func(s slot) slot { s.From = FromDocuments; return s }
	return []slot{
		rate("partition_target", FromDocuments, "entities per second that one PartitionKey is held to; 0 is no limit",
			func(m *Model) *int64 { return &m.PartitionTarget }),
		rate("account_target", FromDocuments, "entities per second that one account is held to; 0 is no limit",
			func(m *Model) *int64 { return &m.AccountTarget }),
		least(wait("partition_burst", 10*time.Second, "allowance that an idle partition has saved up",
			func(m *Model) *int64 { return (*int64)(&m.PartitionBurst) }), int64(time.Millisecond)),
		least(wait("account_burst", 10*time.Second, "allowance that an idle account has saved up",
			func(m *Model) *int64 { return (*int64)(&m.AccountBurst) }), int64(time.Millisecond)),
		{Parameter{Name: "page_entities", Unit: Entities, Least: 1, Greatest: 1000, From: FromDocuments,
			About: "greatest number of entities in a page"}, func(m *Model) *int64 { return &m.PageEntities }},
		documented(least(wait("page_time", 30*time.Second, "time after which a page ends",
			func(m *Model) *int64 { return (*int64)(&m.PageTime) }), int64(time.Millisecond))),
		least(rate("scan_rate", FromMeasurement, "entities that a query scans per second",
			func(m *Model) *int64 { return &m.ScanRate }), 1),
		wait("round_trip", time.Minute, "network time of an attempt",
			func(m *Model) *int64 { return (*int64)(&m.RoundTrip) }),
		wait("read_time", time.Minute, "mean time the service works on a point read",
			func(m *Model) *int64 { return (*int64)(&m.ReadTime) }),
		wait("write_time", time.Minute, "mean time the service works on a write of one entity",
			func(m *Model) *int64 { return (*int64)(&m.WriteTime) }),
		wait("entity_time", time.Minute, "time added by each further entity of a transaction",
			func(m *Model) *int64 { return (*int64)(&m.EntityTime) }),
		wait("refusal_time", time.Minute, "time the service takes to refuse",
			func(m *Model) *int64 { return (*int64)(&m.RefusalTime) }),
		{Parameter{Name: "time_spread", Unit: Thousandths, Greatest: 2000, From: Assumed,
			About: "coefficient of variation of read_time and write_time"},
			func(m *Model) *int64 { return &m.TimeSpread }},
	}
}

// Parameters returns every parameter with its present value. A value other than
// the profile's own is an assumption, whatever the profile's provenance was.
func (m *Model) Parameters() []Parameter {
	own, err := New(m.Profile)
	all := slots()
	list := make([]Parameter, len(all))
	for i, s := range all {
		list[i] = s.Parameter
		list[i].Value = *s.field(m)
		if err != nil || *s.field(own) != *s.field(m) {
			list[i].From = Assumed
		}
	}
	return list
}

// Names returns the names of the parameters in the order in which they are
// shown.
func Names() []string {
	all := slots()
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return names
}

// Set changes one parameter to the value that text spells: an integer, or a
// duration such as 3ms. It wraps [ErrUnknown] or [ErrValue] and then changes
// nothing.
func (m *Model) Set(name, text string) error {
	for _, s := range slots() {
		if s.Name != name {
			continue
		}
		value, err := s.parse(text)
		if err != nil {
			return err
		}
		if value < s.Least || value > s.Greatest {
			return fmt.Errorf("%w: %s is %s; it must be from %s to %s",
				ErrValue, name, text, s.text(s.Least), s.text(s.Greatest))
		}
		*s.field(m) = value
		return nil
	}
	return fmt.Errorf("%w: parameter %q", ErrUnknown, name)
}

func (p Parameter) parse(text string) (int64, error) {
	if p.Unit == Duration {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%w: %s is %q; it must be a duration such as 3ms", ErrValue, p.Name, text)
		}
		return int64(d), nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %s is %q; it must be a whole number of %s", ErrValue, p.Name, text, p.Unit)
	}
	return n, nil
}

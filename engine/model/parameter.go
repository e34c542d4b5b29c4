package model

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"loadgen/engine/nearest"
)

// Provenance says where a parameter's value comes from.
type Provenance string

// The provenances. A value that the user typed is an assumption of theirs.
const (
	FromDocuments   Provenance = "documented"
	FromMeasurement Provenance = "published measurement"
	Assumed         Provenance = "assumption"
	// Calibrated is that of a value from a profile file.
	Calibrated Provenance = "measured"
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
	// Words are the names of the values from 0 of a [Choice]; both are accepted.
	Words []string
}

// Unit is what a parameter is counted in.
type Unit string

// The units.
const (
	EntitiesPerSecond Unit = "entities/s"
	Entities          Unit = "entities"
	Duration          Unit = "duration"
	Thousandths       Unit = "thousandths"
	BytesPerSecond    Unit = "bytes/s"
	Bytes             Unit = "bytes"
	Servers           Unit = "servers"
	Ranges            Unit = "ranges"
	Machines          Unit = "machines"
	Choice            Unit = "choice"
)

// Text returns the value as a person would type it.
func (p Parameter) Text() string { return p.text(p.Value) }

// Bounds returns the least and the greatest value as a person would type them.
func (p Parameter) Bounds() (least, greatest string) { return p.text(p.Least), p.text(p.Greatest) }

func (p Parameter) text(value int64) string {
	if p.Unit == Duration {
		return time.Duration(value).String()
	}
	return strconv.FormatInt(value, 10)
}

// Parameters returns every parameter with its present value, whether or not a
// run rests on it. A value other than the profile's own is an assumption,
// whatever the profile's provenance was.
func (m *Model) Parameters() []Parameter {
	return m.list(func(slot) bool { return true })
}

// ParametersOf returns the parameters that a run of that start ([Warm] or
// [Cold]) rests on, as [Model.Parameters] has them and in the same order.
func (m *Model) ParametersOf(start string) []Parameter {
	return m.list(func(s slot) bool {
		switch s.scope {
		case ifSet:
			return *s.field != 0
		case onLine:
			return m.ClientBandwidth > 0
		case onLoss:
			return m.PacketLoss > 0
		case whenCold:
			return start == Cold
		case whenColdOrSet:
			return start == Cold || *s.field != 0
		case whenServers:
			return start == Cold || m.BoundsServers()
		case whenIdle:
			return start == Cold || m.Idle.Headroom > thousand
		default:
			return true
		}
	})
}

func (m *Model) list(wanted func(slot) bool) []Parameter {
	own, err := New(m.Profile)
	if err != nil {
		own = &Model{}
	}
	profile := own.slots()
	var list []Parameter
	for i, s := range m.slots() {
		if !wanted(s) {
			continue
		}
		p := s.Parameter
		p.Value = *s.field
		switch {
		case err != nil || *profile[i].field != p.Value:
			p.From = Assumed
		case m.Profile == Measured2010 && slices.Contains(fitted2010, p.Name):
			p.From = FromMeasurement
		}
		list = append(list, p)
	}
	return list
}

// fitted2010 are the parameters that the profile [Measured2010] has fitted to measurements.
var fitted2010 = []string{"account_target", "headroom", "pipeline_request", "pipeline_entity", "write_time", "entity_time",
	"pending_low", "pending_high", "pending_drop"}

// Names returns the names of the parameters in the order in which they are
// shown.
func Names() []string {
	all := new(Model).slots()
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return names
}

// ClientNames returns the names of the parameters that are of the clients' own network, in
// their order: a service that others send to has none of them.
func ClientNames() []string {
	return []string{"client_bandwidth", "client_machines", "packet_loss", "retransmit_time"}
}

// renamed are pairs of a former name of a parameter and its name now.
var renamed = [...][2]string{
	{"refusal_time", "throttle_time"},
	{"overload_refusals", "overload_throttled"},
	{"offline_refusals", "offline_throttled"},
}

// Set changes one parameter to the value that text spells: an integer, or a
// duration such as 3ms; [RegionName] to one of [Regions]. It wraps [ErrUnknown] or [ErrValue] and then changes
// nothing.
func (m *Model) Set(name, text string) error {
	if name == RegionName {
		for _, r := range Regions() {
			if r.Name == text {
				m.Region, m.RoundTrip = text, r.RoundTrip
				return nil
			}
		}
		return nearest.Faultf(ErrValue, "%s", nearest.Unknown(RegionName, text, RegionNames()))
	}
	for _, s := range m.slots() {
		if s.Name != name {
			continue
		}
		value, err := s.parse(text)
		if err != nil {
			return err
		}
		if value < s.Least || value > s.Greatest {
			return nearest.Faultf(ErrValue, "%s is %s; expected %s to %s",
				name, text, s.text(s.Least), s.text(s.Greatest))
		}
		*s.field = value
		return nil
	}
	for _, one := range renamed {
		if one[0] == name {
			return nearest.Faultf(ErrValue, "%s is called %s now; expected that name", name, one[1])
		}
	}
	return fmt.Errorf("%w: parameter %q", ErrUnknown, name)
}

func (p Parameter) parse(text string) (int64, error) {
	if at := slices.Index(p.Words, text); at >= 0 {
		return int64(at), nil
	}
	if p.Unit == Duration {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, nearest.Faultf(ErrValue, "%s is %q; expected a duration such as 3ms", p.Name, text)
		}
		return int64(d), nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && p.Unit == Choice {
		return 0, nearest.Faultf(ErrValue, "%s", nearest.Unknown(p.Name, text, p.Words))
	}
	if err != nil {
		return 0, nearest.Faultf(ErrValue, "%s is %q; expected whole %s", p.Name, text, p.Unit)
	}
	return n, nil
}

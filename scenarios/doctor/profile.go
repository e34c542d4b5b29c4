package doctor

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"loadgen/engine/model"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// profileVersion is that of the format.
const profileVersion = 1

// The kinds of host.
const (
	ServiceProfile  = "service"
	EmulatorProfile = "emulator"
	UnknownProfile  = "unknown"
)

// Profile is what was measured of a table service.
type Profile struct {
	// At is the host, Kind one of [ServiceProfile], [EmulatorProfile] and [UnknownProfile], Server what it calls
	// itself, empty where it does not.
	At, Kind, Server string
	// On is when it was measured, in UTC, and Lasted how long that took.
	On     time.Time
	Lasted time.Duration
	// Requests, Throttled and Failed count attempts, Entities what they touched by the
	// documented rule, Sent and Received bytes.
	Requests, Throttled, Failed, Entities, Sent, Received int64
	// Base is the profile of the model that has what was not measured.
	Base string
	// Values are parameters of the model, Figures what no parameter of it takes.
	Values, Figures []ProfileValue
	// Unlearnt is what could not be learnt.
	Unlearnt []ProfileGap
}

// ProfileValue is something that was measured.
type ProfileValue struct {
	// Name is a parameter of the model, or that of a figure.
	Name string `json:"name" col:""`
	// Value is as the model takes it: a whole number, or a duration. The truth lies from Low
	// to High with a confidence of 95 %.
	Value string `json:"value" col:"|text"`
	Low   string `json:"low" col:"from|text"`
	High  string `json:"high" col:"to|text"`
	// Samples is how many attempts, or trials, it rests on.
	Samples int64 `json:"samples" col:""`
	// By is how it was measured.
	By string `json:"by" col:""`
}

// ProfileGap is something that could not be learnt.
type ProfileGap struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Parameter returns a value of the model by its name, and false where it was not measured.
func (p *Profile) Parameter(name string) (ProfileValue, bool) { return find(p.Values, name) }

// Figure returns a figure by its name, and false where it was not measured.
func (p *Profile) Figure(name string) (ProfileValue, bool) { return find(p.Figures, name) }

func find(list []ProfileValue, name string) (ProfileValue, bool) {
	for _, one := range list {
		if one.Name == name {
			return one, true
		}
	}
	return ProfileValue{}, false
}

// Duration returns a value that is a duration, 0 of any other.
func (v ProfileValue) Duration() time.Duration {
	d, err := time.ParseDuration(v.Value)
	if err != nil {
		return 0
	}
	return d
}

// Whole returns a value that is a whole number, 0 of any other.
func (v ProfileValue) Whole() int64 {
	n, err := strconv.ParseInt(v.Value, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// amount reads a whole number, or a duration in nanoseconds.
func amount(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	d, err := time.ParseDuration(text)
	return int64(d), err == nil
}

// Measured returns the profile as a scenario has it; file is what it is called.
func (p *Profile) Measured(file string) *scenarios.Measured {
	m := &scenarios.Measured{File: file, At: p.At, On: p.On.UTC().Format(time.DateOnly)}
	for _, v := range p.Values {
		m.Values = append(m.Values, scenarios.Override{Name: v.Name, Text: v.Value})
	}
	return m
}

// heading begins every file.
const heading = `# What loadgen calibrate has measured of a table service. Use it with --profile FILE.
# Each value lies from low to high with a confidence of 95 %; what is under unlearnt, and
# every parameter of the model that is not under values, is that of the base profile.
`

// Text returns the file.
func (p *Profile) Text() []byte {
	copied, version := *p, profileVersion
	copied.On = copied.On.UTC().Truncate(time.Second)
	return append([]byte(heading), fields.PrintTree(binding(&copied, &version).Write())...)
}

// The greatest numbers of a profile.
const (
	mostValues = 200
	mostCount  = 1 << 60
	longest    = 30 * 24 * time.Hour
)

// binding ties the file to a profile.
func binding(p *Profile, version *int) fields.Object {
	count := func(name string, into *int64) fields.Field {
		return fields.Field{Name: name, Value: fields.Whole[int64]{Into: into, Most: mostCount}, Required: true}
	}
	return fields.Object{What: "a profile", Fields: []fields.Field{
		{Name: versionField, Value: fields.Whole[int]{Into: version, Least: profileVersion, Most: profileVersion}, Required: true},
		{Name: "host", Value: text(&p.At), Required: true},
		{Name: "kind", Value: fields.Choice{Into: &p.Kind, What: "kind of host", Of: []string{ServiceProfile, EmulatorProfile, UnknownProfile}}, Required: true},
		{Name: "server", Value: text(&p.Server), Required: true},
		{Name: "date", Required: true, Value: fields.Single[time.Time]{
			Into: &p.On, Expected: "an instant such as 2026-11-25T18:30:00Z", Quotes: true,
			Written: func(t time.Time) string { return t.Format(time.RFC3339) },
			Parse: func(text string) (time.Time, bool) {
				t, err := time.Parse(time.RFC3339, text)
				return t.UTC(), err == nil && t.Year() >= 2000 && t.Year() < 2200
			}}},
		{Name: "lasted", Value: fields.Duration{Into: &p.Lasted, Most: longest}, Required: true},
		count("requests", &p.Requests), count("throttled", &p.Throttled), count("failed", &p.Failed),
		count("entities", &p.Entities), count("bytes_sent", &p.Sent), count("bytes_received", &p.Received),
		{Name: "base", Value: fields.Choice{Into: &p.Base, What: "profile", Of: model.Profiles()}, Required: true},
		{Name: "values", Value: values(&p.Values, parameter)},
		{Name: "figures", Value: values(&p.Figures, nil)},
		{Name: "unlearnt", Value: fields.ListOf[ProfileGap]{Into: &p.Unlearnt, Most: mostValues, What: "unlearnt values",
			Bind: func(g *ProfileGap) fields.Binding {
				return fields.Object{What: "a gap", Fields: []fields.Field{{Name: "what", Value: text(&g.What), Required: true}, {Name: "why", Value: text(&g.Why), Required: true}}}
			}}},
	}}
}

// versionField names the version, by which a profile is told from another file.
const versionField = "loadgen_profile"

// values binds a list of values; check, where set, says what is wrong with a field of one of them.
func values(into *[]ProfileValue, check func(ProfileValue) (field string, err error)) fields.Binding {
	return fields.ListOf[ProfileValue]{Into: into, Most: mostValues, What: "values", Bind: func(v *ProfileValue) fields.Binding {
		return fields.Object{What: "a value", Fields: []fields.Field{
			{Name: "name", Value: text(&v.Name), Required: true},
			{Name: "value", Value: text(&v.Value), Required: true},
			{Name: "low", Value: text(&v.Low), Required: true},
			{Name: "high", Value: text(&v.High), Required: true},
			{Name: "samples", Value: fields.Whole[int64]{Into: &v.Samples, Least: 1, Most: mostCount}, Required: true},
			{Name: "by", Value: text(&v.By), Required: true},
		}, Then: func(r *fields.Reader, path string, n *fields.Node) {
			if check == nil || len(r.Faults) > 0 {
				return
			}
			if field, err := check(*v); err != nil {
				r.Fault(n.Find(field).At, fields.Child(path, field), "%v", err)
			}
		}}
	}}
}

// longestText is how long a text of a profile may be, in bytes.
const longestText = 500

// control are characters that no text of a profile has: it is shown on terminals.
var control = regexp.MustCompile(`[\x00-\x1f\x7f-\x9f]`)

func text(into *string) fields.Text {
	return fields.Text{Into: into, Expected: fmt.Sprintf("a line of up to %d bytes", longestText),
		Allow: func(s string) bool { return len(s) <= longestText && !control.MatchString(s) }}
}

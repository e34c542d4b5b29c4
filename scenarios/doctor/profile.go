package doctor

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"loadgen/engine/model"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// profileVersion is the version of the format.
const profileVersion = 1

// The kinds of host.
const (
	ServiceProfile  = "service"
	EmulatorProfile = "emulator"
	UnknownProfile  = "unknown"
)

// Profile is the result of measuring a table service.
type Profile struct {
	// At is the host, Kind one of [ServiceProfile], [EmulatorProfile] and [UnknownProfile], Server
	// the service's name for itself.
	At, Kind, Server string
	// On is the start in UTC, Lasted the duration.
	On     time.Time
	Lasted time.Duration
	// The attempts, the entities counted by the documented rule, and bytes.
	Requests, Throttled, Failed, Entities, Sent, Received int64
	// Base is the model's profile for values that were not measured.
	Base string
	// Values are model parameters, Figures other measurements.
	Values, Figures []ProfileValue
	Unlearnt        []ProfileGap
}

// ProfileValue is a measurement.
type ProfileValue struct {
	// Name is a model parameter or a figure.
	Name string `json:"name" col:""`
	// Value is a whole number or a duration. Low and High are its 95% interval.
	Value string `json:"value" col:"|text"`
	Low   string `json:"low" col:"from|text"`
	High  string `json:"high" col:"to|text"`
	// Samples is the number of attempts or trials.
	Samples int64 `json:"samples" col:""`
	// By is the method.
	By string `json:"by" col:""`
}

// ProfileGap is a value that was not measured.
type ProfileGap struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Parameter returns a model value, false if it was not measured.
func (p *Profile) Parameter(name string) (ProfileValue, bool) {
	at := slices.IndexFunc(p.Values, func(v ProfileValue) bool { return v.Name == name })
	if at < 0 {
		return ProfileValue{}, false
	}
	return p.Values[at], true
}

// Int64 returns a whole number, 0 for other values.
func (v ProfileValue) Int64() int64 {
	n, err := strconv.ParseInt(v.Value, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// amount parses a whole number, or a duration in nanoseconds.
func amount(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	d, err := time.ParseDuration(text)
	return int64(d), err == nil
}

// Measured returns the profile for a scenario; file is its name.
func (p *Profile) Measured(file string) *scenarios.Measured {
	m := &scenarios.Measured{File: file, At: p.At, On: p.On.UTC().Format(time.DateOnly)}
	for _, v := range p.Values {
		m.Values = append(m.Values, scenarios.Override{Name: v.Name, Text: v.Value})
	}
	return m
}

// heading is the start of every file.
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

// Bounds of a profile.
const (
	maxValues = 200
	maxCount  = 1 << 60
	longest   = 30 * 24 * time.Hour
)

// binding binds the file to a profile.
func binding(p *Profile, version *int) fields.Object {
	count := func(name string, into *int64) fields.Field {
		return fields.Field{Name: name, Value: fields.Whole[int64]{Into: into, Most: maxCount}, Required: true}
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
		{Name: "unlearnt", Value: fields.ListOf[ProfileGap]{Into: &p.Unlearnt, Most: maxValues, What: "unlearnt values",
			Bind: func(g *ProfileGap) fields.Binding {
				return fields.Object{What: "a gap", Fields: []fields.Field{{Name: "what", Value: text(&g.What), Required: true}, {Name: "why", Value: text(&g.Why), Required: true}}}
			}}},
	}}
}

// versionField is the name of the version, which identifies a profile.
const versionField = "loadgen_profile"

// values binds a list of values; check, if set, validates one of them.
func values(into *[]ProfileValue, check func(ProfileValue) (field string, err error)) fields.Binding {
	return fields.ListOf[ProfileValue]{Into: into, Most: maxValues, What: "values", Bind: func(v *ProfileValue) fields.Binding {
		return fields.Object{What: "a value", Fields: []fields.Field{
			{Name: "name", Value: text(&v.Name), Required: true},
			{Name: "value", Value: text(&v.Value), Required: true},
			{Name: "low", Value: text(&v.Low), Required: true},
			{Name: "high", Value: text(&v.High), Required: true},
			{Name: "samples", Value: fields.Whole[int64]{Into: &v.Samples, Least: 1, Most: maxCount}, Required: true},
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

// maxTextBytes is the maximum length of a text in bytes.
const maxTextBytes = 500

// control are characters that a terminal must not get.
var control = regexp.MustCompile(`[\x00-\x1f\x7f-\x9f]`)

func text(into *string) fields.Text {
	return fields.Text{Into: into, Expected: fmt.Sprintf("a line of up to %d bytes", maxTextBytes),
		Allow: func(s string) bool { return len(s) <= maxTextBytes && !control.MatchString(s) }}
}

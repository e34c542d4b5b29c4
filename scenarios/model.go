package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine"
	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/engine/wire"
	"loadgen/scenarios/fields"
)

// PartitionModel returns the partition model that the scenario asks for. The error joins
// what is wrong with its parameters.
func (s *Scenario) PartitionModel() (*model.Model, error) {
	m, err := s.Model.built()
	if err != nil {
		return nil, err
	}
	return m, errors.Join(m.Validate()...)
}

// network checks what the clients' line is made of: that it carries an entity a second, and
// that there is one where machines share it.
func (c *checker) network() {
	const bandwidth, machines = "model.client_bandwidth", "model.client_machines"
	m, err := c.Model.built()
	if err != nil || !c.sound("model") {
		return
	}
	least := int64(wire.InsertHead)
	if c.Entity.Filler != "" {
		// By the billing rule each letter of a text counts two bytes.
		least += int64(c.Entity.Size) / 2
	}
	switch {
	case m.ClientBandwidth == 0 && m.ClientMachines > 1:
		c.add(machines, "%d machines need a limit; expected client_bandwidth, too", m.ClientMachines)
	case m.ClientBandwidth > 0 && m.ClientBandwidth < least:
		c.add(bandwidth, "client_bandwidth of %d bytes/s carries no entity a second; expected at least %d",
			m.ClientBandwidth, least)
	}
}

// faults checks what follows from several faults together.
func (c *checker) faults() {
	if len(c.Faults) == 0 || !c.sound("faults", "phases") {
		return
	}
	lasts := time.Duration(0)
	for i := range c.Phases {
		if t := c.Phases[i].Traffic; t != nil && (t.Count > 0 || t.Lasts() == 0) {
			lasts = 0
			break
		} else if t != nil {
			lasts += t.Lasts()
		}
	}
	if lasts == 0 {
		lasts = UntilTheEnd
	}
	CheckFaults(c.Faults, lasts, func(place int, what string) { c.add(fmt.Sprintf("faults.%d", place), "%s", what) })
}

// hostOfFaults is what a list of faults is read into that belongs to no scenario.
const hostOfFaults = `{name: serve, attributes: {n: {sequence: 1}}, design: {partition_key: "{n}", row_key: "{n}"},
  phases: [{name: none, load: {entities: 1}}]}`

// ServiceFaults returns the faults that a file has under the key faults, as in a scenario,
// nil without a file, with those of the settings that are about them, such as
// faults.0.share=2%; the other settings; and what each rule does, in words. The error is
// [fields.Faults].
func ServiceFaults(file string, settings []string) (plan *engine.FaultPlan, others, told []string, err error) {
	var own []Setting
	for _, one := range settings {
		if path, value, _ := strings.Cut(one, "="); fields.IsInside(path, faultsField) {
			own = append(own, Setting{path, value})
		} else {
			others = append(others, one)
		}
	}
	switch {
	case file == "" && len(own) > 0:
		return nil, others, nil, fields.Faults{{File: "--set " + own[0].String(), What: "there are no faults; expected a file, --faults"}}
	case file == "":
		return nil, others, nil, nil
	}
	text, err := textOf("", file)
	if err != nil {
		return nil, others, nil, fields.Faults{{File: "--faults", What: err.Error()}}
	}
	tree, wrong := fields.ReadTree(file, text)
	if len(wrong) > 0 {
		return nil, others, nil, wrong.ErrorOrNil()
	}
	var read []engine.FaultRule
	r := new(fields.Reader)
	fields.Object{What: "a fault file", Fields: []fields.Field{{Name: faultsField, Value: FaultsBinding(&read), Required: true}}}.Read(r, "", tree)
	if err := r.Faults.ErrorOrNil(); err != nil {
		return nil, others, nil, err
	}
	host, wrong := fields.ReadTree("", []byte(hostOfFaults))
	if len(wrong) > 0 {
		panic("scenarios: faults are not YAML: " + wrong.Error())
	}
	host.Replace([]string{faultsField}, tree.Find(faultsField), fields.Place{File: file})
	s, wrong := decode(host)
	wrong = append(wrong, s.check(wrong)...)
	if len(own) > 0 {
		if err := s.SetAll(own); err != nil {
			return nil, others, nil, err
		}
		// What is set can mend what the file has.
		wrong = s.check(nil)
	}
	if err := wrong.ErrorOrNil(); err != nil {
		return nil, others, nil, err
	}
	for i := range s.Faults {
		told = append(told, DescribeFault(&s.Faults[i]))
	}
	return &engine.FaultPlan{Rules: s.Faults}, others, told, nil
}

// faultsField is the key of what goes wrong on purpose.
const faultsField = "faults"

// modelValue is the map of model parameters: the profile, and whatever departs
// from it.
type modelValue struct{ into *Model }

const (
	profileField  = "profile"
	measuredField = "measured"
	roundTrip     = "round_trip"
)

// Binding implements [fields.Bound].
func (m *Model) Binding() fields.Binding { return modelValue{m} }

func (v modelValue) Read(r *fields.Reader, path string, n *fields.Node) {
	read := Model{Profile: v.into.Profile}
	for at, e := range r.Entries(path, n, "a profile and parameters, such as {profile: documented, partition_target: 2000}") {
		switch e.Key {
		case profileField:
			profileValue(&read.Profile).Read(r, at, e.Value)
		case measuredField:
			measuredOf(&read.Measured).Read(r, at, e.Value)
		default:
			override(r, at, e, &read.Overrides)
		}
	}
	if own := n.Find(roundTrip); own != nil && n.Find(model.RegionName) != nil {
		r.Fault(own.At, fields.Child(path, roundTrip), "%s gives the round trip, too; expected one", fields.Child(path, model.RegionName))
	}
	*v.into = read
}

func profileValue(into *string) fields.Choice {
	return fields.Choice{Into: into, What: "profile", Of: model.Profiles()}
}

// override reads one parameter. That it can be set at all is the model's to say,
// and does not depend on the profile.
func override(r *fields.Reader, path string, e fields.Entry, into *[]Override) {
	m := documented()
	if err := m.Set(e.Key, ""); errors.Is(err, model.ErrUnknown) {
		r.Fault(e.At, path, "%s", nearest.Unknown("model parameter", e.Key, append([]string{profileField, measuredField, model.RegionName}, model.Names()...)))
		return
	}
	o := Override{Name: e.Key}
	before := len(r.Faults)
	fields.Text{Into: &o.Text}.Read(r, path, e.Value)
	if len(r.Faults) > before {
		return
	}
	if err := m.Set(o.Name, o.Text); err != nil {
		r.Fault(e.Value.At, path, "%s", nearest.What(err))
		return
	}
	*into = append(*into, o)
}

func (v modelValue) Write() *fields.Node {
	n := &fields.Node{Kind: fields.Dict, Entries: []fields.Entry{{Key: profileField, Value: fields.TextNode(v.into.Profile)}}}
	if v.into.Measured != nil {
		n.Entries = append(n.Entries, fields.Entry{Key: measuredField, Value: measuredOf(&v.into.Measured).Write()})
	}
	n.Entries = append(n.Entries, entriesOf(v.into.Overrides)...)
	return n
}

// Schema returns the profile and every parameter with its bounds. A parameter is
// read as a text, and may stand in quotes.
func (v modelValue) Schema() *fields.Schema {
	profile := profileValue(nil).Schema()
	profile.Description = "The base parameter set."
	profile.Default = fields.JSONText(model.Documented)
	s := &fields.Schema{Called: "model", Type: fields.Types{"object"}, Additional: false, Properties: fields.Properties{{Name: profileField, Value: profile}}}
	region := &fields.Schema{Enum: model.RegionNames(), Description: "The clients' location, which sets round_trip."}
	measured := measuredOf(new(*Measured)).Schema()
	measured.Description = "Measured parameters from a profile file, which take precedence; --profile FILE writes it."
	s.Properties = append(s.Properties, fields.Property{Name: measuredField, Value: measured}, fields.Property{Name: model.RegionName, Value: region})
	for _, p := range documented().Parameters() {
		one := fields.Numeric("integer", strconv.FormatInt(p.Least, 10), strconv.FormatInt(p.Greatest, 10))
		one.Type = fields.Types{"integer", "string"}
		one.Pattern = wholeText.String()
		if len(p.Words) > 0 {
			one.Pattern = "^([0-9]+|" + strings.Join(p.Words, "|") + ")$"
		}
		if p.Unit == model.Duration {
			one.OrZero()
			one.Pattern = fields.DurationForm.String()
		}
		one.Description = fields.Sentence(p.About)
		s.Properties = append(s.Properties, fields.Property{Name: p.Name, Value: one})
	}
	return s
}

var wholeText = regexp.MustCompile(`^[-+]?[0-9]+$`)

// Measured is what a profile file says of a service: parameters with the values that were
// measured there.
type Measured struct {
	_ struct{} `object:"what was measured"`
	// File is the name of the profile file, At the service, On the day, as 2006-01-02.
	File   string     `yaml:"file,required" says:"The profile's name."`
	At     string     `yaml:"host,required" says:"The measured service."`
	On     string     `yaml:"date,required" says:"The day measured."`
	Values []Override `yaml:"values,required" says:"The parameters measured." form:"parameters"`
}

// String names it as reports do.
func (m *Measured) String() string {
	return fmt.Sprintf("%s, measured at %s on %s", m.File, m.At, m.On)
}

// Name is what reports call the model's parameters: the profile that they start from, or the
// file of those that were measured.
func (m *Model) Name() string {
	if m.Measured != nil {
		return m.Measured.String()
	}
	return m.Profile
}

// built returns the model with all that changes it, unvalidated.
func (m *Model) built() (*model.Model, error) {
	built, err := model.New(m.Profile)
	if err != nil {
		return nil, err
	}
	var measured []Override
	if m.Measured != nil {
		measured = m.Measured.Values
	}
	for _, o := range slices.Concat(measured, m.Overrides) {
		if err := built.Set(o.Name, o.Text); err != nil {
			return nil, err
		}
	}
	return built, nil
}

// UseMeasured replaces a profile of the model by measured values; base is the one
// that has everything else. What the scenario sets itself stays.
func (s *Scenario) UseMeasured(base string, measured *Measured) {
	s.Model.Profile, s.Model.Measured = base, measured
}

// measuredOf binds what was measured.
func measuredOf(into **Measured) fields.Binding {
	return fields.Optional(into, bound[Measured])
}

// parametersValue is a map of parameters of the model.
type parametersValue struct{ into *[]Override }

// Read implements [fields.Binding].
func (v parametersValue) Read(r *fields.Reader, path string, n *fields.Node) {
	*v.into = nil
	for at, e := range r.Entries(path, n, "a map of parameters, such as {partition_target: 2000}") {
		override(r, at, e, v.into)
	}
}

// Write implements [fields.Binding].
func (v parametersValue) Write() *fields.Node {
	return &fields.Node{Kind: fields.Dict, Entries: entriesOf(*v.into)}
}

// Schema implements [fields.Binding].
func (v parametersValue) Schema() *fields.Schema {
	// The parameters are listed once, separately.
	return &fields.Schema{Type: fields.Types{"object"}, Additional: fields.Typed()}
}

// looksPlain is a number or duration, which needs no quotes.
var looksPlain = regexp.MustCompile(`^[0-9][0-9a-z.]*$`)

// entriesOf returns parameters as they are written.
func entriesOf(list []Override) []fields.Entry {
	var entries []fields.Entry
	for _, o := range list {
		value := fields.TextNode(o.Text)
		if looksPlain.MatchString(o.Text) {
			value = fields.PlainNode(o.Text)
		}
		entries = append(entries, fields.Entry{Key: o.Name, Value: value})
	}
	return entries
}

// documented returns the model of the documented profile, which is always there.
func documented() *model.Model {
	m, err := model.New(model.Documented)
	if err != nil {
		panic("scenarios: no documented profile: " + err.Error())
	}
	return m
}

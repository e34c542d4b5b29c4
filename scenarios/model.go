package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/fault"
	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/engine/wire/weight"
	"loadgen/scenarios/faults"
	"loadgen/scenarios/fields"
)

// PartitionModel returns the partition model that the scenario asks for. The error joins
// what is wrong with its parameters.
func (s *Scenario) PartitionModel() (*model.Model, error) {
	m, err := model.New(s.Model.Profile)
	if err != nil {
		return nil, err
	}
	for _, o := range s.Model.Overrides {
		if err := m.Set(o.Name, o.Text); err != nil {
			return nil, err
		}
	}
	return m, errors.Join(m.Validate()...)
}

// network checks what the clients' line is made of: that it carries an entity a second, and
// that there is one where machines share it.
func (c *checker) network() {
	const bandwidth, machines = "model.client_bandwidth", "model.client_machines"
	m, err := model.New(c.Model.Profile)
	if err != nil || !c.sound("model") {
		return
	}
	for _, o := range c.Model.Overrides {
		if m.Set(o.Name, o.Text) != nil {
			return
		}
	}
	least := int64(weight.InsertHead)
	if c.Entity.Filler != "" {
		// By the billing rule each letter of a text counts two bytes.
		least += int64(c.Entity.Size) / 2
	}
	switch {
	case m.ClientBandwidth == 0 && m.ClientMachines > 1:
		c.add(machines, "%d machines share a line without bounds, which one bears alone; expected client_bandwidth, too", m.ClientMachines)
	case m.ClientBandwidth > 0 && m.ClientBandwidth < least:
		c.add(bandwidth, "%d bytes/s carry less than one entity a second, whose request takes about %d bytes; expected at least as many",
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
		lasts = faults.Forever
	}
	faults.Check(c.Faults, lasts, func(place int, what string) { c.add(fmt.Sprintf("faults.%d", place), "%s", what) })
}

// hostOfFaults is what a list of faults is read into that belongs to no scenario.
const hostOfFaults = `{name: serve, attributes: {n: {sequence: 1}}, design: {partition_key: "{n}", row_key: "{n}"},
  phases: [{name: none, load: {entities: 1}}]}`

// ServiceFaults returns the faults that a file has under the key faults, as in a scenario,
// nil where there is no file, with those of the settings that are about them, such as
// faults.0.share=2%; the other settings; and what each rule does, in words. The error is
// [Faults].
func ServiceFaults(file string, settings []string) (plan *fault.Plan, others, told []string, err error) {
	var own []string
	for _, one := range settings {
		if path, _, _ := strings.Cut(one, "="); fields.Within(path, faultsField) {
			own = append(own, one)
		} else {
			others = append(others, one)
		}
	}
	switch {
	case file == "" && len(own) > 0:
		return nil, others, nil, fields.Faults{{File: "--set " + own[0], What: "there are no faults to set; expected a file of them, --faults"}}
	case file == "":
		return nil, others, nil, nil
	}
	text, err := textOf(file)
	if err != nil {
		return nil, others, nil, fields.Faults{{File: "--faults", What: strings.TrimPrefix(err.Error(), "the scenario ")}}
	}
	rules, err := readFaults(file, text, own)
	if err != nil {
		return nil, others, nil, err
	}
	for i := range rules {
		told = append(told, faults.Describe(&rules[i]))
	}
	return &fault.Plan{Rules: rules}, others, told, nil
}

// readFaults reads the rules of a file, and then sets what of them is to be otherwise.
func readFaults(file string, text []byte, settings []string) ([]fault.Rule, error) {
	tree, wrong := fields.ReadTree(file, text)
	if len(wrong) > 0 {
		return nil, wrong.ErrorOrNil()
	}
	var read []fault.Rule
	r := new(fields.Reader)
	fields.Object{What: "a file of faults", Fields: []fields.Field{{Name: faultsField, Value: faults.List(&read), Required: true}}}.Read(r, "", tree)
	if err := r.Faults.ErrorOrNil(); err != nil {
		return nil, err
	}
	host, wrong := fields.ReadTree("", []byte(hostOfFaults))
	if len(wrong) > 0 {
		panic("scenarios: what faults are read into is no YAML: " + wrong.Error())
	}
	host.Replace([]string{faultsField}, tree.Find(faultsField), fields.Place{File: file})
	s, wrong := decode(host)
	wrong = append(wrong, s.check(wrong)...)
	for _, one := range settings {
		path, value, _ := strings.Cut(one, "=")
		if err := s.Set(path, value); err != nil {
			return nil, err
		}
	}
	if len(settings) > 0 {
		// What is set can mend what the file has.
		wrong = s.check(nil)
	}
	return s.Faults, wrong.ErrorOrNil()
}

// faultsField is the key of what goes wrong on purpose.
const faultsField = "faults"

// modelValue is the map of model parameters: the profile, and whatever departs
// from it.
type modelValue struct{ into *Model }

var _ fields.Binding = modelValue{}

const (
	profileField = "profile"
	roundTrip    = "round_trip"
)

func (v modelValue) Read(r *fields.Reader, path string, n *fields.Node) {
	if n.Kind != fields.Dict {
		r.Expect(n, path, "a map of a profile and parameters, such as {profile: documented, partition_target: 2000}")
		return
	}
	r.Once(path, n)
	read := Model{Profile: v.into.Profile}
	if profile := n.Find(profileField); profile != nil {
		fields.Choice{Into: &read.Profile, What: "profile", Of: model.Profiles()}.Read(r, fields.Child(path, profileField), profile)
	}
	for _, e := range n.Entries {
		if e.Key != profileField && n.Find(e.Key) == e.Value {
			v.override(r, fields.Child(path, e.Key), e, &read)
		}
	}
	if own := n.Find(roundTrip); own != nil && n.Find(model.RegionName) != nil {
		r.Fault(own.At, fields.Child(path, roundTrip), "%s gives the round trip, too; expected one of the two", fields.Child(path, model.RegionName))
	}
	*v.into = read
}

// override reads one parameter. That it can be set at all is the model's to say,
// and does not depend on the profile.
func (v modelValue) override(r *fields.Reader, path string, e fields.Entry, into *Model) {
	m, err := model.New(model.Documented)
	if err != nil {
		panic("scenarios: the documented profile does not exist: " + err.Error())
	}
	if err := m.Set(e.Key, ""); errors.Is(err, model.ErrUnknown) {
		r.Fault(e.At, path, "%s", nearest.Unknown("model parameter", e.Key, append([]string{profileField, model.RegionName}, model.Names()...)))
		return
	}
	o := Override{Name: e.Key}
	before := len(r.Faults)
	fields.Text{Into: &o.Text}.Read(r, path, e.Value)
	if len(r.Faults) > before {
		return
	}
	if err := m.Set(o.Name, o.Text); err != nil {
		r.Fault(e.Value.At, path, "%s", strings.TrimPrefix(err.Error(), model.ErrValue.Error()+": "))
		return
	}
	into.Overrides = append(into.Overrides, o)
}

// looksPlain is a number or duration, which needs no quotes.
var looksPlain = regexp.MustCompile(`^[0-9][0-9a-z.]*$`)

func (v modelValue) Write() *fields.Node {
	n := &fields.Node{Kind: fields.Dict, Entries: []fields.Entry{{Key: profileField, Value: fields.TextNode(v.into.Profile)}}}
	for _, o := range v.into.Overrides {
		value := fields.TextNode(o.Text)
		if looksPlain.MatchString(o.Text) {
			value = fields.PlainNode(o.Text)
		}
		n.Entries = append(n.Entries, fields.Entry{Key: o.Name, Value: value})
	}
	return n
}

// Schema returns the profile and every parameter with its bounds. A parameter is
// read as a text, and may stand in quotes.
func (v modelValue) Schema() *fields.Schema {
	profile := fields.Choice{Into: &v.into.Profile, What: "profile", Of: model.Profiles()}.Schema()
	profile.Description = "The set of parameters to start from."
	profile.Default = fields.JSONText(model.Documented)
	s := &fields.Schema{Called: "model", Type: fields.Types{"object"}, Additional: false, Properties: fields.Properties{{Name: profileField, Value: profile}}}
	documented, err := model.New(model.Documented)
	if err != nil {
		panic("scenarios: the documented profile does not exist: " + err.Error())
	}
	region := fields.Choice{Into: new(string), What: model.RegionName, Of: model.RegionNames()}.Schema()
	region.Description = "Where the clients are, as seen from the account, which sets round_trip."
	s.Properties = append(s.Properties, fields.Property{Name: model.RegionName, Value: region})
	for _, p := range documented.Parameters() {
		s.Properties = append(s.Properties, fields.Property{Name: p.Name, Value: parameterSchema(p)})
	}
	return s
}

var wholeText = regexp.MustCompile(`^[-+]?[0-9]+$`)

func parameterSchema(p model.Parameter) *fields.Schema {
	least, most := strconv.FormatInt(p.Least, 10), strconv.FormatInt(p.Greatest, 10)
	s := fields.Numeric("integer", least, most)
	s.Type = fields.Types{"integer", "string"}
	s.Pattern = wholeText.String()
	if p.Unit == model.Duration {
		s.OrZero()
		s.Pattern = fields.DurationForm.String()
	}
	s.Description = fields.Sentence(p.About)
	return s
}

package scenarios

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"loadgen/engine/model"
	"loadgen/engine/nearest"
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

// modelValue is the map of model parameters: the profile, and whatever departs
// from it.
type modelValue struct{ into *Model }

var _ binding = modelValue{}

const profileField = "profile"

func (v modelValue) read(r *reader, path string, n *node) {
	if n.kind != dict {
		r.expect(n, path, "a map of a profile and parameters, such as {profile: documented, partition_target: 2000}")
		return
	}
	r.once(path, n)
	read := Model{Profile: v.into.Profile}
	if profile := n.find(profileField); profile != nil {
		choiceValue{&read.Profile, "profile", model.Profiles()}.read(r, child(path, profileField), profile)
	}
	for _, e := range n.entries {
		if e.key != profileField && n.find(e.key) == e.value {
			v.override(r, child(path, e.key), e, &read)
		}
	}
	*v.into = read
}

// override reads one parameter. That it can be set at all is the model's to say,
// and does not depend on the profile.
func (v modelValue) override(r *reader, path string, e entry, into *Model) {
	m, err := model.New(model.Documented)
	if err != nil {
		panic("scenarios: the documented profile does not exist: " + err.Error())
	}
	known := false
	for _, name := range model.Names() {
		known = known || name == e.key
	}
	if !known {
		r.fault(e.at, path, "%s", nearest.Unknown("model parameter", e.key, append([]string{profileField}, model.Names()...)))
		return
	}
	o := Override{Name: e.key}
	before := len(r.faults)
	textValue{into: &o.Text}.read(r, path, e.value)
	if len(r.faults) > before {
		return
	}
	if err := m.Set(o.Name, o.Text); err != nil {
		r.fault(e.value.at, path, "%s", strings.TrimPrefix(err.Error(), model.ErrValue.Error()+": "))
		return
	}
	into.Overrides = append(into.Overrides, o)
}

// looksPlain is a number or duration, which needs no quotes.
var looksPlain = regexp.MustCompile(`^[0-9][0-9a-z.]*$`)

func (v modelValue) write() *node {
	n := &node{kind: dict, entries: []entry{{key: profileField, value: text(v.into.Profile)}}}
	for _, o := range v.into.Overrides {
		value := text(o.Text)
		if looksPlain.MatchString(o.Text) {
			value = plain(o.Text)
		}
		n.entries = append(n.entries, entry{key: o.Name, value: value})
	}
	return n
}

// schema returns the profile and every parameter with its bounds. A parameter is
// read as a text, and may stand in quotes.
func (v modelValue) schema() *schema {
	profile := choiceValue{&v.into.Profile, "profile", model.Profiles()}.schema()
	profile.Description = "The set of parameters to start from."
	profile.Default = jsonText(model.Documented)
	s := &schema{called: "model", Type: types{"object"}, Additional: false, Properties: properties{{profileField, profile}}}
	documented, err := model.New(model.Documented)
	if err != nil {
		panic("scenarios: the documented profile does not exist: " + err.Error())
	}
	for _, p := range documented.Parameters() {
		s.Properties = append(s.Properties, property{p.Name, parameterSchema(p)})
	}
	return s
}

var wholeText = regexp.MustCompile(`^[-+]?[0-9]+$`)

func parameterSchema(p model.Parameter) *schema {
	least, most := strconv.FormatInt(p.Least, 10), strconv.FormatInt(p.Greatest, 10)
	s := numeric("integer", least, most)
	s.Type = types{"integer", "string"}
	s.Pattern = wholeText.String()
	if p.Unit == model.Duration {
		s.orZero()
		s.Pattern = durationForm.String()
	}
	s.Description = sentence(p.About)
	return s
}

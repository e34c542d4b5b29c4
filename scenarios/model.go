package scenarios

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"loadgen/engine/model"
	"loadgen/engine/nearest"
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

// modelValue is the map of model parameters: the profile, and whatever departs
// from it.
type modelValue struct{ into *Model }

var _ fields.Binding = modelValue{}

const profileField = "profile"

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
		r.Fault(e.At, path, "%s", nearest.Unknown("model parameter", e.Key, append([]string{profileField}, model.Names()...)))
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

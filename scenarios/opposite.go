package scenarios

import (
	"fmt"
	"regexp"
	"slices"
)

// Opposite turns a lesson into what it warns of: the same scenario with some values
// set otherwise, under which at least one of its expectations fails.
type Opposite struct {
	// About says what is done wrong.
	About string
	// Set are the values, each for a path as [Scenario.Set] takes it, in the order of
	// the file.
	Set []Setting
}

// Setting is another value for what stands at a path.
type Setting struct{ Path, Value string }

// String returns the setting as path=value.
func (s Setting) String() string { return s.Path + "=" + s.Value }

const maxSettings = 50

func (o *Opposite) binding() binding {
	return object{what: "opposite", fields: []field{
		{name: "about", says: "What is done wrong.",
			value: longText(&o.About, 10_000), required: true},
		{name: "set", says: "The other values, each under a path such as phases.peak.each.",
			value: settingsValue{&o.Set}, required: true},
	}}
}

// settingsValue is a map from paths to values.
type settingsValue struct{ into *[]Setting }

var _ binding = settingsValue{}

func (v settingsValue) read(r *reader, path string, n *node) {
	if n.kind != dict || len(n.entries) == 0 || len(n.entries) > maxSettings {
		r.expect(n, path, fmt.Sprintf("a map from paths to values, 1 to %d, such as {use: by-hour}", maxSettings))
		return
	}
	r.once(path, n)
	var read []Setting
	for _, e := range n.entries {
		one := Setting{Path: e.key}
		if e.value.kind == list || e.value.kind == dict {
			one.Value = inline(quoted(e.value))
		} else {
			textValue{into: &one.Value}.read(r, child(path, e.key), e.value)
		}
		read = append(read, one)
	}
	*v.into = read
}

// bare is what reads the same with and without quotes around it, in a list too.
var bare = regexp.MustCompile(`^[0-9A-Za-z_.%-]+$`)

// quoted returns a value whose texts stand in quotes where they need them on one line.
func quoted(n *node) *node {
	other := *n
	other.quoted = n.quoted || n.kind == scalar && !bare.MatchString(n.text)
	other.items, other.entries = nil, nil
	for _, item := range n.items {
		other.items = append(other.items, quoted(item))
	}
	for _, e := range n.entries {
		other.entries = append(other.entries, entry{key: e.key, at: e.at, value: quoted(e.value)})
	}
	return &other
}

func (v settingsValue) write() *node {
	n := &node{kind: dict}
	for _, one := range *v.into {
		n.entries = append(n.entries, entry{key: one.Path, value: text(one.Value)})
	}
	return n
}

// Opposed returns the scenario with the values of its opposite, nil where it has
// none. The error is [Faults].
func (s *Scenario) Opposed() (*Scenario, error) {
	if s.Opposite == nil {
		return nil, nil
	}
	opposed, _ := decode(s.encode())
	for _, one := range s.Opposite.Set {
		if err := opposed.Set(one.Path, one.Value); err != nil {
			return nil, err
		}
	}
	return opposed, nil
}

// opposite checks that what turns the lesson round can be set, and is a scenario.
func (c *checker) opposite() {
	if c.Opposite == nil || len(c.before) > 0 || len(c.found) > 0 {
		return
	}
	opposed, err := c.Opposed()
	if err == nil {
		// Of an opposite of an opposite nobody asks.
		opposed.Opposite = nil
		err = Faults(opposed.check(nil)).errorOrNil()
	}
	faults, _ := err.(Faults)
	for _, fault := range slices.Clone(faults) {
		c.add("opposite.set", "as set here the scenario is at fault: %s", fault.What)
	}
}

func (v settingsValue) schema() *schema {
	return &schema{Type: types{"object"}, MinProperties: 1, MaxProperties: maxSettings}
}

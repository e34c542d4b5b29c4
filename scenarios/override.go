package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
)

// Set gives the field at a path another value, as `--set path=value` does:
// "model.partition_target" "500", "phases.peak.each" "2s",
// "attributes.age.uniform" "[18, 40]". Items of a list go by their name, or by
// position from 0; the fields of a phase's load, count, peak, spread or
// traffic may be given without that word. A text is taken as it stands and needs no quotes; a list or
// a map is YAML.
//
// The error is [fields.Faults], located as "--set path"; the scenario is then
// unchanged. Set judges the value for itself, so that several can be set one
// after another; what they amount to together is for [Scenario.Validate].
func (s *Scenario) Set(path, value string) error { return s.SetFrom("--set "+path, path, value) }

// SetFrom is [Scenario.Set] with a value that came from somewhere else, which faults of
// it then name.
func (s *Scenario) SetFrom(from, path, value string) error {
	tree := s.encode()
	steps, ways, err := place(tree, from, path, value)
	if err != nil {
		return err
	}
	var faults fields.Faults
	for _, one := range ways {
		if faults = one.faults; len(faults) == 0 {
			tree.Replace(steps, one.value, one.value.At)
			var changed *Scenario
			if changed, faults = decode(tree); len(faults) == 0 {
				*s = *changed
				return nil
			}
		}
		// Until now the scenario had no such fault, wherever it shows.
		for i := range faults {
			faults[i].File, faults[i].Line, faults[i].Column = from, 0, 0
		}
	}
	return faults
}

// SetAll is [Scenario.Set] of several values, one after another. The error is that of the first
// that cannot be set; the scenario then has those before it.
func (s *Scenario) SetAll(settings []Setting) error {
	// The values are written into one tree, which is read once. Where something is wrong, or there
	// are several ways to read a value, each is set separately.
	tree, plain := s.encode(), len(settings) > 0
	for _, one := range settings {
		steps, ways, err := place(tree, "--set "+one.Path, one.Path, one.Value)
		if plain = err == nil && len(ways) == 1 && len(ways[0].faults) == 0; !plain {
			break
		}
		tree.Replace(steps, ways[0].value, ways[0].value.At)
	}
	if plain {
		if changed, faults := decode(tree); len(faults) == 0 {
			*s = *changed
			return nil
		}
	}
	for _, one := range settings {
		if err := s.Set(one.Path, one.Value); err != nil {
			return err
		}
	}
	return nil
}

// place returns where in a tree a value belongs, and the ways to read it.
func place(tree *fields.Node, from, path, value string) (steps []string, ways []candidate, err error) {
	if steps, err = resolve(tree, path); err != nil {
		return nil, nil, fields.Faults{{File: from, Path: path, What: err.Error()}}
	}
	ways = candidates(nodeAt(tree, steps), value)
	for _, one := range ways {
		if one.value != nil {
			one.value.Walk("", func(_ string, n *fields.Node) {
				n.At = fields.Place{File: from}
				for i := range n.Entries {
					n.Entries[i].At = n.At
				}
			})
		}
	}
	return steps, ways, nil
}

// Credit says where the value at a path came from that a program has filled in, such as
// "--seed": its faults are then reported under that name. The path is that of a [fields.Fault].
func (s *Scenario) Credit(path, from string) {
	own := fields.Places{path: {File: from}}
	for other, at := range s.places {
		if !fields.IsInside(other, path) {
			own[other] = at
		}
	}
	s.places = own
}

// WorkersFrom names what limits the number of workers: a flag or the scenario, empty for the
// default.
func (s *Scenario) WorkersFrom() string {
	switch at := s.places.Find("workers"); {
	case s.Workers == 0:
		return ""
	case strings.HasPrefix(at.File, "--"):
		return at.File
	default:
		return "workers of the scenario"
	}
}

// candidate is one way to read an override's value.
type candidate struct {
	value  *fields.Node
	faults fields.Faults
}

// candidates returns the ways to read a value, the most likely first: as a text
// where a single value stands now, as YAML where a list or a map does. Where
// nothing stands, brackets and braces speak for YAML, but a template has braces
// too.
func candidates(now *fields.Node, value string) []candidate {
	asText := candidate{value: fields.PlainNode(value)}
	if fault, ok := fields.TextFault("", []byte(value)); !ok {
		asText.faults = fields.Faults{fault}
	}
	tree, faults := fields.ReadTree("", []byte(value))
	asYAML := candidate{tree, faults}
	switch {
	case now != nil && now.Kind == fields.Scalar && strings.HasPrefix(value, "["):
		// A number of partitions can give way to a list of them. What is wrong with
		// the last one is reported.
		return []candidate{asText, asYAML, asText}
	case now != nil && now.Kind == fields.Scalar && strings.HasPrefix(value, "{") && len(faults) == 0:
		// A name or a number can give way to a map, and a template has braces of its own.
		return []candidate{asText, asYAML}
	case now != nil && now.Kind == fields.Scalar:
		return []candidate{asText}
	case now != nil:
		return []candidate{asYAML}
	case strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{"):
		return []candidate{asYAML, asText}
	default:
		return []candidate{asText}
	}
}

// nodeAt returns the node at resolved steps, nil if there is none yet.
func nodeAt(n *fields.Node, steps []string) *fields.Node {
	for _, step := range steps {
		if n = n.Step(step); n == nil {
			return nil
		}
	}
	return n
}

// resolve returns the steps that a path takes through a tree. Only the last few
// may lead to what is not there yet, through dicts alone.
func resolve(tree *fields.Node, path string) ([]string, error) {
	var steps []string
	n := tree
	parts := strings.Split(path, ".")
	if len(parts) > fields.MaxDepth {
		return nil, fmt.Errorf("the path has %d parts; expected at most %d", len(parts), fields.MaxDepth)
	}
	for _, part := range parts {
		if part == "" {
			return nil, fmt.Errorf("the path has an empty part; expected a path such as phases.peak.each")
		}
		// The fields of what a phase does may be addressed as the phase's own.
		kinds := phaseKinds()
		if len(steps) == 2 && steps[0] == "phases" && n != nil && part != "name" && !slices.Contains(kinds, part) {
			if given := present(n, kinds); len(given) > 0 {
				steps, n = append(steps, given[0]), n.Find(given[0])
			}
		}
		if err := reachable(steps, n, part); err != nil {
			return nil, err
		}
		steps = append(steps, part)
		if n != nil {
			n = n.Step(part)
		}
	}
	return steps, nil
}

// reachable reports what is wrong with a step. An unknown field of a dict is
// left for the reading of it, which knows the names.
func reachable(steps []string, n *fields.Node, part string) error {
	if n == nil {
		return nil
	}
	at := fields.Label(strings.Join(steps, "."))
	switch n.Kind {
	case fields.Scalar, fields.Empty:
		return fmt.Errorf("%s is a single value and has no %q; expected its path", at, part)
	case fields.List:
		if n.Position(part) >= 0 {
			return nil
		}
		var names []string
		for _, item := range n.Items {
			if name := item.Find("name"); name != nil {
				names = append(names, name.Text)
			}
		}
		if len(names) == 0 {
			return fmt.Errorf("%s has no item %q; expected 0 to %d", at, part, len(n.Items)-1)
		}
		return fmt.Errorf("%s", nearest.Unknown("item of "+at, part, names))
	case fields.Dict:
		// A name that is new here would be a new attribute, not a typo that
		// shows.
		if len(steps) == 1 && at == "attributes" && n.Find(part) == nil {
			return fmt.Errorf("%s", nearest.Unknown("attribute", part, nearest.NamesOf(n.Entries, func(e fields.Entry) string { return e.Key })))
		}
	}
	return nil
}

// Parse reads and validates a scenario. The name of the file is for messages
// alone. The error is [fields.Faults] with everything that is wrong.
func Parse(file string, text []byte) (*Scenario, error) {
	tree, faults := fields.ReadTree(file, text)
	if len(faults) > 0 {
		return nil, faults.ErrorOrNil()
	}
	s, faults := decode(tree)
	faults = append(faults, s.check(faults)...)
	if err := faults.ErrorOrNil(); err != nil {
		return nil, err
	}
	return s, nil
}

// decode reads a tree: every value for itself, what follows from several of
// them being left to [Scenario.check].
func decode(tree *fields.Node) (*Scenario, fields.Faults) {
	s := blank()
	r := &fields.Reader{}
	bind(s).Read(r, "", tree)
	s.choose()
	// A trace whose phase offers nothing of its own has one operation for each verb that writes or
	// reads a single entity. Its weight is 0, so that only rows that name it begin one.
	for i := range s.Phases {
		t := s.Phases[i].Traffic
		if t == nil || t.Arrivals == nil || t.Arrivals.Trace == "" || t.Arrivals.Time != "" || len(t.Operations) > 0 {
			continue
		}
		for _, verb := range verbs() {
			o := OperationSpec{Name: verb.String(), Verb: verb, Group: group(verb)}
			if o.Merges() {
				o.Properties = s.Entity.Properties
			}
			if verb != entity.Batch && verb != entity.Query && (!o.Merges() || len(o.Properties) > 0) {
				t.Operations = append(t.Operations, o)
			}
		}
	}
	s.places = fields.Places{}
	tree.Walk("", func(path string, n *fields.Node) { s.places[path] = n.At })
	return s, r.Faults
}

// encode returns the scenario as a tree, each value with the place that it came
// from.
func (s *Scenario) encode() *fields.Node {
	tree := bind(s).Write()
	tree.Walk("", func(path string, n *fields.Node) {
		n.At = s.places.Find(path)
		for i := range n.Entries {
			n.Entries[i].At = s.places.Find(fields.Child(path, n.Entries[i].Key))
		}
	})
	return tree
}

// Validate returns everything that is wrong with the scenario, each a [fields.Fault];
// nil where nothing is. It holds for scenarios that a program put together as
// well as for those that were parsed and overridden.
func (s *Scenario) Validate() []error {
	read, faults := decode(s.encode())
	faults = append(faults, read.check(faults)...)
	if len(faults) == 0 {
		return nil
	}
	return faults.Sorted().Unwrap()
}

// Text returns the scenario as YAML in its one canonical form: every field that
// has a value, in a fixed order, defaults and overrides included. Parsed again,
// it gives the same scenario.
func (s *Scenario) Text() []byte { return fields.PrintTree(bind(s).Write()) }

package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/nearest"
)

// Set gives the field at a path another value, as `--set path=value` does:
// "model.partition_target" "500", "phases.peak.each" "2s",
// "attributes.age.uniform" "[18, 40]". Items of a list go by their name, or by
// position from 0; the fields of a phase's load, count, peak, spread or
// traffic may be given without that word. A text is taken as it stands and needs no quotes; a list or
// a map is YAML.
//
// The error is [Faults], located as "--set path"; the scenario is then
// unchanged. Set judges the value for itself, so that several can be set one
// after another; what they amount to together is for [Scenario.Validate].
func (s *Scenario) Set(path, value string) error { return s.SetFrom("--set "+path, path, value) }

// SetFrom is [Scenario.Set] with a value that came from somewhere else, which faults of
// it then name.
func (s *Scenario) SetFrom(from, path, value string) error {
	origin := place{file: from}
	steps, err := resolve(s.encode(), path)
	if err != nil {
		return Faults{{File: origin.file, Path: path, What: err.Error()}}
	}
	var faults Faults
	for _, candidate := range candidates(s.at(steps), value) {
		changed, found := s.with(steps, candidate, origin)
		if len(found) == 0 {
			*s = *changed
			return nil
		}
		faults = found
	}
	return faults
}

// Credit says where the value at a path came from that a program has filled in, such as
// "--seed": what is wrong with it is then told of that. The path is that of a [Fault].
func (s *Scenario) Credit(path, from string) {
	own := places{path: {file: from}}
	for other, at := range s.places {
		if !within(other, path) {
			own[other] = at
		}
	}
	s.places = own
}

// candidate is one way to read an override's value.
type candidate struct {
	value  *node
	faults Faults
}

// candidates returns the ways to read a value, the most likely first: as a text
// where a single value stands now, as YAML where a list or a map does. Where
// nothing stands, brackets and braces speak for YAML, but a template has braces
// too.
func candidates(now *node, value string) []candidate {
	asText := candidate{value: plain(value)}
	if fault, ok := textFault("", []byte(value)); !ok {
		asText.faults = Faults{fault}
	}
	tree, faults := readTree("", []byte(value))
	asYAML := candidate{tree, faults}
	switch {
	case now != nil && now.kind == scalar && strings.HasPrefix(value, "["):
		// A number of partitions can give way to a list of them. What is wrong with
		// the last one is what is told.
		return []candidate{asText, asYAML, asText}
	case now != nil && now.kind == scalar:
		return []candidate{asText}
	case now != nil:
		return []candidate{asYAML}
	case strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{"):
		return []candidate{asYAML, asText}
	default:
		return []candidate{asText}
	}
}

// at returns what stands at resolved steps, nil where there is nothing yet.
func (s *Scenario) at(steps []string) *node {
	n := s.encode()
	for _, step := range steps {
		if n = n.step(step); n == nil {
			return nil
		}
	}
	return n
}

// with returns the scenario with a value in place, or what is wrong with it.
func (s *Scenario) with(steps []string, c candidate, origin place) (*Scenario, Faults) {
	if len(c.faults) > 0 {
		return nil, relocate(c.faults, origin)
	}
	c.value.walk("", func(_ string, n *node) {
		n.at = origin
		for i := range n.entries {
			n.entries[i].at = origin
		}
	})
	tree := s.encode()
	tree.replace(steps, c.value, origin)
	changed, faults := decode(tree)
	// Until now the scenario had no such fault, wherever it shows.
	return changed, relocate(faults, origin)
}

func relocate(faults Faults, origin place) Faults {
	for i := range faults {
		faults[i].File, faults[i].Line, faults[i].Column = origin.file, 0, 0
	}
	return faults
}

// resolve returns the steps that a path takes through a tree. Only the last few
// may lead to what is not there yet, through dicts alone.
func resolve(tree *node, path string) ([]string, error) {
	var steps []string
	n := tree
	parts := strings.Split(path, ".")
	if len(parts) > maxDepth {
		return nil, fmt.Errorf("the path has %d parts; expected at most %d", len(parts), maxDepth)
	}
	for _, part := range parts {
		if part == "" {
			return nil, fmt.Errorf("the path has an empty part; expected names or positions with dots between, such as phases.peak.each")
		}
		if kind := phaseKind(steps, n, part); kind != "" {
			steps, n = append(steps, kind), n.find(kind)
		}
		if err := reachable(steps, n, part); err != nil {
			return nil, err
		}
		steps = append(steps, part)
		if n != nil {
			n = n.step(part)
		}
	}
	return steps, nil
}

// phaseKind returns the word that a path left out: the fields of what a phase does
// may be addressed as the phase's own.
func phaseKind(steps []string, n *node, part string) string {
	if len(steps) != 2 || steps[0] != "phases" || n == nil {
		return ""
	}
	kinds := phaseKinds()
	if part == "name" || slices.Contains(kinds, part) {
		return ""
	}
	for _, kind := range present(n, kinds) {
		return kind
	}
	return ""
}

// reachable reports what is wrong with a step. An unknown field of a dict is
// left for the reading of it, which knows the names.
func reachable(steps []string, n *node, part string) error {
	if n == nil {
		return nil
	}
	at := label(strings.Join(steps, "."))
	switch n.kind {
	case scalar, empty:
		return fmt.Errorf("%s is a single value and has no %q; expected its path alone", at, part)
	case list:
		if n.position(part) < 0 {
			return unknownItem(at, n, part)
		}
	case dict:
		// A name that is new here would be a new attribute, not a typo that
		// shows.
		if len(steps) == 1 && at == "attributes" && n.find(part) == nil {
			return fmt.Errorf("%s", nearest.Unknown("attribute", part, fieldsOf(n)))
		}
	}
	return nil
}

func fieldsOf(n *node) []string {
	var names []string
	for _, e := range n.entries {
		names = append(names, e.key)
	}
	return names
}

func unknownItem(at string, n *node, part string) error {
	var names []string
	for _, item := range n.items {
		if name := item.find("name"); name != nil {
			names = append(names, name.text)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("%s has no item %q; expected a position from 0 to %d", at, part, len(n.items)-1)
	}
	return fmt.Errorf("%s", nearest.Unknown("item of "+at, part, names))
}

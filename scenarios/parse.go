package scenarios

// Parse reads and validates a scenario. The name of the file is for messages
// alone. The error is [Faults] with everything that is wrong.
func Parse(file string, text []byte) (*Scenario, error) {
	tree, faults := readTree(file, text)
	if len(faults) > 0 {
		return nil, faults.errorOrNil()
	}
	s, faults := decode(tree)
	faults = append(faults, s.check(faults)...)
	if err := faults.errorOrNil(); err != nil {
		return nil, err
	}
	return s, nil
}

// decode reads a tree: every value for itself, what follows from several of
// them being left to [Scenario.check].
func decode(tree *node) (*Scenario, Faults) {
	s := blank()
	r := &reader{}
	s.binding().read(r, "", tree)
	s.choose()
	s.imply()
	s.places = tree.places()
	return s, r.faults
}

// encode returns the scenario as a tree, each value with the place that it came
// from.
func (s *Scenario) encode() *node {
	tree := s.binding().write()
	tree.locate(s.places)
	return tree
}

// Validate returns everything that is wrong with the scenario, each a [Fault];
// nil where nothing is. It holds for scenarios that a program put together as
// well as for those that were parsed and overridden.
func (s *Scenario) Validate() []error {
	read, faults := decode(s.encode())
	faults = append(faults, read.check(faults)...)
	if len(faults) == 0 {
		return nil
	}
	return faults.sorted().Unwrap()
}

// Text returns the scenario as YAML in its one canonical form: every field that
// has a value, in a fixed order, defaults and overrides included. Parsed again,
// it gives the same scenario.
func (s *Scenario) Text() []byte { return printTree(s.binding().write()) }

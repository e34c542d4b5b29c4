package scenarios

import (
	"slices"
	"strconv"
	"strings"
)

// Obstacle is what keeps one design from serving a scenario that others serve.
type Obstacle struct {
	// Operation is the one that the design cannot serve; where it is nothing of an
	// operation, the phase, or the part of the scenario.
	Operation string
	// Why says what is wrong, and what was expected.
	Why string
}

// ParseContested reads a scenario as [Parse] does, but for what is wrong with it under
// the design in use and not under all of them: that is for [Scenario.Obstacles]. The
// error is [Faults].
func ParseContested(file string, text []byte) (*Scenario, error) {
	tree, faults := readTree(file, text)
	if len(faults) > 0 {
		return nil, faults.errorOrNil()
	}
	s, faults := decode(tree)
	if len(faults) > 0 {
		return nil, append(faults, s.check(faults)...).errorOrNil()
	}
	return s, s.Shared()
}

// Shared returns what is wrong with the scenario whichever of its designs is used, nil
// where nothing is. The error is [Faults].
func (s *Scenario) Shared() error {
	own := s.checkedWith("")
	if own.concern("use") {
		return own.errorOrNil()
	}
	for _, name := range s.Alternatives() {
		other := s.checkedWith(name)
		own = slices.DeleteFunc(own, func(f Fault) bool { return !other.has(f) })
	}
	return own.errorOrNil()
}

// Under returns the scenario with another of its designs in use, that in use where it is
// not named, and without an opposite, which need not be one under every design. It is
// not validated. The error is [Faults].
func (s *Scenario) Under(design string) (*Scenario, error) {
	other := *s
	other.Opposite = nil
	if design == "" {
		return &other, nil
	}
	return &other, other.Set("use", design)
}

// Obstacles returns what keeps a design of the scenario from serving it, in the order
// of the file; none where nothing does. What is wrong under all designs is for
// [Scenario.Shared].
func (s *Scenario) Obstacles(design string) []Obstacle { return s.ObstaclesOf(s.checkedWith(design)) }

// ObstaclesOf returns faults of the scenario under one design as obstacles.
func (s *Scenario) ObstaclesOf(faults Faults) []Obstacle {
	var list []Obstacle
	for _, fault := range faults {
		one := Obstacle{s.concerned(fault.Path), fault.What}
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// checkedWith returns what is wrong with the scenario under one design, that in use where
// it is not named.
func (s *Scenario) checkedWith(design string) Faults {
	other, err := s.Under(design)
	if faults, at := err.(Faults); at {
		return faults
	}
	read, faults := decode(other.encode())
	return append(faults, read.check(faults)...).sorted()
}

// concerned names the operation that a path lies in, or else the phase, or the part of
// the scenario.
func (s *Scenario) concerned(path string) string {
	steps := strings.Split(path, ".")
	at := func(i int) int {
		if i >= len(steps) {
			return -1
		}
		n, err := strconv.Atoi(steps[i])
		if err != nil {
			return -1
		}
		return n
	}
	phase := at(1)
	if steps[0] != "phases" || phase < 0 || phase >= len(s.Phases) {
		return steps[0]
	}
	operations := s.Phases[phase].Operations()
	if i := at(4); len(steps) > 3 && steps[3] == "operations" && i >= 0 && i < len(operations) {
		return operations[i].Name
	}
	return s.Phases[phase].Name
}

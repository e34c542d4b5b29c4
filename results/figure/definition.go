package figure

import "slices"

// Scope is what a figure can be of.
type Scope uint8

// The scopes.
const (
	// OfRun takes no name, OfPhases a phase, OfOperations an operation and a phase.
	OfRun Scope = iota
	OfPhases
	OfOperations
	// OfLoad takes a partition or the account, too; OfCounter an operation and the name
	// of a counter.
	OfLoad
	OfCounter
)

// Definition is what there is to know of a figure.
type Definition struct {
	Name string
	// About says in a sentence what it is.
	About string
	Scope Scope
	// Unit is the one in which it is compared with other figures and with numbers that
	// do not say otherwise.
	Unit Unit
	// Better says which way it is, by which runs are compared.
	Better Better
	// Part says that it is a part of something, so that it has a share.
	Part bool
	// Times and Quantile say which times it is of, and which of them: from 0 to 1, where
	// 1 is the longest and −1 the mean. Times is empty for what is no time of operations.
	Times    string
	Quantile float64

	take func(s *Selection) Value
}

// Scopes names what the figure can be of, in words.
func (d *Definition) Scopes() string {
	switch d.Scope {
	case OfRun:
		return "of the run"
	case OfPhases:
		return "of the run or a phase"
	case OfOperations:
		return "of the run, a phase or an operation"
	case OfLoad:
		if d.Name != "offered" {
			return "of the run, a phase, an operation or a partition"
		}
		return "of the run, a phase, an operation, a partition or the account"
	default:
		return "of an operation"
	}
}

// registry is the closed list.
var registry = slices.Concat(times(), counts(), loads, events(), partitions, balances(), leftovers())

// Find returns the definition of a figure, and false of an unknown one.
func Find(name string) (Definition, bool) {
	at := slices.IndexFunc(registry, func(d Definition) bool { return d.Name == name })
	if at < 0 {
		return Definition{}, false
	}
	return registry[at], true
}

// Names returns the names of all figures, in their order. The slice is the caller's.
func Names() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].Name
	}
	return names
}

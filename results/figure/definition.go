package figure

import (
	"cmp"
	"slices"
	"strings"
)

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

// Unit is what a figure is told in.
type Unit uint8

// The units.
const (
	// Count is a whole number of things.
	Count Unit = iota
	// Nanoseconds is a length of time.
	Nanoseconds
	// Share is a part of one.
	Share
	// PerSecond is things per second.
	PerSecond
	// Ratio is a plain number.
	Ratio
)

// String returns what the unit is of, in words.
func (u Unit) String() string {
	return [...]string{"a count", "a time", "a share", "a number per second", "a plain number"}[u]
}

// Better says which way a figure is better.
type Better uint8

// The ways.
const (
	// Neither way is better: the figure describes.
	Neither Better = iota
	// Lower is better, Higher is.
	Lower
	Higher
)

// Provenance says where a figure comes from.
type Provenance string

// The provenances.
const (
	// Measured on a clock of this machine, or counted.
	Measured Provenance = "measured"
	// Modelled by an engine that stands in for the service.
	Modelled Provenance = "modelled"
	// Derived from measured figures by a rule of the documents.
	Derived Provenance = "derived"
)

// Value is what a figure is of a record.
type Value struct {
	// Value is in the unit that was asked for. It says nothing unless Told.
	Value float64
	Told  bool
	// AtLeast says that it is a lower bound.
	AtLeast bool
	// Why says why the figure cannot be told, empty where it is.
	Why string
	// Interval has the least and the greatest of what the value is the median of, and of a
	// throughput the ends of its 95 % interval; nil where it is neither.
	Interval *[2]float64
	// Count is how many things it rests on.
	Count int64
	// Provenance says where it comes from.
	Provenance Provenance
}

func knownValue(value float64, count int64) Value {
	return Value{Value: value, Told: true, Count: count}
}

func untold(why string) Value { return Value{Why: why} }

// Pointer returns the value, nil where it cannot be told.
func (v Value) Pointer() *float64 {
	if !v.Told {
		return nil
	}
	return &v.Value
}

// ratio returns a ratio of counts.
func ratio(part, whole int64, why string) Value {
	if whole <= 0 {
		return untold(why)
	}
	return knownValue(float64(part)/float64(whole), whole)
}

// Reference is a figure and what it is of.
type Reference struct {
	// Name is one of [Names].
	Name string
	// Of is a name that stands alone: an operation's, or else a phase's. Operation
	// and Phase are given together; one of them that is empty stands for any.
	Of               string
	Operation, Phase string
	// Part is what the figure is of beside operations and phases; Key is the
	// PartitionKey where that is [Partition].
	Part Part
	Key  string
	// Counter is the name of what the Operation's workflow counts.
	Counter string
	// Offset is where the name stands in the text, OfOffset, OperationOffset and
	// PhaseOffset where those do.
	Offset, OfOffset             int
	OperationOffset, PhaseOffset int
	CounterOffset                int
}

// Part is what of the target a figure is of.
type Part uint8

// The parts.
const (
	// Whole is all of it.
	Whole Part = iota
	// Hottest is the partition for which the figure is greatest, Partition the one
	// that is named, Account the account for which it is greatest.
	Hottest
	Partition
	Account
)

// The words for parts.
const (
	wordHottest = "hottest"
	wordAccount = "account"
)

// Unit returns the unit in which the figure is told where none is asked for.
func (r Reference) Unit() Unit {
	d, _ := Find(r.Name)
	return d.Unit
}

// String returns the figure in its canonical form.
func (r Reference) String() string {
	var of []string
	switch r.Part {
	case Hottest:
		of = append(of, wordHottest)
	case Account:
		of = append(of, wordAccount)
	case Partition:
		of = append(of, `"`+strings.ReplaceAll(r.Key, `"`, `""`)+`"`)
	}
	d, _ := Find(r.Name)
	switch {
	case r.Counter != "":
		of = append(of, r.Operation, r.Counter)
	case r.Part != Whole && r.Phase != "":
		of = append(of, r.Phase)
	case r.Part != Whole:
	case r.Of != "":
		of = append(of, r.Of)
	case r.Phase != "" && d.Scope == OfPhases:
		of = append(of, r.Phase)
	case r.Operation != "" || r.Phase != "":
		of = append(of, cmp.Or(r.Operation, "*"), cmp.Or(r.Phase, "*"))
	}
	if of == nil {
		return r.Name
	}
	return r.Name + "(" + strings.Join(of, ", ") + ")"
}

package figure

import "strings"

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
		of = append(of, orAny(r.Operation), orAny(r.Phase))
	}
	if of == nil {
		return r.Name
	}
	return r.Name + "(" + strings.Join(of, ", ") + ")"
}

func orAny(name string) string {
	if name == "" {
		return "*"
	}
	return name
}

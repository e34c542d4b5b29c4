package workflow

import "fmt"

// Check is a workflow that reads what a run left. It has findings once it has ended with success.
type Check interface {
	Workflow
	// Name is the name of the condition in reports, such as "balances sum to zero".
	Name() string
	Findings() Findings
}

// Preceded is a check that needs another check to run before it.
type Preceded interface {
	Check
	Preparation() Check
}

// Findings are the results of a [Check].
type Findings struct {
	// Looked counts the examined items, Faults those for which the condition does not hold. Examples
	// describe at most [maxExamples] of the faults.
	Looked, Faults int64
	Examples       []string
}

const maxExamples = 10

// Fault records a fault with an example.
func (f *Findings) Fault(example string) {
	f.Faults++
	if len(f.Examples) < maxExamples {
		f.Examples = append(f.Examples, example)
	}
}

// Look records an examined item, and its fault if the check does not hold.
func (f *Findings) Look(holds bool, fault string, values ...any) {
	f.Looked++
	if !holds {
		f.Fault(fmt.Sprintf(fault, values...))
	}
}

// finding is a [Check] whose requests a procedure sends.
type finding struct {
	*Procedure
	name  string
	found Findings
}

// newFinding returns the check with a name.
func newFinding(name string, body func(t *Tx, f *Findings)) *finding {
	f := &finding{name: name}
	f.Procedure = NewProcedure(func(t *Tx) { body(t, &f.found) })
	return f
}

// checkOf returns the maker of a check with a name.
func checkOf(name string, body func(t *Tx, f *Findings, s *Setting, a Arguments)) func(s *Setting, a Arguments) Check {
	return func(s *Setting, a Arguments) Check {
		return newFinding(name, func(t *Tx, f *Findings) { body(t, f, s, a) })
	}
}

// Name implements [Check].
func (f *finding) Name() string { return f.name }

// Findings implements [Check].
func (f *finding) Findings() Findings { return f.found }

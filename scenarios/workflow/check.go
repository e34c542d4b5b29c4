package workflow

import "fmt"

// Check is a workflow that reads what a run left.
type Check struct {
	*Procedure
	// Name is the name of the condition in reports, such as "balances sum to zero".
	Name string
	// Findings are complete once the procedure has ended with success.
	Findings Findings
	// Before is a check that must run before, nil for none.
	Before *Check
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

// newCheck returns the check with a name.
func newCheck(name string, body func(t *Tx, f *Findings)) *Check {
	c := &Check{Name: name}
	c.Procedure = NewProcedure(func(t *Tx) { body(t, &c.Findings) })
	return c
}

// checkOf returns the maker of a check with a name.
func checkOf(name string, body func(t *Tx, f *Findings, s *Setting, a Arguments)) func(s *Setting, a Arguments) *Check {
	return func(s *Setting, a Arguments) *Check {
		return newCheck(name, func(t *Tx, f *Findings) { body(t, f, s, a) })
	}
}

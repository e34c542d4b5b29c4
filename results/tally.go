package results

import (
	"cmp"
	"slices"
)

// TallyName is what a procedure counts: a name of its own, by the operation of the
// scenario.
type TallyName struct {
	Operation string `json:"operation"`
	Name      string `json:"name"`
}

// Tally is how often operations of the whole run came upon something.
type Tally struct {
	TallyName
	Count int64 `json:"count"`
}

// NewTallies returns counts in the order of their names.
func NewTallies(counts map[TallyName]int64) []Tally {
	list := make([]Tally, 0, len(counts))
	for name, count := range counts {
		list = append(list, Tally{name, count})
	}
	slices.SortFunc(list, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Invariant is something that must hold of what a run leaves behind, and whether it
// does.
type Invariant struct {
	// Name says what must hold.
	Name string `json:"name"`
	// Looked is at how many things was looked, Faults in how many it does not hold, of
	// which Examples name some.
	Looked   int64    `json:"looked"`
	Faults   int64    `json:"faults"`
	Examples []string `json:"examples,omitempty"`
}

// CloneInvariants returns a copy that shares no memory, nil of nil.
func CloneInvariants(list []Invariant) []Invariant {
	clones := slices.Clone(list)
	for i := range clones {
		clones[i].Examples = slices.Clone(clones[i].Examples)
	}
	return clones
}

// Tallies takes down what the procedures of the run have counted, before
// [Recorder.Finish].
func (r *Recorder) Tallies(list []Tally) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Tallies = list
}

// Invariant takes down whether something holds of what the run has left behind, before
// [Recorder.Finish].
func (r *Recorder) Invariant(one Invariant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Invariants = append(r.record.Invariants, one)
}

package figure

import "loadgen/results"

// Selection is what of a record a figure is of: some kinds of operation in some phases.
type Selection struct {
	of    *Figures
	ref   Reference
	in    Unit
	steps []Step
	// want chooses the kinds, nil all.
	want func(results.Kind) bool
	// everything says that no phase was named.
	everything bool
}

// selection returns what a reference is of, and why not where the record has no such
// operation or phase. A name alone is an operation's before it is a phase's.
func (f *Figures) selection(ref Reference, in Unit) (Selection, string) {
	operation, phase := ref.Operation, ref.Phase
	if ref.Of != "" {
		operation = ref.Of
		if !f.operation(operation) {
			operation, phase = "", ref.Of
		}
	}
	s := Selection{of: f, ref: ref, in: in, steps: f.reported, everything: phase == ""}
	if operation != "" && ref.Counter == "" {
		if !f.operation(operation) {
			return s, "the run lacks operation " + operation
		}
		s.want = func(kind results.Kind) bool { return kind.Name == operation }
	}
	if phase != "" {
		s.steps = f.named(phase)
	}
	if !s.everything && len(s.steps) == 0 {
		return s, "the run never reached phase " + phase
	}
	return s, ""
}

// operation reports whether the load has a kind of operation of that name.
// Preparations, which are in no group, go by the phases that they make up.
func (f *Figures) operation(name string) bool {
	for _, kind := range f.record.Manifest.Operations {
		if kind.Name == name && kind.Group != "" {
			return true
		}
	}
	return false
}

// named returns the phases of a name: those that are so called, or else the parts of
// the stretch of load that is, of which the reported ones where any are.
func (f *Figures) named(name string) []Step {
	var called, parts, shown []Step
	for p := range f.record.Phases {
		step, some := StepOf(f.record, &f.record.Phases[p])
		switch {
		case !some:
		case step.Phase.Name == name:
			called = append(called, step)
		case step.Phase.Stage == name && step.Phase.Reported:
			shown = append(shown, step)
		case step.Phase.Stage == name:
			parts = append(parts, step)
		}
	}
	for _, list := range [][]Step{called, shown} {
		if len(list) > 0 {
			return list
		}
	}
	return parts
}

// sum returns the sum of what the selection holds. Its histograms may be those of the
// record where it is a single one, since merging them is what costs.
func (s *Selection) sum() results.KindStats {
	var all []*results.KindStats
	for _, step := range s.steps {
		step.each(s.want, func(k *results.KindStats) { all = append(all, k) })
	}
	if len(all) == 1 {
		return *all[0]
	}
	var sum results.KindStats
	for _, one := range all {
		sum.Add(one)
	}
	return sum
}

// seconds is how long the phases of the selection lasted together.
func (s *Selection) seconds() float64 {
	seconds := 0.0
	for _, step := range s.steps {
		seconds += step.Seconds()
	}
	return seconds
}

// settled returns the operations that rates are of, and for how long they became due.
func (s *Selection) settled() (results.Cohort, float64) {
	var all results.Cohort
	seconds := 0.0
	for _, step := range s.steps {
		sum := step.counts(s.want)
		one, over := step.settled(&sum)
		all.Add(&one.Counts)
		seconds += over
	}
	return all, seconds
}

// counts returns the sum of what the selection holds, without the histograms.
func (s *Selection) counts() results.KindStats {
	var sum results.KindStats
	for _, step := range s.steps {
		step.each(s.want, sum.Count)
	}
	return sum
}

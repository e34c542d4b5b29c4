package figure

import (
	"math"
	"slices"
	"time"

	"loadgen/results"
)

// Figures computes the figures of one record. It belongs to one goroutine.
type Figures struct {
	record   *results.Record
	reported []Step
	// ladders are computed on first use, because a run has many seconds.
	ladders []Ladder
	looked  bool
	// run are the seconds of the record, once the ladders are taken.
	run []second
}

// NewFigures returns the figures of a record, which must not change meanwhile.
func NewFigures(record *results.Record) *Figures {
	return &Figures{record: record, reported: Reported(record)}
}

// Value returns a figure in its own unit.
func (f *Figures) Value(ref Reference) Value { return f.ValueIn(ref, ref.Unit()) }

// ValueIn returns a figure in one of its units: times in nanoseconds, shares of one.
func (f *Figures) ValueIn(ref Reference, in Unit) Value {
	s, why := f.selection(ref, in)
	if why != "" {
		return unknownValue(why)
	}
	return f.value(ref.Name, &s)
}

// Named returns a figure of the whole run by its name.
func (f *Figures) Named(name string) Value { return f.Value(Reference{Name: name}) }

// Look returns a figure in a unit, and false if it is unknown, for checks.
func (f *Figures) Look(ref Reference, in Unit) (value float64, told bool) {
	v := f.ValueIn(ref, in)
	return v.Value, v.Known
}

// OfStep returns a figure of one step and the kinds of operation that want chooses, nil
// all.
func (f *Figures) OfStep(name string, step Step, want func(results.Kind) bool) Value {
	return f.takeSteps(name, []Step{step}, unitOfFigure(name), want)
}

// OfKinds returns a figure of all reported phases and the kinds that want chooses.
func (f *Figures) OfKinds(name string, want func(results.Kind) bool) Value {
	return f.takeSteps(name, f.reported, unitOfFigure(name), want)
}

// OfAll returns a figure of all phases, also those that are not reported, and the kinds that want chooses.
func (f *Figures) OfAll(name string, want func(results.Kind) bool) Value {
	return f.takeSteps(name, stepsOf(f.record, func(*results.Phase) bool { return true }), unitOfFigure(name), want)
}

// Share returns the share of its whole that a figure of the whole run is.
func (f *Figures) Share(name string) Value { return f.takeSteps(name, f.reported, Share, nil) }

// InKinds is [Figures.OfKinds] in one of the figure's units.
func (f *Figures) InKinds(name string, in Unit, want func(results.Kind) bool) Value {
	return f.takeSteps(name, f.reported, in, want)
}

func unitOfFigure(name string) Unit { return Reference{Name: name}.Unit() }

func (f *Figures) takeSteps(name string, steps []Step, in Unit, want func(results.Kind) bool) Value {
	return f.value(name, &Selection{of: f, ref: Reference{Name: name}, in: in, steps: steps, want: want})
}

func (f *Figures) value(name string, s *Selection) Value {
	d, exists := Find(name)
	if !exists {
		return unknownValue("no such figure")
	}
	v := d.take(s)
	if v.Known && (math.IsNaN(v.Value) || math.IsInf(v.Value, 0)) {
		return unknownValue("not in the record")
	}
	v.Provenance = Measured
	if f.record.Manifest.Modelled() {
		v.Provenance = Modelled
	}
	return v
}

// Selection is the part of a record that a figure describes: some kinds of operation in some phases.
type Selection struct {
	of    *Figures
	ref   Reference
	in    Unit
	steps []Step
	// want chooses the kinds, nil all.
	want func(results.Kind) bool
	// everything reports that no phase was named.
	everything bool
}

// selection returns the selection of a reference, or why the record has no such operation or phase. A name is that of
// an operation before that of a phase.
func (f *Figures) selection(ref Reference, in Unit) (Selection, string) {
	operation, phase := ref.Operation, ref.Phase
	if ref.Of != "" {
		operation = ref.Of
		if !f.hasOperation(operation) {
			operation, phase = "", ref.Of
		}
	}
	s := Selection{of: f, ref: ref, in: in, steps: f.reported, everything: phase == ""}
	if operation != "" && ref.Counter == "" {
		if !f.hasOperation(operation) {
			return s, "the run lacks operation " + operation
		}
		s.want = func(kind results.Kind) bool { return kind.Name == operation }
	}
	if phase != "" {
		s.steps = f.phasesNamed(phase)
	}
	if !s.everything && len(s.steps) == 0 {
		return s, "the run never reached phase " + phase
	}
	return s, ""
}

// operation reports whether the load has a kind of operation of that name.
// Preparations, which are in no group, go by the phases that they make up.
func (f *Figures) hasOperation(name string) bool {
	for _, kind := range f.record.Manifest.Operations {
		if kind.Name == name && kind.Group != "" {
			return true
		}
	}
	return false
}

// phasesNamed returns the phases of a name, else the reported ones of the stage of that name, else all of that stage.
func (f *Figures) phasesNamed(name string) (steps []Step) {
	for _, want := range []func(p *results.Phase) bool{
		func(p *results.Phase) bool { return p.Name == name },
		func(p *results.Phase) bool { return p.Stage == name && p.Reported },
		func(p *results.Phase) bool { return p.Stage == name },
	} {
		if steps = stepsOf(f.record, want); len(steps) > 0 {
			break
		}
	}
	return steps
}

// sum returns the sum over the selection. It may share the histograms of the record if there is a single kind, because
// merging is expensive.
func (s *Selection) sum() results.KindStats {
	var all []*results.KindStats
	for _, step := range s.steps {
		step.eachKind(s.want, func(k *results.KindStats) { all = append(all, k) })
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

// settledCohort returns the operations that rates are of, and for how long they became due.
func (s *Selection) settledCohort() (results.Cohort, float64) {
	var all results.Cohort
	seconds := 0.0
	for _, step := range s.steps {
		sum := step.counts(s.want)
		one, over := step.settledCohort(&sum)
		all.Add(&one.Counts)
		seconds += over
	}
	return all, seconds
}

// counts returns the sum over the selection without the histograms.
func (s *Selection) counts() results.KindStats {
	var sum results.KindStats
	for _, step := range s.steps {
		step.eachKind(s.want, sum.Count)
	}
	return sum
}

// Step is a phase as far as the run came: an interrupted run may have ended within it.
// It shares the record's memory.
type Step struct {
	Phase *results.Phase
	kinds []results.Kind
	// end is the end of the phase or of the run, whichever is earlier.
	end time.Duration
}

// Steps returns the reported phases with a rate that the run reached, in the order of the record.
func Steps(record *results.Record) []Step {
	return slices.DeleteFunc(Reported(record), Step.Closed)
}

// Reported returns every reported phase of some length, closed loops included, in the
// order of the record.
func Reported(record *results.Record) []Step {
	return stepsOf(record, func(p *results.Phase) bool { return p.Reported })
}

// stepsOf returns the wanted phases of some length in the order of the record.
func stepsOf(record *results.Record, want func(p *results.Phase) bool) (steps []Step) {
	for p := range record.Phases {
		if step, some := StepOf(record, &record.Phases[p]); some && want(step.Phase) {
			steps = append(steps, step)
		}
	}
	return steps
}

// StepOf returns a phase up to the end of the run, and false if it has no length.
func StepOf(record *results.Record, phase *results.Phase) (Step, bool) {
	step := Step{phase, record.Manifest.Operations, phase.End}
	if record.Duration > 0 {
		step.end = min(step.end, record.Duration)
	}
	return step, step.end > phase.Begin && step.end-phase.Begin > 0
}

// Closed reports whether the step is a closed loop, whose clients offer no more than is answered.
func (s Step) Closed() bool { return !(s.Phase.Rate > 0) }

// End is the end of the step or of the run, whichever is earlier.
func (s Step) End() time.Duration { return s.end }

// IsSettled reports whether the run reached the settled part of the step: its last half, or a closed loop. Otherwise
// rates are unknown rather than 0.
func (s Step) IsSettled() bool { return s.Closed() || s.lastHalf() > 0 }

// Seconds is how long the step lasted.
func (s Step) Seconds() float64 { return (s.end - s.Phase.Begin).Seconds() }

// lastHalf returns the length of the last half of the planned step up to the end of the run, in seconds.
func (s Step) lastHalf() float64 {
	if s.Phase.Unplanned {
		return s.Seconds()
	}
	middle := s.Phase.Begin + (s.Phase.End-s.Phase.Begin)/2
	return max(0, (s.end - middle).Seconds())
}

// wholeSeconds returns the range of whole seconds of the run in the step; end is exclusive.
func (s Step) wholeSeconds() (first, end int64) {
	first, end = int64(s.Phase.Begin/time.Second), int64(s.end/time.Second)
	if s.Phase.Begin%time.Second > 0 {
		first++
	}
	return first, end
}

// Contains reports whether a whole second of the run lies in the step.
func (s Step) Contains(second int64) bool {
	first, end := s.wholeSeconds()
	return first <= second && second < end
}

// Sum returns the sum of the kinds of operation that want chooses; nil chooses all.
func (s Step) Sum(want func(results.Kind) bool) results.KindStats {
	var sum results.KindStats
	s.eachKind(want, sum.Add)
	return sum
}

// counts is [Step.Sum] without the histograms.
func (s Step) counts(want func(results.Kind) bool) results.KindStats {
	var sum results.KindStats
	s.eachKind(want, sum.Count)
	return sum
}

func (s Step) eachKind(want func(results.Kind) bool, take func(*results.KindStats)) {
	for k := range min(len(s.Phase.Kinds), len(s.kinds)) {
		if want == nil || want(s.kinds[k]) {
			take(&s.Phase.Kinds[k])
		}
	}
}

// settledCohort returns the operations of the settled part, and its length in seconds: of a step with a rate the last half,
// when the allowance that an idle partition saved up is spent, of a closed loop all.
func (s Step) settledCohort(sum *results.KindStats) (results.Cohort, float64) {
	if s.Closed() || s.Phase.Unplanned {
		return results.Cohort{Counts: sum.Counts}, s.Seconds()
	}
	return sum.LastHalf, s.lastHalf()
}

// Highest returns the step with the greatest rate, the last of equal ones, and false if the run reached the last half
// of none.
func Highest(steps []Step) (Step, bool) {
	var top Step
	for _, step := range steps {
		if step.lastHalf() > 0 && (top.Phase == nil || step.Phase.Rate >= top.Phase.Rate) {
			top = step
		}
	}
	return top, top.Phase != nil
}

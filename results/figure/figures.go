package figure

import (
	"math"

	"loadgen/results"
)

// Figures are those of one record. They belong to one goroutine.
type Figures struct {
	record   *results.Record
	reported []Step
	// ladders are taken when first asked for: the seconds of a run are many.
	ladders []Ladder
	looked  bool
	// run are the seconds of the record, once the ladders are taken.
	run []second
}

// Of opens the figures of a record, which must not change meanwhile.
func Of(record *results.Record) *Figures {
	return &Figures{record: record, reported: Reported(record)}
}

// Take returns a figure in its own unit.
func (f *Figures) Take(ref Reference) Value { return f.In(ref, ref.Unit()) }

// In returns a figure in one of its units: times in nanoseconds, shares of one.
func (f *Figures) In(ref Reference, in Unit) Value {
	d, known := Find(ref.Name)
	if !known {
		return untold("no such figure")
	}
	s, why := f.selection(ref, in)
	if why != "" {
		return untold(why)
	}
	return f.taken(&d, &s)
}

// Named returns a figure of the whole run by its name.
func (f *Figures) Named(name string) Value { return f.Take(Reference{Name: name}) }

// Look returns a figure in a unit, and false where it cannot be told: what checks ask for.
func (f *Figures) Look(ref Reference, in Unit) (value float64, told bool) {
	v := f.In(ref, in)
	return v.Value, v.Told
}

// OfStep returns a figure of one step and the kinds of operation that want chooses, nil
// all.
func (f *Figures) OfStep(name string, step Step, want func(results.Kind) bool) Value {
	return f.over(name, []Step{step}, own(name), want)
}

// OfKinds returns a figure of all reported phases and the kinds that want chooses.
func (f *Figures) OfKinds(name string, want func(results.Kind) bool) Value {
	return f.over(name, f.reported, own(name), want)
}

// OfAll returns a figure of all phases, those that are not reported among them, and the
// kinds that want chooses.
func (f *Figures) OfAll(name string, want func(results.Kind) bool) Value {
	var all []Step
	for p := range f.record.Phases {
		if step, some := StepOf(f.record, &f.record.Phases[p]); some {
			all = append(all, step)
		}
	}
	return f.over(name, all, own(name), want)
}

// Share returns the share that a figure of the whole run is of what it is a part of.
func (f *Figures) Share(name string) Value { return f.over(name, f.reported, Share, nil) }

// InKinds is [Figures.OfKinds] in one of the figure's units.
func (f *Figures) InKinds(name string, in Unit, want func(results.Kind) bool) Value {
	return f.over(name, f.reported, in, want)
}

func own(name string) Unit { return Reference{Name: name}.Unit() }

func (f *Figures) over(name string, steps []Step, in Unit, want func(results.Kind) bool) Value {
	d, known := Find(name)
	if !known {
		return untold("no such figure")
	}
	return f.taken(&d, &Selection{of: f, ref: Reference{Name: name}, in: in, steps: steps, want: want})
}

func (f *Figures) taken(d *Definition, s *Selection) Value {
	v := d.take(s)
	if v.Told && (math.IsNaN(v.Value) || math.IsInf(v.Value, 0)) {
		return untold("not in the record")
	}
	v.Provenance = Measured
	if f.record.Manifest.Modelled() {
		v.Provenance = Modelled
	}
	return v
}

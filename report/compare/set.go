package compare

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/baseline"
	"loadgen/results/figure"
)

// Set is one or more runs. It keeps only the compared parts of records, and is not safe for
// concurrent use.
type Set struct {
	// Name is the folder that the user named.
	Name string

	runs []*run
	// sections are those of its runs, in order of first appearance.
	sections []section
}

// section is a phase and a kind of operation. An empty phase means all reported phases, an
// empty operation all operations.
type section struct{ phase, operation string }

// run is the compared part of a record.
type run struct {
	name       string
	manifest   results.Manifest
	conditions []Condition
	validity   string
	reasons    []string
	// late lists where the generator was too slow.
	late []string
	// cut is why the record is incomplete, or empty.
	cut string
	// asked are the values of the metrics passed to [Set.Add]. values are those of [compared], by
	// section. NaN means unknown.
	asked  []float64
	values map[section][]float64
	// tree is the repeatable part of a run in virtual time, else nil.
	tree []byte
}

// ErrEmpty means that a run has no data, or a set no run.
var ErrEmpty = errors.New("nothing to compare")

// Add adds the record of a run, with the usual metrics and those in metrics, which must be the same
// in each call. It returns [ErrEmpty] or an error for too many runs.
func (s *Set) Add(name string, record *results.Record, metrics []Metric) error {
	if len(s.runs) == maxRuns {
		return fmt.Errorf("too many runs: %s has more than %d", s.Name, maxRuns)
	}
	judged := *record
	judged.Summary = verdict.Judge(record)
	one := &run{name: name, manifest: record.Manifest, conditions: Conditions(record), values: make(map[section][]float64),
		validity: judged.Summary.Validity, reasons: judged.Summary.Reasons, late: judged.Summary.ClientLimited}
	steps := figure.Reported(record)
	if len(steps) == 0 && len(record.Intervals) == 0 {
		return fmt.Errorf("%w: %s has no reported phase and no whole second", ErrEmpty, name)
	}
	// Reasons for the whole run precede phases whose response times the generator distorts.
	if len(one.late) == 0 {
		for i := range judged.Summary.Phases {
			if phase := &judged.Summary.Phases[i]; phase.ClientLimited {
				one.late = append(one.late, "the generator was late in "+phase.Name)
			}
		}
	}
	switch {
	case len(steps) == 0:
		one.cut = "has no totals and is not compared"
	case record.Cut:
		one.cut = "is truncated within a line: its totals are compared"
	case record.Validity == results.Partial:
		one.cut = "ended early: its part is compared"
	}
	if tree, err := baseline.NewTree(&judged); err == nil {
		one.tree = tree.JSON()
	}
	figures := figure.NewFigures(record)
	for i := range metrics {
		value, _ := metrics[i].Value(figures)
		one.asked = append(one.asked, value)
	}
	s.measure(one, record, figures, steps)
	s.runs = append(s.runs, one)
	return nil
}

// measure adds the figures of each section of a record that has any operation.
func (s *Set) measure(one *run, record *results.Record, figures *figure.Figures, steps []figure.Step) {
	phases := []string{""}
	for _, step := range steps {
		phases = append(phases, step.Phase.Name)
	}
	kinds := append([]results.Kind{{}}, record.Manifest.Operations...)
	for _, phase := range phases {
		for _, kind := range kinds {
			at := section{phase, kind.Name}
			var values []float64
			for _, m := range append(evidence(), compared()...) {
				m.figure.Phase, m.figure.Operation = phase, kind.Name
				value, _ := m.Value(figures)
				values = append(values, value)
			}
			some := values[:len(evidence())]
			if one.values[at] = values[len(some):]; !slices.ContainsFunc(some, func(n float64) bool { return n > 0 }) {
				delete(one.values, at)
			} else if !slices.Contains(s.sections, at) {
				s.sections = append(s.sections, at)
			}
		}
	}
}

// evidence are figures that show that a section has operations: at least one is above 0.
func evidence() []Metric { return named("scheduled", "requests") }

// compared are the metrics of each section, in the order of the tables.
func compared() []Metric {
	return named("p50", "p90", "p99", "p99.9", "max", "offered", "served", "share_lost", "throttled_per_second", "tries", "counted")
}

// named returns figures as metrics without a threshold.
func named(names ...string) []Metric {
	var list []Metric
	for _, name := range names {
		list = append(list, MetricOf(figure.Reference{Name: name}))
	}
	return list
}

// repeats reports whether two runs in virtual time are identical.
func (s *Set) repeats() bool {
	for i, one := range s.runs {
		if one.tree != nil && slices.ContainsFunc(s.runs[:i], func(other *run) bool { return bytes.Equal(one.tree, other.tree) }) {
			return true
		}
	}
	return false
}

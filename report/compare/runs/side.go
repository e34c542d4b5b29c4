package runs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/baseline"
	"loadgen/results/figure"
)

// Side is a run or a set of runs. It keeps what is compared of the records that it is
// given, not the records. It belongs to one goroutine.
type Side struct {
	// Name is what the user calls it: a folder.
	Name string

	runs []*run
	// keys are the sections that its runs have, in the order of the first that has them.
	keys  []key
	times map[key]*results.Histogram
}

// key is one section of a comparison: a phase and a kind of operation. An empty phase is
// all reported ones together, an empty operation all operations.
type key struct{ phase, operation string }

// run is what of a record is compared.
type run struct {
	name     string
	started  time.Time
	manifest results.Manifest
	validity string
	reasons  []string
	// late says where the generator fell short of the load, nothing where it did not.
	late []string
	// cut says why the record is not whole, empty where it is.
	cut     string
	figures map[key]section
	// seconds are the whole seconds of each phase, in the order of the run. Only a run
	// that is alone on its side keeps them.
	seconds []stretch
	// tree is what repeats of a run in virtual time, nil of others.
	tree []byte
}

// section is what a run came to in one section.
type section struct {
	results.PhaseOperationSummary
	counted int64
}

// MostRuns is how many runs a side may have.
const MostRuns = 1000

// Add adds the record of a run. Its error wraps [ErrEmpty] or [ErrTooMany].
func (s *Side) Add(name string, record *results.Record) error {
	if len(s.runs) == MostRuns {
		return fmt.Errorf("%w: %s holds more than %d", ErrTooMany, s.Name, MostRuns)
	}
	judged := *record
	judged.Summary = verdict.Judge(record)
	one := &run{name: name, started: record.Manifest.Started, manifest: record.Manifest,
		validity: judged.Summary.Validity, reasons: judged.Summary.Reasons, late: judged.Summary.ClientLimited, seconds: stretches(record)}
	steps := figure.Reported(record)
	if len(steps) == 0 && len(one.seconds) == 0 {
		return fmt.Errorf("%w: %s is of no length: it came to no reported phase, and to no whole second of any; expected a run that did",
			ErrEmpty, name)
	}
	// What spoils the run comes first, else the phases whose response times are the generator's own.
	if len(one.late) == 0 {
		for i := range judged.Summary.Phases {
			if phase := &judged.Summary.Phases[i]; phase.ClientLimited {
				one.late = append(one.late, "the generator was late in "+phase.Name)
			}
		}
	}
	switch partial := record.Validity == results.Partial; {
	case len(record.Phases) == 0:
		one.cut = "was cut off, and has no totals: its whole seconds alone are compared"
	case record.Cut:
		one.cut = "is cut off within a line: its totals are compared, and the seconds up to there"
	case partial && len(steps) > 0:
		one.cut = "did not come to its end: what it came to is compared"
	case partial:
		one.cut = "did not come to a reported phase: its whole seconds alone are compared"
	}
	if tree, err := baseline.Of(&judged); err == nil {
		one.tree = tree.JSON()
	}
	s.take(one, record, steps)
	s.runs = append(s.runs, one)
	if len(s.runs) > 1 {
		s.runs[0].seconds, one.seconds = nil, nil
	}
	return nil
}

// take takes the figures of a record, and the distributions of its response times.
func (s *Side) take(one *run, record *results.Record, steps []figure.Step) {
	one.figures = make(map[key]section)
	if len(steps) == 0 {
		return
	}
	kinds, of := []results.Kind{{}}, figure.Of(record)
	for i, kind := range record.Manifest.Operations {
		if slices.ContainsFunc(steps, func(step figure.Step) bool { k := &step.Phase.Kinds[i]; return k.Scheduled+k.Attempts > 0 }) {
			kinds = append(kinds, kind)
		}
	}
	for _, kind := range kinds {
		want := func(other results.Kind) bool { return kind.Name == "" || other.Name == kind.Name }
		sum := record.Total(func(p *results.Phase, other results.Kind) bool { return p.Reported && want(other) })
		s.put(one, key{"", kind.Name}, of.Summary(steps, want), &sum)
	}
	for _, step := range steps {
		for _, kind := range kinds {
			want := func(other results.Kind) bool { return kind.Name == "" || other.Name == kind.Name }
			sum := step.Sum(want)
			s.put(one, key{step.Phase.Name, kind.Name}, of.Step(step, want), &sum)
		}
	}
}

// put keeps a section of a run, unless nothing happened in it.
func (s *Side) put(one *run, k key, figures results.PhaseOperationSummary, sum *results.KindStats) {
	if sum.Scheduled == 0 && sum.Attempts == 0 {
		return
	}
	one.figures[k] = section{figures, sum.Counted}
	if s.times == nil {
		s.times = make(map[key]*results.Histogram)
	}
	if s.times[k] == nil {
		s.keys = append(s.keys, k)
		s.times[k] = results.NewHistogram()
	}
	s.times[k].Merge(sum.Response)
}

// repeats reports whether a run in virtual time is there twice: it counts once.
func (s *Side) repeats() bool {
	for i, one := range s.runs {
		if one.tree != nil && slices.ContainsFunc(s.runs[:i], func(other *run) bool { return bytes.Equal(one.tree, other.tree) }) {
			return true
		}
	}
	return false
}

func (s *Side) each(of func(*run) string) []string {
	var list []string
	for _, one := range s.runs {
		list = append(list, of(one))
	}
	return list
}

// What makes runs incomparable, to be told by errors.Is.
var (
	// ErrEmpty: a run is of no length, or a side has no run.
	ErrEmpty = errors.New("nothing to compare")
	// ErrTooMany: a side has more runs than can be compared.
	ErrTooMany = errors.New("too many runs")
)

package runs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"loadgen/report/compare"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/baseline"
	"loadgen/results/figure"
)

// Side is a run or a set of runs. It keeps only the compared parts of records. It is not safe
// for concurrent use.
type Side struct {
	// Name is the folder that the user named.
	Name string

	runs []*run
	// keys are the sections of its runs, in order of first appearance.
	keys  []key
	times map[key]*results.Histogram
}

// key is a section of a comparison: a phase and a kind of operation. An empty phase means all
// reported phases, an empty operation all operations.
type key struct{ phase, operation string }

// run is the compared part of a record.
type run struct {
	name     string
	started  time.Time
	manifest results.Manifest
	validity string
	reasons  []string
	// late lists where the generator was too slow.
	late []string
	// cut is why the record is incomplete, or empty.
	cut     string
	figures map[key]section
	// seconds are the whole seconds of each phase, only of a single run.
	seconds []stretch
	// tree is the repeatable part of a run in virtual time, else nil.
	tree []byte
}

// section has the figures of a run in one section.
type section struct {
	results.PhaseOperationSummary
	counted int64
}

const maxRuns = 1000

// Add adds the record of a run. It returns [ErrEmpty] or an error for too many runs.
func (s *Side) Add(name string, record *results.Record) error {
	if len(s.runs) == maxRuns {
		return fmt.Errorf("too many runs: %s has more than %d", s.Name, maxRuns)
	}
	judged := *record
	judged.Summary = verdict.Judge(record)
	one := &run{name: name, started: record.Manifest.Started, manifest: record.Manifest,
		validity: judged.Summary.Validity, reasons: judged.Summary.Reasons, late: judged.Summary.ClientLimited, seconds: stretches(record)}
	steps := figure.Reported(record)
	if len(steps) == 0 && len(one.seconds) == 0 {
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
	switch partial := record.Validity == results.Partial; {
	case len(record.Phases) == 0:
		one.cut = "is truncated and has no totals: only its whole seconds are compared"
	case record.Cut:
		one.cut = "is truncated within a line: its totals and complete seconds are compared"
	case partial && len(steps) > 0:
		one.cut = "ended early: its part is compared"
	case partial:
		one.cut = "ended before a reported phase: only its whole seconds are compared"
	}
	if tree, err := baseline.Of(&judged); err == nil {
		one.tree = tree.JSON()
	}
	s.addFigures(one, record, steps)
	s.runs = append(s.runs, one)
	if len(s.runs) > 1 {
		s.runs[0].seconds, one.seconds = nil, nil
	}
	return nil
}

// addFigures adds the figures of a record, and the distributions of its response times.
func (s *Side) addFigures(one *run, record *results.Record, steps []figure.Step) {
	one.figures = make(map[key]section)
	if len(steps) == 0 {
		return
	}
	kinds, figures := []results.Kind{{}}, figure.Of(record)
	for i, kind := range record.Manifest.Operations {
		if slices.ContainsFunc(steps, func(step figure.Step) bool { k := &step.Phase.Kinds[i]; return k.Scheduled+k.Attempts > 0 }) {
			kinds = append(kinds, kind)
		}
	}
	for _, kind := range kinds {
		want := func(other results.Kind) bool { return kind.Name == "" || other.Name == kind.Name }
		sum := record.Total(func(p *results.Phase, other results.Kind) bool { return p.Reported && want(other) })
		s.put(one, key{"", kind.Name}, figures.Summary(steps, want), &sum)
	}
	for _, step := range steps {
		for _, kind := range kinds {
			want := func(other results.Kind) bool { return kind.Name == "" || other.Name == kind.Name }
			sum := step.Sum(want)
			s.put(one, key{step.Phase.Name, kind.Name}, figures.Step(step, want), &sum)
		}
	}
}

// put adds a section of a run unless it is empty.
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

// repeats reports whether two runs in virtual time are identical.
func (s *Side) repeats() bool {
	for i, one := range s.runs {
		if one.tree != nil && slices.ContainsFunc(s.runs[:i], func(other *run) bool { return bytes.Equal(one.tree, other.tree) }) {
			return true
		}
	}
	return false
}

func (s *Side) collect(get func(*run) string) []string {
	var list []string
	for _, one := range s.runs {
		list = append(list, get(one))
	}
	return list
}

// ErrEmpty means that a run has no data, or a side no run.
var ErrEmpty = errors.New("nothing to compare")

// unit is the format of a measure in a table.
type unit string

const (
	micros    unit = "millis"
	perSecond unit = "rate"
	share     unit = "share"
	each      unit = "tries"
	count     unit = "count"
)

// measure is a figure of a section. Its name is that of a run's summary.
type measure struct {
	name, label string
	unit        unit
	higher      bool
	// floor is the minimum value that counts as more than 0.
	floor float64
	value func(*section) *float64
}

// metric returns the metric for a gate.
func (m *measure) metric() compare.Metric {
	return compare.Metric{Name: m.label, Higher: m.higher, Floor: m.floor}
}

// The measures that decide the verdict. With few pairs only the first does.
const (
	responseP99 = "response_us.p99"
	served      = "served_entities_per_second"
	responseP50 = "response_us.p50"
)

// measures returns the compared figures in the order of the tables.
func measures() []measure {
	quantile := func(name, label string, get func(*results.Quantiles) *int64) measure {
		return measure{name, label, micros, false, 1, func(s *section) *float64 {
			if value := get(&s.Response); value != nil {
				return new(float64(*value))
			}
			return nil
		}}
	}
	return []measure{
		quantile(responseP50, "response p50", func(q *results.Quantiles) *int64 { return q.P50 }),
		quantile("response_us.p90", "response p90", func(q *results.Quantiles) *int64 { return q.P90 }),
		quantile(responseP99, "response p99", func(q *results.Quantiles) *int64 { return q.P99 }),
		quantile("response_us.p99_9", "response p99.9", func(q *results.Quantiles) *int64 { return q.P999 }),
		quantile("response_us.max", "response max", func(q *results.Quantiles) *int64 { return q.Max }),
		{"offered_entities_per_second", "offered", perSecond, true, .01, func(s *section) *float64 { return new(s.Offered) }},
		{served, "served", perSecond, true, .01, func(s *section) *float64 { return new(s.Served) }},
		{"share_lost", "share lost", share, false, .001, func(s *section) *float64 { return s.ShareLost }},
		{"throttled_per_second", "throttled", perSecond, false, .01, func(s *section) *float64 { return new(s.ThrottledPerSecond) }},
		{"tries_per_operation", "attempts/op", each, false, .001, func(s *section) *float64 { return s.AttemptsPerOperation }},
		{"entities_counted", "counted", count, true, 1, func(s *section) *float64 { return new(float64(s.counted)) }},
	}
}

package telemetry

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"loadgen/results"
)

// The maximum numbers of phases and of kinds of operation with a name. The rest is called "other".
const (
	maxPhases = 200
	maxKinds  = 100
	other     = "other"
)

// series are the attributes of measurements by phase, kind of operation and variant, made when they are first needed.
// All methods are safe for concurrent use.
type series struct {
	operation, phase attribute.Key
	kinds            []string
	variants         [][]attribute.KeyValue
	// mu is held to replace phases; readers do not need it. others is the phase "other".
	mu     sync.Mutex
	phases atomic.Pointer[[]*phase]
	others *phase
}

type phase struct {
	name     string
	reported bool
	series   []atomic.Pointer[attributes]
}

// attributes are those of one series.
type attributes struct {
	// record is for histograms, observe for what is read when it is collected.
	record  []metric.RecordOption
	observe metric.ObserveOption
	// ended is the number of operations whose last attempt failed, by class, which the recorder does not have.
	ended atomic.Int64
}

// newSeries returns the series of a run. Its variants are attributes besides operation and phase.
func newSeries(names *instrumentNames, kinds []results.Kind, variants ...[]attribute.KeyValue) *series {
	s := &series{operation: names.operation, phase: names.phase, variants: variants}
	for _, kind := range kinds[:min(len(kinds), maxKinds)] {
		s.kinds = append(s.kinds, strings.ToValidUTF8(kind.Name, "?"))
	}
	s.kinds = append(s.kinds, other)
	s.others = s.newPhase(other, false)
	s.phases.Store(new([]*phase))
	return s
}

func (s *series) newPhase(name string, reported bool) *phase {
	return &phase{name, reported, make([]atomic.Pointer[attributes], len(s.kinds)*len(s.variants))}
}

// addPhase adds a phase by its number in the record.
func (s *series) addPhase(index int, of *results.Phase) {
	if index < 0 || index >= maxPhases {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := slices.Clone(*s.phases.Load())
	for len(known) <= index {
		known = append(known, s.others)
	}
	known[index] = s.newPhase(strings.ToValidUTF8(of.Name, "?"), of.Reported)
	s.phases.Store(&known)
}

func (s *series) phaseOf(index int) *phase {
	if known := *s.phases.Load(); index >= 0 && index < len(known) {
		return known[index]
	}
	return s.others
}

func (s *series) place(kind int) int {
	if kind < 0 || kind >= len(s.kinds) {
		return len(s.kinds) - 1
	}
	return kind
}

// names returns the names of a kind of operation and of a phase, and whether the phase is reported.
func (s *series) names(phase, kind int) (operation, name string, reported bool) {
	of := s.phaseOf(phase)
	return s.kinds[s.place(kind)], of.name, of.reported
}

// attributesOf returns the attributes of a variant of a kind of operation in a phase.
func (s *series) attributesOf(phase, kind, variant int) *attributes {
	of := s.phaseOf(phase)
	kind = s.place(kind)
	place := &of.series[kind*len(s.variants)+variant]
	if known := place.Load(); known != nil {
		return known
	}
	with := metric.WithAttributeSet(attribute.NewSet(append([]attribute.KeyValue{s.operation.String(s.kinds[kind]), s.phase.String(of.name)},
		s.variants[variant]...)...))
	place.CompareAndSwap(nil, &attributes{record: []metric.RecordOption{with}, observe: with})
	return place.Load()
}

// sum returns the counts of a recorder by the phases and kinds of the series.
func (s *series) sum(recorder *results.Recorder) [][]results.Counts {
	var sums [][]results.Counts
	for i, one := range recorder.Totals().Phases {
		if i <= maxPhases {
			sums = append(sums, make([]results.Counts, len(s.kinds)))
		}
		for kind := range one {
			sums[min(i, maxPhases)][s.place(kind)].Add(&one[kind])
		}
	}
	return sums
}

package otlp

import (
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"loadgen/results"
)

// The bounds on what is told apart: phases and operations beyond them share a name.
const (
	mostPhases = 200
	mostKinds  = 100
	others     = "other"
)

// The attributes of metrics and spans.
const (
	operationKey = "loadgen.operation"
	phaseKey     = "loadgen.phase"
	outcomeKey   = "loadgen.outcome"
	rankKey      = "loadgen.partition.rank"
	partitionKey = "loadgen.partition.key"
	directionKey = "network.io.direction"
)

// classes are those of attempts and operations.
var classes = [...]results.Class{results.Ok, results.Throttled, results.Failed}

// tally counts what one kind of operation came to in one phase.
type tally struct {
	// whole says which it is, by class that and a class, in and out that and a direction.
	whole   []metric.RecordOption
	byClass [len(classes) + 1][]metric.RecordOption
	in, out metric.ObserveOption

	mu sync.Mutex
	counts
}

// counts are of operations, attempts, entities and bytes; those by class are at the class.
type counts struct {
	scheduled, dropped, late, retries  int64
	offered, served, bytesOut, bytesIn int64
	completed, attempts                [len(classes) + 1]int64
}

// classOf returns a class as it is counted: what is none failed.
func classOf(c results.Class) results.Class {
	if c < results.Ok || c > results.Failed {
		return results.Failed
	}
	return c
}

// grid has the tallies of a run, made when first needed.
type grid struct {
	kinds []string
	// mu guards the writing of phases, which are read without it.
	mu     sync.Mutex
	phases atomic.Pointer[[]*phase]
	// other is for phases beyond the bound.
	other *phase
}

// phase has the tallies of one phase, by kind of operation.
type phase struct {
	name     string
	reported bool
	tallies  []atomic.Pointer[tally]
}

func (g *grid) newPhase(name string, reported bool) *phase {
	return &phase{name, reported, make([]atomic.Pointer[tally], len(g.kinds))}
}

// phase returns the phase of a number.
func (g *grid) phase(index int) *phase {
	if known := *g.phases.Load(); index >= 0 && index < len(known) {
		return known[index]
	}
	return g.other
}

// kind returns what a kind of operation is called.
func (g *grid) kind(index int) string { return g.kinds[g.place(index)] }

func (g *grid) place(kind int) int {
	if kind < 0 || kind >= len(g.kinds) {
		return len(g.kinds) - 1
	}
	return kind
}

// of returns the tally of a kind of operation in a phase.
func (g *grid) of(index, kind int) *tally {
	at := g.phase(index)
	place := &at.tallies[g.place(kind)]
	if t := place.Load(); t != nil {
		return t
	}
	one := []attribute.KeyValue{attribute.String(operationKey, g.kind(kind)), attribute.String(phaseKey, at.name)}
	with := func(more ...attribute.KeyValue) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(append(one[:len(one):len(one)], more...)...))
	}
	t := &tally{whole: []metric.RecordOption{with()},
		in: with(attribute.String(directionKey, "receive")), out: with(attribute.String(directionKey, "transmit"))}
	for _, class := range classes {
		t.byClass[class] = []metric.RecordOption{with(attribute.String(outcomeKey, class.String()))}
	}
	place.CompareAndSwap(nil, t)
	return place.Load()
}

// all calls for every tally that there is.
func (g *grid) all(each func(*tally)) {
	told := map[*phase]bool{}
	for _, one := range append(*g.phases.Load(), g.other) {
		if told[one] {
			continue
		}
		told[one] = true
		for i := range one.tallies {
			if t := one.tallies[i].Load(); t != nil {
				each(t)
			}
		}
	}
}

package doctor

import (
	"context"
	"fmt"

	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// wireOperations are what the ceiling over HTTP is measured with: a second or two
// of them on a small machine.
const wireOperations = 20_000

// ceilingBound is the rate over HTTP, in operations per second, below which this
// machine cannot do the documented stress test: its last step.
const ceilingBound = 4000

// honestShare is how much of a ceiling can be offered without the generator being
// what is measured.
const honestShare = 0.8

// ceilingFigures are how fast the generator is flat out: over nothing, over HTTP to
// a server that does nothing, and to the embedded engine.
type ceilingFigures struct{ nothing, empty, engine pace }

// pace is a ceiling, and how many of its operations failed.
type pace struct {
	results.Ceiling
	failed int64
}

// String is the pace in words, with the processor time of an operation.
func (p pace) String() string {
	text := document.Count(int64(p.PerSecond())) + "/s"
	if micros := p.CPUMicros(); micros > 0 {
		text += " (" + document.Figures(micros) + " CPU-µs)"
	}
	return text
}

// measureCeiling sends the entities of the documented stress test flat out.
func (r trials) measureCeiling(ctx context.Context) (ceilingFigures, error) {
	var f ceilingFigures
	s, err := stress()
	if err != nil {
		return f, err
	}
	for _, one := range []struct {
		over string
		into *pace
	}{{results.OverNothing, &f.nothing}, {results.OverHTTP, &f.empty}} {
		ceiling, err := run.Ceiling(ctx, s, one.over)
		if err != nil {
			return f, err
		}
		one.into.Ceiling = *ceiling
	}
	f.engine, err = r.measureEngine(ctx, wireOperations)
	return f, err
}

// measureEngine does so many operations on the embedded engine, without its
// limits, as fast as they can be done over HTTP; a tenth of them before,
// unmeasured.
func (r trials) measureEngine(ctx context.Context, operations uint64) (pace, error) {
	s, err := stress([2]string{"model.profile", model.Off})
	if err != nil {
		return pace{}, err
	}
	opened, err := run.Open(ctx, run.Plan{Scenario: s, On: run.Embedded}, r.clock)
	if err != nil {
		return pace{}, err
	}
	defer opened.Close()
	if err := furnish(ctx, opened); err != nil {
		return pace{}, err
	}
	warm := operations / 10
	if _, err := r.carryOut(ctx, opened, nil, flatOut("warm-up", 0, warm)); err != nil {
		return pace{}, err
	}
	began := r.clock.Now()
	before, known := run.CPU()
	record, err := r.carryOut(ctx, opened, nil, flatOut("flat out", warm, operations))
	if err != nil {
		return pace{}, err
	}
	kind := &record.Phases[0].Kinds[0]
	p := pace{results.Ceiling{Operations: kind.Operations, Took: r.clock.Now().Sub(began)}, kind.Operations - kind.Succeeded}
	if after, still := run.CPU(); known && still {
		p.CPU = after - before
	}
	return p, nil
}

// finding holds the figures against the bound.
func (f ceilingFigures) finding() Finding {
	measured := fmt.Sprintf("%s over HTTP, %s to nothing", f.engine, f.nothing)
	bound := document.Count(ceilingBound) + "/s over HTTP"
	can := fmt.Sprintf("this machine can drive the embedded engine at about "+
		"%s attempts/s, another service at about %s", document.Count(honest(f.engine)), document.Count(honest(f.empty)))
	switch {
	case f.engine.failed > 0:
		return findingFor(false, measured, bound,
			document.Count(f.engine.failed)+" operations failed without reason; report it")
	case f.engine.PerSecond() < ceilingBound:
		return findingFor(false, measured, bound, "stop other programs or use more cores; "+can)
	default:
		passed := findingFor(true, measured, bound, can)
		passed.offers = honest(f.engine)
		return passed
	}
}

// honest returns the rate up to which a pace leaves the generator room, cut off to
// hundreds.
func honest(p pace) int64 { return int64(honestShare*p.PerSecond()) / 100 * 100 }

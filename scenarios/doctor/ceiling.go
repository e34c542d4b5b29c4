package doctor

import (
	"context"
	"fmt"

	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// wireOperations is the number of operations over HTTP: a second or two on a small machine.
const wireOperations = 20_000

// ceilingBound is the last rate of the stress test, in operations per second.
const ceilingBound = 4000

// honestShare is the share of a ceiling up to which the generator is not the bottleneck.
const honestShare = 0.8

// ceilingFigures are the maximum rates: to nothing, over HTTP to an idle server, to the engine.
type ceilingFigures struct{ nothing, empty, engine pace }

// pace is a ceiling and its failed operations.
type pace struct {
	results.Ceiling
	failed int64
}

func (p pace) String() string {
	text := document.Count(int64(p.PerSecond())) + "/s"
	if micros := p.CPUMicros(); micros > 0 {
		text += " (" + document.Figures(micros) + " CPU-µs)"
	}
	return text
}

// measureCeiling sends the stress test's entities at the maximum rate.
func (r trials) measureCeiling(ctx context.Context) (ceilingFigures, error) {
	var f ceilingFigures
	s, err := stress()
	if err != nil {
		return f, err
	}
	generator, err := s.Generator()
	if err != nil {
		return f, err
	}
	sample := entity.Change{Verb: entity.InsertOrReplace, Key: generator.Key(0), Properties: generator.Properties(0)}
	for _, one := range []struct {
		over string
		into *pace
	}{{results.OverNothing, &f.nothing}, {results.OverHTTP, &f.empty}} {
		ceiling, err := run.Ceiling(ctx, s, sample, one.over)
		if err != nil {
			return f, err
		}
		one.into.Ceiling = *ceiling
	}
	f.engine, err = r.measureEngine(ctx, wireOperations)
	return f, err
}

// measureEngine reads one entity of an engine without limits at the maximum rate, after a tenth of the operations as warm-up.
func (r trials) measureEngine(ctx context.Context, operations uint64) (pace, error) {
	s, err := stress("model.profile=" + model.Off)
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
	load := run.FlatOut{Clock: r.clock, Target: opened, Operation: trialOperation(entity.Get), Lanes: trialWorkers, Warm: operations / 10, Count: operations,
		WarmLimit: trialGrace, Limit: trialGrace}
	ceiling, failed, err := load.Run(ctx)
	if err != nil {
		return pace{}, err
	}
	return pace{*ceiling, failed}, nil
}

func (f ceilingFigures) finding() Finding {
	can := fmt.Sprintf("this machine can drive the embedded engine at about %s attempts/s, another service at about %s",
		document.Count(honest(f.engine)), document.Count(honest(f.empty)))
	found := judge(fmt.Sprintf("%s over HTTP, %s to nothing", f.engine, f.nothing), document.Count(ceilingBound)+"/s over HTTP", can,
		rule{f.engine.failed > 0, Fail, document.Count(f.engine.failed) + " operations failed without reason; report it"},
		rule{f.engine.PerSecond() < ceilingBound, Fail, "stop other programs or use more cores; " + can})
	if found.Verdict == Pass {
		found.offers = honest(f.engine)
	}
	return found
}

// honest returns the rate that leaves the generator room, rounded down to hundreds.
func honest(p pace) int64 { return int64(honestShare*p.PerSecond()) / 100 * 100 }

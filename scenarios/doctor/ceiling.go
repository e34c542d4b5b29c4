package doctor

import (
	"context"
	"fmt"

	"loadgen/engine/entity"
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

// ceilingFigures are the maximum rates: to nothing, over HTTP to an idle server, to the engine, where some operations may fail.
type ceilingFigures struct {
	nothing, empty, engine results.Ceiling
	failed                 int64
}

func rateText(c results.Ceiling) string {
	text := document.Count(int64(c.PerSecond())) + "/s"
	if micros := c.CPUMicros(); micros > 0 {
		text += " (" + document.Figures(micros) + " CPU-µs)"
	}
	return text
}

// measureCeiling sends the stress test's entities at the maximum rate.
func (r trials) measureCeiling(ctx context.Context) (f ceilingFigures, err error) {
	s, err := stress()
	if err != nil {
		return f, err
	}
	generator, err := s.Generator()
	if err != nil {
		return f, err
	}
	sample := entity.Change{Verb: entity.InsertOrReplace, Key: generator.Key(0), Properties: generator.Properties(0)}
	for i, into := range []*results.Ceiling{&f.nothing, &f.empty} {
		ceiling, err := run.Ceiling(ctx, s, sample, []string{results.OverNothing, results.OverHTTP}[i])
		if err != nil {
			return f, err
		}
		*into = *ceiling
	}
	return f, r.measureEngine(ctx, wireOperations, &f)
}

// measureEngine reads one entity of an engine without limits at the maximum rate, after a tenth of the operations as warm-up.
func (r trials) measureEngine(ctx context.Context, operations uint64, f *ceilingFigures) error {
	opened, err := r.openEngine(ctx, run.Embedded)
	if err != nil {
		return err
	}
	defer opened.Close()
	load := run.FlatOut{Clock: r.clock, Target: opened, Operation: trialOperation(entity.Get), Lanes: trialWorkers, Warm: operations / 10, Count: operations,
		WarmLimit: trialGrace, Limit: trialGrace}
	ceiling, failed, err := load.Run(ctx)
	if err == nil {
		f.engine, f.failed = *ceiling, failed
	}
	return err
}

func (f ceilingFigures) finding() Finding {
	can := fmt.Sprintf("this machine can drive the embedded engine at about %s attempts/s, another service at about %s",
		document.Count(honest(f.engine)), document.Count(honest(f.empty)))
	measured := fmt.Sprintf("%s over HTTP, %s to nothing", rateText(f.engine), rateText(f.nothing))
	found := judge(document.Count(ceilingBound)+"/s over HTTP",
		rule{f.failed > 0, Fail, measured, document.Count(f.failed) + " operations failed without reason; report it"},
		rule{f.engine.PerSecond() < ceilingBound, Fail, measured, "stop other programs or use more cores; " + can},
		rule{true, Pass, measured, can})
	if found.Verdict == Pass {
		found.offers = honest(f.engine)
	}
	return found
}

// honest returns the rate that leaves the generator room, rounded down to hundreds.
func honest(c results.Ceiling) int64 { return int64(honestShare*c.PerSecond()) / 100 * 100 }

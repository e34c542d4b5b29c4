package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// trialTable has the one entity that trials read.
const trialTable = "loadgendoctor"

// trialWorkers is less than the operations that queue during a stall.
const trialWorkers = 64

// trials are short loads in real time, with the loop and the recorder of runs.
type trials struct {
	clock clock.Real
	// fine is [drive.Live]'s.
	fine bool
}

// stress returns the stress test with settings of the form path=value.
func stress(settings ...string) (*scenarios.Scenario, error) {
	s, err := scenarios.Builtin("stress")
	if err == nil {
		err = s.SetAll(scenarios.Settings(settings...))
	}
	if err != nil {
		return nil, err
	}
	return s, errors.Join(s.Validate()...)
}

// trialGrace is the maximum time after a trial's schedule.
const trialGrace = 10 * time.Second

// carryOut reads the entity in an open loop of evenly spaced operations per second, so that the number due in an interval is
// exact. The counter is the target's, or nil.
func (r trials) carryOut(ctx context.Context, t target.Target, counter target.Counter, name string, rate float64, length time.Duration) (
	*results.Record, *figure.Figures, error) {
	schedule, err := arrival.NewSteps(arrival.Step{Rate: rate, Length: length})
	if err != nil {
		return nil, nil, err
	}
	trial := run.Trial{Runner: &drive.Live{Clock: r.clock, Target: t, Workers: trialWorkers, Fine: r.fine},
		Kinds: []results.Kind{{Name: "get", Group: "GET"}}, Counter: counter}
	record, err := trial.Run(ctx, &drive.Stage{Name: name, Schedule: schedule, WholeSecond: true, Grace: trialGrace,
		Build:  func(_ uint64, w *drive.Work) { w.Operation = trialOperation(entity.Get) },
		Phases: []results.Phase{{Name: name, End: length, Rate: rate, Reported: true}}})
	if err != nil {
		return nil, nil, err
	}
	return record, figure.NewFigures(record), nil
}

// trialOperation reads or writes the one entity.
func trialOperation(verb entity.Verb) target.Operation {
	key := entity.Key{Partition: "patient", Row: "patient"}
	return target.Operation{Verb: verb, Table: trialTable, Change: entity.Change{Verb: verb, Key: key}}
}

// openEngine opens an engine without limits that has the table and the entity. Callers must close it.
func (r trials) openEngine(ctx context.Context, on run.Place) (*run.Opened, error) {
	s, err := stress("model.profile=" + model.Off)
	if err != nil {
		return nil, err
	}
	opened, err := run.Open(ctx, run.Plan{Scenario: s, On: on}, r.clock)
	if err != nil {
		return nil, err
	}
	for _, op := range []target.Operation{{Verb: entity.CreateTable, Table: trialTable}, trialOperation(entity.Insert)} {
		if outcome := opened.Do(ctx, &op); outcome.Class(target.Expected{}) != results.Ok {
			opened.Close()
			return nil, errors.New("the embedded engine rejected a trial's entity: " + outcome.Detail)
		}
	}
	return opened, nil
}

// The rate, the duration and the maximum median lag.
const (
	pacingRate   = 2000 // operations per second
	pacingLength = 3 * time.Second
	pacingBound  = 500 * time.Microsecond
)

// pacingFigures are the lags of sent operations.
type pacingFigures struct {
	p50, p90, p99, longest time.Duration
	sent, due              int64
}

// measurePacing sends operations to nothing at one rate.
func (r trials) measurePacing(ctx context.Context) (pacingFigures, error) {
	_, f, err := r.carryOut(ctx, run.Nowhere{}, nil, "pacing", pacingRate, pacingLength)
	if err != nil {
		return pacingFigures{}, err
	}
	return pacingFigures{p50: timeOf(f, "lag_p50"), p90: timeOf(f, "lag_p90"), p99: timeOf(f, "lag_p99"), longest: timeOf(f, "lag_max"),
		sent: int64(f.Named("sent").Value), due: pacingRate * int64(pacingLength/time.Second)}, nil
}

// timeOf returns a time of all operations of a trial, 0 if there is none.
func timeOf(f *figure.Figures, name string) time.Duration { return time.Duration(f.Named(name).Value) }

// finding fails for a delay of most operations. It warns for one of over [results.MaxLateShare] of them, by which a run's
// report says that the generator was late, or that the run is invalid.
func (f pacingFigures) finding() Finding {
	measured := fmt.Sprintf("lag p50 %s, p90 %s, p99 %s, max %s at %s/s",
		document.Span(f.p50), document.Span(f.p90), document.Span(f.p99), document.Span(f.longest), document.Count(pacingRate))
	return judge(fmt.Sprintf("p50 at most %s, p99 at most %s", document.Span(pacingBound), document.Span(results.LateAfter)),
		rule{f.sent != f.due, Fail, measured, fmt.Sprintf("%s of %s operations were sent: this machine is too slow; stop other programs",
			document.Count(f.sent), document.Count(f.due))},
		rule{f.p50 > pacingBound, Fail, measured, "stop other programs or use more cores; shorter responses are mostly its delay"},
		rule{f.p99 > results.HeldBackAfter, Warn, measured, "a run that sends so late is invalid: stop other programs or use more cores"},
		rule{f.p99 > results.LateAfter, Warn, measured, "a run's response times above p99 include this delay: stop other programs or use more cores"},
		rule{true, Pass, measured, ""})
}

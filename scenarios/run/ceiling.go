package run

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/azure"
)

// The bounds of a probe: a number of operations as well as a time, so that a stopped clock does not make it endless.
const (
	probeLanes = 64
	// probeWarm operations are not measured: they open connections and allocate memory.
	probeWarm      = 1000
	maxProbed      = 20_000
	probeWarmLimit = 200 * time.Millisecond
	probeLimit     = 400 * time.Millisecond
)

// probe returns the maximum rate of this process, by the path of the run without the target: the driving loop, and over
// HTTP the client and a socket. It is nil if it was not requested or failed; the error is that of an ended context.
func (p *Plan) probe(ctx context.Context, sample entity.Change) (*results.Ceiling, error) {
	if p.NoProbe || p.Driver == Vegeta || p.Elsewhere != nil { // vegeta and members have their own clients
		return nil, nil
	}
	over := results.OverHTTP
	if p.On == InProcess {
		over = results.OverNothing
	}
	ceiling, err := Ceiling(ctx, p.Scenario, sample, over)
	if err != nil {
		// A machine on which no port can be opened may still load a remote target.
		return nil, ctx.Err()
	}
	return ceiling, nil
}

// Ceiling sends a write of a scenario at the maximum rate for less than a second, to a server that does nothing
// (results.OverHTTP) or to no server (results.OverNothing). Its error is that of an ended context, or that no port can be
// opened.
func Ceiling(ctx context.Context, s *scenarios.Scenario, sample entity.Change, over string) (*results.Ceiling, error) {
	clk := clock.NewReal()
	f := FlatOut{Clock: clk, Target: Nowhere{}, Operation: target.Operation{Verb: sample.Verb, Table: s.Table, Change: sample}, Lanes: probeLanes,
		Warm: probeWarm, Count: maxProbed, WarmLimit: probeWarmLimit, Limit: probeLimit}
	if s.Workers > 0 {
		f.Lanes = min(s.Workers, f.Lanes)
	}
	if over == results.OverHTTP {
		client, stop, err := openNull(s, clk, f.Lanes)
		if err != nil {
			return nil, err
		}
		defer stop()
		f.Target = client
	}
	ceiling, _, err := f.Run(ctx)
	if err != nil {
		return nil, err
	}
	if ceiling.Operations == 0 || ceiling.Took <= 0 {
		return nil, errNoCeiling
	}
	ceiling.Over = over
	return ceiling, nil
}

// FlatOut sends an operation as often as the target answers.
type FlatOut struct {
	Clock     clock.Real
	Target    target.Target
	Operation target.Operation
	// Lanes is the number of concurrent operations.
	Lanes int
	// Warm operations are not measured, Count operations after them are; each part ends at its limit.
	Warm, Count      uint64
	WarmLimit, Limit time.Duration
}

// Run returns the rate of the measured operations that succeeded, and the number of the others. Its error is the runner's.
func (f *FlatOut) Run(ctx context.Context) (ceiling *results.Ceiling, failed int64, err error) {
	counted := &countingTarget{inner: f.Target}
	trial := Trial{Runner: &drive.Live{Clock: f.Clock, Target: counted, Workers: f.Lanes}, Kinds: []results.Kind{{Name: "probe"}}}
	stage := func(count uint64, limit time.Duration) *drive.Stage {
		return &drive.Stage{Name: "probe", Lanes: f.Lanes, Count: count, Limit: limit,
			Build: func(_ uint64, w *drive.Work) { w.Operation = f.Operation }, Phases: []results.Phase{{Name: "probe"}}}
	}
	if _, err := trial.send(ctx, new(results.Memory), stage(f.Warm, f.WarmLimit)); err != nil {
		return nil, 0, err
	}
	counted.ok.Store(0)
	counted.failed.Store(0)
	began := f.Clock.Now()
	used, known := CPU()
	if _, err := trial.send(ctx, new(results.Memory), stage(f.Count, f.Limit)); err != nil {
		return nil, 0, err
	}
	ceiling = &results.Ceiling{Lanes: f.Lanes, Operations: counted.ok.Load(), Took: f.Clock.Now().Sub(began)}
	if after, still := CPU(); known && still {
		ceiling.CPU = after - used
	}
	return ceiling, counted.failed.Load(), nil
}

// errNoCeiling reports that nothing was sent, or in no time.
var errNoCeiling = errors.New("the probe measured nothing")

// openNull starts a local server that answers 204 at once and returns a client of it, as a run has. Callers must call the
// returned function.
func openNull(s *scenarios.Scenario, clk clock.Real, connections int) (target.Target, func(), error) {
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Connections: connectionsFor(connections), Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})})
	if err != nil {
		return nil, nil, err
	}
	d := &destination{closing: []func(){func() { stop(server) }}}
	secret, err := embeddedSecret(s.Seed)
	if err == nil {
		var endpoint azure.Endpoint
		if endpoint, err = azure.ParseURL(server.URL()+"/"+account, account, secret); err == nil {
			err = d.connect([]azure.Endpoint{endpoint}, azure.Options{Connections: connections, Clock: clk, Calendar: clk})
		}
	}
	if err != nil {
		d.close()
		return nil, nil, err
	}
	return d.target, d.close, nil
}

// countingTarget counts outcomes. It is safe for concurrent use.
type countingTarget struct {
	inner      target.Target
	ok, failed atomic.Int64
}

// Do implements [target.Target].
func (c *countingTarget) Do(ctx context.Context, op *target.Operation) target.Outcome {
	outcome := c.inner.Do(ctx, op)
	if outcome.Class(target.Expected{}) == results.Ok {
		c.ok.Add(1)
	} else {
		c.failed.Add(1)
	}
	return outcome
}

// Nowhere is a target that answers every operation at once. It is safe for concurrent use.
type Nowhere struct{}

// Do implements [target.Target].
func (Nowhere) Do(context.Context, *target.Operation) target.Outcome {
	return target.Outcome{Status: http.StatusNoContent, Counted: 1}
}

// Trial is load without a scenario. It is recorded in memory and not judged.
type Trial struct {
	// Runner runs the stages, a [drive.Live] or a [drive.Virtual].
	Runner drive.Runner
	// Kinds are the kinds of operation of the stages.
	Kinds     []results.Kind
	Observers []drive.Observer
	// Counter has the target's own counts, nil for none.
	Counter target.Counter
}

// Run runs stages one after another and returns their record. Its error is the runner's.
func (t *Trial) Run(ctx context.Context, stages ...*drive.Stage) (*results.Record, error) {
	folder := new(results.Memory)
	recorder, err := t.send(ctx, folder, stages...)
	if err != nil {
		return nil, err
	}
	if err := recorder.Finish(t.Runner.Now().Offset(), results.Valid, nil, countsOf(t.Counter)); err != nil {
		return nil, err
	}
	return results.Read(folder)
}

// send runs stages one after another into a record that is not finished.
func (t *Trial) send(ctx context.Context, folder results.Folder, stages ...*drive.Stage) (*results.Recorder, error) {
	recorder, err := results.NewRecorder(folder, results.Manifest{Operations: t.Kinds})
	if err != nil {
		return nil, err
	}
	ledger := &drive.Ledger{Recorder: recorder, Observers: t.Observers}
	for _, stage := range stages {
		if err := t.Runner.Run(ctx, stage, ledger); err != nil {
			return nil, err
		}
	}
	return recorder, nil
}

// Engine returns an embedded engine of one account as a target with counts. It waits on the clock, or never if that is nil.
func Engine(m *model.Model, seed uint64, clk clock.Clock) *target.InProcess {
	return target.NewInProcess(engine.New(engine.Options{Model: m, Accounts: []string{account}, Seed: seed}), account, clk)
}

package main

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/vitals"
	"loadgen/target"
	"loadgen/target/azure"
)

// The bounds of a probe. Its operations are counted and not timed alone: a clock
// that stands still must not make it endless.
const (
	probeLanes = 64
	// probeWarm operations come first, unmeasured, so that connections are open and
	// memory is there.
	probeWarm      = 1000
	probeMost      = 20_000
	probeWarmLimit = 200 * time.Millisecond
	probeLimit     = 400 * time.Millisecond
)

// probe returns what this process can send flat out, along the path of the run
// that follows as far as it goes without the target: through the driving loop, and
// over HTTP the client and a socket. It is nil where it was not wanted, and where
// it could not be tried; the error is that of an ended context.
func (f *runFlags) probe(ctx context.Context, s *scenarios.Scenario) (*results.Ceiling, error) {
	if f.noProbe {
		return nil, nil
	}
	over := results.OverHTTP
	if f.aim.kind == aimInProcess {
		over = results.OverNothing
	}
	ceiling, err := tryCeiling(ctx, s, over)
	if err != nil {
		// A machine on which no port can be opened may still load a remote target.
		return nil, ctx.Err()
	}
	return ceiling, nil
}

// tryCeiling sends the scenario's entities flat out to nothing, for less than a
// second. Its errors are that of an ended context, and that of a machine that gives
// no port.
func tryCeiling(ctx context.Context, s *scenarios.Scenario, over string) (*results.Ceiling, error) {
	clk := clock.NewReal()
	null := &nullTarget{inner: nowhere{}}
	lanes := min(s.Workers, probeLanes)
	if over == results.OverHTTP {
		client, stop, err := openNull(s, clk, lanes)
		if err != nil {
			return nil, err
		}
		defer stop()
		null.inner = client
	}
	work, err := probeWork(s)
	if err != nil {
		return nil, err
	}
	recorder, err := results.NewRecorder(new(results.Memory), results.Manifest{Operations: []results.Kind{{Name: "probe"}}})
	if err != nil {
		return nil, err
	}
	ledger := &drive.Ledger{Recorder: recorder}
	runner := &drive.Live{Clock: clk, Target: null, Workers: lanes}
	stage := func(count uint64, limit time.Duration) *drive.Stage {
		return &drive.Stage{Name: "probe", Lanes: lanes, Count: count, Limit: limit,
			Build: func(uint64) drive.Work { return work }, Phases: []results.Phase{{Name: "probe"}}}
	}
	if err := runner.Run(ctx, stage(probeWarm, probeWarmLimit), ledger); err != nil {
		return nil, err
	}
	warm, began := null.answered.Load(), clk.Now()
	used, known := vitals.CPU()
	if err := runner.Run(ctx, stage(probeMost, probeLimit), ledger); err != nil {
		return nil, err
	}
	ceiling := &results.Ceiling{Over: over, Lanes: lanes,
		Operations: null.answered.Load() - warm, Took: clk.Now().Sub(began)}
	if ceiling.Operations == 0 || ceiling.Took <= 0 {
		return nil, errNoCeiling
	}
	if after, still := vitals.CPU(); known && still {
		ceiling.CPU = after - used
	}
	return ceiling, nil
}

// errNoCeiling says that nothing was sent, or in no time.
var errNoCeiling = errors.New("the probe came to nothing")

// probeWork returns the operation of a probe: to write an entity of the scenario.
func probeWork(s *scenarios.Scenario) (drive.Work, error) {
	generator, err := s.Generator()
	if err != nil {
		return drive.Work{}, err
	}
	change := entity.Change{Verb: entity.InsertOrReplace, Key: generator.Key(0), Properties: generator.Properties(0)}
	return drive.Work{Operation: target.Operation{Verb: change.Verb, Table: s.Table, Change: change}}, nil
}

// openNull puts a server that answers 204 at once behind a port of this machine
// and returns a client of it, the same as a run has. Whoever opened it stops it.
func openNull(s *scenarios.Scenario, clk clock.Real, connections int) (target.Target, func(), error) {
	server, err := rest.Listen("127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	if err != nil {
		return nil, nil, err
	}
	stop := func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = server.Close(ended) // its error is that something was cut off
	}
	secret, err := embeddedSecret(s.Seed)
	if err != nil {
		stop()
		return nil, nil, err
	}
	endpoint, err := azure.ParseURL(server.URL()+"/"+account, account, secret)
	if err != nil {
		stop()
		return nil, nil, err
	}
	client, err := azure.New(azure.Options{Endpoint: endpoint, Connections: connections, Clock: clk, Epoch: clk.Started()})
	if err != nil {
		stop()
		return nil, nil, err
	}
	return client, func() { client.Close(); stop() }, nil
}

// nullTarget counts what is answered with success. It is safe for concurrent use.
type nullTarget struct {
	inner    target.Target
	answered atomic.Int64
}

// Do implements [target.Target].
func (n *nullTarget) Do(ctx context.Context, op *target.Operation) target.Outcome {
	outcome := n.inner.Do(ctx, op)
	if outcome.Class(target.Expected{}) == target.Ok {
		n.answered.Add(1)
	}
	return outcome
}

// nowhere answers everything at once.
type nowhere struct{}

// Do implements [target.Target].
func (nowhere) Do(context.Context, *target.Operation) target.Outcome {
	return target.Outcome{Status: http.StatusNoContent, Counted: 1}
}

// look is the generator being looked at while it runs.
type look struct{ *vitals.Sampler }

// lookAt begins to look at a runner; the caller owes it an end.
func lookAt(live *drive.Live, recorder *results.Recorder) (look, error) {
	sampler, err := vitals.Start(vitals.Options{Clock: live.Clock, Source: vitals.NewProcess(),
		Free: live.Free, Tell: recorder.Vital, Cores: runtime.GOMAXPROCS(0), Workers: live.Workers})
	return look{sampler}, err
}

// end takes down what was seen, beside what the generator can send at most.
func (l look) end(recorder *results.Recorder, ceiling *results.Ceiling) {
	seen := l.Stop()
	seen.Ceiling = ceiling
	recorder.Generator(seen)
}

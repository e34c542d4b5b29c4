package drive_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// fake is a target whose outcomes are a pure function of number and attempt: it
// refuses some first attempts, and takes a time that is odd to the nanosecond
// so that no two instants coincide.
type fake struct {
	clock clock.Clock
	// refuse is how many of a thousand attempts are throttled.
	refuse int
	// took is the least time of an attempt.
	took time.Duration

	mu  sync.Mutex
	ops []seen
}

// seen is an attempt as the target saw it.
type seen struct {
	number  uint64
	attempt int
	key     entity.Key
}

func (f *fake) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	f.mu.Lock()
	f.ops = append(f.ops, seen{op.Number, op.Attempt, op.Change.Key})
	f.mu.Unlock()
	draw := clock.NewStream(3, "fake").Try(op.Number, op.Attempt)
	done := now.Add(f.took + time.Duration(draw.IntN(1_999_993)))
	if draw.IntN(1000) < f.refuse {
		return target.Outcome{Status: 503, Code: entity.ServerBusy}, done
	}
	return target.Outcome{Status: 204, Counted: op.Entities()}, done
}

func (f *fake) Do(ctx context.Context, op *target.Operation) target.Outcome {
	outcome, done := f.Submit(f.clock.Now(), op)
	f.clock.Sleep(ctx, done)
	return outcome
}

// kinds are the operations of the test stages.
var kinds = []results.Kind{{Name: "get", Group: "GET"}, {Name: "insert", Group: "PUT"}}

const day = 24 * time.Hour

// steps returns a schedule of steps.
func steps(t testing.TB, list ...arrival.Step) *arrival.Steps {
	t.Helper()
	s, err := arrival.NewSteps(list...)
	if err != nil {
		t.Fatalf("NewSteps(%v) = %v; want no error", list, err)
	}
	return s
}

// openStage returns an open loop of one or more steps, each a reported phase.
func openStage(t testing.TB, policy backoff.Policy, grace time.Duration, steps ...arrival.Step) *drive.Stage {
	t.Helper()
	schedule, err := arrival.NewSteps(steps...)
	if err != nil {
		t.Fatal(err)
	}
	stage := &drive.Stage{
		Name: "peak", Schedule: schedule, First: 500, Retry: policy, Grace: grace,
		Chance: clock.NewStream(1, "retry"), WholeSecond: true,
		Build: work,
	}
	var begin time.Duration
	for _, step := range steps {
		stage.Phases = append(stage.Phases, results.Phase{
			Name: "step " + begin.String(), Begin: begin, End: begin + step.Length, Rate: step.Rate, Reported: true})
		begin += step.Length
	}
	return stage
}

// closedStage returns a closed loop of count operations.
func closedStage(policy backoff.Policy, lanes int, count uint64, limit time.Duration) *drive.Stage {
	return &drive.Stage{
		Name: "load", Lanes: lanes, Count: count, Limit: limit, Retry: policy,
		Chance: clock.NewStream(1, "retry"),
		Phases: []results.Phase{{Name: "load"}},
		Build:  work,
	}
}

// work is operation k: a get, and every fifth an insert.
func work(k uint64, w *drive.Work) {
	draw := clock.NewStream(1, "rows").At(k)
	w.Operation = target.Operation{Verb: entity.Get, Table: "Races"}
	if k%5 == 0 {
		w.Kind, w.Operation.Verb = 1, entity.Insert
	}
	w.Operation.Change.Verb = w.Operation.Verb
	w.Operation.Change.Key = entity.Key{Partition: "hot", Row: string(rune('a' + draw.IntN(26)))}
}

// outing runs stages and returns the record and its folder.
func outing(t testing.TB, ctx context.Context, r drive.Runner, observers []drive.Observer, stages ...*drive.Stage) (*results.Record, *results.Memory, error) {
	t.Helper()
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Operations: kinds})
	if err != nil {
		t.Fatal(err)
	}
	ledger := &drive.Ledger{Recorder: recorder, Observers: observers}
	var failure error
	for _, stage := range stages {
		if failure = r.Run(ctx, stage, ledger); failure != nil {
			break
		}
	}
	if err := recorder.Finish(r.Now().Offset(), results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return record, folder, failure
}

// short is a policy whose waits are short.
var short = backoff.Policy{Name: "short", Retries: 3, Delay: backoff.Exponential{
	Base: 100 * time.Millisecond, Min: 50 * time.Millisecond, Max: 2 * time.Second}}

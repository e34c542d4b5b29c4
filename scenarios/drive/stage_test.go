package drive_test

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// kinds are the operations of the test stages.
var kinds = []results.Kind{{Name: "get", Group: "GET"}, {Name: "insert", Group: "PUT"}}

const day = 24 * time.Hour

// short is a policy whose waits are short.
var short = backoff.Policy{Name: "short", Retries: 3, Delay: backoff.Exponential{
	Base: 100 * time.Millisecond, Min: 50 * time.Millisecond, Max: 2 * time.Second}}

// retrying returns a policy of some retries, each after the same wait.
func retrying(retries int, every time.Duration) backoff.Policy {
	return backoff.Policy{Name: "fixed", Retries: retries, Delay: backoff.Fixed{Every: every}}
}

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
func openStage(t testing.TB, policy backoff.Policy, grace time.Duration, list ...arrival.Step) *drive.Stage {
	t.Helper()
	stage := &drive.Stage{
		Name: "peak", Schedule: steps(t, list...), First: 500, Retry: policy, Grace: grace,
		Chance: clock.NewStream(1, "retry"), WholeSecond: true,
		Build: work,
	}
	var begin time.Duration
	for _, step := range list {
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

// onceStage returns a stage of one operation, whose requests are retried twice.
func onceStage(t testing.TB, build func(w *drive.Work)) *drive.Stage {
	stage := openStage(t, retrying(2, time.Millisecond), time.Minute, arrival.Step{Rate: 1, Length: time.Second})
	stage.Build = func(_ uint64, w *drive.Work) { build(w) }
	return stage
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
	require.NoError(t, err)
	ledger := &drive.Ledger{Recorder: recorder, Observers: observers}
	var failure error
	for _, stage := range stages {
		if failure = r.Run(ctx, stage, ledger); failure != nil {
			break
		}
	}
	return finished(t, recorder, folder, r.Now()), folder, failure
}

func finished(t testing.TB, recorder *results.Recorder, folder *results.Memory, end clock.Instant) *results.Record {
	t.Helper()
	require.NoError(t, recorder.Finish(end.Offset(), results.Valid, nil, nil))
	record, err := results.Read(folder)
	require.NoError(t, err)
	return record
}

// ran is what became of some stages.
type ran struct {
	*results.Record
	sum      results.KindStats
	folder   *results.Memory
	attempts *attempts
}

// runWith runs stages and returns what became of them, and what ended them.
func runWith(t testing.TB, ctx context.Context, r drive.Runner, stages ...*drive.Stage) (ran, error) {
	t.Helper()
	seen := new(attempts)
	record, folder, err := outing(t, ctx, r, []drive.Observer{seen}, stages...)
	slices.SortFunc(seen.list, func(a, b results.Attempt) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return ran{record, record.Total(results.Everything), folder, seen}, err
}

// run runs stages that come to their end.
func run(t testing.TB, r drive.Runner, stages ...*drive.Stage) ran {
	t.Helper()
	all, err := runWith(t, t.Context(), r, stages...)
	require.NoError(t, err)
	return all
}

// virtually runs stages in virtual time.
func virtually(t testing.TB, to target.Immediate, stages ...*drive.Stage) ran {
	t.Helper()
	return run(t, &drive.Virtual{Target: to}, stages...)
}

// inBubble calls a test on a clock of its own, which does not wait.
func inBubble(t *testing.T, test func(t *testing.T, clk clock.Real)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, clock.NewReal()) })
}

// checkBooks checks that the counts of a run add up, and that the target saw its attempts.
func checkBooks(t testing.TB, name string, sum results.KindStats, seen int64) {
	t.Helper()
	if sum.Scheduled != sum.Sent+sum.Dropped || sum.Operations != sum.Sent {
		t.Errorf("%s: scheduled %d, sent %d, dropped %d, operations %d; want scheduled = sent + dropped, operations = sent",
			name, sum.Scheduled, sum.Sent, sum.Dropped, sum.Operations)
	}
	if sum.Attempts != sum.Ok+sum.Throttled+sum.Failed || sum.Attempts != seen {
		t.Errorf("%s: attempts %d = ok %d + throttled %d + failed %d; the target saw %d",
			name, sum.Attempts, sum.Ok, sum.Throttled, sum.Failed, seen)
	}
	service := sum.Service[results.Ok].Count() + sum.Service[results.Throttled].Count() + sum.Service[results.Failed].Count()
	if service != sum.Attempts || sum.Response.Count()+sum.Lost.Count() != sum.Operations {
		t.Errorf("%s: histograms hold %d attempts and %d + %d operations; want %d and %d",
			name, service, sum.Response.Count(), sum.Lost.Count(), sum.Attempts, sum.Operations)
	}
}

// attempts keeps what it is told of attempts.
type attempts struct {
	mu   sync.Mutex
	list []results.Attempt
}

// Attempt implements [drive.Observer].
func (a *attempts) Attempt(one *results.Attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, *one)
}

// Completed implements [drive.Observer].
func (*attempts) Completed(*results.Completed) {}

// byOperation returns the attempts of each operation, in their order.
func (a *attempts) byOperation() map[uint64][]results.Attempt {
	of := make(map[uint64][]results.Attempt)
	for _, one := range a.list {
		of[one.Number] = append(of[one.Number], one)
	}
	return of
}

// waits returns how long an operation waited before each of its retries.
func waits(list []results.Attempt) (all []time.Duration) {
	for i := 1; i < len(list); i++ {
		all = append(all, list[i].Sent-list[i-1].Done)
	}
	return all
}

package drive_test

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// kinds are the operations of the test stages.
var kinds = []results.Kind{{Name: "get", Group: "GET"}, {Name: "insert", Group: "PUT"}}

const day = 24 * time.Hour

// short is a policy whose waits are short.
var short = backoff.Policy{Name: "short", Retries: 3, Delay: backoff.Exponential{
	Base: 100 * time.Millisecond, Min: 50 * time.Millisecond, Max: 2 * time.Second}}

// retrying returns a policy of some retries, each after the same wait.
func retrying(retries int, every time.Duration) backoff.Policy {
	return backoff.Policy{Name: "fixed", Retries: retries, Delay: backoff.Ladder{every}}
}

// steps returns a schedule of steps.
func steps(t testing.TB, list ...arrival.Step) *arrival.Steps {
	t.Helper()
	s, err := arrival.NewSteps(list...)
	require.NoError(t, err)
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
	draw := clock.NewStream(1, "rows").Draw(k)
	w.Operation = target.Operation{Verb: entity.Get, Table: "Races"}
	if k%5 == 0 {
		w.Kind, w.Operation.Verb = 1, entity.Insert
	}
	w.Operation.Change.Verb = w.Operation.Verb
	w.Operation.Change.Key = entity.Key{Partition: "hot", Row: string(rune('a' + draw.IntN(26)))}
}

// ran is the outcome of some stages.
type ran struct {
	*results.Record
	sum      results.KindStats
	folder   *results.Memory
	attempts *attempts
}

// runWith runs stages and returns their outcome, and what ended them.
func runWith(t testing.TB, ctx context.Context, r drive.Runner, stages ...*drive.Stage) (ran, error) {
	t.Helper()
	return observed(t, ctx, r, nil, stages...)
}

// observed runs stages that are observed by others, too.
func observed(t testing.TB, ctx context.Context, r drive.Runner, others []drive.Observer, stages ...*drive.Stage) (all ran, err error) {
	t.Helper()
	all.folder, all.attempts = new(results.Memory), new(attempts)
	recorder := resultstest.Open(t, all.folder, results.Manifest{Operations: kinds})
	ledger := &drive.Ledger{Recorder: recorder, Observers: append(others, all.attempts)}
	for _, stage := range stages {
		if err = r.Run(ctx, stage, ledger); err != nil {
			break
		}
	}
	resultstest.Finish(t, recorder, r.Now().Offset())
	all.Record = resultstest.Read(t, all.folder)
	all.sum = all.Total(results.Everything)
	slices.SortFunc(all.attempts.list, func(a, b results.Attempt) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return all, err
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

// Deletes write nothing, merges what they bring, replaces all of the entity again; what
// was throttled, or was there already, was not written.
func TestStoredByVerb(t *testing.T) {
	properties := []entity.Property{{Name: "State", Value: entity.String("open")}}
	key := entity.Key{Partition: "p", Row: "r"}
	size := int64(entity.Size(key, properties))
	for _, row := range []struct {
		verb   entity.Verb
		status int
		want   int64
	}{
		{entity.Insert, 204, size}, {entity.InsertOrReplace, 204, size}, {entity.InsertOrMerge, 204, size}, {entity.Replace, 204, size},
		{entity.Merge, 204, size}, {entity.Delete, 204, 0}, {entity.Get, 200, 0}, {entity.Query, 200, 0}, {entity.Batch, 202, 2 * size},
		{entity.Insert, 503, 0}, {entity.Insert, 409, 0}, {entity.Batch, 503, 0}, {entity.CreateTable, 204, 0},
	} {
		change := entity.Change{Verb: row.verb, Key: key, Properties: properties}
		w := drive.Work{Operation: target.Operation{Verb: row.verb, Table: "Races", Change: change}, Expected: target.Expected{Conflict: true}}
		if row.verb == entity.Batch {
			change.Verb = entity.Insert
			w.Operation.Changes = []entity.Change{change, {Verb: entity.Delete, Key: key}, change}
		}
		stage := closedStage(backoff.Policy{}, 1, 1, time.Minute)
		stage.Build = func(_ uint64, built *drive.Work) { *built = w }
		answer := target.Outcome{Status: row.status, BytesOut: 70, BytesIn: 30}
		sum := virtually(t, targettest.After(time.Millisecond, targettest.Always(answer)), stage).sum
		assert.Truef(t, sum.Stored == row.want && sum.BytesOut == 70 && sum.BytesIn == 30,
			"%v answered %d: stored %d, sent %d, received %d bytes; want %d, 70, 30", row.verb, row.status, sum.Stored, sum.BytesOut, sum.BytesIn, row.want)
	}
}

// Of a query of ten entities in two pages the second is throttled at first: that demanded what
// the query had yet to read. Each request lands in the second in which it ended, and is under
// way until then.
func TestHeatOfAThrottledPage(t *testing.T) {
	calls := 0
	pager := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
		switch calls++; calls {
		case 1:
			next := target.Token{Present: true, NextPartitionKey: "p", NextRowKey: "5"}
			return target.Outcome{Status: 200, Counted: 4, Next: next}, now.Add(time.Millisecond)
		case 2:
			return targettest.Busy(op), now.Add(1500 * time.Millisecond)
		default:
			return target.Outcome{Status: 200, Counted: 6}, now.Add(time.Millisecond)
		}
	})
	stage := closedStage(retrying(1, 700*time.Millisecond), 1, 1, time.Minute)
	stage.Table = "Races"
	stage.Build = func(_ uint64, w *drive.Work) {
		w.Operation = target.Operation{Verb: entity.Query, Table: "RacesByState", Query: target.OnePartition("p")}
		w.Pages, w.Offers = true, 10
	}
	all := virtually(t, pager, stage)
	want := []results.HeatRow{{Table: "ByState", Key: "p", HeatCells: results.HeatCells{
		Served: []int64{4, 0, 6}, Throttled: []int64{0, 1, 0}, Demanded: []int64{4, 6, 6}}}}
	assert.Equal(t, want, all.Heat.Rows, "the map differs")
	var flying []int64
	for _, i := range all.Intervals {
		flying = append(flying, i.InFlight)
	}
	assert.Truef(t, slices.Equal(flying, []int64{1, 0, 0}),
		"%v attempts were under way at the ends of the seconds; want 1, 0, 0", flying)
}

// A tail is of the stretch under way and the one before it, whatever was counted earlier.
func TestTailIsOfTheLastTwoStretches(t *testing.T) {
	const stretch, races = 30 * time.Second, 15
	for _, row := range []struct {
		name string
		// at are the seconds in which a key is throttled once and served once.
		at   []int
		want int64
	}{
		{"one stretch", []int{0, 10, 29}, 3},
		{"two that follow one another", []int{29, 30}, 2},
		{"the first of three is over", []int{1, 2, 31, 61}, 2},
		{"a stretch in which nothing came", []int{1, 65}, 1},
		{"the same key in each of many", []int{5, 35, 65, 95, 125}, 2},
	} {
		tail := results.NewTail(stretch)
		var want []results.KeyTail
		for n := range races {
			want = append(want, results.KeyTail{Key: fmt.Sprintf("race %03d", n), Attempts: 2 * row.want, Throttled: row.want})
		}
		for _, second := range row.at {
			for n := range races {
				for _, class := range []results.Class{results.Ok, results.Throttled} {
					tail.Attempt(&results.Attempt{PartitionKey: fmt.Sprintf("race %03d", n), HasPartition: true, Class: class,
						Done: time.Duration(second) * time.Second})
				}
			}
		}
		tail.Attempt(&results.Attempt{Class: results.Throttled, Done: time.Duration(row.at[len(row.at)-1]) * time.Second})
		assert.Equal(t, want, tail.Keys(), row.name)
	}
}

// TestMain lets garbage lie for longer: what is small and made again and again leaves so
// much that a third of the time went into collecting it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

package drive_test

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// fake returns a target that throttles so many of a thousand attempts.
func fake(clk clock.Clock, throttled int) *targettest.Fake {
	return &targettest.Fake{Clock: clk, Throttled: throttled, Takes: time.Millisecond}
}

// stages returns the same stretch of load each time: a closed loop, then steps.
func stages(t testing.TB) []*drive.Stage {
	length := time.Second
	if testing.Short() {
		length = time.Second / 2
	}
	return []*drive.Stage{
		closedStage(short, 8, 500, time.Minute),
		openStage(t, short, 5*time.Second,
			arrival.Step{Rate: 500, Length: length}, arrival.Step{Rate: 1500, Length: length}),
	}
}

// openStages returns the steps of stages. The first operations of a closed loop are due at the same
// instant, and which of them takes a line first is up to the scheduler.
func openStages(t testing.TB) []*drive.Stage { return stages(t)[1:] }

// cutStages returns stages whose retries come too late for their ends.
func cutStages(t testing.TB) []*drive.Stage {
	policy := backoff.Policy{Name: "slow", Retries: 3, Delay: backoff.Exponential{
		Base: 2 * time.Second, Min: time.Second, Max: 20 * time.Second}}
	closed := closedStage(policy, 4, 50, 5*time.Second)
	closed.First = 10_000
	return []*drive.Stage{
		openStage(t, policy, 3*time.Second, arrival.Step{Rate: 1, Length: 1500 * time.Millisecond}, arrival.Step{Rate: 300, Length: 2 * time.Second}),
		closed,
	}
}

// onceOnly returns stages of which vegeta retries nothing: a closed loop, steps, and a load at
// random instants.
func onceOnly(t testing.TB) []*drive.Stage {
	second := arrival.Step{Rate: 300, Length: time.Second}
	jittered := openStage(t, backoff.Policy{}, time.Second, second)
	jittered.First, jittered.Schedule = 5000, arrival.NewJittered(steps(t, second), clock.NewStream(1, "arrivals"))
	return []*drive.Stage{
		closedStage(short, 8, 500, time.Minute),
		openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 500, Length: time.Second}, arrival.Step{Rate: 1500, Length: time.Second}),
		jittered,
	}
}

func behind(t testing.TB, settings string) *target.Line {
	t.Helper()
	m, err := model.New(model.Documented)
	require.NoError(t, err)
	for one := range strings.FieldsSeq(settings) {
		name, value, _ := strings.Cut(one, "=")
		require.NoError(t, m.Set(name, value))
	}
	return target.NewLine(m, 5, target.Wire{})
}

// Of each load the runners keep the same record, to the byte, of the same attempts, and their
// books close.
func TestLiveEqualsVirtual(t *testing.T) {
	heldBack := func(t testing.TB) []*drive.Stage { return []*drive.Stage{limited(t, time.Minute)} }
	patient := func(t testing.TB) []*drive.Stage { return []*drive.Stage{patientInserts(t)} }
	for _, row := range []struct {
		name    string
		stages  func(testing.TB) []*drive.Stage
		workers int
		line    string
		vegeta  bool
		cut     bool
	}{
		{"a closed loop and steps, by 64 workers", stages, 64, "", false, false},
		{"by 1000 workers", stages, 1000, "", false, false},
		{"what the end of a stage cuts", cutStages, 64, "", false, true},
		{"kinds that are held to their limit", heldBack, 64, "", false, false},
		{"kinds with a policy of their own", patient, 64, "", false, false},
		{"behind a line that loses packets", openStages, 1000, "client_bandwidth=900000 packet_loss=20 retransmit_time=70ms", false, false},
		{"behind the lines of three machines", openStages, 1000, "client_bandwidth=400000 client_machines=3", false, false},
		{"by vegeta", onceOnly, 64, "", true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			seen, runner := fake(nil, 300), &drive.Virtual{}
			if runner.Target = seen; row.line != "" {
				runner.Line = behind(t, row.line)
			}
			virtual := run(t, runner, row.stages(t)...)
			checkBooks(t, "virtual", virtual.sum, seen.Attempts())
			due := int64(0)
			for _, stage := range row.stages(t) {
				due += int64(stage.Operations())
			}
			if sum := virtual.sum; sum.Throttled == 0 || sum.Lost.Count() == 0 || virtual.Misplaced != 0 ||
				row.line != "" && (sum.LineHeld == 0 || sum.LineHeld == sum.Attempts) ||
				row.cut != (sum.Cut > 0) || !row.cut && sum.Scheduled != due {
				t.Errorf("scheduled %d of %d, throttled %d, lost %d, cut %d, held by the line %d, misplaced %d",
					sum.Scheduled, due, sum.Throttled, sum.Lost.Count(), sum.Cut, sum.LineHeld, virtual.Misplaced)
			}
			inBubble(t, func(t *testing.T, clk clock.Real) {
				again := fake(clk, 300)
				var to target.Target = again
				if row.line != "" {
					to = target.WrapLine(again, behind(t, row.line), clk)
				}
				var runner drive.Runner = &drive.Live{Clock: clk, Target: to, Workers: row.workers}
				if row.vegeta {
					runner = byVegeta(clk, to, row.workers)
				}
				sameRun(t, run(t, runner, row.stages(t)...), virtual)
				assert.True(t, slices.Equal(again.Seen(), seen.Seen()), "the target saw other attempts")
			})
		})
	}
}

func sameRun(t *testing.T, got, want ran) {
	t.Helper()
	assert.Equalf(t, want.Record, got.Record, "the record is of %+v; want %+v", got.sum, want.sum)
	for _, file := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		assert.Truef(t, slices.Equal(got.folder.Bytes(file), want.folder.Bytes(file)), "%s differs", file)
	}
	assert.Truef(t, reflect.DeepEqual(got.attempts.list, want.attempts.list),
		"the attempts differ, of which there are %d; want %d", len(got.attempts.list), len(want.attempts.list))
}

// The same seed gives the same bytes on any number of processors, and any number of workers sends
// the same operations.
func TestSameOperationsOnAnyMachine(t *testing.T) {
	f := fake(nil, 300)
	first := virtually(t, f, stages(t)...)
	for _, processors := range []int{1, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		sameRun(t, virtually(t, fake(nil, 300), stages(t)...), first)
		for _, workers := range []int{1, 3, 64} {
			inBubble(t, func(t *testing.T, clk clock.Real) {
				// A single worker needs time: the grace holds for all of it.
				list, g := stages(t), fake(clk, 300)
				list[1].Grace = time.Hour
				run(t, &drive.Live{Clock: clk, Target: g, Workers: workers}, list...)
				assert.Equalf(t, f.Seen(), g.Seen(), "%d workers on %d processors", workers, processors)
			})
		}
	}
}

// throttlingFirst throttles each first attempt, and answers in 1 ms.
var throttlingFirst = targettest.After(time.Millisecond, func(op *target.Operation) target.Outcome {
	if op.Attempt == 0 {
		return targettest.Busy(op)
	}
	return targettest.Served(op)
})

// An operation that waits to retry holds no worker: with one worker and waits of
// a second, a hundred operations that are all throttled once end within two.
func TestWaitingHoldsNoWorker(t *testing.T) {
	inBubble(t, func(t *testing.T, clk clock.Real) {
		stage := openStage(t, retrying(1, time.Second), 10*time.Second, arrival.Step{Rate: 100, Length: time.Second})
		sum := run(t, &drive.Live{Clock: clk, Target: throttlingFirst.On(clk), Workers: 1}, stage).sum
		assert.Truef(t, sum.Succeeded == 100 && sum.Attempts == 200 && sum.Late == 0,
			"succeeded %d, attempts %d, late %d; want 100, 200 and none", sum.Succeeded, sum.Attempts, sum.Late)
		assert.InDelta(t, 1_005_000, sum.Response.Max(), 5000, "longest response in µs: the second that each waited")
	})
}

// Without a worker to send it, what is due is dropped when the grace is over, and what waits
// to retry is cut.
func TestEndOfTheGrace(t *testing.T) {
	inBubble(t, func(t *testing.T, clk clock.Real) {
		f := &targettest.Fake{Clock: clk, Takes: 200 * time.Millisecond}
		stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 100, Length: time.Second})
		sum := run(t, &drive.Live{Clock: clk, Target: f, Workers: 1}, stage).sum
		checkBooks(t, "one worker", sum, f.Attempts())
		assert.Truef(t, sum.Scheduled == 100 && sum.Sent == 10,
			"scheduled %d, sent %d; want 100 and 10: two seconds for one worker at 200 ms", sum.Scheduled, sum.Sent)
	})
	all := virtually(t, fake(nil, 1000), openStage(t, retrying(3, time.Minute), time.Second, arrival.Step{Rate: 100, Length: time.Second}))
	if all.sum.Cut != 100 || all.sum.Attempts != 100 || all.sum.Lost.Count() != 100 || all.Duration > 3*time.Second {
		t.Errorf("cut %d, attempts %d, lost %d after %v; want 100 each, after the schedule and its grace",
			all.sum.Cut, all.sum.Attempts, all.sum.Lost.Count(), all.Duration)
	}
}

// A schedule that is sparse lasts as long as it says, though its last operation
// is over long before.
func TestStageLastsAsLongAsItsSchedule(t *testing.T) {
	stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 0.5, Length: 3 * time.Second})
	all := virtually(t, fake(nil, 0), stage)
	last := all.Events[len(all.Events)-1]
	assert.Truef(t, all.Duration == 3*time.Second && last.What == results.StageEnds && last.At == int64(3*time.Second),
		"a stage of 3 s with its last operation at 2 s ended at %v, by %+v; want its end at 3 s", all.Duration, last)
}

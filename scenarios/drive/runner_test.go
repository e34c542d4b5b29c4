package drive_test

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// stages returns the same stretch of load each time: a closed loop, then steps.
func stages(t testing.TB) []*drive.Stage {
	length := 2 * time.Second
	if testing.Short() {
		length = time.Second / 2
	}
	return []*drive.Stage{
		closedStage(short, 8, 500, time.Minute),
		openStage(t, short, 5*time.Second,
			arrival.Step{Rate: 500, Length: length}, arrival.Step{Rate: 1500, Length: length}),
	}
}

func virtually(t testing.TB, f *fake, list ...*drive.Stage) (*results.Record, *results.Memory) {
	t.Helper()
	record, folder, err := outing(t, context.Background(), &drive.Virtual{Target: f}, nil, list...)
	if err != nil {
		t.Fatal(err)
	}
	return record, folder
}

func TestBooksClose(t *testing.T) {
	f := &fake{refuse: 300, took: time.Millisecond}
	record, _ := virtually(t, f, stages(t)...)
	sum := record.Total(results.Everything)
	if want := int64(500 + stages(t)[1].Schedule.Len()); sum.Scheduled != want || sum.Scheduled != sum.Sent+sum.Dropped || sum.Operations != sum.Sent {
		t.Errorf("scheduled %d, sent %d, dropped %d, operations %d; want all = sent + dropped, operations = sent",
			sum.Scheduled, sum.Sent, sum.Dropped, sum.Operations)
	}
	if sum.Attempts != sum.Ok+sum.Throttled+sum.Failed || sum.Attempts != int64(len(f.ops)) {
		t.Errorf("attempts %d = ok %d + throttled %d + failed %d; the target saw %d",
			sum.Attempts, sum.Ok, sum.Throttled, sum.Failed, len(f.ops))
	}
	service := sum.Service[results.Ok].Count() + sum.Service[results.Throttled].Count() + sum.Service[results.Failed].Count()
	if service != sum.Attempts || sum.Response.Count()+sum.Lost.Count() != sum.Operations {
		t.Errorf("histograms hold %d attempts and %d + %d operations; want %d and %d",
			service, sum.Response.Count(), sum.Lost.Count(), sum.Attempts, sum.Operations)
	}
	if sum.Throttled == 0 || sum.Lost.Count() == 0 {
		t.Error("nothing was throttled or lost: the test shows nothing")
	}
}

// live runs stages inside the bubble of the calling synctest.
func live(t *testing.T, workers int, refuse int, list []*drive.Stage) (*results.Record, *results.Memory, *fake) {
	t.Helper()
	clk := clock.NewReal()
	f := &fake{clock: clk, refuse: refuse, took: time.Millisecond}
	record, folder, err := outing(t, context.Background(), &drive.Live{Clock: clk, Target: f, Workers: workers}, nil, list...)
	if err != nil {
		t.Fatal(err)
	}
	return record, folder, f
}

func TestLiveEqualsVirtual(t *testing.T) {
	f := &fake{refuse: 300, took: time.Millisecond}
	virtual, virtualFolder := virtually(t, f, stages(t)...)
	for _, workers := range []int{64, 1000} {
		synctest.Test(t, func(t *testing.T) {
			record, folder, g := live(t, workers, 300, stages(t))
			if !reflect.DeepEqual(record, virtual) {
				t.Errorf("the record of %d live workers differs from the virtual one: %+v; want %+v",
					workers, record.Total(results.Everything), virtual.Total(results.Everything))
			}
			for _, file := range []string{results.IntervalsFile, results.EventsFile} {
				if got, want := folder.Bytes(file), virtualFolder.Bytes(file); !slices.Equal(got, want) {
					t.Errorf("%s of %d live workers =\n%s\nwant that of virtual time\n%s", file, workers, got, want)
				}
			}
			if len(g.ops) != len(f.ops) {
				t.Errorf("%d live attempts; want %d", len(g.ops), len(f.ops))
			}
		})
	}
}

func TestSameOperationsAtAnyNumberOfWorkers(t *testing.T) {
	sorted := func(ops []seen) []seen {
		ops = slices.Clone(ops)
		slices.SortFunc(ops, func(a, b seen) int {
			return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.attempt, b.attempt))
		})
		return ops
	}
	f := &fake{refuse: 300, took: time.Millisecond}
	virtually(t, f, stages(t)...)
	want := sorted(f.ops)
	for _, workers := range []int{1, 3, 64} {
		for _, processors := range []int{1, 4} {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			synctest.Test(t, func(t *testing.T) {
				// A single worker needs time: the grace holds for all of it.
				list := stages(t)
				list[1].Grace = time.Hour
				_, _, g := live(t, workers, 300, list)
				if got := sorted(g.ops); !slices.Equal(got, want) {
					t.Errorf("%d workers on %d processors sent other operations than virtual time", workers, processors)
				}
			})
		}
	}
}

func TestVirtualBytesAreTheSame(t *testing.T) {
	_, first := virtually(t, &fake{refuse: 300, took: time.Millisecond}, stages(t)...)
	for _, processors := range []int{1, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		_, again := virtually(t, &fake{refuse: 300, took: time.Millisecond}, stages(t)...)
		for _, file := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
			if !slices.Equal(first.Bytes(file), again.Bytes(file)) {
				t.Errorf("%s differs between two runs of one seed", file)
			}
		}
	}
}

// An operation that waits to retry holds no worker: with one worker and waits of
// a second, a hundred operations that are all throttled once end within two.
func TestWaitingHoldsNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		once := refuseFirst{clk}
		policy := backoff.Policy{Name: "fixed", Retries: 1, Delay: backoff.Fixed{Every: time.Second}}
		stage := openStage(t, policy, 10*time.Second, arrival.Step{Rate: 100, Length: time.Second})
		record, _, err := outing(t, context.Background(), &drive.Live{Clock: clk, Target: once, Workers: 1}, nil, stage)
		if err != nil {
			t.Fatal(err)
		}
		sum := record.Total(results.Everything)
		if sum.Succeeded != 100 || sum.Attempts != 200 || sum.Late != 0 {
			t.Errorf("succeeded %d, attempts %d, late %d; want 100, 200 and none", sum.Succeeded, sum.Attempts, sum.Late)
		}
		if got := sum.Response.Max(); got < 1_000_000 || got > 1_010_000 {
			t.Errorf("longest response = %d µs; want the second that each waited", got)
		}
	})
}

// refuseFirst refuses each first attempt, and answers in 1 ms.
type refuseFirst struct{ clock clock.Clock }

func (r refuseFirst) Do(ctx context.Context, op *target.Operation) target.Outcome {
	r.clock.Sleep(ctx, r.clock.Now().Add(time.Millisecond))
	if op.Attempt == 0 {
		return target.Outcome{Status: 503, Code: entity.ServerBusy}
	}
	return target.Outcome{Status: 204, Counted: 1}
}

// Without a worker to send it, what is due is dropped when the grace is over.
func TestUnsentIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		f := &fake{clock: clk, took: 200 * time.Millisecond}
		stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 100, Length: time.Second})
		record, _, err := outing(t, context.Background(), &drive.Live{Clock: clk, Target: f, Workers: 1}, nil, stage)
		if err != nil {
			t.Fatal(err)
		}
		sum := record.Total(results.Everything)
		if sum.Scheduled != 100 || sum.Sent+sum.Dropped != 100 || sum.Sent != 10 {
			t.Errorf("scheduled %d = sent %d + dropped %d; want 100 = 10 + 90: two seconds for one worker at 200 ms",
				sum.Scheduled, sum.Sent, sum.Dropped)
		}
		if int64(len(f.ops)) != sum.Attempts {
			t.Errorf("the target saw %d attempts; want %d", len(f.ops), sum.Attempts)
		}
	})
}

func TestRetriesAreCutAtTheEnd(t *testing.T) {
	f := &fake{refuse: 1000, took: time.Millisecond}
	policy := backoff.Policy{Name: "long", Retries: 3, Delay: backoff.Fixed{Every: time.Minute}}
	record, _ := virtually(t, f, openStage(t, policy, time.Second, arrival.Step{Rate: 100, Length: time.Second}))
	sum := record.Total(results.Everything)
	if sum.Cut != 100 || sum.Attempts != 100 || sum.Operations != 100 || sum.Lost.Count() != 100 {
		t.Errorf("cut %d, attempts %d, operations %d, lost %d; want 100 each", sum.Cut, sum.Attempts, sum.Operations, sum.Lost.Count())
	}
	if got := record.Duration; got > 3*time.Second {
		t.Errorf("the run took %v; want the schedule, its grace and no minute more", got)
	}
}

// What the end of a stage cuts and drops, and when, is the same on both clocks.
func TestCutLiveEqualsVirtual(t *testing.T) {
	list := func(t *testing.T) []*drive.Stage {
		policy := backoff.Policy{Name: "slow", Retries: 3, Delay: backoff.Exponential{
			Base: 2 * time.Second, Min: time.Second, Max: 20 * time.Second}}
		return []*drive.Stage{
			openStage(t, policy, 3*time.Second, arrival.Step{Rate: 1, Length: 1500 * time.Millisecond}, arrival.Step{Rate: 300, Length: 2 * time.Second}),
			closedStage(policy, 4, 50, 5*time.Second),
		}
	}
	f := &fake{refuse: 500, took: time.Millisecond}
	stages := list(t)
	stages[1].First = 10_000
	virtual, folder := virtually(t, f, stages...)
	if sum := virtual.Total(results.Everything); sum.Cut == 0 || virtual.Misplaced != 0 {
		t.Errorf("cut %d, misplaced %d; want some cut and none misplaced", sum.Cut, virtual.Misplaced)
	}
	if open := virtual.Phases[1]; open.End > virtual.Duration {
		t.Errorf("the run ended at %v, within a phase that lasts until %v", virtual.Duration, open.End)
	}
	synctest.Test(t, func(t *testing.T) {
		stages := list(t)
		stages[1].First = 10_000
		_, live, _ := live(t, 64, 500, stages)
		for _, file := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
			if got, want := live.Bytes(file), folder.Bytes(file); !slices.Equal(got, want) {
				t.Errorf("%s of a live run differs from that of virtual time", file)
			}
		}
	})
}

// A schedule that is sparse lasts as long as it says, though its last operation
// is over long before.
func TestStageLastsAsLongAsItsSchedule(t *testing.T) {
	stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 0.5, Length: 3 * time.Second})
	record, _ := virtually(t, &fake{took: time.Millisecond}, stage)
	if record.Duration != 3*time.Second {
		t.Errorf("a stage of 3 s with its last operation at 2 s ended at %v; want 3 s", record.Duration)
	}
	last := record.Events[len(record.Events)-1]
	if last.What != results.StageEnds || last.At != int64(3*time.Second) {
		t.Errorf("the last event is %+v; want the end of the stage at 3 s", last)
	}
}

func TestInterruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		f := &fake{clock: clk, refuse: 500, took: time.Millisecond}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(2500*time.Millisecond, cancel)
		stage := openStage(t, short, time.Minute, arrival.Step{Rate: 1000, Length: time.Minute})
		record, _, err := outing(t, ctx, &drive.Live{Clock: clk, Target: f, Workers: 64}, nil, stage)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Run of a cancelled context = %v; want its error", err)
		}
		if got := record.Duration; got > 2510*time.Millisecond {
			t.Errorf("the run ended after %v; want 2.5 s and what was in flight", got)
		}
		sum := record.Total(results.Everything)
		if sum.Scheduled != sum.Sent+sum.Dropped || sum.Operations != sum.Sent || sum.Attempts != int64(len(f.ops)) || sum.Cut == 0 {
			t.Errorf("books of an interrupted run: %+v", sum)
		}
		if last := record.Events[len(record.Events)-2]; last.What != results.Interrupted {
			t.Errorf("the last event but one = %+v; want the interruption", last)
		}
	})
}

// A frozen second among ten: what was due meanwhile waited, and says so, while
// the attempts themselves were quick. With a schedule of 1,000/s and a freeze
// of 1 s the waits are spread evenly over that second, so the 99th percentile
// of all is 900 ms.
func TestCoordinatedOmissionIsSeen(t *testing.T) {
	for _, workers := range []int{32, 64, 2000} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			record, _, err := outing(t, context.Background(),
				&drive.Live{Clock: clk, Target: frozen(t, clk), Workers: workers}, nil,
				openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: 1000, Length: 10 * time.Second}))
			if err != nil {
				t.Fatal(err)
			}
			sum := record.Total(results.Everything)
			if sum.Operations != 10_000 || sum.Succeeded != 10_000 {
				t.Errorf("%d workers: %d of %d operations succeeded; want all of 10,000", workers, sum.Succeeded, sum.Operations)
			}
			p99, _ := sum.Response.Quantile(.99)
			if p99 < 855_000 || p99 > 945_000 {
				t.Errorf("%d workers: response p99 = %d µs; want 900 ms ± 5 %%", workers, p99)
			}
			if longest := sum.Response.Max(); longest > 1_100_000 {
				t.Errorf("%d workers: longest response = %d µs; want at most 1.1 s", workers, longest)
			}
			var over int64
			for _, bar := range sum.Response.Bars() {
				if bar.From > 100_000 {
					over += bar.Count
				}
			}
			if over < 900 || over > 950 {
				t.Errorf("%d workers: %d operations over 100 ms; want 900 to 950", workers, over)
			}
			if p50, _ := sum.Service[results.Ok].Quantile(.5); p50 != 1000 {
				t.Errorf("%d workers: service p50 = %d µs; want the 1 ms of an attempt, unmoved", workers, p50)
			}
		})
	}
}

// frozen is the embedded engine without limits, each reply 1 ms late, and none
// leaving in the fourth second.
func frozen(t *testing.T, clk clock.Clock) target.Target {
	t.Helper()
	m, err := model.New(model.Off)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"a"}})
	inner := target.NewInProcess(e, "a", clk)
	e.Submit(0, &engine.Request{Account: "a", Table: "Races", Verb: entity.CreateTable})
	for letter := 'a'; letter <= 'z'; letter++ {
		e.Submit(0, &engine.Request{Account: "a", Table: "Races", Verb: entity.Insert,
			Change: &entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "hot", Row: string(letter)}}})
	}
	return target.WrapFaults(alwaysGet{inner}, engine.FaultPlan{Rules: []engine.FaultRule{
		{Kind: engine.FaultDelay, Share: engine.WholeShare, To: time.Hour, By: time.Millisecond},
		{Kind: engine.FaultFreeze, Share: engine.WholeShare, From: 3 * time.Second, To: 4 * time.Second},
	}}, 1, clk)
}

// alwaysGet reads where the stage would insert what is there already.
type alwaysGet struct{ target.Target }

func (g alwaysGet) Do(ctx context.Context, op *target.Operation) target.Outcome {
	get := *op
	get.Verb, get.Change.Verb = entity.Get, entity.Get
	return g.Target.Do(ctx, &get)
}

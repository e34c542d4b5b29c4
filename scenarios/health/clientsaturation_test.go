package health_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/fault"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/health"
	"loadgen/target"
	faulty "loadgen/target/fault"
)

// prompt answers everything after two milliseconds.
type prompt struct{ clock clock.Clock }

func (p prompt) Do(ctx context.Context, _ *target.Operation) target.Outcome {
	if err := p.clock.Sleep(ctx, p.clock.Now().Add(2*time.Millisecond)); err != nil {
		return target.Outcome{Detail: err.Error()}
	}
	return target.Outcome{Status: 204, Counted: 1}
}

// looked runs 200 operations/s for three seconds on so many workers against a
// target under a plan of faults, looks at the generator, and has the record judged.
func looked(t *testing.T, workers int, plan fault.Plan) *results.Summary {
	t.Helper()
	if faults := plan.Validate(); len(faults) > 0 {
		t.Fatal(faults)
	}
	clk := clock.NewReal()
	live := &drive.Live{Clock: clk, Target: faulty.Wrap(prompt{clk}, plan, 1, clk), Workers: workers}
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}})
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := arrival.NewSteps(arrival.Step{Rate: 200, Length: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	stage := &drive.Stage{Name: "peak", Schedule: schedule, Grace: time.Second, WholeSecond: true,
		Phases: []results.Phase{{Name: "peak", End: 3 * time.Second, Rate: 200, Reported: true}},
		Build:  func(uint64) drive.Work { return drive.Work{Operation: target.Operation{Verb: entity.Get}} }}
	sampler, err := health.Start(health.Options{Clock: clk, Source: steady{clk}, Free: live.Free, Tell: recorder.Health, Cores: 2, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Run(t.Context(), stage, &drive.Ledger{Recorder: recorder}); err != nil {
		t.Fatal(err)
	}
	recorder.Generator(sampler.Stop())
	if err := recorder.Finish(clk.Now().Offset(), results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return verdict.Judge(record)
}

// slowdown delays the replies of a fifth of the second second by 40 ms: 40
// operations, for which six workers need 67 ms more than there are.
var slowdown = fault.Plan{Rules: []fault.Rule{{Kind: fault.Delay, From: 1500 * time.Millisecond, To: 1700 * time.Millisecond,
	Share: fault.Whole, By: 40 * time.Millisecond}}}

func TestPoolThatIsTooSmallIsTold(t *testing.T) {
	for _, row := range []struct {
		name    string
		workers int
		plan    fault.Plan
		reasons []string
	}{
		{"six workers are enough for a prompt target", 6, fault.Plan{}, []string{}},
		{"six are too few while it is slow", 6, slowdown, []string{"in 1 of 3 seconds the generator sent late while none of its 6 workers was free"}},
		{"sixteen are enough for that", 16, slowdown, []string{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			summary := looked(t, row.workers, row.plan)
			worth := results.Valid
			if len(row.reasons) > 0 {
				worth = results.ClientLimited
			}
			if summary.Validity != worth || !slices.Equal(summary.Reasons, row.reasons) {
				t.Errorf("%s: validity = %s for %q with %d of %d late; want %s for %q",
					row.name, summary.Validity, summary.Reasons, summary.Late, summary.Sent, worth, row.reasons)
			}
			if late := summary.Late > 0; late != (len(row.reasons) > 0) || summary.Dropped > 0 || summary.Scheduled != 600 {
				t.Errorf("%s: %d late, %d dropped of %d; want lateness where there is a reason, and nothing dropped",
					row.name, summary.Late, summary.Dropped, summary.Scheduled)
			}
		})
	}
}

// A minute of a process that uses a tenth of a core.
func ExampleMeter() {
	meter := health.NewMeter(0, health.Reading{CPUKnown: true}, 2, 64)
	for beat := clock.Instant(0); beat < clock.Instant(time.Minute); {
		beat = beat.Add(10 * time.Millisecond)
		meter.Beat(beat, beat, 60, func() health.Reading { return health.Reading{CPU: beat.Offset() / 10, CPUKnown: true} })
	}
	sum := meter.Sum()
	fmt.Printf("%v of CPU in %d seconds, %d of %d workers free at least, stood still for %v\n",
		sum.CPU, sum.Seconds, *sum.LeastFree, sum.Workers, sum.StoodStill)
	// Output: 6s of CPU in 60 seconds, 60 of 64 workers free at least, stood still for 0s
}

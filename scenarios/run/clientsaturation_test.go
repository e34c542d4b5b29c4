package run_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/target"
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
func looked(t *testing.T, workers int, plan engine.FaultPlan) (*results.Summary, *results.Record) {
	t.Helper()
	if faults := plan.Validate(); len(faults) > 0 {
		t.Fatal(faults)
	}
	clk := clock.NewReal()
	live := &drive.Live{Clock: clk, Target: target.WrapFaults(prompt{clk}, plan, 1, clk), Workers: workers}
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}})
	require.NoError(t, err)
	schedule, err := arrival.NewSteps(arrival.Step{Rate: 200, Length: 3 * time.Second})
	require.NoError(t, err)
	stage := &drive.Stage{Name: "peak", Schedule: schedule, Grace: time.Second, WholeSecond: true,
		Phases: []results.Phase{{Name: "peak", End: 3 * time.Second, Rate: 200, Reported: true}},
		Build:  func(_ uint64, w *drive.Work) { w.Operation.Verb = entity.Get }}
	sampler := sample(t, run.HealthOptions{Clock: clk, Load: func() run.GeneratorLoad { return run.GeneratorLoad(live.Load()) },
		Tell: recorder.Health, Cores: 2, Workers: workers})
	require.NoError(t, live.Run(t.Context(), stage, &drive.Ledger{Recorder: recorder}))
	seen := sampler.Stop()
	recorder.Take(func(of *results.Record) { of.Generator = seen })
	require.NoError(t, recorder.Finish(clk.Now().Offset(), results.Valid, nil, nil))
	record, err := results.Read(folder)
	require.NoError(t, err)
	return verdict.Judge(record), record
}

// slowdown delays the replies of a fifth of the second second by 40 ms: 40
// operations, for which six workers need 67 ms more than there are.
var slowdown = engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultDelay, From: 1500 * time.Millisecond, To: 1700 * time.Millisecond,
	Share: engine.WholeShare, By: 40 * time.Millisecond}}}

func TestPoolThatIsTooSmallIsTold(t *testing.T) {
	for _, row := range []struct {
		name    string
		workers int
		plan    engine.FaultPlan
		seconds int
	}{
		{"six workers are enough for a prompt target", 6, engine.FaultPlan{}, 0},
		{"six are too few while it is slow", 6, slowdown, 1},
		{"sixteen are enough for that", 16, slowdown, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, record := looked(t, row.workers, row.plan)
			late := 0
			for _, one := range verdict.Strains(record) {
				if one.Cause == verdict.TooFewWorkers {
					late++
				}
			}
			assert.Truef(t, s.Validity == results.Valid && late == row.seconds && len(s.ClientLimited) == row.seconds,
				"%s: %s, %d seconds late, client-limited %q; want %d", row.name, s.Validity, late, s.ClientLimited, row.seconds)
			assert.Truef(t, (s.Late > 0) == (row.seconds > 0) && s.Dropped == 0 && s.Scheduled == 600,
				"%s: %d late, %d dropped of %d; want none dropped of 600", row.name, s.Late, s.Dropped, s.Scheduled)
		})
	}
}

// frozen has all replies of 0.8 s come at once at its end.
var frozen = engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultFreeze, From: 700 * time.Millisecond, To: 1500 * time.Millisecond, Share: engine.WholeShare}}}

// A target that answers nothing is told with when, whether or not the workers were enough
// for it; where they were not, what is late because of it is put down to it.
func TestFrozenTargetIsNotTheGeneratorsLimit(t *testing.T) {
	for _, row := range []struct {
		name    string
		workers int
		late    bool
	}{{"workers enough for all that is due meanwhile", 400, false}, {"sixteen of them", 16, true}} {
		synctest.Test(t, func(t *testing.T) {
			summary, record := looked(t, row.workers, frozen)
			silences := verdict.Silences(record)
			assert.Truef(t, len(silences) == 1 && silences[0].From.Round(100*time.Millisecond) == 700*time.Millisecond &&
				silences[0].To.Round(100*time.Millisecond) == 1500*time.Millisecond, "%s: Silences = %v", row.name, silences)
			assert.Truef(t, summary.Late > 0 == row.late, "%s: %d late; want some: %v", row.name, summary.Late, row.late)
			starved := record.Generator.Starved
			// 16 workers are gone after 80 ms, and something is due within 10 more.
			assert.Truef(t, row.late == (starved > 0) && (!row.late || starved >= 710*time.Millisecond &&
				starved <= 720*time.Millisecond+drained), "%s: something was due and nobody free for %v", row.name, starved)
			for _, one := range verdict.Strains(record) {
				assert.Truef(t, one.Cause == verdict.OnTime || row.late && one.Cause == verdict.TargetSilent,
					"%s: second %d was late: %v", row.name, one.Second, one.Cause)
			}
		})
	}
}

// drained is how long 16 workers take at 2 ms each for the 144 operations that came due
// without one, and those that come due meanwhile.
const drained = 20 * time.Millisecond

package doctor

import (
	"context"
	"fmt"
	"math"
	"time"

	"loadgen/engine"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// 20,000 operations are due in 20 s; the engine is frozen for 2 s of them.
const (
	stallRate   = 1000 // operations per second
	stallWithin = 20 * time.Second
	stallBegins = 9 * time.Second
	stallLasts  = 2 * time.Second
	// stallSlow is more than any operation takes without the stall.
	stallSlow = 100 * time.Millisecond
)

// Bounds of the figures.
const (
	stallTolerance = 0.05
	stallLongest   = stallLasts + stallLasts/10
	stallService   = 50 * time.Millisecond
	// stallHeldUp is the maximum time that the machine may pause the program.
	stallHeldUp = stallSlow
)

// stallP99 is the response's 99th percentile of an immediate target that is frozen for S within T, at a constant rate.
//
// An operation due t after the start of the stall waits S − t. So a share S/T waits, with
// waits uniform in [0, S], and a share (S − u)/T waits longer than u. If that share is 1 − q,
//
//	u = S − (1 − q)·T
//
// for q above 1 − S/T. The number of workers does not matter: an operation without a free
// worker waits for its reply, too.
const stallP99 = stallLasts - stallWithin/100

// stallFigures are a run's reported figures.
type stallFigures struct {
	operations, succeeded int64
	// responseP99 and longest count from when an operation is due, serviceP99 from when its attempt
	// is sent.
	responseP99, longest, serviceP99 time.Duration
	// due is the number of operations due during the stall; slow operations and attempts take
	// longer than stallSlow.
	due, slow, slowAttempts int64
	// books are counters that do not reconcile.
	books []string
	// heldUp is how long the machine paused the program.
	heldUp time.Duration
}

// measureStall runs the stall against an engine without limits.
func (r trials) measureStall(ctx context.Context) (stallFigures, error) {
	tables, err := r.openEngine(ctx, run.InProcess)
	if err != nil {
		return stallFigures{}, err
	}
	defer tables.Close()
	begins := r.clock.Now().NextSecond().Offset() + stallBegins
	frozen := target.WrapFaults(tables, engine.FaultPlan{Rules: []engine.FaultRule{
		{Kind: engine.FaultFreeze, From: begins, To: begins + stallLasts, Share: engine.WholeShare}}}, 1, r.clock)
	health := run.StartHealthSampler(run.HealthOptions{Clock: r.clock, Source: run.NewHealthProcess(), Cores: 1, Workers: trialWorkers})
	record, f, err := r.carryOut(ctx, frozen, frozen, "stall", stallRate, stallWithin)
	heldUp := health.Stop().StoodStill
	if err != nil {
		return stallFigures{}, err
	}
	all := record.Total(results.Reported)
	figures := stallFigures{
		operations: all.Operations, succeeded: all.Succeeded,
		responseP99: timeOf(f, "p99"), serviceP99: timeOf(f, "service_p99"), longest: timeOf(f, "max"),
		slow: all.Response.CountAbove(stallSlow), slowAttempts: all.Service[results.Ok].CountAbove(stallSlow),
		books: verdict.Books(record), heldUp: heldUp,
	}
	for _, row := range record.Intervals {
		if at := time.Duration(row.Second) * time.Second; at >= begins && at < begins+stallLasts {
			figures.due += row.Scheduled
		}
	}
	return figures, nil
}

// finding compares the figures with the arithmetic. Pauses of the machine are not a fault of a
// report.
func (f stallFigures) finding() Finding {
	const all, due = int64(stallWithin / time.Second * stallRate), int64(stallLasts / time.Second * stallRate)
	const slow = due - int64(stallSlow*stallRate/time.Second)
	near := func(got, want int64) bool { return math.Abs(float64(got-want)) <= stallTolerance*float64(want) }
	var wrong []string
	for _, one := range []rule{
		{when: f.operations != all || f.succeeded != all, note: fmt.Sprintf("%s of %s operations succeeded", document.Count(f.succeeded), document.Count(all))},
		{when: f.due != due, note: fmt.Sprintf("%s operations reported due during the stall; want %s", document.Count(f.due), document.Count(due))},
		{when: !near(f.slow, slow), note: fmt.Sprintf("%s operations reported over %s; want about %s",
			document.Count(f.slow), document.Span(stallSlow), document.Count(slow))},
	} {
		if one.when {
			wrong = append(wrong, one.note)
		}
	}
	wrong = append(wrong, f.books...)
	precise := near(int64(f.responseP99), int64(stallP99)) && f.longest <= stallLongest && f.serviceP99 <= stallService
	measured := fmt.Sprintf("response p99 %s, max %s, service p99 %s",
		document.Span(f.responseP99), document.Span(f.longest), document.Span(f.serviceP99))
	return judge(fmt.Sprintf("%s ± %s, ≤ %s, ≤ %s",
		document.Span(stallP99), document.PartOf(stallTolerance, 1), document.Span(stallLongest), document.Span(stallService)),
		rule{len(wrong) == 0 && precise, Pass, measured, fmt.Sprintf("the engine was frozen for %s of %s: %s operations due, "+
			"%s over %s. By service times alone: p99 %s, %s slow (coordinated omission).",
			document.Span(stallLasts), document.Span(stallWithin), document.Count(f.due), document.Count(f.slow), document.Span(stallSlow),
			document.Span(f.serviceP99), document.Count(f.slowAttempts))},
		rule{len(f.books) == 0 && f.heldUp > stallHeldUp, CannotTell,
			fmt.Sprintf("this machine paused the program for %s during the stall: %s", document.Span(f.heldUp), measured), "run it again on an idle machine"},
		rule{true, Fail, measured, document.Join("; ", append(wrong, "do not trust reports of stalls; run it again; report a second failure")...)})
}

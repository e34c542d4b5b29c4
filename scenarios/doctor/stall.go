package doctor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// The stall: 20,000 operations are due over 20 s, and for 2 s of them no reply
// leaves the engine.
const (
	stallRate   = 1000 // operations per second
	stallWithin = 20 * time.Second
	stallBegins = 9 * time.Second
	stallLasts  = 2 * time.Second
	// stallSlow is what no operation takes that was not held up.
	stallSlow = 100 * time.Millisecond
)

// stallWanted are the bounds of a stall.
const (
	stallTolerance = 0.05
	stallLongest   = stallLasts + stallLasts/10
	stallService   = 50 * time.Millisecond
	// stallHeldUp is how long the machine may hold the program up, in all, without
	// being what is reported in place of the engine's stall.
	stallHeldUp = stallSlow
)

// waitedAtLeast returns the q-th quantile of the response where a target that
// answers at once stands still for S within T, and operations are due all the time
// at one rate.
//
// What is due t after the stall began is answered at its end, S − t later: of the
// operations, a share S/T waits, evenly for any time from 0 to S. So a share
// (S − u)/T waits longer than u, and where that share is 1 − q,
//
//	u = S − (1 − q)·T = S·(1 − (1 − q)·T/S),
//
// for q beyond 1 − S/T; below it nothing waits. How many workers there are is not
// in it: an operation for which none is free waits for its reply all the same.
func waitedAtLeast(q float64, stands, within time.Duration) time.Duration {
	return max(0, stands-time.Duration((1-q)*float64(within)))
}

// stallFigures are what a run is reported to have met.
type stallFigures struct {
	operations, succeeded int64
	// responseP99 and longest count from when an operation was due, serviceP99
	// from when its attempt was sent.
	responseP99, longest, serviceP99 time.Duration
	// due is how many operations became due during the stall; slow is how many
	// took longer than stallSlow, and slowAttempts how many attempts did.
	due, slow, slowAttempts int64
	// books is what does not add up in the record.
	books []string
	// heldUp is for how long the machine did not let the program run.
	heldUp time.Duration
}

// measureStall has the stall happen to a run against the engine, without its
// limits, and returns what the run reports.
func (r trials) measureStall(ctx context.Context) (stallFigures, error) {
	partitions, err := model.New(model.Off)
	if err != nil {
		return stallFigures{}, err
	}
	stage, err := steady("stall", stallRate, stallWithin)
	if err != nil {
		return stallFigures{}, err
	}
	tables := run.Engine(partitions, 0, r.clock)
	if err := furnish(ctx, tables); err != nil {
		return stallFigures{}, err
	}
	begins := r.clock.Now().NextSecond().Offset() + stallBegins
	frozen := target.WrapFaults(tables, engine.FaultPlan{Rules: []engine.FaultRule{
		{Kind: engine.FaultFreeze, From: begins, To: begins + stallLasts, Share: engine.WholeShare}}}, 1, r.clock)
	leave := watch(r.clock)
	record, err := r.carryOut(ctx, frozen, frozen, stage)
	heldUp := leave()
	if err != nil {
		return stallFigures{}, err
	}
	all, summary := record.Total(results.Reported), verdict.Judge(record)
	figures := stallFigures{
		operations: all.Operations, succeeded: all.Succeeded,
		responseP99: micros(summary.Response.P99), serviceP99: micros(summary.Service.P99),
		longest: micros(summary.Response.Max),
		slow:    longer(all.Response, stallSlow), slowAttempts: longer(all.Service[results.Ok], stallSlow),
		books: verdict.Books(record),
	}
	for _, row := range record.Intervals {
		if at := time.Duration(row.Second) * time.Second; at >= begins && at < begins+stallLasts {
			figures.due += row.Scheduled
		}
	}
	figures.heldUp = heldUp
	return figures, nil
}

// micros returns a quantile as a duration, 0 where it could not be told.
func micros(quantile *int64) time.Duration {
	if quantile == nil {
		return 0
	}
	return time.Duration(*quantile) * time.Microsecond
}

func longer(h *results.Histogram, bound time.Duration) int64 {
	var count int64
	for _, bar := range h.Bars() {
		if bar.From > bound.Microseconds() {
			count += bar.Count
		}
	}
	return count
}

// finding holds the figures against the arithmetic. What the machine itself did is
// no fault of a report.
func (f stallFigures) finding() Finding {
	want := waitedAtLeast(.99, stallLasts, stallWithin)
	due := int64(stallLasts.Seconds() * stallRate)
	slow := int64((stallLasts - stallSlow).Seconds() * stallRate)
	measured := fmt.Sprintf("response p99 %s, max %s, service p99 %s",
		document.Span(f.responseP99), document.Span(f.longest), document.Span(f.serviceP99))
	low, high := between(want)
	bound := fmt.Sprintf("%s ± %s, ≤ %s, ≤ %s",
		document.Span(want), document.PartOf(stallTolerance, 1), document.Span(stallLongest), document.Span(stallService))
	var wrong []string
	say := func(is bool, format string, args ...any) {
		if is {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	all := int64(stallWithin.Seconds() * stallRate)
	say(f.operations != all || f.succeeded != all, "%s of %s operations succeeded", document.Count(f.succeeded), document.Count(all))
	say(f.due != due, "%s operations reported due during the stall; want %s",
		document.Count(f.due), document.Count(due))
	leastSlow, mostSlow := between(time.Duration(slow))
	say(f.slow < int64(leastSlow) || f.slow > int64(mostSlow),
		"%s operations reported over %s; want about %s", document.Count(f.slow), document.Span(stallSlow), document.Count(slow))
	wrong = append(wrong, f.books...)
	wide := f.responseP99 < low || f.responseP99 > high ||
		f.longest > stallLongest || f.serviceP99 > stallService
	switch {
	case len(wrong) == 0 && !wide:
		return findingFor(true, measured, bound, fmt.Sprintf("the engine was frozen for %s of %s: %s operations due, "+
			"%s over %s. By service times alone: p99 %s, %s slow (coordinated omission).",
			document.Span(stallLasts), document.Span(stallWithin), document.Count(f.due), document.Count(f.slow), document.Span(stallSlow),
			document.Span(f.serviceP99), document.Count(f.slowAttempts)))
	case len(f.books) == 0 && f.heldUp > stallHeldUp:
		why := fmt.Sprintf("this machine paused the program for %s during the stall", document.Span(f.heldUp))
		return Finding{Verdict: CannotTell, Measured: why + ": " + measured, Bound: bound,
			Note: "run it again on an idle machine"}
	default:
		return findingFor(false, measured, bound, document.Join("; ", append(slices.Clip(wrong), "do not trust reports of stalls; "+
			"run it again; report a second failure")...))
	}
}

func between(want time.Duration) (low, high time.Duration) {
	margin := time.Duration(float64(want) * stallTolerance)
	return want - margin, want + margin
}

// Who watches sleeps for a beat. Up to drowsy that may be overslept without a word:
// timers are as coarse.
const (
	beat   = 10 * time.Millisecond
	drowsy = 10 * time.Millisecond
)

// watch looks whether the machine lets the program run, while something else is
// measured: it sleeps a little, again and again, and adds up by how much it
// overslept. The caller owes it a leave, which ends it and returns for how long the
// program was held up in all.
func watch(clk clock.Clock) (leave func() time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	var overslept time.Duration
	var done sync.WaitGroup
	done.Go(func() {
		for {
			until := clk.Now().Add(beat)
			if clk.Sleep(ctx, until) != nil {
				return
			}
			if late := clk.Now().Sub(until); late > drowsy {
				overslept += late
			}
		}
	})
	return func() time.Duration {
		cancel()
		done.Wait()
		return overslept
	}
}

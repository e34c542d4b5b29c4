package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// queue is a target of one server: each operation takes it as long, and waits for
// those before. It refuses nothing, so that only the response time tells.
type queue struct {
	each time.Duration
	done clock.Instant
	own  target.Counts
}

func (q *queue) Counts() target.Counts { return q.own }

func (q *queue) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	q.done = max(q.done, now).Add(q.each)
	q.own.Requests++
	return target.Outcome{Status: 204, Counted: op.Entities()}, q.done
}

// A server that works 5 ms on each operation bears 200/s: beyond that its queue
// grows by r − 200 a second, and the last operation of a step of 10 s waits for all
// of it. At 99 % of the step that is 50 ms where (r − 200)·9.9 s·5 ms comes to 45 ms,
// at 200.9/s; what chance adds to the queue takes a little from that.
func TestFinderKeepsToAResponseTime(t *testing.T) {
	leftOutWhenShort(t)
	for _, from := range []float64{60, 700} {
		find := finding(results.LimitPartition, from)
		find.MaxP99 = 50 * time.Millisecond
		f := lookAt(t, hiding(t, 6, 3, 0, 0), find, &queue{each: 5 * time.Millisecond})
		if f.limit.Held == nil || f.limit.By != results.LimitP99 || math.Abs(*f.limit.Held/200.9-1) > .0101 || *f.limit.NotHeld < 199 {
			t.Errorf("from %v: the interval = %s by %q; want 200.9/s by p99", from, interval(f.limit), f.limit.By)
		}
		if f.limit.MaxP99 == nil || *f.limit.MaxP99 != 50_000 {
			t.Errorf("max_response_p99_us = %v; want 50,000", f.limit.MaxP99)
		}
	}
}

func interval(l *results.Limit) string {
	text := []string{"–", "–"}
	for i, end := range []*float64{l.Held, l.NotHeld} {
		if end != nil {
			text[i] = fmt.Sprint(*end)
		}
	}
	return text[0] + " to " + text[1]
}

// answers is a target that answers one operation in so many with a status, and all
// that prepare or clean up well.
type answers struct {
	status, every int
	met           int
	own           target.Counts
}

func (a *answers) Counts() target.Counts { return a.own }

func (a *answers) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	done := now.Add(time.Millisecond)
	if preparing(op) {
		return target.Outcome{Status: 204}, done
	}
	if a.met++; a.met%a.every == 0 {
		return target.Outcome{Status: a.status}, done
	}
	return target.Outcome{Status: 204, Counted: op.Entities()}, done
}

// preparing reports whether an operation is not one of the load.
func preparing(op *target.Operation) bool {
	key, any := op.PartitionKey()
	return !any || strings.HasPrefix(key, "~")
}

func TestFinderNamesTheCriterion(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name          string
		status, every int
		by            string
		held          bool
	}{
		{"what always answers holds up to the highest rate", 204, 1, "", true},
		{"what always refuses holds nothing", 503, 1, results.LimitThrottled, false},
		{"one throttled in two hundred is as many as may be", 503, 200, "", true},
		{"one throttled in a hundred and ninety at every rate is sporadic", 503, 190, "", true},
		{"one failed by a 500 in twenty at every rate, too", 500, 20, "", true},
		{"one throttled in four at every rate is too many", 503, 4, results.LimitThrottled, false},
		{"what fails for another reason is not held either", 403, 1, results.LimitFailed, false},
		{"one failed in two hundred is as many as may be", 403, 200, "", true},
		{"one failed in a hundred and ninety is too many", 403, 190, results.LimitFailed, false},
	} {
		// Steps of 1,200 operations at the lower rates: 6 in 200, and 6.3 in 190.
		find := finding(results.LimitPartition, 160)
		find.UpTo = 320
		f := lookAt(t, hiding(t, 7, 3, 0, 0), find, &answers{status: row.status, every: row.every})
		by, held := "", 0
		for _, step := range f.limit.Steps {
			if step.Outcome == results.LimitHeld {
				held++
			} else {
				by = step.Outcome
			}
			if step.Scheduled < 1100 || step.Seconds < 10 {
				t.Errorf("%s: a step of %d operations in %v s; want 1,100 and 10 s at least", row.name, step.Scheduled, step.Seconds)
			}
		}
		if by != row.by || (held == len(f.limit.Steps)) != row.held {
			t.Errorf("%s: %d of %d steps held, the last that did not by %q; want by %q", row.name, held, len(f.limit.Steps), by, row.by)
		}
	}
}

// fading is a target that stops answering four operations before the end of each
// step: two workers are then held, so that two operations are never sent. None was
// late, or throttled. What drains the target before comes to nothing but a part of the
// operations that are answered.
type fading struct {
	clock clock.Clock
	met   atomic.Int64
}

func (f *fading) Do(ctx context.Context, op *target.Operation) target.Outcome {
	took := time.Millisecond
	if !preparing(op) && (f.met.Add(1)-1)%(fadingDrain+fadingStep) >= fadingDrain+fadingStep-4 {
		took = 8 * time.Second
	}
	f.clock.Sleep(ctx, f.clock.Now().Add(took))
	return target.Outcome{Status: 204, Counted: op.Entities()}
}

// Of 120/s: what drains for half a second at 1.5 times the rate, and a step of 10 s.
const (
	fadingDrain = 90
	fadingStep  = 1200
)

func TestFinderCountsWhatWasNeverSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		find := finding(results.LimitPartition, 120)
		find.UpTo = 120
		c, err := campaign.NewCampaign(campaign.Options{Scenario: hiding(t, 8, 3, 0, 0), Table: "races", Find: find})
		if err != nil {
			t.Fatal(err)
		}
		folder := new(results.Memory)
		recorder, err := results.NewRecorder(folder, results.Manifest{Operations: c.Kinds()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		live := &drive.Live{Clock: clk, Target: &fading{clock: clk}, Workers: 2}
		if err := c.Run(ctx, live, &drive.Ledger{Recorder: recorder}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Run = %v; want that it is stopped in its second step", err)
		}
		step := closing(t, folder, recorder, clk.Now()).Limit.Steps[0]
		if step.Dropped != 2 || step.Scheduled != fadingStep || step.HeldBack != 0 || step.ThrottledShare != 0 || step.Outcome != results.LimitClient {
			t.Errorf("the step = %+v; want two of %d operations dropped, none late or throttled, client-limited", step, fadingStep)
		}
	})
}

// closing finishes a record and reads it back.
func closing(t testing.TB, folder *results.Memory, recorder *results.Recorder, end clock.Instant) *results.Record {
	t.Helper()
	if err := recorder.Finish(end.Offset(), results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if record.Limit == nil {
		t.Fatal("the record holds no search")
	}
	return record
}

// Two workers send no more than 222/s of operations that take 9 ms: beyond that
// the generator is the limit, and the search says no more than that. What drains the
// target before a rate is 1.5 times the rate, so that from 148/s on operations begin a
// step late.
func TestFinderDoesNotBlameTheTargetForTheGenerator(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name   string
		refuse int
	}{
		{"a target that refuses nothing", 0},
		{"a target that refuses less than it may", 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			slow := &fake{clock: clk, took: 9 * time.Millisecond, refuse: row.refuse}
			find := finding(results.LimitPartition, 50)
			find.UpTo, find.Step = 1000, 2*time.Second
			c, err := campaign.NewCampaign(campaign.Options{Scenario: hiding(t, 8, 3, 0, 0), Table: "races", Find: find})
			if err != nil {
				t.Fatal(err)
			}
			folder := new(results.Memory)
			recorder, err := results.NewRecorder(folder, results.Manifest{Operations: c.Kinds()})
			if err != nil {
				t.Fatal(err)
			}
			live := &drive.Live{Clock: clk, Target: slow, Workers: 2}
			if err := c.Run(t.Context(), live, &drive.Ledger{Recorder: recorder}); err != nil {
				t.Fatal(err)
			}
			record := closing(t, folder, recorder, clk.Now())
			l := record.Limit
			if !l.ClientLimited() || l.Held == nil || *l.Held < 148 || *l.NotHeld > 210 {
				t.Fatalf("%s: the search = %+v; want 148/s at least, client-limited at 210/s at most", row.name, l)
			}
			if summary := verdict.Judge(record); summary.Validity != results.Valid ||
				!strings.Contains(summary.Verdict, "holds at least") || !strings.Contains(summary.Verdict, "client-limited") {
				t.Errorf("%s: the verdict is %s: %s; want at least so much, client-limited", row.name, summary.Validity, summary.Verdict)
			}
		})
	}
}

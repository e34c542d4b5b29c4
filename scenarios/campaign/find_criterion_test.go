package campaign_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// A server that works 5 ms on each operation bears 200/s: beyond that its queue
// grows by r − 200 a second, and the last operation of a step of 10 s waits for all
// of it. At 99% of the step that is 50 ms where (r − 200)·9.9 s·5 ms comes to 45 ms,
// at 200.9/s; what chance adds to the queue takes a little from that.
func TestSearchHonorsMaxResponseTime(t *testing.T) {
	for _, from := range []float64{60, 700}[:resultstest.Cases(1, 2)] {
		find := finding(results.LimitPartition, from)
		find.MaxP99 = 50 * time.Millisecond
		done := clock.Instant(0)
		f := lookAt(t, hiding(t, 6, 3, 0, 0), find, targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
			done = max(done, now).Add(5 * time.Millisecond)
			return targettest.Served(op), done
		}))
		assert.Truef(t, f.limit.Held != nil && f.limit.By == results.LimitP99 && math.Abs(*f.limit.Held/200.9-1) <= .0101 && *f.limit.NotHeld >= 199,
			"from %v: the interval = %s by %q; want 200.9/s by p99", from, interval(f.limit), f.limit.By)
		assert.Truef(t, f.limit.MaxP99 != nil && *f.limit.MaxP99 == 50_000,
			"max_response_p99_us = %v; want 50,000", f.limit.MaxP99)
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

// preparing reports whether an operation is not one of the load.
func preparing(op *target.Operation) bool {
	key, any := op.PartitionKey()
	return !any || strings.HasPrefix(key, "~")
}

func TestSearchNamesCriterion(t *testing.T) {
	rows := []struct {
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
	}
	for _, row := range spread(rows, resultstest.Cases(3, len(rows))) {
		// Steps of 1,200 operations at the lower rates: 6 in 200, and 6.3 in 190.
		find := finding(results.LimitPartition, 160)
		find.UpTo = 320
		met := 0
		f := lookAt(t, hiding(t, 7, 3, 0, 0), find, targettest.After(time.Millisecond, func(op *target.Operation) target.Outcome {
			if preparing(op) {
				return target.Outcome{Status: 204}
			}
			if met++; met%row.every == 0 {
				return target.Outcome{Status: row.status}
			}
			return targettest.Served(op)
		}))
		by, held := "", 0
		for _, step := range f.limit.Steps {
			if step.Outcome == results.LimitHeld {
				held++
			} else {
				by = step.Outcome
			}
			assert.Truef(t, step.Scheduled >= 1100 && step.Seconds >= 10,
				"%s: a step of %d operations in %v s; want 1,100 and 10 s at least", row.name, step.Scheduled, step.Seconds)
		}
		assert.Equal(t, row.by, by, row.name)
		assert.Equal(t, row.held, held == len(f.limit.Steps), row.name)
	}
}

// Two workers send no more than 222/s of operations that take 9 ms: beyond that
// the generator is the limit, and the search says no more than that. What drains the
// target before a rate is 1.5 times the rate, so that from 148/s on operations begin a
// step late.
func TestSearchReportsClientLimit(t *testing.T) {
	for _, refused := range []int{2, 0}[:resultstest.Cases(1, 2)] {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			slow := &targettest.Fake{Clock: clk, Takes: 9 * time.Millisecond, Throttled: refused}
			find := finding(results.LimitPartition, 50)
			find.UpTo, find.Step = 1000, 2*time.Second
			live := &drive.Live{Clock: clk, Target: slow, Workers: 2}
			record := recorded(t, searched(t, t.Context(), live, hiding(t, 8, 3, 0, 0), find))
			l := record.Limit
			require.Truef(t, l.ClientLimited() && l.Held != nil && *l.Held >= 148 && *l.NotHeld <= 210,
				"%d refused: %+v; want 148/s at least, client-limited at 210/s at most", refused, l)
			summary := verdict.Judge(record)
			assert.Equal(t, results.Valid, summary.Validity)
			assert.Contains(t, summary.Verdict, "the generator was the limit")
		})
	}
}

const peakSteps = `name: peak
seed: 3
table: peak
retry: none
attributes: {number: {sequence: 1}}
design: {partition_key: "one", row_key: "{number}"}
phases:
  - {name: fill, load: {entities: 1}}
  - {name: rise, peak: {partition_key: one, rates: [50, 100, 200], each: 4s, operations: [{name: insert, verb: insert}]}}
`

// stalling keeps each request for 5 ms, or until the end of a stretch of the load in which
// it answers nothing, and remembers what was inserted.
type stalling struct {
	clock  clock.Clock
	silent [][2]time.Duration
	// busy is when it turns away.
	busy    [2]time.Duration
	mu      sync.Mutex
	begin   clock.Instant
	entered map[string]int
}

func (s *stalling) Do(ctx context.Context, op *target.Operation) target.Outcome {
	now := s.clock.Now()
	if op.Verb == entity.Insert {
		s.mu.Lock()
		if len(s.entered) == 0 {
			s.begin = clock.Instant(now.Offset().Truncate(time.Second))
		}
		s.entered[op.Change.Key.Row]++
		begin := s.begin
		s.mu.Unlock()
		for _, span := range s.silent {
			if at := time.Duration(now - begin); span[0] <= at && at < span[1] {
				s.clock.Sleep(ctx, begin.Add(span[1]))
			}
		}
		if at := time.Duration(s.clock.Now() - begin); s.busy[0] <= at && at < s.busy[1] {
			return target.Outcome{Status: 503, Code: entity.ServerBusy}
		}
	}
	s.clock.Sleep(ctx, s.clock.Now().Add(5*time.Millisecond))
	return target.Outcome{Status: 204, Counted: 1}
}

// The step that is asked about is offered once more where it was not sent in time, and
// only then.
func TestLatePeakStepIsRepeatedOnce(t *testing.T) {
	second := func(from, to float64) [2]time.Duration {
		return [2]time.Duration{time.Duration(from * 1e9), time.Duration(to * 1e9)}
	}
	rows := []struct {
		sentence string
		peak     float64
		silent   [][2]time.Duration
		busy     [2]time.Duration
		phases   string
		told     bool
	}{
		{"what was sent in time is enough", 100, nil, second(0, 0), "50 100 200", true},
		{"one that was held up comes again, and is told by that", 100, [][2]time.Duration{second(5.5, 7)}, second(0, 0), "50 100 200 100", true},
		{"one that is held up again is not tried a third time", 100, [][2]time.Duration{second(5.5, 7), second(13, 16)}, second(0, 0), "50 100 200 100", false},
		{"a step beside it does not matter", 100, [][2]time.Duration{second(1, 2.5), second(9, 10)}, second(0, 0), "50 100 200", true},
		{"one that was held up and turned away comes again, for it was turned away in a heap", 100, [][2]time.Duration{second(5.5, 7)}, second(7.5, 9), "50 100 200 100", true},
		{"what was turned away in its first half alone says nothing", 100, [][2]time.Duration{second(5.5, 6.5)}, second(5, 5.4), "50 100 200 100", true},
		{"nor does any where none is asked about", 0, [][2]time.Duration{second(5.5, 7)}, second(0, 0), "50 100 200", false},
		{"the last step comes again, too", 200, [][2]time.Duration{second(9, 10)}, second(0, 0), "50 100 200 200", true},
	}
	for _, row := range spread(rows, resultstest.Cases(3, len(rows))) {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			s := parsed(t, peakSteps)
			at := &stalling{clock: clk, silent: row.silent, busy: row.busy, entered: make(map[string]int)}
			live := &drive.Live{Clock: clk, Target: at, Workers: 8}
			record := recorded(t, carry(t, t.Context(), live, campaign.Options{Scenario: s, Table: "peak", NewName: true, Peak: row.peak}, nil))
			var phases []string
			for _, phase := range record.Phases {
				if phase.Reported {
					phases = append(phases, fmt.Sprint(phase.Rate))
				}
			}
			assert.Equalf(t, row.phases, strings.Join(phases, " "), "%s: steps", row.sentence)
			assert.Equalf(t, 1, slices.Max(slices.Collect(maps.Values(at.entered))),
				"%s: an entity was inserted times", row.sentence)
			record.Manifest.PeakAsked, record.Manifest.PartitionKey, record.Manifest.Time = row.peak, "one", "real"
			checks := verdict.Judge(record).Checks
			fails := slices.ContainsFunc(checks, func(c results.Check) bool { return c.Fails() })
			untold := slices.ContainsFunc(checks, func(c results.Check) bool { return !c.IsJudged() })
			assert.Equalf(t, row.told, len(checks) > 0 && (fails || !untold), "%s: %+v", row.sentence, checks)
		})
	}
}

package campaign_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

const peakSteps = `name: peak
seed: 3
table: peak
retry: none
attributes:
  number: {sequence: 1}
design: {partition_key: "one", row_key: "{number}"}
phases:
  - name: fill
    load: {entities: 1}
  - name: rise
    peak:
      partition_key: one
      rates: [50, 100, 200]
      each: 4s
      operations: [{name: insert, verb: insert}]
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
func TestAPeakThatWasNotSentIsOfferedOnceMore(t *testing.T) {
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
	for _, row := range spread(rows, tier(3, len(rows))) {
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
			untold := slices.ContainsFunc(checks, func(c results.Check) bool { return !c.Told() })
			if told := len(checks) > 0 && (fails || !untold); told != row.told {
				t.Errorf("%s: told = %t; want %t: %+v", row.sentence, told, row.told, checks)
			}
		})
	}
}

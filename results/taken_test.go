package results_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// search is one that has everything set.
func search() *results.Limit {
	return &results.Limit{Of: results.LimitPartition, Partitions: 1, MaxThrottled: .005, MaxP99: new(int64(50_000)),
		From: 500, UpTo: 8000, StepSeconds: 10, BurstSeconds: .1, Held: new(1000.0), NotHeld: new(1010.0),
		By: results.LimitThrottled, Finished: true, Entities: 20_101, Steps: []results.LimitStep{
			{Phase: "limit 1: 1000/s", Rate: 1000, Offered: 1000, Seconds: 10, Scheduled: 10_000, P99: new(int64(7000)),
				Entities: 10_000, Outcome: results.LimitHeld},
			{Phase: "limit 2: 1010/s", Rate: 1010, Offered: 1010, Seconds: 10, Scheduled: 10_100, ThrottledShare: .01,
				Entities: 10_101, Outcome: results.LimitClient},
			{Phase: "limit 3: 1010/s", Rate: 1010, Offered: 1010, Seconds: 10, Scheduled: 10_100, ThrottledShare: .02,
				Outcome: results.LimitThrottled}}}
}

// What is told once and in one piece is read back as it was taken down, and not spoken of where
// it was not.
func TestWhatIsTakenIsReadBack(t *testing.T) {
	whole := &results.Record{
		Audit: &results.Audit{Writes: 10, Acknowledged: 6, Unknown: 3, Absent: 1, Own409: 1, Own412: 2, Own404: 3, ForeignConflicts: 4,
			Keys: 9, ReadBack: 8, Unwatched: 7, Lost: 2, Doubled: 1, Overwritten: 5,
			Examples: []results.AuditExample{{PartitionKey: "p", RowKey: "r", Fault: "gone"}}},
		Generator: &results.Generator{Ceiling: &results.Ceiling{Over: results.OverHTTP, Lanes: 64, Operations: 100, Took: time.Second, CPU: time.Second},
			Cores: 2, Workers: 8, CPUKnown: true, Seconds: 4, CPU: time.Second, Pauses: 7, LongestPause: 5, StoodStill: 3, LongestStill: 2,
			LeastFree: new(int64(3)), Goroutines: 9, Heap: 1 << 20, Busiest: &results.Health{Second: 2}},
		Capture: &results.Capture{
			Requests: 1, Entities: 2, Unnamed: 3, Forgotten: 4, Delayed: 5, ThrottledByPartition: 6, ThrottledByAccount: 7,
			Partitions: []results.ObservedPartition{{Table: "races", PartitionKey: "\x1b[2J\"世", Entities: 1, Missed: 2, Requests: 3, Throttled: 4,
				AccountThrottled: 5, Seconds: 6, Typical: 7.5, Busiest: 8, Offered: 9, Saturation: new(1998.5), SaturationInterval: []float64{1, 2}}},
			PartitionsTold: 8, PartitionsDropped: 9,
			Shapes: []results.QueryShape{{Table: "races", Shape: "Price gt ?", Class: "table scan", Requests: 1, Throttled: 2, Scanned: 3, Missed: 4,
				Returned: 5, Density: new(0.01)}},
			ShapesTold: 10, ShapesDropped: 11,
			Orders:        []results.KeyOrder{{Table: "races", Partitions: results.Order{Keys: 3, Ascending: 2, Descending: 1}, Rows: results.Order{Keys: 1}}},
			TablesDropped: 12,
			Answers:       []results.Answer{{Status: 403, Code: "AuthenticationFailed", Class: "failed", Requests: 2, Tableless: 1}},
			AnswersOver:   13,
		},
	}
	given := search()
	record := playRecord(t, time.Second, func(r *results.Recorder) {
		r.Take(func(of *results.Record) {
			of.Audit, of.Generator, of.Capture = whole.Audit, whole.Generator, whole.Capture
		})
		r.Limit(&results.Limit{Of: "what was known before"})
		r.Limit(given)
		// The recorder keeps a copy.
		*given.Held, *given.Steps[0].P99, given.Steps[1].Rate = 1, 1, 1
	})
	want := []any{whole.Audit, whole.Generator, whole.Capture, search()}
	assert.Equal(t, want, []any{record.Audit, record.Generator, record.Capture, record.Limit}, "what was taken")
	ceiling, second := record.Generator.Ceiling, &results.Health{CPU: time.Second, Lasted: time.Second}
	assert.Equal(t, []float64{100, 10_000, .5}, []float64{ceiling.PerSecond(), ceiling.CPUMicros(), second.Share(2)}, "in figures")
	ceiling = &results.Ceiling{Operations: 10}
	assert.Equal(t, []float64{0, 0, 0}, []float64{ceiling.PerSecond(), ceiling.CPUMicros(), second.Share(0)}, "of no time and no cores")
	folder := new(results.Memory)
	resultstest.Finish(t, begin(t, folder), time.Second)
	for _, key := range []string{`"audit"`, `"capture"`, `"limit"`} {
		assert.NotContainsf(t, string(folder.Bytes(results.RunFile)), key, "%s has %s of a run that had none", results.RunFile, key)
	}
}

// Health stands in its second, unless the line of that was written long ago.
func TestHealthOfASecond(t *testing.T) {
	health := func(second int64) results.Health {
		return results.Health{Second: second, Lasted: time.Second, CPU: 80 * time.Millisecond, Pauses: 5, LongestPause: 4,
			StoodStill: 30 * time.Millisecond, FreeWorkers: new(int64(3)), Goroutines: 9, Heap: 1 << 20}
	}
	record := playRecord(t, 5*time.Second, func(r *results.Recorder) {
		phase := r.Phase(results.Phase{Name: "500/s", End: 5 * time.Second, Rate: 500, Reported: true})
		succeed(r, phase, 1, 100*time.Millisecond, time.Millisecond)
		r.Health(health(0))
		r.Health(health(2))
		advance(t, r, 4*time.Second)
		r.Health(health(1))
		succeed(r, phase, 1, 4200*time.Millisecond, time.Millisecond)
		r.Health(health(4))
	})
	var got []*results.Health
	for _, second := range record.Intervals {
		got = append(got, second.Generator)
	}
	assert.Equal(t, []*results.Health{new(health(0)), nil, new(health(2)), nil, new(health(4))}, got,
		"the health of the seconds")
	assert.EqualValues(t, 0, record.Misplaced, "counts were misplaced")
}

func TestTailsAreNamedByTheirNumber(t *testing.T) {
	for word, want := range map[string]int{results.Tails(2): 2, results.Tails(64): 64, "2 tails": 2, "": 0, " tails": 0, "tails": 0,
		"two tails": 0, results.AppendOnly: 0, results.HotTail: 0} {
		assert.Equalf(t, want, results.TailsOf(word), "TailsOf(%q)", word)
	}
}

func TestLimitStepIsTheLastOfItsRate(t *testing.T) {
	l := search()
	for _, row := range []struct {
		name  string
		rate  *float64
		phase string
	}{
		{"the step of a rate that was tried once", l.Held, "limit 1: 1000/s"},
		{"the last step of a rate that was tried twice", l.NotHeld, "limit 3: 1010/s"},
		{"none of a rate that was not tried", new(7.0), ""},
		{"none of no rate", nil, ""},
	} {
		phase := ""
		if step := l.Step(row.rate); step != nil {
			phase = step.Phase
		}
		assert.Equalf(t, row.phase, phase, "%s: Step", row.name)
	}
}

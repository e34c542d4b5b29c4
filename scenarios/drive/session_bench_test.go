package drive

import (
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// getWork is a get of a hot partition.
func getWork(_ uint64, w *Work) {
	w.Operation.Verb, w.Operation.Table = entity.Get, "T"
	w.Operation.Change = entity.Change{Verb: entity.Get, Key: entity.Key{
		Partition: "2011 New York City Marathon__Full", Row: "1234__John__M__55"}}
}

// BenchmarkSessionStep is what the step machine does for one operation: of two
// attempts, the first throttled.
func BenchmarkSessionStep(b *testing.B) {
	policy, err := backoff.ByName("short")
	if err != nil {
		b.Fatal(err)
	}
	stage := &Stage{Retry: policy, Chance: clock.NewStream(1, "retry"), Build: getWork}
	throttled := target.Outcome{Status: 503, Code: entity.ServerBusy}
	ok := target.Outcome{Status: 200, Counted: 1, Returned: 1}
	var s Session
	b.ReportAllocs()
	for k := uint64(0); b.Loop(); k++ {
		s.begin(stage, k, 0, 0, false)
		s.Step(0, Due, nil)
		wait := s.Step(1000, Replied, &throttled)
		s.Step(wait.Until, Due, nil)
		if end := s.Step(wait.Until+1000, Replied, &ok); end.Action != Done {
			b.Fatalf("Step = %+v; want the operation's end", end)
		}
	}
}

// BenchmarkRecorderPath is what it costs to write down one operation of one
// attempt, through the ledger, at 10,000 a second.
func BenchmarkRecorderPath(b *testing.B) {
	stage := &Stage{Build: getWork, Phases: []results.Phase{{Name: "step", End: time.Hour, Reported: true}}}
	run := newTrial(b, stage, 0)
	ledger, phases := run.ledger, run.phases
	ok := target.Outcome{Status: 200, Counted: 1, Returned: 1}
	var s Session
	due := clock.Instant(0)
	b.ReportAllocs()
	for k := uint64(0); b.Loop(); k++ {
		due += clock.Instant(100 * time.Microsecond)
		s.begin(stage, k, due, phases[0], false)
		ledger.Recorder.Scheduled(s.scheduled(due, false))
		s.Step(due, Due, nil)
		ledger.settle(&s, s.Step(due.Add(4*time.Millisecond), Replied, &ok))
		if err := ledger.Recorder.Advance(due.Offset()); err != nil {
			b.Fatal(err)
		}
	}
}

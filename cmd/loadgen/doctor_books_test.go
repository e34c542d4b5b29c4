package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/target"
)

// A service some of whose replies get lost, and a client that is told nothing of
// them: once it is closed, the books of the two are the same.
func TestLossyServiceKeepsItsBooks(t *testing.T) {
	s, err := booksScenario()
	if err != nil {
		t.Fatal(err)
	}
	// Without limits and times of a model it is over at once.
	if err := s.Set("model.profile", "off"); err != nil {
		t.Fatal(err)
	}
	l, err := openLossy(s, clock.NewReal())
	if err != nil {
		t.Fatal(err)
	}
	var seen results.TargetCounts
	send := func(op *target.Operation) *target.Outcome {
		outcome := l.client.Do(context.Background(), op)
		seen.Requests++
		seen.Entities += outcome.Counted
		switch outcome.Class(target.Expected{}) {
		case target.Ok:
			seen.Ok++
		case target.Refused:
			seen.Refused++
		default:
			seen.Failed++
		}
		return &outcome
	}
	for _, op := range furniture() {
		for status := 0; status == 0; {
			// Where a reply was lost, the second says that it is there already.
			status = send(op).Status
		}
	}
	for range 500 {
		op := trialWork(0).Operation
		if outcome := send(&op); outcome.Status != 0 && outcome.Status != 200 && outcome.Status != 503 {
			t.Fatalf("an attempt came to %+v; want the entity, a refusal or nothing", outcome)
		}
	}
	l.close()
	lost := l.lost.Load()
	if got := l.counts(); got != seen {
		t.Errorf("the service counted %+v; want what was seen of it, %+v", got, seen)
	}
	// 500 replies, of which each is lost with p = 0.02: fewer than one or more than
	// 30 come once in ten thousand times.
	if lost < 1 || lost > 30 {
		t.Errorf("%d of about 500 replies were lost; want about 10", lost)
	}
}

func TestBooksFinding(t *testing.T) {
	good := results.Summary{Scheduled: 10, Sent: 10, Attempts: 14, Ok: 9, Refused: 4, Failed: 1}
	for _, row := range []struct {
		sentence string
		alter    func(f *booksFigures)
		holds    bool
		says     string
	}{
		{"closed books", func(*booksFigures) {}, true, "10 operations = 10 sent + 0 dropped; 1 replies were lost"},
		{"books that do not close", func(f *booksFigures) { f.faults = []string{"one is missing"} }, false, "one is missing"},
		{"nothing lost", func(f *booksFigures) { f.lost = 0 }, false, "nothing was proved"},
		{"nothing refused", func(f *booksFigures) { f.summary.Refused = 0 }, false, "nothing was proved"},
	} {
		summary := good
		figures := booksFigures{summary: &summary, lost: 1}
		row.alter(&figures)
		f := figures.finding()
		if holds := f.Verdict == checkPasses; holds != row.holds || !strings.Contains(f.Note, row.says) || !strings.Contains(f.Measured, "14 attempts = 9 ok + ") {
			t.Errorf("%s: finding = %+v; want %v and %q", row.sentence, f, row.holds, row.says)
		}
	}
}

// A record that says something else than it was sealed with is found out.
func TestDifferencesOfARecordReadBack(t *testing.T) {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := recorder.Finish(time.Second, results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	result, err := conclude(folder, recorder)
	if err != nil {
		t.Fatal(err)
	}
	again, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := differences(result.summary, again); len(got) > 0 {
		t.Errorf("differences = %v; want none", got)
	}
	again.Summary.Attempts++
	if got := differences(result.summary, again); len(got) != 1 || !strings.Contains(got[0], "that was written") {
		t.Errorf("differences from another summary = %v; want one", got)
	}
	again.Summary.Attempts--
	again.Manifest.Seed++
	if got := differences(verdict.Judge(again), again); len(got) != 1 {
		t.Errorf("differences from a summary of another seed = %v; want one", got)
	}
	if text, err := json.Marshal(result.summary); err != nil || len(text) < 100 {
		t.Errorf("the summary is %q, %v; want all of it", text, err)
	}
}

// The engine behind a socket, flat out: all that was asked for is done and
// counted.
func TestEngineFlatOut(t *testing.T) {
	s, err := scenarios.Builtin("stress")
	if err != nil {
		t.Fatal(err)
	}
	p, err := trials{clock: clock.NewReal()}.measureEngine(context.Background(), s, 300)
	if err != nil || p.operations != 300 || p.failed != 0 || p.lasted <= 0 {
		t.Errorf("measureEngine = %+v, %v; want 300 operations and no failure", p, err)
	}
}

func TestCeilingFinding(t *testing.T) {
	perSecond := func(n int64) pace {
		return pace{operations: n, lasted: time.Second, cpu: time.Duration(n) * 50 * time.Microsecond}
	}
	for _, row := range []struct {
		sentence string
		figures  ceilingFigures
		want     string
		says     string
	}{
		{"as fast as the stress test needs", ceilingFigures{nothing: perSecond(100_000), empty: perSecond(20_000), engine: perSecond(4000)},
			checkPasses, "4,000/s (50.0 CPU-µs) over HTTP, 100,000/s (50.0 CPU-µs) over nothing"},
		{"what it can drive", ceilingFigures{empty: perSecond(20_199), engine: perSecond(10_000)}, checkPasses, "up to about 8,000 attempts/s, and another service at up to about 16,100"},
		{"slower", ceilingFigures{engine: perSecond(3999)}, checkFails, "3,100 attempts/s"},
		{"operations that failed", ceilingFigures{engine: pace{operations: 9000, lasted: time.Second, failed: 1}}, checkFails, "1 operations failed"},
		{"no processor time is known", ceilingFigures{engine: pace{operations: 9000, lasted: time.Second}}, checkPasses, "9,000/s over HTTP, 0/s over nothing"},
		{"no time has passed", ceilingFigures{engine: pace{operations: 9000}}, checkFails, "0/s over HTTP"},
	} {
		if f := row.figures.finding(); f.Verdict != row.want || !strings.Contains(f.Measured+" "+f.Note, row.says) {
			t.Errorf("%s: finding = %+v; want %s and %q", row.sentence, f, row.want, row.says)
		}
	}
}

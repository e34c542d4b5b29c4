package doctor

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// A run some of whose replies get lost, and that is told nothing of them: its books and
// those of the service are the same, and so is what was read back.
func TestBooksOfALossyService(t *testing.T) {
	// Without limits and times of a model, and with as few operations, it is over soon.
	f, err := measureBooks(t.Context(), append(slices.Clone(booksValues),
		[][2]string{{"model.profile", model.Off}, {"phases.peak.each", "1s"}, {"phases.peak.rates", "[500]"}}...))
	if err != nil || len(f.faults) > 0 {
		t.Errorf("measureBooks = %+v, %v; want books that close", f, err)
	}
	// 500 replies, of which each is lost with p = 0.02: fewer than one or more than
	// 30 come once in ten thousand times.
	if f.lost < 1 || f.lost > 30 {
		t.Errorf("%d of about 500 replies were lost; want about 10", f.lost)
	}
}

func TestBooksFinding(t *testing.T) {
	good := results.Summary{Scheduled: 10, Sent: 10, Attempts: 14, OkAttempts: 9, Throttled: 4, Failed: 1}
	for _, row := range []struct {
		sentence string
		alter    func(f *booksFigures)
		holds    bool
		says     string
	}{
		{"closed books", func(*booksFigures) {}, true, "10 operations = 10 sent + 0 dropped; 1 replies were lost"},
		{"books that do not close", func(f *booksFigures) { f.faults = []string{"one is missing"} }, false, "one is missing"},
		{"nothing lost", func(f *booksFigures) { f.lost = 0 }, false, "nothing was proved"},
		{"nothing throttled", func(f *booksFigures) { f.summary.Throttled = 0 }, false, "nothing was proved"},
	} {
		summary := good
		figures := booksFigures{summary: &summary, lost: 1}
		row.alter(&figures)
		f := figures.finding()
		if holds := f.Verdict == Pass; holds != row.holds || !strings.Contains(f.Note, row.says) || !strings.Contains(f.Measured, "14 attempts = 9 ok + ") {
			t.Errorf("%s: finding = %+v; want %v and %q", row.sentence, f, row.holds, row.says)
		}
	}
}

// A record that says something else than it was sealed with is found out.
func TestDifferencesOfARecordReadBack(t *testing.T) {
	s, err := stress([][2]string{{"phases.load.entities", "100"}, {"phases.peak.each", "1s"}, {"phases.peak.rates", "[50]"}}...)
	if err != nil {
		t.Fatal(err)
	}
	folder := new(results.Memory)
	record, err := run.Run(t.Context(), run.Plan{Scenario: s, Memory: folder})
	if err != nil {
		t.Fatal(err)
	}
	again, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := differences(record.Summary, again); len(got) > 0 {
		t.Errorf("differences = %v; want none", got)
	}
	again.Summary.Attempts++
	if got := differences(record.Summary, again); len(got) != 1 || !strings.Contains(got[0], "that was written") {
		t.Errorf("differences from another summary = %v; want one", got)
	}
	again.Summary.Attempts--
	again.Manifest.Seed++
	if got := differences(verdict.Judge(again), again); len(got) != 1 {
		t.Errorf("differences from a summary of another seed = %v; want one", got)
	}
	if text, err := json.Marshal(record.Summary); err != nil || len(text) < 100 {
		t.Errorf("the summary is %q, %v; want all of it", text, err)
	}
}

// The engine behind a socket, flat out: all that was asked for is done and
// counted.
func TestEngineFlatOut(t *testing.T) {
	p, err := trials{clock: clock.NewReal()}.measureEngine(context.Background(), 300)
	if err != nil || p.Operations != 300 || p.failed != 0 || p.Took <= 0 {
		t.Errorf("measureEngine = %+v, %v; want 300 operations and no failure", p, err)
	}
}

func TestCeilingFinding(t *testing.T) {
	perSecond := func(n int64) pace {
		return pace{Ceiling: results.Ceiling{Operations: n, Took: time.Second, CPU: time.Duration(n) * 50 * time.Microsecond}}
	}
	for _, row := range []struct {
		sentence string
		figures  ceilingFigures
		want     string
		says     string
	}{
		{"as fast as the stress test needs", ceilingFigures{nothing: perSecond(100_000), empty: perSecond(20_000), engine: perSecond(4000)},
			Pass, "4,000/s (50 CPU-µs) over HTTP, 100,000/s (50 CPU-µs) over nothing"},
		{"what it can drive", ceilingFigures{empty: perSecond(20_199), engine: perSecond(10_000)}, Pass, "up to about 8,000 attempts/s, and another service at up to about 16,100"},
		{"slower", ceilingFigures{engine: perSecond(3999)}, Fail, "3,100 attempts/s"},
		{"operations that failed", ceilingFigures{engine: pace{results.Ceiling{Operations: 9000, Took: time.Second}, 1}}, Fail, "1 operations failed"},
		{"no processor time is known", ceilingFigures{engine: pace{Ceiling: results.Ceiling{Operations: 9000, Took: time.Second}}}, Pass, "9,000/s over HTTP, 0/s over nothing"},
		{"no time has passed", ceilingFigures{engine: pace{Ceiling: results.Ceiling{Operations: 9000}}}, Fail, "0/s over HTTP"},
	} {
		if f := row.figures.finding(); f.Verdict != row.want || !strings.Contains(f.Measured+" "+f.Note, row.says) {
			t.Errorf("%s: finding = %+v; want %s and %q", row.sentence, f, row.want, row.says)
		}
	}
}

package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

func TestErrorOfAMeasurementIsAFailedCheck(t *testing.T) {
	failed := measured(func(context.Context) (pacingFigures, error) { return pacingFigures{}, errors.New("no port") })
	f := failed(t.Context())
	assert.Equal(t, []string{Fail, "no port"}, []string{f.Verdict, f.Measured})
}

// finds is a check that comes to a verdict.
func finds(name, verdict string, needs ...string) check {
	return check{name: name, needs: needs, examine: withoutContext(func() Finding {
		return Finding{Verdict: verdict, Measured: "3", Bound: "at most 5"}
	})}
}

// judgement is a finding, and what it has to be.
type judgement struct {
	sentence   string
	finding    Finding
	want, says string
}

// wantFindings fails where a finding has another verdict, does not say what it has to, or
// fails a check and does not say what to do.
func wantFindings(t *testing.T, rows []judgement) {
	t.Helper()
	for _, row := range rows {
		f := row.finding
		told := strings.Contains(f.Measured+" "+f.Bound+" "+f.Note, row.says)
		assert.Truef(t, f.Verdict == row.want && told && (f.Verdict != Fail || f.Note != ""), "%s: %+v", row.sentence, f)
	}
}

func TestDiagnosis(t *testing.T) {
	for _, row := range []struct {
		sentence string
		checks   []check
		verdicts []string
		passed   int
		failed   int
		says     string
	}{
		{"no check at all", nil, []string{}, 0, 0, "all 0 checks passed"},
		{"all is well", []check{finds("a", Pass), finds("b", Pass, "a")}, []string{Pass, Pass}, 2, 0, "all 2 checks passed"},
		{"one fails", []check{finds("a", Pass), finds("b", Fail)}, []string{Pass, Fail}, 1, 1, "1 of 2 checks failed: b"},
		{"what cannot be told fails nothing", []check{finds("a", Pass), finds("b", CannotTell)},
			[]string{Pass, CannotTell}, 1, 0, "1 of 2 checks passed, none failed; cannot tell: b"},
		{"what needs a failure is not tried, nor what needs that", []check{finds("a", Fail), finds("b", Pass, "a"), finds("c", Pass, "b"), finds("d", Pass)},
			[]string{Fail, NotTried, NotTried, Pass}, 1, 1, "1 of 4 checks failed: a; not tried: b, c"},
		{"what needs the unknown is not tried", []check{finds("a", CannotTell), finds("b", Pass, "a")},
			[]string{CannotTell, NotTried}, 0, 0, "0 of 2 checks passed, none failed; cannot tell: a; not tried: b"},
	} {
		d := diagnose(context.Background(), row.checks, io.Discard)
		verdicts := []string{}
		for i, one := range d.Checks {
			verdicts = append(verdicts, one.Verdict)
			assert.Equalf(t, row.checks[i].name, one.Name, "%s: check %d is called", row.sentence, i)
		}
		assert.Equal(t, row.verdicts, verdicts, row.sentence)
		assert.Equal(t, [2]int{row.passed, row.failed}, [2]int{d.Passed, d.Failed}, row.sentence)
		assert.Equal(t, row.says, d.Verdict, row.sentence)
	}
}

// What was under way when the program was interrupted is not told, and what comes
// after it is not tried.
func TestInterruptedDiagnosis(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	tried := 0
	interrupting := check{name: "b", examine: func(context.Context) Finding {
		cancel()
		return Finding{Verdict: Fail, Measured: "half of it"}
	}}
	slow := finds("a", Pass)
	slow.lasts = "20 s of load"
	never := check{name: "c", lasts: "an age", examine: withoutContext(func() Finding { tried++; return Finding{} })}
	var progress bytes.Buffer
	d := diagnose(ctx, []check{slow, interrupting, never}, &progress)
	assert.Truef(t, tried <= 0 && progress.String() == "a: 20 s of load\n" && d.Passed == 1 && d.Failed == 0 &&
		d.Checks[1].Measured == "",
		"an interrupted diagnosis = %+v, tried %d more, said %q; want one pass, announced, and no more", d, tried, &progress)
	assert.Equal(t, "1 of 3 checks passed, none failed; not tried: b, c", d.Verdict, "verdict")
}

func TestDocumentOfADiagnosis(t *testing.T) {
	long := strings.Repeat("words and ", 30)
	ceiling := Finding{Name: "ceiling", Verdict: Pass, Measured: "17,000/s", Bound: "4,000/s", Note: "up to 13,600", offers: 13_600}
	for _, row := range []struct {
		sentence    string
		checks      []Finding
		claim, tone string
		says, cell  string
	}{
		{"all pass", []Finding{{Name: "a", Verdict: Pass, Measured: "3 µs", Bound: "at most 5 µs"}, ceiling},
			"HOLDS: this machine can offer 13,600 attempts/s", "✓", "up to 13,600", "3 µs; wanted at most 5 µs"},
		{"one fails, and others need it", []Finding{ceiling, {Name: "folder", Verdict: Fail, Measured: long, Bound: "less", Note: "buy another"}, {Name: "c", Verdict: NotTried, Note: "it needs folder"}},
			"DOES NOT HOLD: 1 of 3 checks failed: folder; not tried: c", "✗", "wanted less; buy another", "17,000/s; wanted 4,000/s; up to 13,600"},
		{"one cannot tell", []Finding{{Name: "d", Verdict: CannotTell, Measured: "nobody knows"}}, "CANNOT TELL: 0 of 1 checks passed, none failed; cannot tell: d", "?", "", "nobody knows"},
	} {
		d := &Diagnosis{Checks: row.checks}
		d.Passed, d.Failed = len(d.names(Pass)), len(d.names(Fail))
		d.Verdict = d.sentence()
		doc := d.Document()
		a, screen, whole := doc.Answer, doc.Screen[0].(document.Facts), doc.Sections[0].Blocks[0].(document.Table)
		assert.Truef(t, a.Claim == row.claim && a.Tone().Sign() == row.tone && strings.Contains(strings.Join(a.Says, " "), row.says),
			"%s: the answer is %+v; want %q with %q", row.sentence, a, row.claim, row.says)
		assert.Equalf(t, row.cell, whole.Rows[0][2].Text, "%s: the first check says", row.sentence)
		for i, line := range screen.Lines {
			if mark, said, both := strings.Cut(line, " "); !both || !strings.Contains("✓✗?", mark) || !strings.HasPrefix(said, row.checks[i].Name+": ") || utf8.RuneCountInString(line) > 79 {
				t.Errorf("%s: line %d is %q; want a mark, the check and what was measured, on one line", row.sentence, i, line)
			}
		}
	}
}

// The keys are a contract for scripts.
func TestDiagnosisAsJSON(t *testing.T) {
	d := diagnose(context.Background(), []check{finds("a", Pass)}, io.Discard)
	got, err := json.Marshal(d.Document().Data)
	const want = `{"checks":[{"name":"a","verdict":"pass","measured":"3","bound":"at most 5","note":""}],"passed":1,"failed":0,"verdict":%q}`
	assert.Truef(t, err == nil && string(got) == fmt.Sprintf(want, d.Verdict),
		"the JSON is %s, %v; want "+want, got, err, d.Verdict)
}

// A run some of whose replies get lost, and that is told nothing of them: its books and
// those of the service are the same, and so is what was read back.
func TestBooksOfALossyService(t *testing.T) {
	t.Parallel()
	// Without limits and times of a model, and with as few operations, it is over soon.
	f, err := measureBooks(t.Context(), append(slices.Clone(booksValues),
		[][2]string{{"model.profile", model.Off}, {"phases.peak.each", "1s"}, {"phases.peak.rates", "[500]"}}...))
	assert.Truef(t, err == nil && len(f.faults) <= 0, "measureBooks = %+v, %v; want books that close", f, err)
	// 500 replies, of which each is lost with p = 0.02: fewer than one or more than
	// 30 come once in ten thousand times.
	assert.Truef(t, f.lost >= 1 && f.lost <= 30, "%d of about 500 replies were lost; want about 10", f.lost)
}

func TestBooksFinding(t *testing.T) {
	findingOf := func(alter func(f *booksFigures)) Finding {
		summary := results.Summary{Scheduled: 10, Sent: 10, Attempts: 14, OkAttempts: 9, Throttled: 4, Failed: 1}
		figures := booksFigures{summary: &summary, lost: 1}
		alter(&figures)
		return figures.finding()
	}
	wantFindings(t, []judgement{
		{"closed books", findingOf(func(*booksFigures) {}), Pass, "10 operations = 10 sent + 0 dropped"},
		{"figures", findingOf(func(*booksFigures) {}), Pass, "14 attempts = 9 ok"},
		{"books that do not close", findingOf(func(f *booksFigures) { f.faults = []string{"one is missing"} }), Fail, ""},
		{"nothing lost", findingOf(func(f *booksFigures) { f.lost = 0 }), Fail, ""},
		{"nothing throttled", findingOf(func(f *booksFigures) { f.summary.Throttled = 0 }), Fail, ""},
	})
}

// A record that says something else than it was sealed with is found out.
func TestDifferencesOfARecordReadBack(t *testing.T) {
	s := runtest.Must(stress([2]string{"phases.load.entities", "100"}, [2]string{"phases.peak.each", "1s"},
		[2]string{"phases.peak.rates", "[50]"}))
	folder := new(results.Memory)
	record := runtest.Must(run.Run(t.Context(), run.Plan{Scenario: s, Memory: folder}))
	again := runtest.Must(results.Read(folder))
	assert.Empty(t, differences(record.Summary, again))
	again.Summary.Attempts++
	assert.Len(t, differences(record.Summary, again), 1, "differences from another summary")
	again.Summary.Attempts--
	again.Manifest.Seed++
	assert.Len(t, differences(verdict.Judge(again), again), 1, "differences from a summary of another seed")
}

// The engine behind a socket, flat out: all that was asked for is done and
// counted.
func TestEngineFlatOut(t *testing.T) {
	p, err := trials{clock: clock.NewReal()}.measureEngine(context.Background(), 300)
	assert.Truef(t, err == nil && p.Operations == 300 && p.failed == 0 && p.Took > 0, "measureEngine = %+v, %v", p, err)
}

func TestCeilingFinding(t *testing.T) {
	perSecond := func(n int64) pace {
		return pace{Ceiling: results.Ceiling{Operations: n, Took: time.Second, CPU: time.Duration(n) * 50 * time.Microsecond}}
	}
	ceiling := func(nothing, empty, engine int64) Finding {
		return ceilingFigures{nothing: perSecond(nothing), empty: perSecond(empty), engine: perSecond(engine)}.finding()
	}
	engine := func(c results.Ceiling, failed int64) Finding {
		return ceilingFigures{engine: pace{c, failed}}.finding()
	}
	wantFindings(t, []judgement{
		{"as fast as the stress test needs", ceiling(100_000, 20_000, 4000), Pass, "4,000/s (50 CPU-µs) over HTTP, 100"},
		{"what it can drive", ceiling(0, 20_199, 10_000), Pass, "up to about 8,000 attempts/s"},
		{"and of another service", ceiling(0, 20_199, 10_000), Pass, "up to about 16,100"},
		{"slower", ceiling(0, 0, 3999), Fail, "3,100 attempts/s"},
		{"operations that failed", engine(results.Ceiling{Operations: 9000, Took: time.Second}, 1), Fail, "1 operations"},
		{"no CPU time is known", engine(results.Ceiling{Operations: 9000, Took: time.Second}, 0), Pass, "9,000/s over HTTP"},
		{"no time has passed", engine(results.Ceiling{Operations: 9000}, 0), Fail, "0/s over HTTP"},
	})
}

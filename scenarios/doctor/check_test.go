package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// finds is a check that comes to a verdict.
func finds(name, verdict string, needs ...string) check {
	return check{name: name, needs: needs, examine: func(context.Context) Finding {
		return Finding{Verdict: verdict, Measured: "3", Bound: "at most 5"}
	}}
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
		{"one fails", []check{finds("a", Pass), finds("b", Fail)}, []string{Pass, Fail}, 1, 1, "1 of 2 checks failed: b"},
		{"what cannot be told fails nothing", []check{finds("a", Pass), finds("b", CannotTell)},
			[]string{Pass, CannotTell}, 1, 0, "1 of 2 checks passed, none failed; cannot tell: b"},
		{"what needs a failure is not tried, nor what needs that", []check{finds("a", Fail), finds("b", Pass, "a"), finds("c", Pass, "b"), finds("d", Pass)},
			[]string{Fail, NotTried, NotTried, Pass}, 1, 1, "1 of 4 checks failed: a; not tried: b, c"},
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
	never := check{name: "c", lasts: "an age", examine: func(context.Context) Finding { tried++; return Finding{} }}
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
		[]string{"model.profile=" + model.Off, "phases.peak.each=1s", "phases.peak.rates=[500]"}...))
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
	s := runtest.Must(stress("phases.load.entities=100", "phases.peak.each=1s", "phases.peak.rates=[50]"))
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

// The engine behind a socket answers and counts all operations.
func TestEngineFlatOut(t *testing.T) {
	var f ceilingFigures
	err := trials{clock: clock.NewReal()}.measureEngine(t.Context(), 300, &f)
	assert.Truef(t, err == nil && f.engine.Operations == 300 && f.failed == 0 && f.engine.Took > 0, "measureEngine = %+v, %v", f, err)
}

func TestCeilingFinding(t *testing.T) {
	ceiling := func(empty, engine int64, cpu, took time.Duration, failed int64) Finding {
		rate := func(n int64) results.Ceiling {
			return results.Ceiling{Operations: n, Took: took, CPU: time.Duration(n) * cpu}
		}
		return ceilingFigures{rate(100_000), rate(empty), rate(engine), failed}.finding()
	}
	wantFindings(t, []judgement{
		{"as fast as the stress test needs", ceiling(20_000, 4000, 50*time.Microsecond, time.Second, 0), Pass, "4,000/s (50 CPU-µs) over HTTP, 100"},
		{"rates of the engine and of another service", ceiling(20_199, 10_000, 0, time.Second, 0), Pass, "about 8,000 attempts/s, another service at about 16,100"},
		{"slower", ceiling(0, 3999, 0, time.Second, 0), Fail, "3,100 attempts/s"},
		{"failed operations", ceiling(0, 9000, 0, time.Second, 1), Fail, "1 operations"},
		{"unknown CPU time", ceiling(0, 9000, 0, time.Second, 0), Pass, "9,000/s over HTTP"},
		{"no time", ceiling(0, 9000, 0, 0, 0), Fail, "0/s over HTTP"},
	})
}

func TestMachineFindings(t *testing.T) {
	day := func(year int) time.Time { return time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC) }
	wantFindings(t, []judgement{
		{"a fine clock of today", clockFinding(50, day(2026), 2026), Pass, "50 ns"},
		{"a coarser clock", clockFinding(maxStep+1, day(2026), 2026), Fail, "hardware clock"},
		{"a clock that stands still", clockFinding(0, day(2026), 2026), Fail, ""},
		{"the date of a machine whose battery is empty", clockFinding(50, day(1970), 2026), Fail, ""},

		{"files for twice the workers and the rest", filesFinding(576, true, 256), Pass, "576"},
		{"a file too few", filesFinding(575, true, 256), Fail, "ulimit -n 576"},
		{"files without a bound", filesFinding(math.MaxUint64, true, 100_000), Pass, ""},
		{"nobody says how many files", filesFinding(0, false, 256), CannotTell, ""},

		{"ports for twice the workers", portsFinding(512, 256, nil), Pass, "512"},
		{"a port too few", portsFinding(511, 256, nil), Fail, "ip_local_port_range"},
		{"a port that does not open", portsFinding(59_000, 256, errors.New("not\npermitted")), Fail, ""},
		{"nobody says how many ports", portsFinding(0, 256, nil), CannotTell, ""},

		{"memory enough", memoryFinding(512<<20, true), Pass, "512 MiB"},
		{"memory too little", memoryFinding(512<<20-1, true), Fail, ""},
		{"nobody says how much memory", memoryFinding(0, false), CannotTell, ""},
	})
}

func TestWritable(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	require.NoError(t, os.Mkdir("folder", 0o755))
	for _, row := range []struct {
		sentence string
		folder   string
		holds    bool
	}{
		{"a folder that is there", "folder", true},
		{"the folder that one is in", ".", true},
		{"a folder to be made, in one to be made", filepath.Join("results", "runs"), true},
		{"a folder to be made, by its whole path", filepath.Join(t.TempDir(), "runs"), true},
		{"a file", "file", false},
		{"a folder below a file", filepath.Join("file", "runs"), false},
	} {
		assert.Equalf(t, row.holds, checkWritable(row.folder) == nil, "%s: checkWritable(%q)", row.sentence, row.folder)
	}
	mustHold(t, 2)
}

func TestSystemFiles(t *testing.T) {
	for text, want := range map[string]int64{"32768\t60999\n": 28232, "": 0, "32768": 0, "1 2 3": 0, "0 100": 0, "60999 32768": 0, "-1 100": 0, "1 65536": 0} {
		assert.Equalf(t, want, countPorts(text), "ports of %q", text)
	}
	for _, row := range []struct{ table, limit, used, want string }{
		{"MemTotal:       10 kB\nMemAvailable:    8 kB\nBuffers: 1 kB\n", "max\n", "300\n", "8192 true"},
		{"MemAvailable: 8 kB", "1000\n", "300\n", "700 true"},
		{"MemAvailable: 8 kB", "10000", "300", "8192 true"},
		{"MemTotal: 10 kB\n", "1000", "1001", "0 true"},
		{"MemAvailable: 8\n", "1000", "", "0 false"},
		{"MemAvailable: 8 MB\n", "-1", "0", "0 false"},
		{"MemAvailable: -8 kB\n", "1000", "-300", "0 false"},
		{"MemAvailable: 9223372036854775807 kB\n", "9223372036854775808", "0", "0 false"},
		{"MemAvailable: much kB\n", "", "300", "0 false"},
	} {
		assert.Equalf(t, row.want, fmt.Sprint(availableMemory(row.table, row.limit, row.used)), "%+v", row)
	}
}

// Any content of the system's files gives possible numbers.
func FuzzSystemFiles(f *testing.F) {
	for _, text := range []string{"32768\t60999\n", "MemAvailable: 8 kB\n", "max", "1000", "", "MemAvailable:", "1 65536"} {
		f.Add(text, "300")
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		ports := countPorts(text)
		assert.Truef(t, ports >= 0 && ports < 1<<16, "countPorts(%q) = %d", text, ports)
		bytes, known := availableMemory(text, text, other)
		assert.Truef(t, bytes >= 0 && (known || bytes == 0), "availableMemory(%q, %q) = %d, %v", text, other, bytes, known)
	})
}

// On this machine the checks that take no time come to a verdict.
func TestMachineChecks(t *testing.T) {
	t.Chdir(t.TempDir())
	o := &Options{Workers: 1, Folder: filepath.Join("results", "runs"), Clock: clock.NewReal()}
	for _, one := range o.machine() {
		found := one.examine(t.Context())
		assert.Truef(t, found.Verdict == Pass || found.Verdict == CannotTell, "%s = %+v", one.name, found)
	}
	mustHold(t, 0)
}

// mustHold fails where the present folder holds more or less than so many files.
func mustHold(t *testing.T, want int) {
	t.Helper()
	left, err := os.ReadDir(".")
	assert.Truef(t, err == nil && len(left) == want, "the folder holds %v, %v; want nothing new", left, err)
}

// The stall itself, with all of the generator, in fake time: the figures are those
// of arithmetic, to what a histogram resolves.
func TestStallIsToldExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		figures := runtest.Must(trials{clock: clock.NewReal()}.measureStall(context.Background()))
		assert.Truef(t, figures.operations == 20_000 && figures.succeeded == 20_000 && figures.due == 2000 &&
			len(figures.books) == 0, "measureStall = %+v", figures)
		assert.InDelta(t, 1800*time.Millisecond, figures.responseP99, float64(2*time.Millisecond), "response p99")
		assert.InDelta(t, 2*time.Second, figures.longest, float64(2*time.Millisecond), "longest response")
		// Of the operations that are due each millisecond, those of the first 1,900
		// wait for more than 100 ms; 64 workers hold as many attempts.
		assert.Truef(t, figures.slow == 1900 && figures.slowAttempts == trialWorkers && figures.serviceP99 == 0,
			"measureStall = %d slow operations, %d slow attempts, service p99 %v; want 1,900, 64 and 0", figures.slow,
			figures.slowAttempts, figures.serviceP99)
		f := figures.finding()
		assert.Truef(t, f.Verdict == Pass && strings.Contains(f.Note, "coordinated omission") &&
			strings.Contains(f.Note, "64 slow"), "finding = %+v; want a pass that shows coordinated omission", f)
	})
}

func TestStallFinding(t *testing.T) {
	right := stallFigures{operations: 20_000, succeeded: 20_000, responseP99: 1800 * time.Millisecond,
		longest: 2 * time.Second, serviceP99: time.Millisecond, due: 2000, slow: 1900, slowAttempts: 64}
	const ms = time.Millisecond
	for _, row := range []struct {
		sentence string
		alter    func(f *stallFigures)
		want     string
		says     string
	}{
		{"all is as arithmetic has it", func(*stallFigures) {}, Pass, "2,000"},
		{"p99 below it", func(f *stallFigures) { f.responseP99 = 1709 * ms }, Fail, ""},
		{"p99 at the upper bound", func(f *stallFigures) { f.responseP99 = 1890 * ms }, Pass, ""},
		{"p99 above it", func(f *stallFigures) { f.responseP99 = 1891 * ms }, Fail, ""},
		{"the longest above it", func(f *stallFigures) { f.longest = 2201 * ms }, Fail, ""},
		{"attempts that were slow themselves", func(f *stallFigures) { f.serviceP99 = 51 * ms }, Fail, ""},
		{"operations that failed", func(f *stallFigures) { f.succeeded-- }, Fail, "19,999 of 20,000"},
		{"operations that were not due", func(f *stallFigures) { f.due-- }, Fail, "1,999"},
		{"too few that were slow", func(f *stallFigures) { f.slow = 1804 }, Fail, "1,804"},
		{"books that do not close", func(f *stallFigures) { f.books = []string{"one is missing"} }, Fail, "one is missing"},
		{"a program that was held up, but not for long", func(f *stallFigures) { f.longest, f.heldUp = 3000*ms, stallHeldUp }, Fail, ""},
		{"one held up for long", func(f *stallFigures) { f.longest, f.heldUp = 3000*ms, stallHeldUp+1 }, CannotTell, ""},
		{"one held up whose books do not close", func(f *stallFigures) { f.books, f.heldUp = []string{"one"}, 1000*ms }, Fail, "one"},
	} {
		figures := right
		row.alter(&figures)
		wantFindings(t, []judgement{{row.sentence, figures.finding(), row.want, row.says}})
	}
}

// In fake time nothing is late.
func TestPacingInFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		figures, err := trials{clock: clock.NewReal()}.measurePacing(context.Background())
		assert.Truef(t, err == nil && figures == (pacingFigures{sent: 6000, due: 6000}),
			"measurePacing = %+v, %v; want 6,000 operations, none late", figures, err)
	})
}

func TestPacingFinding(t *testing.T) {
	wantFindings(t, []judgement{
		{"never late", pacingFigures{sent: 6000, due: 6000}.finding(), Pass, ""},
		{"later", pacingFigures{p50: 501 * time.Microsecond, sent: 6000, due: 6000}.finding(), Fail, ""},
		{"a few operations long after they are due", pacingFigures{p99: results.LateAfter, longest: time.Second, sent: 6000, due: 6000}.finding(), Pass, "p99 at most 5 ms"},
		{"over 1% late", pacingFigures{p99: results.LateAfter + 1, sent: 6000, due: 6000}.finding(), Warn, "response times above p99"},
		{"over 1% later than an invalid run sends", pacingFigures{p99: 172 * time.Millisecond, sent: 6000, due: 6000}.finding(), Warn, "is invalid"},
		{"not all sent", pacingFigures{sent: 5999, due: 6000}.finding(), Fail, ""},
	})
}

// An interrupted trial ends at once.
func TestTrialIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		ctx, cancel := context.WithCancel(context.Background())
		timer := time.AfterFunc(9500*time.Millisecond, cancel)
		defer timer.Stop()
		d := diagnose(ctx, []check{{name: "stall", examine: measured(trials{clock: clk}.measureStall)}}, io.Discard)
		assert.LessOrEqual(t, clk.Now().Offset(), 12*time.Second, "a stall that was interrupted after 9.5 s ends")
		assert.Equal(t, NotTried, d.Checks[0].Verdict)
	})
}

// A profile has what the model takes, and says what else was measured.
func TestWhatTheModelDoesNotTakeIsLeftOut(t *testing.T) {
	c := calibration{Calibration: Calibration{Profile: &Profile{Kind: UnknownProfile, At: "here", Base: model.Documented, Values: []ProfileValue{
		{Name: "time_spread", Value: "3096", Low: "2984", High: "3205", Samples: 2000, By: "x"},
		{Name: "partition_target", Value: "300", Low: "299", High: "301", Samples: 2000, By: "x"}}}}}
	c.leaveOut()
	if len(c.Profile.Values) != 1 || c.Profile.Values[0].Name != "partition_target" || len(c.Profile.Unlearnt) != 1 ||
		!strings.Contains(c.Profile.Unlearnt[0].Why, "measured as 3096, from 2984 to 3205, which the model rejects") {
		t.Errorf("values %+v, not learnt %+v", c.Profile.Values, c.Profile.Unlearnt)
	}
}

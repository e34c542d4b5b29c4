package series

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/report/compare"
	"loadgen/report/compare/gate"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// pairedScenario is short, and its runs differ by the time that a read takes.
const pairedScenario = `name: paired
attributes:
  rider: {sequence: 1}
  city: {list: [Rome, Oslo]}
model: {read_time: 10ms}
entity: {size: 200}
retry: none
design: {partition_key: "{city}", row_key: "{rider}"}
gate:
  metrics: [p50(get), served]
expect: [p50(get) < 11.5ms]
phases:
  - name: load
    load: {entities: 20}
  - name: rush
    spread: {partitions: 2, rate: 100, for: 2s, operations: [{verb: get}]}
`

// keptRun is a simulated run of the scenario with other values, as a folder.
func keptRun(t *testing.T, set ...string) *results.Memory {
	t.Helper()
	s := paired(t)
	for _, one := range append([]string{"expect=[]"}, set...) {
		path, value, _ := strings.Cut(one, "=")
		if err := s.Set(path, value); err != nil {
			t.Fatal(err)
		}
	}
	folder := new(results.Memory)
	if _, err := run.Run(t.Context(), run.Plan{Scenario: s, Data: true, Memory: folder}); err != nil {
		t.Fatal(err)
	}
	return folder
}

// lateRun is a run in real time that is valid, and late for want of workers.
func lateRun(t *testing.T, set ...string) *results.Memory {
	t.Helper()
	s := paired(t)
	for _, one := range append([]string{"expect=[]", "workers=1"}, set...) {
		path, value, _ := strings.Cut(one, "=")
		if err := s.Set(path, value); err != nil {
			t.Fatal(err)
		}
	}
	folder := new(results.Memory)
	synctest.Test(t, func(t *testing.T) {
		record, err := run.Run(t.Context(), run.Plan{Scenario: s, On: run.InProcess, NoProbe: true, Memory: folder})
		if err != nil || record.Summary.Validity != results.Valid || !record.Summary.Phases[0].ClientLimited {
			t.Fatalf("one worker's run is %+v, %v; want a valid one that is late", record, err)
		}
	})
	return folder
}

func paired(t *testing.T) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("paired.yaml", []byte(pairedScenario))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// keptRuns are some runs that differ by chance, or by so many milliseconds a read.
func keptRuns(t *testing.T, millis float64, set ...string) []*results.Memory {
	t.Helper()
	var list []*results.Memory
	for i := range 3 {
		list = append(list, keptRun(t, append(set, fmt.Sprintf("seed=%d", i+1), fmt.Sprintf("model.read_time=%gms", millis+.05*float64(i)))...))
	}
	return list
}

// altered is a run with its run.json altered.
func altered(t *testing.T, run *results.Memory, old, by string) *results.Memory {
	t.Helper()
	text := bytes.Replace(run.Bytes(results.RunFile), []byte(old), []byte(by), 1)
	if bytes.Equal(text, run.Bytes(results.RunFile)) {
		t.Fatalf("run.json holds no %s", old)
	}
	other := new(results.Memory)
	for _, name := range []string{results.IntervalsFile, results.EventsFile} {
		if err := other.Replace(name, run.Bytes(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Replace(results.RunFile, text); err != nil {
		t.Fatal(err)
	}
	return other
}

// played stands in for the two builds: each run leaves the next record of its side.
type played struct {
	t *testing.T
	// older is the path of A; runs are the records of A and of B, taken in turns.
	older string
	runs  [2][]*results.Memory
	// instead, where set, says how the run of this number ends, from 0.
	instead func(number int, side compare.Side) (record *results.Memory, end ending, err error, some bool)
	// metrics are compared in place of the scenario's, where there are any.
	metrics []string
	calls   []string
	args    [][]string
	taken   [2]int
}

func (p *played) launch(_ context.Context, build string, args []string) (ending, error) {
	side := compare.B
	if build == p.older {
		side = compare.A
	}
	number := len(p.calls)
	p.calls, p.args = append(p.calls, side.String()), append(p.args, args)
	record, end := (*results.Memory)(nil), ending{}
	if p.instead != nil {
		other, ended, err, some := p.instead(number, side)
		if err != nil {
			return ended, err
		}
		if record, end = other, ended; some && record == nil {
			return end, nil
		}
	}
	if record == nil {
		record = p.runs[side][p.taken[side]%len(p.runs[side])]
		p.taken[side]++
	}
	folder := args[len(args)-1]
	if err := os.MkdirAll(folder, 0o755); err != nil {
		p.t.Fatal(err)
	}
	for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		if err := os.WriteFile(filepath.Join(folder, name), record.Bytes(name), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	return end, nil
}

// play has a gate of the scenario played, in an empty folder.
func (p *played) play(ctx context.Context, pairs int, told io.Writer) (gate.Result, error) {
	p.t.Helper()
	p.t.Chdir(p.t.TempDir())
	older, err := filepath.Abs("older")
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(older, []byte("an older build"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	p.older = older
	s := paired(p.t)
	if p.metrics != nil {
		s.Gate.Metrics = p.metrics
	}
	g := &Pairs{Scenario: s, Folder: ".", Against: "./older", Build: "newer", Number: pairs, Runs: "runs", Told: told, launch: p.launch}
	return g.Run(ctx)
}

// The builds take turns so that what drifts cancels, and are asked for nothing that an
// older one does not know.
func TestGatePairsTakeTurns(t *testing.T) {
	runs := keptRuns(t, 10)
	p := &played{t: t, runs: [2][]*results.Memory{runs, runs}}
	var told strings.Builder
	one, err := p.play(t.Context(), 3, &told)
	if err != nil || one.Outcome != compare.Inconclusive {
		t.Fatalf("Run() = %+v, %v; want three pairs to be inconclusive", one, err)
	}
	if got := strings.Join(p.calls, ""); got != "ABBAAB" {
		t.Errorf("the runs were of %s; want ABBAAB", got)
	}
	folder := filepath.Dir(p.args[0][1])
	want := []string{"run", filepath.Join(folder, "scenario.yaml"), "--format", "json", "--quiet", "--no-probe", "--out", filepath.Join(folder, "02-B")}
	if !slices.Equal(p.args[2], want) {
		t.Errorf("the third run is %q; want %q", p.args[2], want)
	}
	text, err := os.ReadFile(filepath.Join(folder, "scenario.yaml"))
	if err != nil || bytes.Contains(text, []byte("gate:")) {
		t.Errorf("both run\n%s, %v\nwant no gate, which older builds do not know", text, err)
	}
	if lines := strings.Split(strings.TrimSpace(told.String()), "\n"); len(lines) != 6 ||
		!strings.HasPrefix(lines[2], "pair 2 of 3, B: p50(get) 1") || !strings.Contains(lines[2], "served 200/s") {
		t.Errorf("progress is\n%s\nwant a line for each run, with its figures", &told)
	}
}

func TestGateOfPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("a long run")
	}
	usual, slow, fast := keptRuns(t, 10), keptRuns(t, 11.5), keptRuns(t, 8.5)
	const claim = "expect=[p50(get) < 11.5ms]"
	const mute = "expect=[p99(get) < 1s]"
	untold, untoldSlow := keptRuns(t, 10, mute), keptRuns(t, 11.5, mute)
	claiming, failing := keptRuns(t, 10, claim), keptRuns(t, 11.5, claim)
	for _, row := range []struct {
		name  string
		a, b  []*results.Memory
		pairs int
		want  compare.Outcome
		note  string
	}{
		{"the same", usual, usual, 8, compare.Same, ""},
		{"slower", usual, slow, 8, compare.Regression, "the builds take the scenario for different ones"},
		{"faster", usual, fast, 8, compare.Improvement, ""},
		{"slower, by too few pairs", usual, slow, 7, compare.Inconclusive, ""},
		{"a claim that B fails", claiming, failing, 8, compare.Failed, "p50(get) < 11.5ms fails in 0 of 8 runs of A and in 8 of B"},
		{"a claim that both fail", failing, failing, 3, compare.Inconclusive, "fails in 3 of 3 runs of A and in 3 of B"},
		{"a claim that B fails now and then", usual[:1], append(slices.Clone(claiming), failing[0]), 4, compare.Inconclusive,
			"fails in 0 of 4 runs of A and in 1 of B"},
		{"a claim that no run can tell", untold, untold, 8, compare.Inconclusive, "p99(get) < 1s cannot be told in 8 of 8 runs of A and in 8 of B"},
		{"a claim that most runs of B cannot tell", usual[:1], append(slices.Clone(untold[:2]), claiming[0]), 8, compare.Inconclusive,
			"p99(get) < 1s cannot be told in 0 of 8 runs of A and in 6 of B"},
		{"a claim that few runs of B cannot tell", usual[:1], append(slices.Clone(untold[:1]), usual...), 8, compare.Same,
			"p99(get) < 1s cannot be told in 0 of 8 runs of A and in 2 of B"},
		{"slower, and a claim that no run can tell", untold, untoldSlow, 8, compare.Regression, "p99(get) < 1s cannot be told in 8 of 8"},
	} {
		p := &played{t: t, runs: [2][]*results.Memory{row.a, row.b}}
		one, err := p.play(t.Context(), row.pairs, io.Discard)
		notes := strings.Join(one.Notes, "\n")
		if err != nil || one.Outcome != row.want || !strings.Contains(notes, row.note) || len(one.Judgement.Findings) != 2 {
			t.Errorf("%s: %s, %v, notes %q; want %s and %q", row.name, one.Outcome, err, notes, row.want, row.note)
		}
		if strings.Contains(notes, "different ones") && row.want == compare.Same && row.a[0] == row.b[0] || strings.Contains(notes, "same file") {
			t.Errorf("%s: notes %q; want none on what does not differ", row.name, notes)
		}
		if !strings.Contains(one.Against, "older") || !strings.Contains(notes, "the runs are in "+"runs") {
			t.Errorf("%s: against %q, notes %q; want what was compared, and where it is", row.name, one.Against, notes)
		}
	}
}

// A pair with a run that is not valid, or with a compared figure that the generator's
// lateness spoils, is repeated, twice at most; nothing of it counts.
func TestGateRepeatsPairs(t *testing.T) {
	runs := keptRuns(t, 10)
	limited := altered(t, runs[0], `"validity": "valid"`, `"validity": "partial"`)
	behind := lateRun(t)
	for _, row := range []struct {
		name string
		// bad says which runs end how.
		bad     map[int]func() (*results.Memory, ending, error, bool)
		calls   string
		outcome compare.Outcome
		says    string
	}{
		{"once", map[int]func() (*results.Memory, ending, error, bool){2: client(limited)}, "ABBBAAB", compare.Inconclusive, "repeated: pair 2, B: a run is not valid: it is partial"},
		{"by the second of the pair", map[int]func() (*results.Memory, ending, error, bool){1: exits(3, "gone"), 3: exits(-1, "")}, "ABABABBAAB", compare.Inconclusive, "pair 1, B: a run is not valid: exit code 3: gone"},
		{"late once", map[int]func() (*results.Memory, ending, error, bool){2: client(behind)}, "ABBBAAB", compare.Inconclusive,
			"repeated: pair 2, B: a figure is client-limited: p50(get), for the generator was late in rush"},
		{"late again and again", map[int]func() (*results.Memory, ending, error, bool){1: client(behind), 3: client(behind), 5: client(behind)}, "ABABAB", compare.Invalid,
			"pair 1, B: a figure is client-limited: p50(get), for the generator was late in rush"},
		{"again and again", map[int]func() (*results.Memory, ending, error, bool){0: client(limited), 1: late(), 2: exits(1, "full")}, "AAA", compare.Invalid, "exit code 1: full"},
	} {
		p := &played{t: t, runs: [2][]*results.Memory{runs, runs}}
		p.instead = func(number int, _ compare.Side) (*results.Memory, ending, error, bool) {
			if end, some := row.bad[number]; some {
				return end()
			}
			return nil, ending{}, nil, false
		}
		one, err := p.play(t.Context(), 3, io.Discard)
		if got := strings.Join(p.calls, ""); err != nil || got != row.calls || one.Outcome != row.outcome {
			t.Errorf("%s: %s by runs of %s, %v; want %s by %s", row.name, one.Outcome, got, err, row.outcome, row.calls)
		}
		if !strings.Contains(one.Reason+strings.Join(one.Notes, "\n"), row.says) {
			t.Errorf("%s: %q, %q; want %q in it", row.name, one.Reason, one.Notes, row.says)
		}
		if one.Judgement != nil && one.Judgement.Findings[0].Pairs != 3 {
			t.Errorf("%s: %d pairs were judged; want 3", row.name, one.Judgement.Findings[0].Pairs)
		}
	}
}

// What is counted is so whoever was late: no pair is repeated for it.
func TestGateByCountsOfALateRun(t *testing.T) {
	behind := lateRun(t)
	p := &played{t: t, runs: [2][]*results.Memory{{behind}, {behind}}, metrics: []string{"share_lost", "tries"}}
	one, err := p.play(t.Context(), 3, io.Discard)
	if err != nil || one.Judgement == nil || len(p.calls) != 6 {
		t.Errorf("Run() = %+v, %v after %d runs; want a judgement after six", one, err, len(p.calls))
	}
}

// The ways a run can end otherwise.
func client(run *results.Memory) func() (*results.Memory, ending, error, bool) {
	return func() (*results.Memory, ending, error, bool) { return run, ending{}, nil, true }
}

func exits(code int, said string) func() (*results.Memory, ending, error, bool) {
	return func() (*results.Memory, ending, error, bool) { return nil, ending{code, said}, nil, true }
}

func late() func() (*results.Memory, ending, error, bool) {
	return func() (*results.Memory, ending, error, bool) {
		return nil, ending{}, fmt.Errorf("%w within 1s", errTooLong), true
	}
}

// What is no build of loadgen is a fault of usage, and leaves nothing.
func TestGateAgainstSomethingElse(t *testing.T) {
	run := keptRun(t)
	for _, row := range []struct {
		name string
		end  func() (*results.Memory, ending, error, bool)
		says string
	}{
		{"it does not take the scenario", exits(codeUsage, "paired.yaml:1:1: unknown field"), "older does not run the scenario: paired.yaml:1:1: unknown field"},
		{"it leaves no record", exits(codeOk, ""), "left no record that can be read"},
		{"it leaves a broken record", client(altered(t, run, `{`, `[`)), "left no record that can be read"},
		{"it is a newer build", client(altered(t, run, `"schema_version": 2`, `"schema_version": 99`)), "no newer one"},
		{"it cannot be started", func() (*results.Memory, ending, error, bool) {
			return nil, ending{}, errors.New("exec format error"), true
		}, "older cannot be run: exec format error"},
	} {
		p := &played{t: t, instead: func(int, compare.Side) (*results.Memory, ending, error, bool) { return row.end() }}
		_, err := p.play(t.Context(), 8, io.Discard)
		if !errors.Is(err, fields.ErrInvalid) || !strings.Contains(err.Error(), row.says) || len(p.calls) != 1 {
			t.Errorf("%s: %v after %d runs; want a fault with %q after one", row.name, err, len(p.calls), row.says)
		}
		if left, err := os.ReadDir("runs"); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v; want nothing", row.name, left, err)
		}
	}
}

// What ends a gate later leaves the runs that were made.
func TestGateKeepsItsRuns(t *testing.T) {
	runs := keptRuns(t, 10)
	p := &played{t: t, runs: [2][]*results.Memory{runs, runs}}
	p.instead = func(number int, _ compare.Side) (*results.Memory, ending, error, bool) {
		if number < 3 {
			return nil, ending{}, nil, false
		}
		return nil, ending{code: codeUsage, said: "too many open files"}, nil, true
	}
	_, err := p.play(t.Context(), 8, io.Discard)
	if !errors.Is(err, fields.ErrInvalid) || !strings.Contains(err.Error(), "pair 2, A:") {
		t.Errorf("Run() = %v; want a fault in the second pair", err)
	}
	kept, err := filepath.Glob(filepath.Join("runs", "*", "0*", results.RunFile))
	if err != nil || len(kept) != 3 {
		t.Errorf("kept %v, %v; want the three runs that were made", kept, err)
	}
}

// The same file on both sides is allowed, and said.
func TestGateAgainstItself(t *testing.T) {
	runs := keptRuns(t, 10)
	p := &played{t: t, runs: [2][]*results.Memory{runs, runs}}
	t.Chdir(t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g := &Pairs{Scenario: paired(t), Against: self, Build: self, Number: 1, Out: "kept", Told: io.Discard, launch: p.launch}
	one, err := g.Run(t.Context())
	if err != nil || !slices.Contains(one.Notes, "A and B are the same file: whatever differs is chance") || !slices.Contains(one.Notes, "the runs are in kept") {
		t.Errorf("Run() = %+v, %v; want to be told that both are one file, and where the runs are", one, err)
	}
}

// A gate that is ended early tells what was done, and is no verdict.
func TestGateEndedEarly(t *testing.T) {
	runs := keptRuns(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	p := &played{t: t, runs: [2][]*results.Memory{runs, runs}}
	p.instead = func(number int, _ compare.Side) (*results.Memory, ending, error, bool) {
		if number < 5 {
			return nil, ending{}, nil, false
		}
		cancel()
		return nil, ending{}, context.Cause(ctx), true
	}
	one, err := p.play(ctx, 4, io.Discard)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Run() = %v; want what ended it", err)
	}
	if one.Outcome != compare.Inconclusive || one.Judgement != nil || one.Reason != "ended after 2 of 4 pairs of runs" || len(p.calls) != 6 {
		t.Errorf("the ruling is %+v after %d runs; want it inconclusive after two pairs", one, len(p.calls))
	}
}

// A figure that no run can tell ends the gate at once, without a verdict.
func TestGateByAFigureThatIsNotMeasured(t *testing.T) {
	idle := keptRun(t, "phases.rush.for=1s", "phases.rush.rate=5")
	p := &played{t: t, runs: [2][]*results.Memory{{idle}, {idle}}}
	one, err := p.play(t.Context(), 8, io.Discard)
	if err != nil || one.Outcome != compare.Inconclusive || !strings.Contains(one.Reason, "p50(get) rests on too little") || len(p.calls) != 1 {
		t.Errorf("Run() = %+v, %v after %d runs; want it inconclusive after one", one, err, len(p.calls))
	}
}

// Both builds run the same scenario from another folder: files are found all the same,
// and what is for the gate is left out.
func TestScenarioOfBothBuilds(t *testing.T) {
	const files = `name: filed
attributes:
  town: {csv: {file: towns.csv, column: town}}
  rider: {sequence: 1}
entity: {size: 200}
design: {partition_key: "{town}", row_key: "{rider}"}
gate: {metrics: [served], threshold: 10%}
phases:
  - name: load
    load: {entities: 20}
  - name: rush
    traffic: {arrivals: {trace: rows.csv}, operations: [{verb: get}]}
`
	folder := t.TempDir()
	for name, text := range map[string]string{"towns.csv": "town\nOslo\n", "rows.csv": "0,get,Oslo,1\n30,get,Oslo,2\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(text []byte, folder string) *scenarios.Scenario {
		t.Helper()
		s, err := scenarios.Parse("filed.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ReadFiles(func(path string) (io.ReadCloser, error) { return os.Open(filepath.Join(folder, path)) }); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		return s
	}
	s := read([]byte(files), folder)
	both := portable(s, folder)
	if both.Gate != nil || s.Gate == nil || !bytes.Contains(s.Text(), []byte("file: \"towns.csv\"")) {
		t.Errorf("portable() has the gate %+v, the scenario %+v and\n%s\nwant none in the one, and the other as it was", both.Gate, s.Gate, s.Text())
	}
	if again := read(both.Text(), ""); longestRun(again) != longestRun(s) || longestRun(s) < 6*time.Minute {
		t.Errorf("longestRun() = %v of the one and %v of the other; want twice the trace, and minutes", longestRun(s), longestRun(again))
	}
}

// What a scenario declares is what the statistics take.
func TestGateBoundsAreThoseOfTheStatistics(t *testing.T) {
	gate := new(scenarios.Scenario).Gated()
	if gate.Threshold != compare.DefaultThreshold || len(gate.Metrics) > compare.MostMetrics {
		t.Errorf("Gated() = %+v; want the threshold %v, and at most %d metrics", gate, compare.DefaultThreshold, compare.MostMetrics)
	}
	for _, text := range gate.Metrics {
		if m, err := figure.ParseClaimMetric(text); err != nil || m.String() != text {
			t.Errorf("ParseMetric(%q) = %v, %v; want a metric", text, m, err)
		}
	}
}

func TestNumberOfPairs(t *testing.T) {
	for number, sound := range map[int]bool{0: false, 1: true, 1000: true, 1001: false} {
		faults := (&Pairs{Number: number}).Validate()
		if sound != (len(faults) == 0) {
			t.Errorf("Validate() of %d pairs = %v", number, faults)
		}
		if !sound && faults[0].Error() != "pairs: expected a number from 1 to 1000, such as 10" {
			t.Errorf("Validate() of %d pairs = %v; want what is expected", number, faults)
		}
	}
}

// A peak may hold its last step once more, which a run that is waited for has to last.
func TestLongestRunHasRoomForAHeldStep(t *testing.T) {
	s, err := scenarios.Builtin("stress")
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Phases {
		if p := &s.Phases[i]; p.Form == scenarios.FormPeak {
			before := longestRun(s)
			p.Traffic.Arrivals.Steps.Each += 10 * time.Minute
			rates := time.Duration(len(p.Traffic.Arrivals.Steps.Rates))
			if grown := longestRun(s) - before; grown != 2*(rates+1)*10*time.Minute {
				t.Errorf("ten minutes more a step are %v more at most; want twice those of %d steps and of one held", grown, rates)
			}
			return
		}
	}
	t.Fatal("no peak")
}

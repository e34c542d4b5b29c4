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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
	"loadgen/results"
	"loadgen/results/resultstest"
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

// runsMade are the runs that were made, by what was set.
var runsMade = make(map[string]*results.Memory)

// keptRun is a simulated run of the scenario with other values, as a folder.
func keptRun(t *testing.T, set ...string) *results.Memory {
	t.Helper()
	name := strings.Join(set, " ")
	if runsMade[name] == nil {
		s, folder := parsed(t, pairedScenario, append([]string{"expect=[]"}, set...)...), new(results.Memory)
		_, err := run.Run(t.Context(), run.Plan{Scenario: s, Data: true, Memory: folder})
		require.NoError(t, err)
		runsMade[name] = folder
	}
	return runsMade[name]
}

// lateRun is a run in real time that is valid, and late for want of workers.
func lateRun(t *testing.T) *results.Memory {
	t.Helper()
	s, folder := parsed(t, pairedScenario, "expect=[]", "workers=1"), new(results.Memory)
	synctest.Test(t, func(t *testing.T) {
		record, err := run.Run(t.Context(), run.Plan{Scenario: s, On: run.InProcess, NoProbe: true, Memory: folder})
		require.Truef(t, err == nil && record.Summary.Validity == results.Valid && record.Summary.Phases[0].ClientLimited,
			"one worker's run is %+v, %v; want a valid one that is late", record, err)
	})
	return folder
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
	require.Falsef(t, bytes.Equal(text, run.Bytes(results.RunFile)), "run.json holds no %s", old)
	other := new(results.Memory)
	for _, name := range []string{results.IntervalsFile, results.EventsFile} {
		require.NoError(t, other.Replace(name, run.Bytes(name)))
	}
	require.NoError(t, other.Replace(results.RunFile, text))
	return other
}

// played stands in for the two builds: each run leaves the next record of its side.
type played struct {
	t *testing.T
	// older is the path of A; runs are the records of A and of B, taken in turns.
	older string
	runs  [2][]*results.Memory
	// ways say how the runs of these numbers end otherwise, from 0.
	ways map[int]way
	// metrics are compared in place of the scenario's, where there are any.
	metrics []string
	calls   string
	args    [][]string
	taken   [2]int
}

// way is another way in which a run ends: with a record, or with none.
type way struct {
	record *results.Memory
	end    ending
	err    error
	// first is called before, where it is set.
	first func()
}

// exits is a run that leaves no record.
func exits(code int, said string) way { return way{end: ending{code, said}} }

// alike returns a gate of which both builds leave the same runs.
func alike(t *testing.T, ways map[int]way, runs ...*results.Memory) *played {
	return &played{t: t, runs: [2][]*results.Memory{runs, runs}, ways: ways}
}

func (p *played) launch(_ context.Context, build string, args []string) (ending, error) {
	side := compare.B
	if build == p.older {
		side = compare.A
	}
	w, otherwise := p.ways[len(p.calls)]
	p.calls, p.args = p.calls+side.String(), append(p.args, args)
	if w.first != nil {
		w.first()
	}
	if w.err != nil || otherwise && w.record == nil {
		return w.end, w.err
	}
	record := w.record
	if record == nil {
		record = p.runs[side][p.taken[side]%len(p.runs[side])]
		p.taken[side]++
	}
	folder := args[len(args)-1]
	require.NoError(p.t, os.MkdirAll(folder, 0o755))
	for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		require.NoError(p.t, os.WriteFile(filepath.Join(folder, name), record.Bytes(name), 0o600))
	}
	return w.end, nil
}

// play has a gate of the scenario played, in an empty folder.
func (p *played) play(ctx context.Context, pairs int, told io.Writer) (compare.Result, error) {
	p.t.Helper()
	p.t.Chdir(p.t.TempDir())
	older, err := filepath.Abs("older")
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(older, []byte("an older build"), 0o700))
	p.older = older
	s := parsed(p.t, pairedScenario)
	if p.metrics != nil {
		s.Gate.Metrics = p.metrics
	}
	g := &Live{Scenario: s, Folder: ".", Against: "./older", Build: "newer", Count: pairs, Runs: "runs", Log: told, launch: p.launch}
	return g.Run(ctx)
}

// The builds take turns so that what drifts cancels, and are asked for nothing that an
// older one does not know.
func TestGatePairsTakeTurns(t *testing.T) {
	p := alike(t, nil, keptRuns(t, 10)...)
	var told strings.Builder
	one, err := p.play(t.Context(), 3, &told)
	require.Truef(t, err == nil && one.Outcome == compare.Inconclusive,
		"Run() = %+v, %v; want three pairs to be inconclusive", one, err)
	assert.Equal(t, "ABBAAB", p.calls, "the runs were of")
	folder := filepath.Dir(p.args[0][1])
	want := []string{"run", filepath.Join(folder, "scenario.yaml"), "--format", "json", "--quiet", "--no-probe", "--out", filepath.Join(folder, "02-B")}
	assert.Truef(t, slices.Equal(p.args[2], want), "the third run is %q; want %q", p.args[2], want)
	text, err := os.ReadFile(filepath.Join(folder, "scenario.yaml"))
	assert.Truef(t, err == nil && !bytes.Contains(text, []byte("gate:")),
		"both run\n%s, %v\nwant no gate, which older builds do not know", text, err)
	lines := strings.Split(strings.TrimSpace(told.String()), "\n")
	require.Len(t, lines, 6, "a line for each run")
	assert.Regexp(t, `^pair 2 of 3, B: p50\(get\) 1.*served 200/s`, lines[2])
}

func TestGateOfPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("a long run")
	}
	const claim = "expect=[p50(get) < 11.5ms]"
	const mute = "expect=[p99(get) < 1s]"
	type runs = []*results.Memory
	of := func(millis float64, set ...string) runs { return keptRuns(t, millis, set...) }
	rows := []struct {
		name  string
		runs  func() (a, b runs)
		pairs int
		want  compare.Outcome
		note  string
	}{
		{"the same", func() (a, b runs) { return of(10), of(10) }, 8, compare.Same, ""},
		{"slower", func() (a, b runs) { return of(10), of(11.5) }, 8, compare.Regression, "the builds parse the scenario differently"},
		{"faster", func() (a, b runs) { return of(10), of(8.5) }, 8, compare.Improvement, ""},
		{"slower, by too few pairs", func() (a, b runs) { return of(10), of(11.5) }, 7, compare.Inconclusive, ""},
		{"a claim that B fails", func() (a, b runs) { return of(10, claim), of(11.5, claim) }, 8, compare.Failed,
			"p50(get) < 11.5ms fails in 0 of 8 runs of A, 8 of B"},
		{"a claim that both fail", func() (a, b runs) { return of(11.5, claim), of(11.5, claim) }, 3, compare.Inconclusive,
			"fails in 3 of 3 runs of A, 3 of B"},
		{"a claim that B fails now and then", func() (a, b runs) { return of(10)[:1], append(of(10, claim), of(11.5, claim)[0]) }, 4,
			compare.Inconclusive, "fails in 0 of 4 runs of A, 1 of B"},
		{"a claim that no run can tell", func() (a, b runs) { return of(10, mute), of(10, mute) }, 8, compare.Inconclusive,
			"p99(get) < 1s is inconclusive in 8 of 8 runs of A, 8 of B"},
		{"a claim that most runs of B cannot tell", func() (a, b runs) { return of(10)[:1], append(of(10, mute)[:2], of(10, claim)[0]) }, 8,
			compare.Inconclusive, "p99(get) < 1s is inconclusive in 0 of 8 runs of A, 6 of B"},
		{"a claim that few runs of B cannot tell", func() (a, b runs) { return of(10)[:1], append(of(10, mute)[:1], of(10)...) }, 8,
			compare.Same, "p99(get) < 1s is inconclusive in 0 of 8 runs of A, 2 of B"},
		{"slower, and a claim that no run can tell", func() (a, b runs) { return of(10, mute), of(11.5, mute) }, 8, compare.Regression,
			"p99(get) < 1s is inconclusive in 8 of 8"},
	}
	for _, row := range spread(rows, resultstest.Cases(3, len(rows), len(rows))) {
		a, b := row.runs()
		one, err := (&played{t: t, runs: [2]runs{a, b}}).play(t.Context(), row.pairs, io.Discard)
		notes := strings.Join(one.Notes, "\n")
		if err != nil || one.Outcome != row.want || !strings.Contains(notes, row.note) || len(one.Findings) != 2 {
			t.Errorf("%s: %s, %v, notes %q; want %s and %q", row.name, one.Outcome, err, notes, row.want, row.note)
		}
		assert.Falsef(t, strings.Contains(notes, "different ones") && row.want == compare.Same && a[0] == b[0] || strings.Contains(notes, "same file"),
			"%s: notes %q; want none on what does not differ", row.name, notes)
		assert.Truef(t, strings.Contains(one.Against, "older") && strings.Contains(notes, "runs are in "+"runs"),
			"%s: against %q, notes %q; want what was compared, and where it is", row.name, one.Against, notes)
	}
}

// A pair with a run that is not valid, or with a compared figure that the generator's
// lateness spoils, is repeated, twice at most; nothing of it counts.
func TestGateRepeatsPairs(t *testing.T) {
	runs := keptRuns(t, 10)
	limited := way{record: altered(t, runs[0], `"validity": "valid"`, `"validity": "partial"`)}
	behind := way{record: lateRun(t)}
	late := way{err: fmt.Errorf("%w within 1s", errTooLong)}
	for _, row := range []struct {
		name    string
		ways    map[int]way
		calls   string
		outcome compare.Outcome
		says    string
	}{
		{"once", map[int]way{2: limited}, "ABBBAAB", compare.Inconclusive, "pair 2, B: invalid run"},
		{"by the second of the pair", map[int]way{1: exits(3, "gone"), 3: exits(-1, "")}, "ABABABBAAB", compare.Inconclusive, "exit code 3: gone"},
		{"late once", map[int]way{2: behind}, "ABBBAAB", compare.Inconclusive, "pair 2, B: client-limited figure: p50(get)"},
		{"late again and again", map[int]way{1: behind, 3: behind, 5: behind}, "ABABAB", compare.Invalid, "pair 1, B: client-limited figure: p50(get)"},
		{"again and again", map[int]way{0: limited, 1: late, 2: exits(1, "full")}, "AAA", compare.Invalid, "exit code 1: full"},
	} {
		p := alike(t, row.ways, runs...)
		one, err := p.play(t.Context(), 3, io.Discard)
		assert.Truef(t, err == nil && p.calls == row.calls && one.Outcome == row.outcome,
			"%s: %s by runs of %s, %v; want %s by %s", row.name, one.Outcome, p.calls, err, row.outcome, row.calls)
		assert.Containsf(t, one.Reason+strings.Join(one.Notes, "\n"), row.says, "%s: %q, %q", row.name, one.Reason, one.Notes)
		if one.Findings != nil {
			assert.Equalf(t, 3, one.Findings[0].Runs[0], "%s: pairs that were judged", row.name)
		}
	}
	// What is counted is so whoever was late: no pair is repeated for it.
	p := alike(t, nil, behind.record)
	p.metrics = []string{"share_lost", "tries"}
	one, err := p.play(t.Context(), 3, io.Discard)
	assert.Truef(t, err == nil && one.Findings != nil && len(p.calls) == 6,
		"Run() = %+v, %v after %d runs; want a judgement after six", one, err, len(p.calls))
}

// What is no build of loadgen is a fault of usage, and leaves nothing.
func TestGateAgainstSomethingElse(t *testing.T) {
	run := keptRun(t)
	for _, row := range []struct {
		name string
		end  way
		says string
	}{
		{"it does not take the scenario", exits(codeUsage, "paired.yaml:1:1: unknown field"), "paired.yaml:1:1"},
		{"it leaves no record", exits(codeOk, ""), "no readable record"},
		{"it leaves a broken record", way{record: altered(t, run, `{`, `[`)}, "no readable record"},
		{"it is a newer build", way{record: altered(t, run, `"schema_version": 2`, `"schema_version": 99`)}, "newer"},
		{"it cannot be started", way{err: errors.New("exec format error")}, "exec format error"},
	} {
		p := &played{t: t, ways: map[int]way{0: row.end}}
		_, err := p.play(t.Context(), 8, io.Discard)
		assert.Truef(t, errors.Is(err, fields.ErrInvalid) && strings.Contains(err.Error(), row.says) && len(p.calls) == 1,
			"%s: %v after %d runs; want a fault with %q after one", row.name, err, len(p.calls), row.says)
		left, err := os.ReadDir("runs")
		assert.Truef(t, err == nil && len(left) == 0, "%s: left %v, %v; want nothing", row.name, left, err)
	}
}

// What ends a gate later leaves the runs that were made: a build that no longer runs is a fault
// of usage, an interrupt is no verdict, nor is a figure that no run can tell.
func TestGateEndedEarly(t *testing.T) {
	runs := keptRuns(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	idle := keptRun(t, "phases.rush.for=1s", "phases.rush.rate=5")
	for _, row := range []struct {
		name   string
		p      *played
		err    error
		calls  int
		reason string
	}{
		{"a build that no longer runs", alike(t, map[int]way{3: exits(codeUsage, "too many open files")}, runs...), fields.ErrInvalid, 4, ""},
		{"a figure that is not measured", alike(t, nil, idle), nil, 1, "p50(get)"},
		{"an interrupt", alike(t, map[int]way{5: {err: context.Canceled, first: cancel}}, runs...), context.Canceled, 6, "2 of 4 pairs"},
	} {
		one, err := row.p.play(ctx, 4, io.Discard)
		assert.Truef(t, errors.Is(err, row.err) && len(row.p.calls) == row.calls && one.Findings == nil && strings.Contains(one.Reason, row.reason),
			"%s: %+v, %v after %d runs; want no judgement for %q, %v after %d", row.name, one, err, len(row.p.calls), row.reason, row.err, row.calls)
		assert.Falsef(t, row.err != fields.ErrInvalid && one.Outcome != compare.Inconclusive,
			"%s: %s; want it inconclusive", row.name, one.Outcome)
		kept, err := filepath.Glob(filepath.Join("runs", "*", "0*", results.RunFile))
		require.NoError(t, err)
		assert.Lenf(t, kept, row.calls-len(row.p.ways), "%s: runs that were made and are kept", row.name)
	}
}

// The same file on both sides is allowed, and said.
func TestGateAgainstItself(t *testing.T) {
	p := alike(t, nil, keptRuns(t, 10)...)
	t.Chdir(t.TempDir())
	self, err := os.Executable()
	require.NoError(t, err)
	g := &Live{Scenario: parsed(t, pairedScenario), Against: self, Build: self, Count: 1, Out: "kept", Log: io.Discard, launch: p.launch}
	one, err := g.Run(t.Context())
	require.NoError(t, err)
	assert.Regexp(t, `(?s)same file.*kept|kept.*same file`, strings.Join(one.Notes, "\n"))
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
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	read := func(text []byte, folder string) *scenarios.Scenario {
		t.Helper()
		s, err := scenarios.Parse("filed.yaml", text)
		require.NoError(t, err)
		require.NoError(t, s.ReadFiles(func(path string) (io.ReadCloser, error) { return os.Open(filepath.Join(folder, path)) }))
		return s
	}
	s := read([]byte(files), folder)
	both, err := portable(s, folder)
	require.NoError(t, err)
	assert.Truef(t, both.Gate == nil && s.Gate != nil && bytes.Contains(s.Text(), []byte("file: \"towns.csv\"")),
		"portable() has the gate %+v, the scenario %+v and\n%s\nwant none in the one, and the other as it was", both.Gate, s.Gate, s.Text())
	assert.Equal(t, maxRun(s), maxRun(read(both.Text(), "")))
	assert.GreaterOrEqual(t, maxRun(s), 6*time.Minute, "twice the trace, and minutes")
}

func TestLiveValidate(t *testing.T) {
	for number, sound := range map[int]bool{0: false, 1: true, 1000: true, 1001: false} {
		assert.Equalf(t, sound, len((&Live{Count: number}).Validate()) == 0, "%d pairs are valid", number)
	}
	declared := new(scenarios.Scenario).Gated()
	assert.Equal(t, compare.DefaultThreshold, declared.Threshold, "the threshold of the statistics")
	assert.LessOrEqual(t, len(declared.Metrics), compare.MaxPaired)
}

// A peak may hold its last step once more, which a run that is waited for has to last.
func TestLongestRunHasRoomForAHeldStep(t *testing.T) {
	s := builtin(t, "stress")
	i := slices.IndexFunc(s.Phases, func(p scenarios.Phase) bool { return p.Form == scenarios.FormPeak })
	steps := s.Phases[i].Traffic.Arrivals.Steps
	before := maxRun(s)
	steps.Each += 10 * time.Minute
	rates := time.Duration(len(steps.Rates))
	assert.Equal(t, 2*(rates+1)*10*time.Minute, maxRun(s)-before, "by ten minutes more a step: twice those of each, and of one held")
}

// nights is a gate of runs that were made before, in a folder of its own.
type nights struct {
	*Live
	t *testing.T
	// next are the runs of the following nights, in turn.
	next []*results.Memory
	made int
}

func newNights(t *testing.T, failOn ...string) *nights {
	t.Helper()
	n := &nights{t: t, Live: &Live{Gate: Gate{Baselines: filepath.Join(t.TempDir(), "baselines")}, Scenario: parsed(t, pairedScenario), Count: 5,
		FailOn: failOn, Log: io.Discard}}
	n.Make = func(context.Context, string) (*results.Record, error) {
		record := resultstest.Read(t, n.next[n.made%len(n.next)])
		record.Manifest.Scenario.Text = string(n.Scenario.Text())
		n.made++
		return record, nil
	}
	return n
}

// night makes runs and compares them.
func (n *nights) night(runs []*results.Memory) compare.Result {
	n.t.Helper()
	n.next, n.made = runs, 0
	one, err := n.Run(n.t.Context())
	require.NoError(n.t, err)
	return one
}

// The first night is stored, later ones are compared with it; a worse one is not stored.
func TestNightsAgainstABaseline(t *testing.T) {
	n := newNights(t)
	one := n.night(keptRuns(t, 10))
	assert.Truef(t, one.Outcome == compare.NoBaseline && strings.Contains(one.Reason, "stored") && strings.Contains(one.Notes[0], "5 runs in"), "%+v", one)
	for range 3 {
		one = n.night(keptRuns(t, 10))
		assert.Truef(t, one.Outcome == compare.Same && strings.Contains(one.Against, "5 runs"), "%+v", one)
	}
	stored, err := n.read()
	require.NoError(t, err)
	assert.Len(t, stored.Sets[0].Nights, 4)
	slow := keptRuns(t, 11.2)
	one = n.night(slow)
	assert.Truef(t, one.Outcome == compare.Regression && strings.Contains(one.Reason, "p50(get) +1"), "%+v", one)
	one = n.night(keptRuns(t, 8))
	assert.Equal(t, compare.Improvement, one.Outcome)
	n.Reason = "a slower disk"
	one = n.night(slow)
	assert.Truef(t, one.Outcome == compare.Same && one.Reason == "accepted", "%+v", one)
	n.Reason = ""
	assert.Equal(t, compare.Same, n.night(slow).Outcome)
	// Another metric, that is stored, too; and one that is not.
	n.FailOn = []string{"p90(get) > +3%"}
	assert.Equal(t, compare.Same, n.night(slow).Outcome)
	n.FailOn = []string{"service_mean(get) > +3%"}
	one = n.night(slow)
	assert.Truef(t, one.Outcome == compare.NoBaseline && strings.Contains(one.Notes[0], "service_mean(get) is not in the baseline"), "%+v", one)
	n.FailOn, n.Against = nil, filepath.Join(t.TempDir(), "older")
	for i, run := range keptRuns(t, 10) {
		folder := filepath.Join(n.Against, fmt.Sprint(i))
		require.NoError(t, os.MkdirAll(folder, 0o755))
		for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), run.Bytes(name), 0o600))
		}
	}
	one = n.night(slow)
	assert.Truef(t, one.Outcome == compare.NoBaseline && strings.HasPrefix(one.Reason, "other conditions: "), "runs of another text: %+v", one)
	// With the text that those runs have.
	n.Make = func(context.Context, string) (*results.Record, error) { return resultstest.Read(t, n.next[0]), nil }
	one = n.night(keptRuns(t, 10))
	assert.Truef(t, one.Outcome == compare.NoBaseline && strings.Contains(one.Reason, "seed"), "runs of three texts: %+v", one)
	for _, folder := range []string{"1", "2"} {
		require.NoError(t, os.RemoveAll(filepath.Join(n.Against, folder)))
	}
	for _, copied := range []string{"1", "2", "3", "4"} {
		require.NoError(t, os.CopyFS(filepath.Join(n.Against, copied), os.DirFS(filepath.Join(n.Against, "0"))))
	}
	assert.Equal(t, compare.Same, n.night(keptRuns(t, 10)).Outcome, "the same run, in a folder")
	n.Make = func(context.Context, string) (*results.Record, error) { return nil, run.ErrBudget }
	one = n.night(slow)
	assert.Truef(t, one.Outcome == compare.Inconclusive && strings.Contains(one.Reason, "budget was spent after 0 of 5 runs"), "%+v", one)
}

// What cannot be compared is no pass, and nothing is overwritten.
func TestBaselinesThatCannotBeUsed(t *testing.T) {
	n := newNights(t)
	n.night(keptRuns(t, 10))
	text, err := os.ReadFile(n.file())
	require.NoError(t, err)
	for _, row := range []struct{ name, was, is, says string }{
		{"truncated", "", "", "unexpected EOF"},
		{"another version", `"live_baseline": 1`, `"live_baseline": 9`, "version 9; expected 1"},
		{"another scenario", `"scenario": "paired"`, `"scenario": "other"`, "is of the scenario other"},
		{"without runs", `"runs": [`, `"other": [`, "has no runs"},
		{"a time below 0", `"p50_us": `, `"p50_us": -`, "below 0"},
		{"another text", `size: 200`, `size: 300`, "the scenario's line"},
	} {
		other := bytes.Replace(text, []byte(row.was), []byte(row.is), 1)
		if row.was == "" {
			other = text[:len(text)/2]
		}
		require.NoError(t, os.WriteFile(n.file(), other, 0o600))
		one := n.night(keptRuns(t, 10))
		assert.Truef(t, one.Outcome == compare.NoBaseline && strings.Contains(one.Reason, row.says), "%s: %+v", row.name, one)
		left, err := os.ReadFile(n.file())
		require.NoError(t, err)
		assert.Truef(t, bytes.Equal(left, other), "%s: the file was changed", row.name)
	}
	require.NoError(t, os.WriteFile(n.file(), bytes.Replace(text, []byte(`"value": "virtual"`), []byte(`"value": "real"`), 1), 0o600))
	one := n.night(keptRuns(t, 10))
	assert.Truef(t, one.Outcome == compare.NoBaseline && strings.Contains(one.Reason, "stored"), "another target has a baseline of its own: %+v", one)
	stored, err := n.read()
	require.NoError(t, err)
	assert.Len(t, stored.Sets, 2)
	stored.Sets[1].Nights[0].Started = time.Now().AddDate(1, 0, 0)
	require.NoError(t, n.write(stored))
	one = n.night(keptRuns(t, 10))
	assert.Truef(t, one.Outcome == compare.Same && strings.Contains(strings.Join(one.Notes, " "), "clock went back"), "%+v", one)
}

// Nights differ more than runs of one night: a change within that is no regression.
func TestNightsThatVary(t *testing.T) {
	n := newNights(t)
	for i := range 6 {
		n.night(keptRuns(t, 10+.3*float64(i%2)))
	}
	stored, err := n.read()
	require.NoError(t, err)
	require.Len(t, stored.Sets[0].Nights, 6)
	assert.Greater(t, stored.Sets[0].noise(n.mustMetrics()[0]), .05)
	one := n.night(keptRuns(t, 10.65))
	assert.Truef(t, one.Outcome == compare.Inconclusive && one.Findings[0].Runs[1] == 10, "%+v; want that nights vary by as much, after as many runs again", one)
	assert.Equal(t, compare.Regression, n.night(keptRuns(t, 11.3)).Outcome)
}

func (n *nights) mustMetrics() []compare.Metric {
	n.t.Helper()
	metrics, _, err := n.metrics()
	require.NoError(n.t, err)
	return metrics
}

// A baseline that anybody may have changed is read or refused, and never ends the program.
func FuzzStoredBaseline(f *testing.F) {
	f.Add([]byte(`{"live_baseline":1,"scenario":"x","sets":[{"conditions":[{"what":"scenario","value":""}],"nights":[{"runs":[{"p99_us":1}]}]}]}`))
	f.Add([]byte(`{"live_baseline":1,"scenario":"x","sets":[{"nights":[{"runs":[null]}]}]}`))
	m, err := compare.ParseMetric("p99")
	if err != nil {
		f.Fatal(err)
	}
	folder := f.TempDir()
	g := &Live{Gate: Gate{Baselines: folder}, Scenario: &scenarios.Scenario{Name: "x"}}
	f.Fuzz(func(t *testing.T, text []byte) {
		require.NoError(t, os.WriteFile(g.file(), text, 0o600))
		stored, err := g.read()
		if err != nil {
			require.ErrorIs(t, err, errDamaged)
			return
		}
		for i := range stored.Sets {
			set := &stored.Sets[i]
			if values := set.values(m); len(values) > 0 {
				_, err := compare.Gate{}.Judge([]compare.Trial{{Metric: m, A: values, B: []float64{1, 1, 1, 1}, Noise: set.noise(m), Drift: set.drift(nil, values)}})
				require.NoError(t, err)
			}
		}
	})
}

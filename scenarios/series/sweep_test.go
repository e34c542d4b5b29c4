package series

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// swept is a scenario with a choice: spread over its bibs it holds, by event it does not.
const swept = `name: choice
seed: 7
workers: 64
retry: none
model: {profile: documented, partition_target: 100}
attributes:
  event: {list: [NYC]}
  bib: {sequence: 1}
entity: {size: 300, filler: Notes}
use: by-bib
designs:
  - {name: by-event, partition_key: "{event}", row_key: "{bib}"}
  - {name: by-bib, partition_key: "{bib}", row_key: "{event}-{bib}"}
phases:
  - name: load
    load: {entities: 100, lanes: 4}
  - name: measure
    traffic:
      arrivals: {constant: 300}
      for: 2s
      drain: 0s
      operations: [{verb: get}]
expect:
  - throttled < 1%
  - offered(hottest) < 100
`

// sweepOf sweeps the scenario with values that are the same in every run.
func sweepOf(t *testing.T, alike []scenarios.Setting, axes ...string) *Sweep {
	t.Helper()
	return &Sweep{Axes: axes, Progress: io.Discard,
		Plan: func(set []scenarios.Setting) (run.Plan, error) {
			s := parsed(t, swept)
			for _, one := range slices.Concat(alike, set) {
				if err := s.Set(one.Path, one.Value); err != nil {
					return run.Plan{}, err
				}
			}
			return run.Plan{Scenario: s}, fields.FaultsOf(s.Validate())
		},
		Exit: func(record *results.Record, ended error) int {
			if ended != nil || slices.ContainsFunc(record.Summary.Checks, func(e results.Check) bool { return !e.Holds() }) {
				return 10
			}
			return 0
		}}
}

// Each run stands for itself, in a folder of its own, and is told of as it begins and ends.
func TestSweepMakesItsRuns(t *testing.T) {
	out, told := filepath.Join(t.TempDir(), "all"), new(strings.Builder)
	s := sweepOf(t, nil, "use=by-event,by-bib", "phases.measure.arrivals.constant=50,300")
	s.Out, s.Progress = out, told
	made, err := s.Run(t.Context())
	require.Truef(t, err == nil && made.Asked == 4 && len(made.Made) == 4 && made.Exit() == 10,
		"Run() = %d of %d runs, exit code %d, %v; want 4 of 4 and 10, for one run failed", len(made.Made), made.Asked, made.Exit(), err)
	for i, want := range []struct {
		set  string
		exit int
	}{{"use=by-event, phases.measure.arrivals.constant=50", 0}, {"use=by-event, phases.measure.arrivals.constant=300", 10},
		{"use=by-bib, phases.measure.arrivals.constant=50", 0}, {"use=by-bib, phases.measure.arrivals.constant=300", 0}} {
		one := made.Made[i]
		assert.Truef(t, settingsText(one.Set) == want.set && one.Exit == want.exit && one.Folder == filepath.Join(out, string(rune('1'+i))),
			"run %d is of %s, in %s, with exit code %d; want %s and %d", i+1, settingsText(one.Set), one.Folder, one.Exit, want.set, want.exit)
		kept, err := results.Read(results.Dir(one.Folder))
		require.NoError(t, err)
		assert.Equal(t, one.Record.Summary.OkAttempts, kept.Summary.OkAttempts, one.Folder)
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(told.String()), "\n") {
		before, _, _ := strings.Cut(line, " (about")
		lines = append(lines, before)
	}
	assert.Truef(t, len(lines) == 8 && lines[2] == "2 of 4: use=by-event, phases.measure.arrivals.constant=300" && lines[3] == "2 of 4: run in "+filepath.Join(out, "2"),
		"told %q; want each run and its folder", lines)
}

// What is wrong with any combination is told before the first one runs, and each fault
// once.
func TestBadSweeps(t *testing.T) {
	for _, row := range []struct {
		sentence string
		axes     []string
		out      string
		says     []string
	}{
		{"a value that cannot be, the last of three", []string{"seed=1,2,x"}, "", []string{"seed is x; expected a whole number"}},
		{"two that cannot be, in six combinations", []string{"seed=1,x,y", "workers=1,2"}, "", []string{"seed is x", "seed is y"}},
		{"a path that is nearly one", []string{"sed=1,2"}, "", []string{`did you mean "seed"?`}},
		{"a design that does not exist", []string{"use=by-event,by-bob"}, "", []string{`unknown design "by-bob"`}},
		{"no axis", []string{"seed"}, "", []string{"sweep: seed: expected path=v1,v2"}},
		{"a folder that is a file", []string{"seed=1,2"}, "file", []string{"out: a file; expected a folder"}},
		{"a folder of which one holds a run", []string{"seed=1,2,3"}, "old", []string{"out: " + filepath.Join("old", "3") + " already holds a run"}},
		{"a plan that is not sound, the last", []string{"model.partition_burst=1s,-1s"}, "", []string{"model.partition_burst"}},
	} {
		t.Chdir(t.TempDir())
		require.NoError(t, errors.Join(os.MkdirAll(filepath.Join("old", "3"), 0o755),
			os.WriteFile(filepath.Join("old", "3", results.RunFile), nil, 0o600), os.WriteFile("file", nil, 0o600)))
		s := sweepOf(t, nil, row.axes...)
		s.Out = row.out
		made, err := s.Run(t.Context())
		require.ErrorIs(t, err, fields.ErrInvalid, row.sentence)
		assert.Empty(t, made.Made, row.sentence)
		lines := strings.Split(err.Error(), "\n")
		for i, says := range row.says {
			assert.Truef(t, len(lines) == len(row.says) && strings.Contains(lines[i], says),
				"%s: Run() = %v; want one line for each of %q", row.sentence, err, row.says)
		}
	}
}

// More memory than there may be is told of before the first run.
func TestSweepOfPlansThatCannotBe(t *testing.T) {
	s := sweepOf(t, nil, "phases.load.entities=10,1000000")
	plan, begun := s.Plan, false
	s.Plan = func(set []scenarios.Setting) (run.Plan, error) {
		p, err := plan(set)
		p.MemoryLimit, p.Kept = 8<<20, func(results.Folder, *results.Record) error { begun = true; return nil }
		return p, err
	}
	_, err := s.Run(t.Context())
	assert.ErrorContains(t, err, "memory-limit: ")
	assert.False(t, begun, "a run was made")
	none := errors.New("no such file")
	s.Plan = func([]scenarios.Setting) (run.Plan, error) { return run.Plan{}, none }
	_, err = s.Run(t.Context())
	assert.ErrorIs(t, err, none)
}

// A run that a budget of its own ends does not end the sweep.
func TestSweepGoesOnAfterARunThatWasStopped(t *testing.T) {
	told := new(strings.Builder)
	s := sweepOf(t, []scenarios.Setting{{Path: "phases.measure.stop_on", Value: "[throttled > 10%]"}, {Path: "phases.measure.for", Value: "20s"}}, "use=by-event,by-bib")
	s.Progress = told
	made, err := s.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, made.Made, 2)
	assert.Truef(t, made.Exit() == 10 && made.Made[0].Record.Validity == results.Partial && made.Made[1].Record.Validity == results.Valid,
		"exit code %d", made.Exit())
	assert.Contains(t, told.String(), "1 of 2: drive: stopped")
	assert.NotContains(t, told.String(), " is in ", "both runs are in memory")
}

// What a plan does with its record ends the sweep where it cannot be done.
func TestSweepEndsByWhatIsKept(t *testing.T) {
	s := sweepOf(t, nil, "seed=1,2")
	plan, full := s.Plan, errors.New("the disk is full")
	s.Plan = func(set []scenarios.Setting) (run.Plan, error) {
		p, err := plan(set)
		p.Kept = func(results.Folder, *results.Record) error { return full }
		return p, err
	}
	made, err := s.Run(t.Context())
	assert.ErrorIs(t, err, full)
	assert.Truef(t, len(made.Made) == 1 && made.Asked == 2, "%d of %d runs; want the first of two", len(made.Made), made.Asked)
}

// A sweep that is interrupted has the runs that it made, the last one in part.
func TestInterruptedSweep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := sweepOf(t, nil, "seed=1,2,3")
	s.Progress = &stopper{at: "2 of 3: seed=2", stop: cancel}
	made, err := s.Run(ctx)
	d := made.Document()
	rows := d.Screen[0].(document.Table).Rows
	assert.ErrorIs(t, err, context.Canceled)
	require.Len(t, rows, 2)
	assert.Equal(t, []string{"valid", "partial"}, []string{rows[0][1].Text, rows[1][1].Text})
	assert.Equal(t, []string{"2 of 3 runs made"}, d.Warnings)
}

// stopper calls stop when a text is written.
type stopper struct {
	at   string
	stop func()
}

func (s *stopper) Write(text []byte) (int, error) {
	if strings.Contains(string(text), s.at) {
		s.stop()
	}
	return len(text), nil
}

func TestSplitValues(t *testing.T) {
	for _, row := range []struct {
		sentence, list string
		want           []string
		wrong          string
	}{
		{"one value", "500", []string{"500"}, ""},
		{"values by commas", "500,1000,2000", []string{"500", "1000", "2000"}, ""},
		{"blanks around them", " a , b ", []string{"a", "b"}, ""},
		{"one list", "[500,1000]", []string{"[500,1000]"}, ""},
		{"lists by commas", "[500, 1000],[2000]", []string{"[500, 1000]", "[2000]"}, ""},
		{"templates", "{event},{event}__{distance}", []string{"{event}", "{event}__{distance}"}, ""},
		{"texts with commas, by semicolons", "a,b;c", []string{"a,b", "c"}, ""},
		{"texts with both, in quotes", `"a,b;c",d`, []string{`"a,b;c"`, "d"}, ""},
		{"a quote within a list", `["a]",b],c`, []string{`["a]",b]`, "c"}, ""},
		{"a bracket that is not closed", "[500,1000", nil, "unclosed bracket, brace or quote; expected its counterpart"},
		{"a quote that is not closed", `a,"b`, nil, "unclosed bracket, brace or quote; expected its counterpart"},
	} {
		got, err := splitValues(row.list)
		assert.Truef(t, slices.Equal(got, row.want) && results.OneLine(err) == row.wrong,
			"%s: splitValues(%q) = %q, %v; want %q, %v", row.sentence, row.list, got, err, row.want, row.wrong)
	}
}

func TestCombinations(t *testing.T) {
	got, err := combinations([]string{"use=a,b", "seed=1,2,3"})
	var words []string
	for _, set := range got {
		words = append(words, settingsText(set))
	}
	want := []string{"use=a, seed=1", "use=a, seed=2", "use=a, seed=3", "use=b, seed=1", "use=b, seed=2", "use=b, seed=3"}
	assert.Truef(t, err == nil && slices.Equal(words, want), "combinations(…) = %q, %v; want %q", words, err, want)
	for _, row := range []struct {
		sentence string
		sweeps   []string
		says     string
	}{
		{"no value", []string{"seed"}, "expected path=v1,v2"},
		{"no path", []string{"=1,2"}, "expected path=v1,v2"},
		{"an empty value", []string{"seed=1,,2"}, "empty value"},
		{"only an empty value", []string{"seed="}, "empty value"},
		{"the same value twice", []string{"seed=1,2,1"}, "occurs twice"},
		{"a bracket that is not closed", []string{"phases.peak.rates=[1,2"}, "unclosed"},
		{"the same path twice", []string{"seed=1", "seed=2"}, "seed is swept twice"},
		{"101 values", []string{"seed=" + numbers(101)}, "101 runs; expected at most 100"},
		{"11 by 10 values", []string{"seed=" + numbers(11), "workers=" + numbers(10)}, "110 runs"},
	} {
		_, err := combinations(row.sweeps)
		var fault fields.Fault
		if last := row.sweeps[len(row.sweeps)-1]; !errors.As(err, &fault) || fault.Path != "sweep" ||
			!strings.HasPrefix(fault.What, last+": ") || !strings.Contains(fault.What, row.says) {
			t.Errorf("%s: combinations(%.60q) = %v; want a fault of sweep with %q", row.sentence, row.sweeps, err, row.says)
		}
	}
	most, err := combinations([]string{"seed=" + numbers(10), "workers=" + numbers(10)})
	assert.Truef(t, err == nil && len(most) == MaxRuns, "10 by 10 values = %d combinations, %v; want %d", len(most), err, MaxRuns)
}

// numbers lists the numbers from 1 to n.
func numbers(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(i+1))
	}
	return strings.Join(list, ",")
}

func FuzzSplitValues(f *testing.F) {
	for _, seed := range []string{"", "a,b", "[1,2];{a: b}", `"x,y"`, "[[", ";,;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		values, err := splitValues(list)
		if err != nil {
			return
		}
		require.Truef(t, len(values) != 0, "splitValues(%q) has no value; want one at least", list)
		// Parted by semicolons, or alone, each is a value again.
		again, err := splitValues(strings.Join(values, ";"))
		require.Truef(t, len(values) <= 1 || err == nil && slices.Equal(again, values),
			"splitValues(%q) = %q, and those together %q, %v; want the same", list, values, again, err)
	})
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"loadgen/results"
)

func TestSplitValues(t *testing.T) {
	for _, row := range []struct {
		sentence, list string
		want           []string
		wrong          error
	}{
		{"one value", "500", []string{"500"}, nil},
		{"values by commas", "500,1000,2000", []string{"500", "1000", "2000"}, nil},
		{"blanks around them", " a , b ", []string{"a", "b"}, nil},
		{"one list", "[500,1000]", []string{"[500,1000]"}, nil},
		{"lists by commas", "[500, 1000],[2000]", []string{"[500, 1000]", "[2000]"}, nil},
		{"lists by semicolons", "[500,1000];[2000]", []string{"[500,1000]", "[2000]"}, nil},
		{"maps", "{ramp: {from: 1, to: 2}};{constant: 5}", []string{"{ramp: {from: 1, to: 2}}", "{constant: 5}"}, nil},
		{"templates", "{event},{event}__{distance}", []string{"{event}", "{event}__{distance}"}, nil},
		{"texts with commas, by semicolons", "a,b;c", []string{"a,b", "c"}, nil},
		{"texts with both, in quotes", `"a,b;c",d`, []string{`"a,b;c"`, "d"}, nil},
		{"a bracket in quotes", `"[",b`, []string{`"["`, "b"}, nil},
		{"a quote within a list", `["a]",b],c`, []string{`["a]",b]`, "c"}, nil},
		{"a closing bracket alone is a character", "a],b", []string{"a]", "b"}, nil},
		{"nothing", "", []string{""}, nil},
		{"nothing between commas", "1,,2", []string{"1", "", "2"}, nil},
		{"a bracket that is not closed", "[500,1000", nil, errUnbalanced},
		{"one closed by another", "[500}", nil, errUnbalanced},
		{"a quote that is not closed", `a,"b`, nil, errUnbalanced},
	} {
		got, err := splitValues(row.list)
		if !slices.Equal(got, row.want) || err != row.wrong {
			t.Errorf("%s: splitValues(%q) = %q, %v; want %q, %v", row.sentence, row.list, got, err, row.want, row.wrong)
		}
	}
}

func TestCombinations(t *testing.T) {
	got, err := combinations([]string{"use=a,b", "seed=1,2,3"})
	var words []string
	for _, set := range got {
		words = append(words, inWords(set))
	}
	want := []string{"use=a, seed=1", "use=a, seed=2", "use=a, seed=3", "use=b, seed=1", "use=b, seed=2", "use=b, seed=3"}
	if err != nil || !slices.Equal(words, want) {
		t.Errorf("combinations(…) = %q, %v; want %q", words, err, want)
	}
	// Of four axes, no run may share the settings of another.
	seen := map[string]bool{}
	all, err := combinations([]string{"a=1,2", "b=1,2", "c=1,2,3", "d=1,2"})
	for _, set := range all {
		seen[inWords(set)] = true
	}
	if err != nil || len(all) != 24 || len(seen) != 24 {
		t.Errorf("2 by 2 by 3 by 2 values = %d combinations, of which %d differ, %v; want 24", len(all), len(seen), err)
	}
	for _, row := range []struct {
		sentence string
		sweeps   []string
		says     string
	}{
		{"no value", []string{"seed"}, "expected path=v1,v2"},
		{"no path", []string{"=1,2"}, "expected path=v1,v2"},
		{"an empty value", []string{"seed=1,,2"}, "a value is empty"},
		{"only an empty value", []string{"seed="}, "a value is empty"},
		{"the same value twice", []string{"seed=1,2,1"}, "occurs twice"},
		{"a bracket that is not closed", []string{"phases.peak.rates=[1,2"}, "not closed"},
		{"the same path twice", []string{"seed=1", "seed=2"}, "seed is swept twice"},
		{"101 values", []string{"seed=" + numbers(101)}, "that comes to 101 runs; expected at most 100"},
		{"11 by 10 values", []string{"seed=" + numbers(11), "workers=" + numbers(10)}, "that comes to 110 runs"},
	} {
		if _, err := combinations(row.sweeps); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: combinations(%.60q) = %v; want %q", row.sentence, row.sweeps, err, row.says)
		}
	}
	if all, err := combinations([]string{"seed=" + numbers(10), "workers=" + numbers(10)}); err != nil || len(all) != mostRuns {
		t.Errorf("10 by 10 values = %d combinations, %v; want %d", len(all), err, mostRuns)
	}
}

// numbers lists the numbers from 1 to n.
func numbers(n int) string {
	var list []string
	for i := range n {
		list = append(list, thousands(int64(i+1)))
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
		if len(values) == 0 {
			t.Fatalf("splitValues(%q) has no value; want one at least", list)
		}
		// Parted by semicolons, or alone, each is a value again.
		again, err := splitValues(strings.Join(values, ";"))
		if len(values) > 1 && (err != nil || !slices.Equal(again, values)) {
			t.Fatalf("splitValues(%q) = %q, and those together %q, %v; want the same", list, values, again, err)
		}
	})
}

// What is wrong with any combination is told before the first one runs.
func TestBadSweepsRunNothing(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
		lines    int
	}{
		{"a value that cannot be, the last of three", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2,x"}, "--sweep seed=x: seed is x; expected a whole number", 1},
		{"two that cannot be, in six combinations", []string{"simulate", "choice.yaml", "--sweep", "seed=1,x,y", "--sweep", "workers=1,2"}, "--sweep seed=y: seed is y", 2},
		{"a path that is nearly one", []string{"run", "choice.yaml", "--sweep", "sed=1,2"}, `did you mean "seed"?`, 2},
		{"a design that does not exist", []string{"run", "choice.yaml", "--sweep", "use=by-event,by-bob"}, `--sweep use=by-bob: unknown design "by-bob"`, 1},
		{"what is set as well", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--set", "seed=3"}, "seed is given a value of its own, too", 1},
		{"what a flag sets as well", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--seed", "3"}, "seed is given a value of its own, too", 1},
		{"a recording of several runs", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--record", "a.bin"}, "--record is of one run", 1},
		{"a target that does not exist", []string{"run", "choice.yaml", "--sweep", "seed=1,2", "--target", "azure"}, "--target azure", 1},
		{"a format that does not exist", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2", "--format", "csv"}, "expected text or json", 1},
		{"a folder that is a file", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2", "--out", "choice.yaml"}, "--out choice.yaml: it is a file", 1},
		{"a folder of which one holds a run", []string{"simulate", "choice.yaml", "--sweep", "seed=1,2,3", "--out", "old"}, "already holds a run", 1},
		{"more memory than there may be, in the last", []string{"simulate", "choice.yaml", "--memory-limit", "8MiB",
			"--sweep", "phases.load.entities=10,1000000"}, "would take about", 1},
	} {
		choiceIn(t)
		if err := errors.Join(os.MkdirAll("old/3", 0o755), os.WriteFile("old/3/run.json", nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != row.lines || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: exit code %d, %q on stdout and %q on stderr; want %d and %d lines with %q", row.sentence, code, stdout, stderr,
				codeUsage, row.lines, row.says)
		}
		if left := leftIn(t, "."); len(left) != 5 {
			t.Errorf("%s: left %v behind; want nothing new", row.sentence, left)
		}
	}
}

func TestSweepComparesItsRuns(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	code, stdout, stderr := say(t, "simulate", "choice.yaml", "--sweep", "use=by-event,by-bib", "--sweep", "arrivals=nonsense")
	if code != codeUsage {
		t.Errorf("a sweep of what is nothing = %d %q %q; want %d", code, stdout, stderr, codeUsage)
	}
	code, stdout, stderr = say(t, "simulate", "choice.yaml", "--out", "all", "--sweep", "use=by-event,by-bib", "--sweep", "phases.measure.arrivals.constant=50,300")
	rows := strings.Split(stdout, "\n")
	for i, want := range []string{"use arrivals.constant validity expected", "by-event 50 valid 2/2", "by-event 300 valid 0/2", "by-bib 50 valid 2/2", "by-bib 300 valid 2/2"} {
		cells := strings.Fields(rows[i])
		if got := strings.Join(append(slices.Clone(cells[:3]), cells[len(cells)-1]), " "); got != want || utf8.RuneCountInString(rows[i]) != utf8.RuneCountInString(rows[0]) {
			t.Errorf("row %d is %q; want %q, as wide as the headings", i, rows[i], want)
		}
	}
	if code != codeExpectation {
		t.Errorf("exit code %d; want %d, for one run failed", code, codeExpectation)
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(stderr), "\n") {
		before, _, _ := strings.Cut(line, " (about")
		lines = append(lines, before)
	}
	if len(lines) != 8 || lines[2] != "2 of 4: use=by-event, phases.measure.arrivals.constant=300" || lines[3] != "2 of 4: the run is in "+filepath.Join("all", "2") {
		t.Errorf("told %q; want each run and its folder", lines)
	}
	// Each run stands for itself, and can be made again.
	for i, use := range []string{"by-event", "by-event", "by-bib", "by-bib"} {
		m := read(t, filepath.Join("all", string(rune('1'+i)))).Manifest
		command := strings.Join(m.Command, " ")
		if !strings.Contains(command, "--set use="+use+" --set phases.measure.arrivals.constant=") || strings.Contains(command, "sweep") {
			t.Errorf("run %d is repeated by %q; want its own values by --set", i+1, command)
		}
	}
}

// A run that a budget of its own ends does not end the sweep.
func TestSweepGoesOnAfterARunThatWasStopped(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	code, stdout, stderr := say(t, "simulate", "choice.yaml", "--sweep", "use=by-event,by-bib", "--set", "phases.measure.stop_on=[refused > 10%]",
		"--set", "phases.measure.for=20s")
	rows := strings.Split(stdout, "\n")
	if code != codeExpectation || !strings.HasPrefix(rows[1], "by-event  partial") || !strings.HasPrefix(rows[2], "by-bib    valid") ||
		!strings.Contains(stderr, "1 of 2: drive: stopped") {
		t.Errorf("exit code %d, %q on stderr, and\n%s\nwant %d, one run in part and one that is whole", code, stderr, stdout, codeExpectation)
	}
}

func TestSweepAsJSON(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	_, table, _ := say(t, "simulate", "choice.yaml", "--quiet", "--sweep", "use=by-event,by-bib", "--format", "json")
	var all []sweptRun
	if err := json.Unmarshal([]byte(table), &all); err != nil || len(all) != 2 {
		t.Fatalf("%v, %d runs in\n%s", err, len(all), table)
	}
	for i, want := range []sweptRun{{Set: map[string]string{"use": "by-event"}, Exit: codeExpectation}, {Set: map[string]string{"use": "by-bib"}, Exit: codeOk}} {
		got := all[i]
		record := read(t, got.Folder)
		if diff := cmp.Diff(want.Set, got.Set); diff != "" || got.Exit != want.Exit || !cmp.Equal(got.Summary, record.Summary) {
			t.Errorf("run %d: set %v, exit code %d; want %v, %d, and the summary of its record", i+1, got.Set, got.Exit, want.Set, want.Exit)
		}
	}
}

// A live sweep comes to the same as a simulated one.
func TestLiveSweepIsThatOfTheVirtualClock(t *testing.T) {
	choiceIn(t)
	sweep := []string{"choice.yaml", "--quiet", "--sweep", "use=by-event,by-bib", "--format", "json"}
	_, want, _ := say(t, append([]string{"simulate"}, sweep...)...)
	var out, said bytes.Buffer
	code := 0
	synctest.Test(t, func(t *testing.T) {
		code = run(context.Background(), append([]string{"run", "--target", "in-process"}, sweep...), strings.NewReader(""), &out, &said)
	})
	var live, virtual []sweptRun
	if err := errors.Join(json.Unmarshal(out.Bytes(), &live), json.Unmarshal([]byte(want), &virtual)); err != nil || len(live) != 2 || len(virtual) != 2 {
		t.Fatalf("%v, %d and %d runs; stderr %q", err, len(live), len(virtual), &said)
	}
	for i := range live {
		a, b := live[i].Summary, virtual[i].Summary
		if live[i].Exit != virtual[i].Exit || a.Ok != b.Ok || a.Refused != b.Refused || a.EntitiesCounted != b.EntitiesCounted {
			t.Errorf("run %d: live exit code %d, ok %d, refused %d, counted %d; virtual %d, %d, %d, %d; want the same", i+1,
				live[i].Exit, a.Ok, a.Refused, a.EntitiesCounted, virtual[i].Exit, b.Ok, b.Refused, b.EntitiesCounted)
		}
		if record := read(t, live[i].Folder); record.Manifest.Time != "real" {
			t.Errorf("run %d was in %s time; want a live one", i+1, record.Manifest.Time)
		}
	}
	if code != codeExpectation {
		t.Errorf("exit code %d; want %d", code, codeExpectation)
	}
}

// A sweep that is interrupted tells of the runs that it made, the last one in part.
func TestInterruptedSweepTellsWhatWasDone(t *testing.T) {
	choiceIn(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	var out, said bytes.Buffer
	code := run(ctx, []string{"simulate", "choice.yaml", "--sweep", "seed=1,2,3"}, strings.NewReader(""), &out,
		&stopper{Buffer: &said, at: "2 of 3: seed=2", stop: func() { cancel(interruption{os.Interrupt}) }})
	rows := strings.Split(out.String(), "\n")
	if code != codeInterrupted || !strings.HasPrefix(rows[1], "1     valid") || !strings.HasPrefix(rows[2], "2     partial") ||
		!strings.HasSuffix(out.String(), "\n2 of 3 runs were made\n") || !strings.Contains(said.String(), "loadgen: interrupted") {
		t.Errorf("exit code %d, %q on stderr, and\n%s\nwant %d, two rows, and that there are no more", code, &said, &out, codeInterrupted)
	}
}

// stopper calls when a text is written.
type stopper struct {
	*bytes.Buffer
	at   string
	stop func()
}

func (s *stopper) Write(text []byte) (int, error) {
	if strings.Contains(string(text), s.at) {
		s.stop()
	}
	return s.Buffer.Write(text)
}

func TestWorstExitCodeOfASweep(t *testing.T) {
	for _, row := range []struct {
		sentence string
		codes    []int
		want     int
	}{
		{"no run", nil, codeOk},
		{"all well", []int{codeOk, codeOk}, codeOk},
		{"one that failed", []int{codeOk, codeExpectation, codeOk}, codeExpectation},
		{"one that is invalid, too", []int{codeExpectation, codeInvalidRun, codeOk}, codeInvalidRun},
	} {
		var made []tried
		for _, code := range row.codes {
			made = append(made, tried{code: code})
		}
		err, got := worst(made, nil), codeOk
		if err != nil {
			got, _ = explain(context.Background(), err)
		}
		if got != row.want {
			t.Errorf("%s: worst(%v) = %v; want %d", row.sentence, row.codes, err, row.want)
		}
		if err := worst(made, context.Canceled); err != nil {
			t.Errorf("%s, and the sweep was ended: worst = %v; want what ended it to be told", row.sentence, err)
		}
	}
}

// The table of two runs by hand: one that lost a half, and one that was cut off
// before anything was due.
func TestTableOfASweep(t *testing.T) {
	busy, rest := results.KindStats{}, int64(0)
	p50, p99 := int64(3456), int64(1_234_567)
	busy.Add(&results.KindStats{Offered: 6000, Served: 4000, Attempts: 8000, Refused: 2000, LastHalf: results.Share{Offered: 3000, Served: 1500},
		Response: results.NewHistogram(), Lost: results.NewHistogram(), Service: [3]*results.Histogram{results.NewHistogram(), results.NewHistogram(), results.NewHistogram()}})
	made := []tried{
		{trial: &trial{set: []setting{{"use", "by-event"}, {"phases.peak.rates", "[500, 1000]"}}},
			finished: &finished{
				record: &results.Record{Phases: []results.Phase{
					{Name: "load", End: 9 * time.Second, Kinds: []results.KindStats{busy}},
					{Name: "peak", Begin: 9 * time.Second, End: 11 * time.Second, Reported: true, Kinds: []results.KindStats{busy}}}},
				summary: &results.Summary{Validity: results.Valid, Response: results.Quantiles{P50: &p50, P99: &p99},
					Hottest: &results.HottestPartition{EntitiesPerSecond: 1999.5}, Expectations: []results.Expectation{{Pass: true}, {}}}}},
		{trial: &trial{set: []setting{{"use", "ё"}, {"phases.peak.rates", "[2]"}}},
			finished: &finished{record: &results.Record{}, summary: &results.Summary{Validity: results.Partial, Response: results.Quantiles{P50: &rest}}}},
	}
	const want = `use       peak.rates   validity  offered/s  served/s  refused    lost  p50 ms  p99 ms  hottest/s  expected
by-event  [500, 1000]  valid         3,000     2,000   25.0 %  50.0 %     3.5  1234.6      2,000       1/2
ё         [2]          partial           –         –        –       –     0.0       –          –         –

offered, served and hottest: entities a second, of all that is reported and of the busiest partition;
refused: of the attempts; lost: 1 − served/offered in the last half of each phase; p50 and p99: response times
2 of 3 runs were made
`
	var text strings.Builder
	if err := compareText(&text, made, 3); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("compareText(…) (-want +got):\n%s", diff)
	}
	text.Reset()
	if err := compareText(&text, nil, 3); err != nil || text.String() != "0 of 3 runs were made\n" {
		t.Errorf("compareText of nothing = %q, %v; want that there was none", text.String(), err)
	}
}

func TestHeadingsOfASweep(t *testing.T) {
	for _, row := range []struct {
		sentence string
		paths    []string
		want     []string
	}{
		{"one word", []string{"seed"}, []string{"seed"}},
		{"the last two of several", []string{"phases.peak.each", "phases.rush.each"}, []string{"peak.each", "rush.each"}},
		{"two that end alike", []string{"phases.a.arrivals.constant", "phases.b.arrivals.constant", "seed"},
			[]string{"phases.a.arrivals.constant", "phases.b.arrivals.constant", "seed"}},
	} {
		var set []setting
		for _, path := range row.paths {
			set = append(set, setting{path: path})
		}
		if got := headings(set); !slices.Equal(got, row.want) {
			t.Errorf("%s: headings(%q) = %q; want %q", row.sentence, row.paths, got, row.want)
		}
	}
}

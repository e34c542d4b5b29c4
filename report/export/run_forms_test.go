package export_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/export"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// form is one of the forms of a run.
type form struct {
	name, golden string
	write        func(io.Writer, *results.Record, *results.Summary) error
}

func forms() []form {
	return []form{{"hlog", "race.hlog", export.HistogramLog}, {"benchfmt", "race.bench", export.Benchmarks}, {"junit", "race.xml", export.TestCases}}
}

func (f form) text(t testing.TB, record *results.Record) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, f.write(&out, record, record.Summary), f.name)
	return out.String()
}

// asked is a race of which something is asked, in vain.
func asked() run {
	r := race()
	r.change = func(m *results.Manifest) {
		m.Checks = []string{"p99(get) < 100ms", "throttled < 1%", "p99.9(load) < 1s"}
	}
	return r
}

func TestForms(t *testing.T) {
	record := once(t, "asked", asked())
	for _, f := range forms() {
		resultstest.CheckGolden(t, "testdata/"+f.golden, f.text(t, record))
	}
}

// Each value of the benchmarks is one of the report, of the same phases.
func TestBenchmarksAreTheReports(t *testing.T) {
	record := once(t, "race", race())
	got := map[string]float64{}
	for line := range strings.Lines(form{"", "", export.Benchmarks}.text(t, record)) {
		if fields := strings.Fields(line); strings.HasPrefix(line, "Benchmark") {
			for i := 2; i+1 < len(fields); i += 2 {
				var value float64
				if _, err := fmt.Sscan(fields[i], &value); err != nil {
					t.Fatal(err)
				}
				got[strings.TrimPrefix(fields[0], "BenchmarkLoad/scenario=stress")+" "+fields[i+1]] = value
			}
		}
	}
	s := record.Summary
	only := func(k results.Kind) bool { return k.Name == "get" }
	get, gets := figure.NewFigures(record).Summary(figure.Reported(record), only), record.Total(func(p *results.Phase, k results.Kind) bool { return p.Reported && only(k) })
	for _, row := range []struct {
		name string
		want float64
	}{
		{" p50-ns", 1000 * float64(*s.Response.P50)}, {" p99-ns", 1000 * float64(*s.Response.P99)},
		{" saturation-entities/s", *s.Saturation},
		{"/of=get p50-ns", 1000 * float64(*s.PerOperation["get"].Response.P50)}, {"/of=get p90-ns", 1000 * float64(*s.PerOperation["get"].Response.P90)},
		{"/of=get p99-ns", 1000 * float64(*s.PerOperation["get"].Response.P99)}, {"/of=get served-entities/s", get.Served},
		{"/of=get throttled/attempt", float64(gets.Throttled) / float64(gets.Attempts)}, {"/of=get tries/op", float64(s.PerOperation["get"].Attempts) / float64(s.PerOperation["get"].Operations)},
		{"/of=get share-lost", *get.ShareLost},
	} {
		value, told := got[row.name]
		assert.Truef(t, told && value == row.want, "%s = %v, %t; want %v", row.name, value, told, row.want)
	}
	_, told := got["/of=get p99.9-ns"]
	assert.False(t, told, "p99.9 of 3,000 operations is told; want none, for it rests on three")
}

// What is claimed is a case, and validity is one, too.
func TestCasesReadBack(t *testing.T) {
	limited := asked()
	limited.validity, limited.reasons = results.Partial, []string{"the run was interrupted"}
	audited := func(audit results.Audit) *results.Record {
		record := *once(t, "race", race())
		record.Audit = &audit
		record.Summary = verdict.Judge(&record)
		return &record
	}
	interrupted := limited.record(t)
	for _, row := range []struct {
		name                    string
		record                  *results.Record
		tests, failures, errors int
		failed                  string
	}{
		{"nothing is asked", once(t, "race", race()), 1, 0, 0, ""},
		{"one claim fails and one cannot be told", once(t, "asked", asked()), 4, 1, 0, "throttled < 1%"},
		{"the run is partial, of which no claim can be told", interrupted, 4, 0, 1, "the run is valid"},
		{"writes are lost", audited(results.Audit{Writes: 5, Acknowledged: 5, Lost: 2}), 2, 1, 0, "every acknowledged write is there, once"},
		{"no write is lost", audited(results.Audit{Writes: 5, Acknowledged: 5}), 2, 0, 0, ""},
	} {
		r := resultstest.ReadJUnit(t, form{"", "", export.TestCases}.text(t, row.record))
		s := r.Suites[0]
		if s.Tests != row.tests || s.Failures != row.failures || s.Errors != row.errors || len(s.Cases) != row.tests || s.Name != "loadgen run" {
			t.Errorf("%s: the suite is %+v; want %d tests, %d failures, %d errors", row.name, s, row.tests, row.failures, row.errors)
			continue
		}
		bad := map[string]bool{}
		for i, c := range s.Cases {
			bad[c.Name] = c.Failure != nil || c.Error != nil
			if i == 0 || row.record.Audit != nil {
				continue
			}
			e := row.record.Summary.Checks[i-1]
			observed := c.Out
			if c.Failure != nil {
				observed = c.Failure.Message
			} else if c.Skipped != nil {
				observed = c.Skipped.Message
			}
			assert.Truef(t, c.Name == e.Expr && (c.Failure != nil) == e.Fails() && (c.Skipped != nil) != e.IsJudged() && strings.HasSuffix(observed, e.Observation()) && c.Class == "loadgen.run.stress",
				"%s: case %d is %+v; want that of %+v", row.name, i, c, e)
		}
		assert.Truef(t, row.failed == "" || bad[row.failed], "%s: %q has not failed", row.name, row.failed)
	}
	partial := resultstest.ReadJUnit(t, form{"", "", export.TestCases}.text(t, interrupted)).Suites[0].Cases[0].Error
	assert.Truef(t, strings.HasSuffix(partial.Message, "the run was interrupted") && partial.Text == "the run was interrupted",
		"the error is %+v; want the reason", partial)
}

// A writer that fails is told of, and a record of nothing is one.
func TestFormsAtTheEdges(t *testing.T) {
	for _, f := range forms() {
		record := once(t, "race", race())
		assert.ErrorIsf(t, f.write(resultstest.FullWriter{}, record, record.Summary), resultstest.ErrFull, "%s to a full disk", f.name)
		empty := &results.Record{Validity: results.Partial}
		empty.Summary = verdict.Judge(empty)
		sound(t, f, empty)
		// A summary that another build has written, and phases without histograms.
		holes := &results.Record{Manifest: results.Manifest{Operations: []results.Kind{{Name: "get"}}}, Phases: []results.Phase{{Reported: true, End: time.Second, Kinds: []results.KindStats{{}}}, {}}}
		holes.Summary = &results.Summary{}
		sound(t, f, holes)
	}
	log := export.NewIntervalLog(resultstest.FullWriter{}, &results.Manifest{})
	log.Second(&results.Interval{}, nil)
	assert.ErrorIs(t, log.Err(), resultstest.ErrFull, "an interval log to a full disk")
}

// sound holds a form to what must be true of it whatever it is about.
func sound(t testing.TB, f form, record *results.Record) {
	t.Helper()
	text := f.text(t, record)
	for line := range strings.Lines(text) {
		// Two names, cut, and the figures. A histogram takes more, and XML has no bound.
		assert.Truef(t, len(line) <= 4000 || f.name != "benchfmt", "%s has a line of %d bytes", f.name, len(line))
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			t.Errorf("%s holds %q:\n%q", f.name, r, text)
			break
		}
	}
	switch f.name {
	case "hlog":
		soundLog(t, text, record)
	case "junit":
		if s := resultstest.ReadJUnit(t, text).Suites[0]; s.Tests != len(s.Cases) || s.Errors+s.Failures > s.Tests {
			t.Errorf("the suite is %+v", s)
		}
	case "benchfmt":
		names := resultstest.CheckBenchmarks(t, text, "(target|profile|start|retry|time|validity): .*")
		slices.Sort(names)
		assert.Equal(t, slices.Compact(slices.Clone(names)), names, "benchmarks of one name")
	}
}

// soundLog checks that the public reader finds every line, with tags that differ, and no
// time but that of the run.
func soundLog(t testing.TB, text string, record *results.Record) {
	t.Helper()
	lines, tags := 0, map[string]int64{}
	for p := range record.Phases {
		for k := range record.Phases[p].Kinds {
			if record.Phases[p].Kinds[k].Response.Count() > 0 {
				lines++
			}
		}
	}
	read := readLog(t, text)
	for _, h := range read {
		if tags[h.Tag()] += h.TotalCount(); h.Tag() == "" {
			t.Errorf("a line has no tag:\n%s", text)
		}
		if from := record.Manifest.Started.UnixMilli(); from > 0 && (h.StartTimeMs() < from-1 || h.EndTimeMs() > from+record.Duration.Milliseconds()+1) {
			t.Errorf("a line is of %d to %d ms; the run began at %d", h.StartTimeMs(), h.EndTimeMs(), from)
		}
	}
	assert.Lenf(t, read, lines, "%d lines are read; want %d:\n%s", len(read), lines, text)
	want := record.Total(results.Everything)
	assert.Truef(t, want.Response.Count() <= 0 || len(tags) == len(record.Manifest.Operations), "the tags are %v", tags)
}

// called returns a record in which everything is called by a text. It shares the memory
// of another, so that a text costs no run.
func called(record *results.Record, text string) *results.Record {
	r := *record
	m := &r.Manifest
	m.Scenario.Name, m.Target, m.Profile, m.Start, m.Retry, m.Time = text, text, text, text, text, text
	m.Operations, r.Phases = slices.Clone(m.Operations), slices.Clone(r.Phases)
	for i := range m.Operations {
		m.Operations[i].Name = []string{text, text + " ", text + "x"}[i]
	}
	for i := range r.Phases {
		r.Phases[i].Name = text
	}
	r.Validity, r.Reasons = results.Partial, []string{text, text}
	r.Summary = verdict.Judge(&r)
	r.Summary.Verdict = text
	r.Summary.Checks = []results.Check{{Expr: text, Observed: text}, {Expr: text, Observed: text, Ok: new(true)}}
	return &r
}

func FuzzForms(f *testing.F) {
	long := []string{string(make([]byte, 70_000)), strings.Repeat("abcdefghijklmnopqrstuvwxyz", 2700)}
	for _, text := range append(resultstest.HostileTexts(), long...) {
		f.Add(text)
	}
	fewer := race()
	fewer.each = 40 // soon judged
	record := fewer.record(f)
	f.Fuzz(func(t *testing.T, text string) {
		one := called(record, text)
		for _, form := range forms() {
			sound(t, form, one)
		}
	})
}

func TestPlainTextsAndWords(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"an end of line is a space", "a\nb\tc\u2028d\u2029e", "a b c d e"},
		{"control characters are gone", "a\x00\x07b\r\u0085\x7f", "ab"},
		{"colours are gone with what they are made of", "\x1b[1;31mred\x1b[0m \x1b]0;title\x07x", "red x"},
		{"the direction stays", "a\u202eb", "ab"},
		{"what is no text", "a\xffb\ufffe\uffff", "a\ufffdb\ufffd\ufffd"},
		{"what is beyond ASCII is kept", "Ünïcode – 日本", "Ünïcode – 日本"},
		{"blanks at the ends", " \n a ", "a"},
	} {
		assert.Equalf(t, row.want, export.Plain(row.text), "%s: Plain(%q)", row.name, row.text)
	}
	for text, want := range map[string]string{"p99(get, peak 20/s)": "p99(get,peak_20_s)", "": "-", "\x1b[0m": "-", "a\u00a0b": "a_b"} {
		assert.Equalf(t, want, export.Word(text), "Word(%q)", text)
	}
}

// logged returns the log of a record.
func logged(t testing.TB, record *results.Record) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, export.HistogramLog(&out, record, nil), "HistogramLog")
	return out.String()
}

// readLog reads a log as the public reader does.
func readLog(t testing.TB, text string) []*hdrhistogram.Histogram {
	t.Helper()
	reader := hdrhistogram.NewHistogramLogReader(strings.NewReader(text))
	var list []*hdrhistogram.Histogram
	for {
		h, err := reader.NextIntervalHistogram()
		require.NoErrorf(t, err, "the log cannot be read: %v\n%s", err, text)
		if h == nil {
			return list
		}
		list = append(list, h)
	}
}

// The public reader finds each operation of each phase, at its time, with the record's
// own counts and quantiles; and the lines of a tag are the summary's operation.
func TestLogReadsBack(t *testing.T) {
	record := once(t, "race", race())
	begun := record.Manifest.Started.UnixMilli()
	type place struct{ phase, kind int }
	places := []place{{0, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}}
	tags := []string{"load", "get", "insert_(full)"}
	read := readLog(t, logged(t, record))
	require.Len(t, read, len(places), "the log")
	whole := map[string]*hdrhistogram.Histogram{}
	for i, at := range places {
		h, p := read[i], &record.Phases[at.phase]
		own := p.Kinds[at.kind].Response
		assert.Equalf(t, tags[at.kind], h.Tag(), "line %d has the tag", i)
		if from, to := begun+p.Begin.Milliseconds(), begun+p.End.Milliseconds(); abs(h.StartTimeMs()-from) > 1 || abs(h.EndTimeMs()-to) > 1 {
			t.Errorf("line %d is of %d to %d ms; want %d to %d", i, h.StartTimeMs(), h.EndTimeMs(), from, to)
		}
		assert.Truef(t, h.TotalCount() == own.Count() && h.Max() == own.Max() && math.Abs(h.Mean()-own.Mean()) <= 1e-6,
			"line %d: count %d, longest %d, mean %v; want %d, %d, %v", i, h.TotalCount(), h.Max(), h.Mean(), own.Count(), own.Max(), own.Mean())
		for _, q := range []float64{.1, .5, .9, .95, .99, .999} {
			if want, told := own.Quantile(q); told && h.ValueAtQuantile(100*q) != want {
				t.Errorf("line %d: quantile %v is %d; want %d", i, q, h.ValueAtQuantile(100*q), want)
			}
		}
		if whole[h.Tag()] == nil {
			whole[h.Tag()] = hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3)
		}
		dropped := whole[h.Tag()].Merge(h)
		assert.Truef(t, dropped <= 0, "line %d drops %d values", i, dropped)
	}
	for k, tag := range tags {
		told := record.Summary.PerOperation[record.Manifest.Operations[k].Name].Response
		for q, want := range map[float64]*int64{.5: told.P50, .9: told.P90, .99: told.P99, .999: told.P999} {
			if want != nil && whole[tag].ValueAtQuantile(100*q) != *want {
				t.Errorf("the lines of %s have the quantile %v at %d; the summary says %d", tag, q, whole[tag].ValueAtQuantile(100*q), *want)
			}
		}
		assert.Truef(t, whole[tag].Max() == *told.Max,
			"the lines of %s have %d as the longest; the summary says %d", tag, whole[tag].Max(), *told.Max)
	}
}

func abs(n int64) int64 { return max(n, -n) }

// The log says what its lines are, and what is not in them.
func TestLogSays(t *testing.T) {
	slow := race()
	slow.tail, slow.each = time.Hour, 40
	early := race()
	early.each, early.end, early.validity, early.reasons = 40, 3*time.Second, results.Partial, []string{"the run was interrupted"}
	empty := race()
	empty.each, empty.gone = 40, 40
	old := race()
	old.each, old.change = 40, func(m *results.Manifest) { m.Started = time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, row := range []struct {
		name       string
		run        run
		says       []string
		saysNot    string
		lines, not int
	}{
		{"the unit and the phases", race(), []string{
			"#[Histogram log format version 1.3]\n#[StartTime: 1320572400.250 (seconds since epoch), 2011-11-06T09:40:00Z]\n#[BaseTime: 1320572400.250 (seconds since epoch)]\n",
			"in microseconds", "-outputValueUnitRatio 1000", "#Phase \"load\": not reported", "#Phase \"peak 1000/s\": reported\n", "\nTag=get,1.000,4.000,", "\nTag=load,0.000,0.750,",
			"#\"insert_(full)\": 171", "\nTag=insert_(full),5.000,4.000,"}, "3600000.001", 5, 0},
		{"longer than an hour", slow, []string{"#\"get\": 20", ",3600000.001,"}, "", 5, 0},
		{"a run that ended early, in the first step", early, []string{"validity \"partial\"", "\nTag=get,1.000,2.000,"}, "\nTag=get,1.000,4", 5, 0},
		{"steps in which nothing was sent", empty, []string{"#Phase \"peak 500/s\": reported\n#Phase"}, "Tag=get", 1, 0},
		{"a time that readers do not know", old, []string{"#Phase"}, "StartTime:", 5, 0},
	} {
		text := logged(t, row.run.record(t))
		for _, says := range row.says {
			assert.Containsf(t, text, says, "%s: the log lacks %q:\n%s", row.name, says, text)
		}
		assert.Truef(t, row.saysNot == "" || !strings.Contains(text, row.saysNot),
			"%s: the log says %q:\n%s", row.name, row.saysNot, text)
		assert.Len(t, readLog(t, text), row.lines, row.name)
	}
}

package export_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/export"
	"loadgen/results"
)

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
			"did not succeed, and are in no line\nTag=insert_(full),5.000,4.000,"}, "an hour, and", 5, 0},
		{"what took longer than can be told", slow, []string{"#\"get\": 20 took longer than an hour, and count as one\n", ",3600000.001,"}, "", 5, 0},
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

// Names that become the same are told apart.
func TestTagsAreDistinct(t *testing.T) {
	r := race()
	r.names = [3]string{"a,b", "a b", "a/b"}
	var tags []string
	for _, h := range readLog(t, logged(t, r.record(t))) {
		tags = append(tags, h.Tag())
	}
	assert.Equal(t, "a_b a_b_2 a_b_3 a_b_2 a_b_3", strings.Join(tags, " "), "the tags")
}

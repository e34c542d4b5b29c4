package chart_test

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// drawn returns what the charts of a record show.
func drawn(t *testing.T, record *results.Record) map[string]picture {
	t.Helper()
	pictures := make(map[string]picture)
	for _, f := range chart.Figures(record, "") {
		pictures[f.Name] = look(t, file(t, f, "svg"))
	}
	return pictures
}

func TestSaveWritesPNGAndSVG(t *testing.T) {
	var folder results.Memory
	record := heated(t, stress(), 3, 1, 1)
	figures := chart.Figures(record, "")
	got, err := chart.Save(&folder, figures...)
	require.NoError(t, err)
	var want []string
	for _, name := range chart.Names() {
		want = append(want, name+".png", name+".svg")
	}
	assert.Equal(t, want, got)
	for _, name := range got {
		if strings.HasSuffix(name, ".svg") {
			continue
		}
		if config, err := png.DecodeConfig(bytes.NewReader(folder.Bytes(name))); err != nil || config.Width != 1500 || config.Height != 900 && name != "heat.png" {
			t.Errorf("%s is %d × %d, %v; want 1500 × 900", name, config.Width, config.Height, err)
		}
	}
	for _, name := range []string{"steps.png", "steps.svg"} {
		_, kind, _ := strings.Cut(name, ".")
		assert.Truef(t, bytes.Equal(folder.Bytes(name), file(t, chart.Find(figures, "steps"), kind)), "%s differs when it is drawn again", name)
	}
}

// What is drawn is made from the bars: as many rectangles of each colour as there
// are bars with that part, as high as their counts, to less than a point.
func TestBarsAreAsHighAsTheirCounts(t *testing.T) {
	const get, put, served, throttled = "#56B4E9", "#009E73", "#0072B2", "#D55E00"
	record := stress()
	pictures := drawn(t, record)
	var gets, puts []float64
	for _, b := range chart.LatencyBars(record) {
		gets, puts = append(gets, float64(b.Counts[0])), append(puts, float64(b.Counts[1]))
	}
	latency := pictures["latency"]
	checkHeights(t, "latency, GET", latency.rectangles(get), gets)
	checkHeights(t, "latency, PUT", latency.rectangles(put), puts)

	var serveds, refuseds, waits []float64
	for _, b := range chart.ThrottleBars(record) {
		serveds, refuseds = append(serveds, float64(b.Served)), append(refuseds, float64(b.Throttled))
	}
	for _, b := range chart.WaitBars(record) {
		waits = append(waits, float64(b.Counts[0]))
	}
	throttle := pictures["throttle"]
	checkHeights(t, "throttle, served", throttle.rectangles(served), serveds)
	checkHeights(t, "throttle, throttled", throttle.rectangles(throttled), refuseds)
	waited := pictures["waits"]
	checkHeights(t, "waits", waited.rectangles(throttled), waits)
}

// drawChart returns what one chart of a record shows, by its own axis or another.
func drawChart(t *testing.T, name string, record *results.Record, axis ...chart.Axis) picture {
	t.Helper()
	seen := look(t, file(t, figure(t, name, record, axis...), "svg"))
	seen.checkTexts(t, name)
	return seen
}

// shown returns the names of the charts that a record has data for.
func shown(record *results.Record) (names []string) {
	for _, f := range chart.Figures(record, "") {
		names = append(names, f.Name)
	}
	return names
}

func checkHeights(t *testing.T, name string, boxes []box, counts []float64) {
	t.Helper()
	const thinnest, tolerance = 0.75, 0.8 // a part drawn thicker than it is moves the next
	counts = slices.DeleteFunc(slices.Clone(counts), func(n float64) bool { return n == 0 })
	if len(boxes) != len(counts) || len(counts) == 0 {
		t.Errorf("%s: %d rectangles for %d counts", name, len(boxes), len(counts))
		return
	}
	most := slices.Index(counts, slices.Max(counts))
	scale := (boxes[most].top - boxes[most].bottom) / counts[most]
	for i, n := range counts {
		if got, want := boxes[i].top-boxes[i].bottom, max(thinnest, n*scale); math.Abs(got-want) > tolerance {
			t.Errorf("%s: rectangle %d is %v high; want %v for %v", name, i, got, want, n)
		}
	}
}

func TestChartsNameTheirData(t *testing.T) {
	record := *stress()
	pictures := drawn(t, &record)
	total := record.Total(results.Reported)
	steps := chart.Steps(&record)
	lost := steps[len(steps)-1].LostByTarget
	for kind, words := range map[string]string{
		"latency":     document.Count(total.Response.Count()) + " operations|p50|p99|GET: |PUT: |1 ms|10 ms|100 ms|99.9|response time|service time",
		"throttle":    "partition target 2,000/s|offered 500/s|4,000/s|attempts throttled|since the start",
		"waits":       "Policy short",
		"percentiles": "response time|service time|get: |insert: |merge: |at p99.|p99 of the response time",
		"response":    "p99 of the response time|1 second|offered 500/s|logarithmic",
		"steps":       "partition target 2,000/s|" + document.Share(lost) + " lost|Saturation at ",
	} {
		seen := pictures[kind]
		seen.checkTexts(t, kind)
		seen.checkWords(t, kind, words+"|scenario stress|partition “2011 New York City Marathon__Full”|!partial")
	}
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		words  string
	}{
		{"several partitions", func(r *results.Record) { r.Manifest.PartitionKey, r.Manifest.Targets.Account = "", 20_000 },
			"account target 20,000/s|!partition target"},
		{"another target", func(r *results.Record) { r.Manifest.Targets.Partition = 500 }, "partition target 500/s|!target 2,000/s"},
		{"partitions of one account", func(r *results.Record) {
			r.Manifest.Spread, r.Manifest.Targets.Account = &results.Spread{Partitions: 20, Rate: 100}, 20_000
		}, "account target 20,000/s|!accounts"},
		{"partitions of two accounts", func(r *results.Record) {
			r.Manifest.Spread, r.Manifest.Targets.Account, r.Manifest.Accounts = &results.Spread{Partitions: 20, Rate: 100}, 20_000, 2
		}, "2 accounts' target 40,000/s|!20,000/s"},
	} {
		changed := *stress()
		row.change(&changed)
		seen := drawChart(t, "throttle", &changed)
		seen.checkWords(t, row.name, row.words)
	}
	record.Validity, record.Manifest.Targets.Partition = results.Partial, 0
	for kind, seen := range drawn(t, &record) {
		seen.checkWords(t, kind+" of a part of a run without a target", "partial run|!target")
	}
}

func TestHostileTextsAreEscaped(t *testing.T) {
	record := few(t, 12)
	m := &record.Manifest
	m.Scenario.Name = "<script>alert(1)</script>\x00\x1b[31m\u202e" + strings.Repeat("long ", 1000)
	m.PartitionKey = "\xff\"'&]]>" + strings.Repeat("長", 1024)
	m.Target, m.Time, m.Retry = "</text><image href='x'/>", "\ufffe\n\n", strings.Repeat("policy", 1000)
	record.Validity = "<b>\r\n"
	record.Phases[0].Rate = 0
	record.Phases[0].Name = "<svg onload=alert(1)>" + strings.Repeat("x", 1024)
	record.Intervals[0].Phase = record.Phases[0].Name
	for kind, seen := range drawn(t, record) {
		seen.checkTexts(t, kind)
		for element := range seen.elements {
			assert.Truef(t, slices.Contains([]string{"svg", "title", "g", "path", "text", "image"}, element),
				"%s has an element %q", kind, element)
		}
		assert.Truef(t, seen.elements["svg"] == 1 && seen.elements["title"] == 1,
			"%s has the elements %v; want one svg and one title", kind, seen.elements)
		assert.Truef(t, seen.says("<script>alert(1)</script>"), "%s does not show the scenario's name as it is written", kind)
	}
}

// few is a record of so many operations that took 4 ms, in a second of a step.
func few(t testing.TB, n int) *results.Record {
	t.Helper()
	phase := resultstest.Phase{Phase: results.Phase{Name: "only", End: time.Second, Rate: float64(n), Reported: true}}
	r := resultstest.Run{Manifest: manifest(2000), Phases: []resultstest.Phase{phase}, NoCounts: true,
		Operation: func(op *resultstest.Operation) { op.Intended, op.Sent = 0, 0 },
	}
	return r.Record(t)
}

func TestChartsOfImplausibleRecords(t *testing.T) {
	for _, row := range []struct {
		name string
		make func() *results.Record
		// shown are the charts that have data.
		shown string
	}{
		{"a record of nothing", func() *results.Record { return new(results.Record) }, ""},
		{"a step in which nothing became due", func() *results.Record { return few(t, 0) }, "throttle"},
		{"too few operations for percentiles", func() *results.Record { return few(t, 9) }, "latency throttle"},
		{"phases and kinds without histograms", func() *results.Record {
			return &results.Record{Manifest: manifest(1), Phases: []results.Phase{{Name: "p", Reported: true, Kinds: make([]results.KindStats, 4)}}}
		}, ""},
		{"huge counts and a huge target", func() *results.Record {
			r := few(t, 20)
			r.Manifest.Targets.Partition = math.MaxInt64
			r.Intervals[0].Served, r.Intervals[0].Throttled = math.MaxInt64, math.MaxInt64
			r.Phases[0].Kinds[0].LastHalf = results.Cohort{Counts: results.Counts{Offered: math.MaxInt64, Served: 1}}
			r.Phases[0].Rate = math.MaxFloat64
			return r
		}, "latency throttle percentiles"},
		{"negative counts", func() *results.Record {
			r := few(t, 20)
			r.Intervals[0].Served, r.Intervals[0].Throttled = math.MinInt64, -1
			r.Phases[0].Kinds[0].LastHalf = results.Cohort{Counts: results.Counts{Offered: -5, Served: math.MinInt64}}
			return r
		}, "latency throttle percentiles"},
		{"rates without end in phases out of time", func() *results.Record {
			r := few(t, 20)
			r.Phases[0].Rate, r.Phases[0].Begin = math.Inf(1), math.MinInt64
			r.Intervals[0].Second = math.MaxInt64 - 1
			return r
		}, "latency throttle percentiles"},
		{"more steps than are drawn", func() *results.Record {
			r := few(t, 20)
			r.Manifest.Targets.Partition = math.MaxInt64 // with all this the legend is too long
			for k := range r.Phases[0].Kinds {
				r.Phases[0].Kinds[k].LastHalf = results.Cohort{Counts: results.Counts{Offered: 50, Served: 40}}
			}
			for range chart.MaxSteps {
				r.Phases = append(r.Phases, r.Phases[0])
			}
			return r
		}, "latency throttle steps percentiles"},
		{"an operation that took longer than an hour", func() *results.Record {
			r := few(t, 20)
			r.Phases[0].Kinds[0].Response.Record(24 * time.Hour)
			r.RetryWaits.Record(24 * time.Hour)
			return r
		}, "latency throttle waits percentiles"},
	} {
		record := row.make()
		record.Heat = nil // which has tests of its own
		assert.Equal(t, row.shown, strings.Join(shown(record), " "), row.name)
		for kind, seen := range drawn(t, record) {
			seen.checkTexts(t, kind)
		}
	}
}

// full is a folder on a disk that fills up after so many files.
type full struct {
	results.Memory
	room int
}

var errFull = errors.New("no space left on device")

func (f *full) Replace(name string, text []byte) error {
	if f.room--; f.room < 0 {
		return errFull
	}
	return f.Memory.Replace(name, text)
}

func TestSaveReportsWriteErrors(t *testing.T) {
	folder := &full{room: 1}
	got, err := chart.Save(folder, chart.Figures(few(t, 12), "")...)
	assert.Equal(t, []string{"latency.png"}, got, "Save()")
	assert.Truef(t, errors.Is(err, results.ErrWrite) && errors.Is(err, errFull) && strings.Contains(err.Error(), "latency.svg"),
		"Save() = %v; want results.ErrWrite, the cause and the file", err)
}

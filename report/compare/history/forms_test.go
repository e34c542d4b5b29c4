package history_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
	"loadgen/report/compare/history"
	told "loadgen/report/document"
	look "loadgen/report/text"
	"loadgen/results"
)

// A step is told in one sentence with its night, before, after, change and p, and first
// of all; the table marks its night.
func TestReportOfAStep(t *testing.T) {
	d := history.Report(document(t, archived(t, metrics(t, "p50(get)", "served"), stepped(10)...)))
	if a := d.Answer; a.State != "does not hold" || a.Number != "+19.8%" || a.Beside != "from 9.94 ms to 11.9 ms, p = 0.0005" {
		t.Errorf("the answer is %+v; want a step of 19.8%% from 9.94 ms to 11.9 ms", a)
	}
	rows := d.Screen[0].(told.Table).Rows
	assert.Truef(t, len(rows) == 20 && rows[10][0].Text == "2026-03-11 02:00" && rows[10][0].Tone == told.Bad && rows[10][2].Text == "12.1 ms" && rows[10][3].Text == "← +19.8%" && rows[9][3].Text == "",
		"the nights are %v; want the eleventh marked", rows)
	if facts := d.Screen[1].(told.Facts).Lines; len(facts) != 1 || !strings.Contains(facts[0], "2026-03-11 02:00 (+19.8%, p = 0.0005)") {
		t.Errorf("below the nights stands %q; want the step", facts)
	}
}

// Whatever a history comes to is said first, with what it rests on.
func TestSentences(t *testing.T) {
	several := func(n int) (runs []*run) {
		for i := range n {
			runs = append(runs, nightly(i, 10))
		}
		return runs
	}
	noisy := func() (runs []*run) {
		for i := range 14 {
			runs = append(runs, nightly(i, 10+2*float64(i%2)))
		}
		return runs
	}
	invalid := nightly(0, 10)
	invalid.validity = results.Invalid
	sameNight := nightly(0, 10).with(func(m *results.Manifest) { m.Started = m.Started.Add(time.Hour) })
	elsewhere := nightly(1, 10).with(func(m *results.Manifest) { m.Environment.CPUs = 64 })
	for _, row := range []struct {
		name    string
		runs    []*run
		outcome compare.Outcome
		says    []string
	}{
		{"one run", several(1), compare.Inconclusive, []string{"no history", "single run"}},
		{"none that is valid", []*run{invalid}, compare.Inconclusive, []string{"no history", "1 invalid"}},
		{"one night", []*run{nightly(0, 10), sameNight}, compare.Inconclusive, []string{"no history", "one night"}},
		{"two nights of two hosts", []*run{nightly(0, 10), elsewhere}, compare.Inconclusive, []string{"conditions"}},
		{"too few nights", several(11), compare.TooFew, []string{"orders: no step in 11 nights", "max(get): no step in 11 nights", "takes 12"}},
		{"just enough", several(12), compare.NoStep, []string{"orders: no step in 12 nights", "max(get): no step in 12 nights"}},
		{"noise", noisy(), compare.NoStep, []string{"vary by 9.4%"}},
		{"two series", append(several(13), elsewhere), compare.NoStep, []string{"14 nights of 2 series", "series 2: 1 night from 2026-03-02 02:00"}},
	} {
		d := document(t, archived(t, metrics(t, "max(get)"), row.runs...))
		told := text(t, d)
		assert.Equal(t, row.outcome, d.Outcome(), row.name)
		for _, says := range row.says {
			assert.Containsf(t, told, says, "%s: the text does not say %q:\n%s", row.name, says, told)
		}
	}
}

// Fewer nights than that can hardly show a step, however clear: too many of their orders
// are as clear. With twice as many it is plain.
func TestFewestNights(t *testing.T) {
	clear := func(all int) (steps int) {
		for after := 1; after < all; after++ {
			a := archived(t, metrics(t, "max(get)"), nightly(0, 10))
			for n := 1; n < all; n++ {
				micros := 10_000 + float64(n*7%all)
				if n >= all-after {
					micros *= 2
				}
				a.Repeat(night(n), micros)
			}
			if document(t, a).Outcome() == compare.Stepped {
				steps++
			}
		}
		return steps
	}
	if few, many := clear(history.MinNights-1), clear(2*history.MinNights); few != 0 || many < history.MinNights {
		t.Errorf("%d steps show in one night less than the fewest, %d in twice as many; want none and most", few, many)
	}
}

// The JSON form has the keys that scripts rely on: a step from 10 to 12 ms, a share that stays,
// a figure that nobody can tell, another series, and a run that cannot be read.
func TestJSON(t *testing.T) {
	a := archived(t, metrics(t, "p50(get)", "share_lost", "saturation"), append(stepped(10), nightly(30, 12).with(func(m *results.Manifest) { m.Profile = "relaxed" }))...)
	a.Refuse("runs/x", "why")
	var out strings.Builder
	require.NoError(t, look.JSON(&out, history.Report(document(t, a)).Data))
	var got struct {
		Verdict string
		Metrics []struct {
			Metric, Unit, Verdict string
			Series, Nights        int
			Night                 *string
			A, B, Change, P       *float64
		}
		Scenarios []struct {
			Runs   int
			Series []struct {
				Nights []struct{ Values map[string]*float64 }
			}
		}
		Unread []history.Unread
	}
	require.NoError(t, json.Unmarshal([]byte(out.String()), &got))
	assert.Equal(t, "step", got.Verdict)
	assert.Len(t, got.Unread, 1)
	assert.Equal(t, 21, got.Scenarios[0].Runs)
	require.Len(t, got.Metrics, 6, "three metrics of two series")
	step := got.Metrics[0]
	assert.Equal(t, []any{"p50(get)", "us", "step", "2026-03-11T02:00:00Z", 20}, []any{step.Metric, step.Unit, step.Verdict, *step.Night, step.Nights})
	assert.InDelta(t, *step.B / *step.A - 1, *step.Change, 1e-9)
	assert.InDelta(t, 10_000, *step.A, 200)
	assert.LessOrEqual(t, *step.P, .001)
	m := got.Metrics[1]
	assert.Truef(t, m.Verdict == "no step" && m.A == nil && m.Night == nil && *m.B == 0, "%+v", m)
	m = got.Metrics[5]
	assert.Truef(t, m.Series == 2 && m.Verdict == "too few nights" && m.B == nil && m.Nights == 0, "%+v", m)
	values := got.Scenarios[0].Series[0].Nights[0].Values
	assert.Truef(t, len(values) == 3 && values["share_lost"] != nil && values["p50(get)_us"] != nil && values["saturation_per_second"] == nil, "%v", values)
}

// What Apache Otava's importer does with a row: as many cells as the header has, an
// instant, and a number for each metric.
func TestCSVIsImported(t *testing.T) {
	lossy := nightly(21, 10)
	lossy.lost = 2
	hostile := nightly(22, 10).with(func(m *results.Manifest) { m.Scenario.Name, m.Tool.Commit = "=cmd|'/C calc'!A0\n", "+1" })
	d := document(t, archived(t, metrics(t, "p50(get)", "saturation", "served(hottest, peak)", "share_lost"), append(stepped(10), lossy, hostile)...))
	for i := range d.Scenarios { // no partition is told in these runs
		for s := range d.Scenarios[i].Series {
			for n := range d.Scenarios[i].Series[s].Nights {
				d.Scenarios[i].Series[s].Nights[n].Values[2] = 24.5
			}
			d.Scenarios[i].Series[s].Trends[2].Nights = len(d.Scenarios[i].Series[s].Nights)
		}
	}
	d.Unread = []history.Unread{{Name: "runs/cut", Reason: "it is cut off"}}
	var out strings.Builder
	left, err := history.CSV(&out, d)
	require.NoError(t, err)
	for i, want := range []string{"saturation", "1 night", "=cmd|'/C calc'!A0\\n", "runs/cut: it is cut off"} {
		assert.Truef(t, len(left) == 4 && strings.Contains(left[i], want), "left out %q; want %q", left, want)
	}
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	require.Truef(t, err == nil && len(rows) == 1+21, "%d rows, %v; want a header and 21 nights", len(rows), err)
	if got := strings.Join(rows[0], "|"); got != "time|branch|scenario|runs|commit|p50(get)_us|served(hottest, peak)_per_second|share_lost" {
		t.Errorf("the header is %s", got)
	}
	for _, row := range rows[1:] {
		if _, err := time.Parse(time.RFC3339, row[0]); err != nil {
			t.Error(err)
		}
		for _, cell := range row[5:] {
			if _, err := strconv.ParseFloat(cell, 64); err != nil {
				t.Error(err)
			}
		}
	}
	assert.Equal(t, `'=cmd|'/C calc'!A0\n/1|'=cmd|'/C calc'!A0\n|1|'+1`, strings.Join(rows[1][1:5], "|"), "a hostile name")
	assert.Equal(t, "orders/1|orders|1|c0ffee", strings.Join(rows[2][1:5], "|"), "a night")
}

func TestColumnsAndUnits(t *testing.T) {
	for _, row := range []struct {
		metric, column, unit string
		value                float64
		told                 string
	}{
		{"p99", "p99_us", "us", 4830, "4.83 ms"}, {"max(get)", "max(get)_us", "us", 999.4, "0.999 ms"},
		{"max(get)", "max(get)_us", "us", 999.6, "1.00 ms"}, {"mean(us-orders)", "mean(us-orders)_us", "us", 999_600, "999.6 ms"},
		{"wait_p99", "wait_p99_us", "us", 15.04, "0.015 ms"}, {"served", "served_per_second", "per_second", 1999.6, "2,000/s"},
		{"share_lost", "share_lost", "share", .0123, "1.2%"}, {"throttled", "throttled", "", 1204, "1,204"},
		{"tries", "tries", "", 1.25, "1.25"}, {"saturation", "saturation_per_second", "per_second", math.NaN(), "–"},
	} {
		m := metrics(t, row.metric)[0]
		assert.Truef(t, m.Column() == row.column && m.Unit == row.unit && m.Text(row.value) == row.told,
			"%s: column %s, unit %s, %v is %s; want %s, %s, %s", row.metric, m.Column(), m.Unit, row.value, m.Text(row.value), row.column, row.unit, row.told)
	}
}

// A record never makes a document print more than its own lines.
func TestHostileRecords(t *testing.T) {
	a := archived(t, history.Default(), nightly(0, 10), nightly(1, 10).with(func(m *results.Manifest) {
		m.Scenario.Name, m.Profile, m.Tool.Commit, m.Started = "\x1b[2J\n\n", strings.Repeat("x", 1000), "\n", time.Time{}
	}))
	d := document(t, a)
	told := text(t, d)
	assert.Truef(t, !strings.ContainsRune(told, '\x1b') && strings.Contains(told, `\x1b[2J\n\n: no history`), "the text is %q", told)
	var out strings.Builder
	err := look.JSON(&out, history.Report(d).Data)
	assert.Truef(t, err == nil && json.Valid([]byte(out.String())), "the JSON is %q, %v", &out, err)
}

func TestParseMetrics(t *testing.T) {
	if got, err := history.ParseMetrics(nil); err != nil || len(got) != len(history.Default()) {
		t.Errorf("of no text the metrics are %v, %v; want the usual ones", got, err)
	}
	got, err := history.ParseMetrics([]string{"p99( get )", "served"})
	assert.Truef(t, err == nil && len(got) == 2 && got[0].String() == "p99(get)", "the metrics are %v, %v", got, err)
	for _, row := range []struct {
		name  string
		texts []string
		says  string
	}{
		{"an unknown figure", []string{"sered"}, `metric: unknown figure "sered"`},
		{"a claim", []string{"p99(get) < 5ms"}, `metric "p99(get) < 5ms": byte 9: `},
		{"one twice", []string{"p99(get)", "p99( get )"}, "metric: p99(get) is"},
		{"too many", slices.Repeat([]string{"p99"}, 25), "metric: 25 are more than 24"},
	} {
		_, err := history.ParseMetrics(row.texts)
		var fault *history.Fault
		assert.Truef(t, errors.As(err, &fault) && strings.HasPrefix(err.Error(), row.says),
			"%s: %v; want a fault that begins with %q", row.name, err, row.says)
	}
}

// What is drawn has the nights of each series, its steps and where another series begins.
func TestDraw(t *testing.T) {
	moved := nightly(20, 10).with(func(m *results.Manifest) { m.Environment.CPUs = 4 })
	d := document(t, archived(t, metrics(t, "p50(get)"), append(stepped(10), moved)...))
	folder := new(results.Memory)
	require.NoError(t, history.Draw(folder, "nights.svg", d.Metrics, &d.Scenarios[0]))
	drawn := string(folder.Bytes("nights.svg"))
	for _, want := range []string{"<svg", d.Scenarios[0].Sentence(), "p50(get)", "series 2", told.Change(d.Scenarios[0].Series[0].Trends[0].Steps[0].Change)} {
		assert.Containsf(t, drawn, want, "the chart does not hold %q", want)
	}
	err := history.Draw(results.Dir(filepath.Join(t.TempDir(), "nowhere")), "nights.svg", d.Metrics, &d.Scenarios[0])
	assert.ErrorIsf(t, err, fs.ErrNotExist, "in no folder, Draw = %v", err)
}

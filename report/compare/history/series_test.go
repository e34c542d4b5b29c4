package history_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare/history"
	told "loadgen/report/document"
	"loadgen/results"
)

// shape is what a test looks at of a scenario: of each series how many runs its nights have.
func shape(s *history.Scenario) [][]int {
	var all [][]int
	for i := range s.Series {
		var runs []int
		for _, night := range s.Series[i].Nights {
			runs = append(runs, night.Runs)
		}
		all = append(all, runs)
	}
	return all
}

func TestRunsBecomeNights(t *testing.T) {
	at := func(hours float64) *run {
		r := nightly(0, 10)
		r.manifest.Started = first.Add(time.Duration(hours * float64(time.Hour)))
		return r
	}
	other := func(n int, change func(m *results.Manifest)) *run { return nightly(n, 10).with(change) }
	worth := func(n int, validity string) *run {
		r := nightly(n, 10)
		r.validity = validity
		return r
	}
	virtual := func(n int) *run { return other(n, func(m *results.Manifest) { m.Time = "virtual" }) }
	for _, row := range []struct {
		name string
		runs []*run
		want [][]int
		left history.Left
	}{
		{"one run", []*run{at(0)}, [][]int{{1}}, history.Left{}},
		{"runs out of order", []*run{at(48), at(0), at(24)}, [][]int{{1, 1, 1}}, history.Left{}},
		{"a night that passes midnight", []*run{at(21), at(21.5), at(22.5), at(46), at(47)}, [][]int{{3, 2}}, history.Left{}},
		{"six hours are another night, just less are not", []*run{at(0), at(5.999), at(6)}, [][]int{{2, 1}}, history.Left{}},
		{"a scenario that is changed, and changed back", []*run{at(0), other(1, func(m *results.Manifest) { m.Scenario.Text += "x" }), at(48)}, [][]int{{1, 1}, {1}}, history.Left{}},
		{"another host", []*run{at(0), other(1, func(m *results.Manifest) { m.Environment.CPUs = 4 })}, [][]int{{1}, {1}}, history.Left{}},
		{"another profile", []*run{at(0), other(1, func(m *results.Manifest) { m.Profile = "relaxed" })}, [][]int{{1}, {1}}, history.Left{}},
		{"another build is the same series", []*run{at(0), other(1, func(m *results.Manifest) { m.Tool.Commit, m.Tool.Version, m.Tool.Go = "beef", "2", "3" })}, [][]int{{1, 1}}, history.Left{}},
		{"runs that are not valid", []*run{at(0), worth(1, results.Partial), worth(1, results.Invalid), worth(3, results.Partial)}, [][]int{{1}},
			history.Left{Partial: 2, Invalid: 1}},
		{"late runs, of which what was counted stays", []*run{at(0), lateOn(1), lateOn(2)}, [][]int{{1, 1, 1}}, history.Left{ClientLimited: 2}},
		{"late virtual runs among real ones are left out as virtual", []*run{at(0), lateOn(1).with(func(m *results.Manifest) { m.Time = "virtual" })}, [][]int{{1}}, history.Left{Virtual: 1}},
		{"virtual runs among real ones", []*run{at(0), virtual(1), virtual(2)}, [][]int{{1}}, history.Left{Virtual: 2}},
		{"nothing but virtual runs", []*run{virtual(1), virtual(2)}, [][]int{{1, 1}}, history.Left{}},
		{"virtual runs beside real ones that are not valid", []*run{worth(0, results.Invalid), virtual(1)}, [][]int{{1}}, history.Left{Invalid: 1}},
		{"nothing valid", []*run{worth(0, results.Partial)}, nil, history.Left{Partial: 1}},
	} {
		d := document(t, archived(t, history.Default(), row.runs...))
		s := &d.Scenarios[0]
		if got := shape(s); !slices.EqualFunc(got, row.want, slices.Equal) || s.Left != row.left {
			t.Errorf("%s: nights of %v runs, left out %+v; want %v and %+v", row.name, got, s.Left, row.want, row.left)
		}
	}
}

// lateOn is a run of the n-th night whose reads were sent a second late, and so took longer.
func lateOn(n int) *run {
	r := nightly(n, 10)
	r.late = time.Second
	return r
}

// The response times and rates of late runs enter no series; what they count does.
func TestLateRuns(t *testing.T) {
	for _, row := range []struct {
		sentence, metrics string
		runs              []*run
		// want are the values of the first metric by night, left how many runs are counted as late.
		want []float64
		left int
		says string
	}{
		{"a late night among others", "max", []*run{nightly(0, 10), lateOn(1), nightly(2, 10)}, []float64{10_000, 10_000}, 1, "left out: 1 client-limited"},
		{"the same, of which another metric stays", "max share_lost", []*run{nightly(0, 10), lateOn(1), nightly(2, 10)}, []float64{10_000, math.NaN(), 10_000}, 1, "left out: 1 client-limited"},
		{"a late run of a night", "max share_lost", []*run{nightly(0, 10), nightly(1, 10), lateOn(1)}, []float64{10_000, 10_000}, 1, "left out: 1 client-limited"},
		{"what a late night served", "served", []*run{nightly(0, 10), lateOn(1)}, []float64{24}, 1, "left out: 1 client-limited"},
		{"what it lost", "share_lost", []*run{nightly(0, 10), lateOn(1)}, []float64{0, 0}, 0, "share_lost"},
		{"nothing but late runs", "max", []*run{lateOn(0), lateOn(1)}, nil, 2, "no history"},
	} {
		d := document(t, archived(t, metrics(t, strings.Fields(row.metrics)...), row.runs...))
		s := &d.Scenarios[0]
		var got []float64
		for i := range s.Series {
			for _, night := range s.Series[i].Nights {
				got = append(got, night.Values[0])
			}
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= .001*b || math.IsNaN(a) && math.IsNaN(b) }
		assert.Truef(t, slices.EqualFunc(got, row.want, near) && s.Left == (history.Left{ClientLimited: row.left}) && strings.Contains(text(t, d), row.says),
			"%s: %v, left out %+v; want %v and %d, and %q in\n%s", row.sentence, got, s.Left, row.want, row.left, row.says, text(t, d))
	}
}

// A night has the median of its runs, of those that can tell it.
func TestNightsAreMedians(t *testing.T) {
	at := func(minutes int, millis float64) *run {
		r := nightly(0, millis)
		r.manifest.Started = first.Add(time.Duration(minutes) * time.Minute)
		return r
	}
	lossy := at(4, 10)
	lossy.lost = 2
	for _, row := range []struct {
		name   string
		runs   []*run
		metric string
		want   float64
	}{
		{"of three the middle", []*run{at(0, 30), at(1, 10), at(2, 11)}, "max(get)", 11_000},
		{"of two what lies between", []*run{at(0, 10), at(1, 12)}, "max(get)", 11_000},
		{"of five one outlier counts for nothing", []*run{at(0, 10), at(1, 10), at(2, 10), at(3, 500), at(4, 10)}, "max(get)", 10_000},
		{"a run that cannot tell counts for nothing", []*run{at(0, 10), lossy}, "p50(get)", 10_000},
		{"what nobody can tell", []*run{at(0, 10)}, "saturation", math.NaN()},
	} {
		d := document(t, archived(t, metrics(t, row.metric), row.runs...))
		got := d.Scenarios[0].Series[0].Nights[0].Values[0]
		assert.InDelta(t, row.want, got, .001*row.want, row.name)
	}
}

func TestConditionsAreNamed(t *testing.T) {
	for _, row := range []struct {
		change func(m *results.Manifest)
		want   string
	}{
		{func(m *results.Manifest) { m.Scenario.Text = strings.Replace(m.Scenario.Text, "seed: 1", "seed: 2", 1) }, `line 2 was "seed: 1" and is "seed: 2"`},
		{func(m *results.Manifest) { m.Profile = "relaxed" }, `profile was "documented" and is "relaxed"`},
		{func(m *results.Manifest) { m.Target = "http://127.0.0.1:1/races" }, `target was "embedded" and is "http://127.0.0.1:1/races"`},
		{func(m *results.Manifest) { m.Environment.CPUs, m.Tool.System = 4, "linux/arm64" },
			`system was "linux/amd64" and is "linux/arm64"; the machine was "2 CPUs, GOMAXPROCS 2" and is "4 CPUs, GOMAXPROCS 2"`},
		{func(m *results.Manifest) { m.Retry = "short\x1b[2J\n" }, `policy was "none" and is "short\x1b[2J"`},
	} {
		s := document(t, archived(t, history.Default(), nightly(0, 10), nightly(1, 10).with(row.change))).Scenarios[0].Series
		assert.Truef(t, len(s) == 2 && strings.HasSuffix(strings.Join(s[1].Differs, "; "), row.want),
			"the series are %+v; want a second one since %s", s, row.want)
	}
}

// A record that was cut off, or cannot be read, is named and is none.
func TestUnreadRuns(t *testing.T) {
	a := archived(t, history.Default(), nightly(0, 10), nightly(1, 10))
	broken := nightly(2, 10).record(t)
	broken.Cut = true
	a.Add("runs/cut", broken)
	a.Refuse("runs/newer\x1b", "results: record of a newer schema")
	d := document(t, a)
	want := []history.Unread{{"runs/cut", "the record is truncated within a line"}, {`runs/newer\x1b`, "results: record of a newer schema"}}
	if !slices.Equal(d.Unread, want) || len(d.Scenarios[0].Series[0].Nights) != 2 {
		t.Errorf("unread are %v beside %v; want %v beside two nights", d.Unread, shape(&d.Scenarios[0]), want)
	}
}

func TestStrayNames(t *testing.T) {
	for _, row := range []struct{ metric, stray string }{
		{"p99(get)", ""}, {"p99(peak)", ""}, {"p99(peak 24/s)", ""}, {"served(hottest, peak)", ""},
		{"p99", ""}, {"p99(gett)", `"gett"`}, {"p99(get, pek)", `"pek"`},
		{"p99(x)", "expected get, peak or peak 24/s"},
	} {
		_, err := archived(t, metrics(t, row.metric), nightly(0, 10)).Document()
		var fault *history.Fault
		assert.Truef(t, (row.stray != "" || err == nil) && (row.stray == "" || errors.As(err, &fault) && strings.Contains(err.Error(), row.stray)),
			"%s: %v; want %q", row.metric, err, row.stray)
	}
	_, err := history.New(metrics(t, "p99(gett)")).Document()
	assert.NoError(t, err, "where there are no runs")
}

// What changed from one night to the next is in the table: the version, and labels.
func TestWhatChanged(t *testing.T) {
	labelled := func(n int, version, commit string) *run {
		return nightly(n, 10).with(func(m *results.Manifest) { m.Tool.Version, m.Labels = version, map[string]string{"commit": commit} })
	}
	d := history.Report(document(t, archived(t, history.Default(), labelled(0, "v1", "a1"), labelled(1, "v1", "b2"), labelled(2, "v1", "b2"), labelled(3, "v2", "b2"))))
	var changed []string
	for _, row := range d.Screen[0].(told.Table).Rows {
		changed = append(changed, row[len(row)-1].Text)
	}
	assert.Equal(t, []string{"v1 c0ffee, commit=a1", "commit=b2", "", "v2 c0ffee"}, changed)
}

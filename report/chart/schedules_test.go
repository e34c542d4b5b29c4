package chart_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"loadgen/report/chart"
	"loadgen/results"
)

func schedule(name string, waits ...results.RetryWait) results.RetrySchedule {
	return results.RetrySchedule{Policy: name, Waits: waits}
}

// drawnTwice returns the SVG of a drawing, and that of the same drawn again.
func drawnTwice(t *testing.T, name string, draw func(results.Folder) ([]string, error)) string {
	t.Helper()
	var files [2][]byte
	for i := range files {
		folder := new(results.Memory)
		names, err := draw(folder)
		if err != nil || len(names) != 2 {
			t.Fatalf("drawing %s = %q, %v; want two files", name, names, err)
		}
		files[i] = folder.Bytes(name + ".svg")
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Errorf("%s differs when it is drawn again", name)
	}
	return string(files[0])
}

func TestFanChart(t *testing.T) {
	wide := results.RetryWait{Retry: 1, SumLeastS: 1, SumMeanS: 2, SumGreatestS: 3}
	flat := results.RetryWait{Retry: 1, SumLeastS: 2, SumMeanS: 2, SumGreatestS: 2}
	for _, row := range []struct {
		name      string
		schedules []results.RetrySchedule
		says      []string
		lacks     string
	}{
		{"a band and a flat one", []results.RetrySchedule{schedule("js", wide), schedule("fixed", flat)}, []string{">js<", ">fixed<", ">1 s<"}, "no data"},
		{"nothing", nil, []string{"no data"}, ""},
		{"a policy without retries", []results.RetrySchedule{schedule("none")}, []string{"no data"}, ""},
		{"waits of nothing", []results.RetrySchedule{schedule("zero", results.RetryWait{Retry: 1})}, []string{"no data"}, ""},
		{"times that are none", []results.RetrySchedule{schedule("odd", wide, results.RetryWait{Retry: 2, SumLeastS: math.NaN(), SumMeanS: math.Inf(1), SumGreatestS: 5})},
			[]string{">odd<"}, "NaN"},
		{"a hostile name", []results.RetrySchedule{schedule("<b>\x1b", wide)}, []string{"&lt;b&gt;?"}, "<b>"},
	} {
		svg := drawnTwice(t, "schedules", func(f results.Folder) ([]string, error) { return chart.DrawSchedules(f, row.schedules) })
		for _, want := range row.says {
			if !strings.Contains(svg, want) {
				t.Errorf("%s: the chart does not hold %q", row.name, want)
			}
		}
		if row.lacks != "" && strings.Contains(svg, row.lacks) {
			t.Errorf("%s: the chart holds %q", row.name, row.lacks)
		}
	}
}

// A retry without any spread is told apart by its colour.
func TestFanChartTellsFlatRetries(t *testing.T) {
	bands := func(waits ...results.RetryWait) int {
		return strings.Count(drawnTwice(t, "schedules", func(f results.Folder) ([]string, error) {
			return chart.DrawSchedules(f, []results.RetrySchedule{schedule("one", waits...)})
		}), "fill:#D55E00")
	}
	wide := results.RetryWait{Retry: 1, SumLeastS: 1, SumMeanS: 2, SumGreatestS: 3}
	flat := results.RetryWait{Retry: 2, SumLeastS: 5, SumMeanS: 5, SumGreatestS: 5}
	if without, with := bands(wide), bands(wide, flat); with != without+1 {
		t.Errorf("%d shapes of the colour without a flat retry, %d with one; want one more", without, with)
	}
}

func TestRetriesChart(t *testing.T) {
	strips := func(counts ...int64) *results.PolicyContest {
		return &results.PolicyContest{Trouble: "an outage of 1s", Clients: 5, TroubleS: 1,
			Policies: []results.PolicyTrial{{Policy: "js", RetriesPer100ms: counts, PeakRetries: 9}, {Policy: "none"}}}
	}
	for _, row := range []struct {
		name    string
		contest *results.PolicyContest
		says    []string
	}{
		{"strips of two policies", strips(0, 3, 9, 0, 1), []string{">js<", ">none<", ">9<", "seconds since the trouble began", "at most 9 retries"}},
		{"no policy", &results.PolicyContest{}, []string{"no data"}},
		{"counts that cannot be", strips(-5, math.MaxInt64), []string{">js<"}},
	} {
		svg := drawnTwice(t, "retries", func(f results.Folder) ([]string, error) { return chart.DrawRetries(f, row.contest) })
		for _, want := range row.says {
			if !strings.Contains(svg, want) {
				t.Errorf("%s: the chart does not hold %q", row.name, want)
			}
		}
	}
	// Each tenth of a second with retries is a bar of its own.
	few, more := retriesBars(t, strips(4, 0, 4)), retriesBars(t, strips(4, 4, 4))
	if more != few+1 {
		t.Errorf("%d filled shapes with two tenths, %d with three; want one more", few, more)
	}
}

func retriesBars(t *testing.T, contest *results.PolicyContest) int {
	t.Helper()
	return strings.Count(drawnTwice(t, "retries", func(f results.Folder) ([]string, error) { return chart.DrawRetries(f, contest) }), "fill:#D55E00")
}

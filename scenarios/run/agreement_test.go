package run_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"loadgen/report"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/report/export"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/figure/check"
)

// Whoever shows a figure shows the same: of runs drawn by chance the summary, the cells of
// the report, its CSV, the benchmarks, a contest, and what gates and histories look up.
func TestWhoeverShowsAFigureShowsTheSame(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	for i := range 20 {
		c := draw(rand.New(rand.NewPCG(5, uint64(i))))
		record := loaded(t, &c.world, c.text, 0)
		summary, figures := record.Summary, figure.Of(record)
		same := func(where, name string, got float64) {
			t.Helper()
			want := figures.Named(name)
			if !want.Told || math.Abs(got-want.Value) > 1e-9*math.Max(1, math.Abs(want.Value)) {
				t.Errorf("run %d: %s says that %s is %v; want %v, told %t", i, where, name, got, want.Value, want.Told)
			}
		}
		for p, phase := range summary.Phases {
			step := figure.Reported(record)[p]
			for name, got := range map[string]*float64{"share_lost": phase.ShareLost, "share_lost_settled": phase.ShareLostSettled,
				"offered": &phase.Offered, "served": &phase.Served, "throttled_per_second": &phase.ThrottledPerSecond} {
				if want := figures.OfStep(name, step, nil); got == nil || *got != want.Value {
					t.Errorf("run %d: the summary says that %s of %s is %v; want %v", i, name, phase.Name, got, want.Value)
				}
			}
		}
		if v := figures.Named("saturation"); (summary.Saturation != nil) != v.Told || v.Told && *summary.Saturation != v.Value {
			t.Errorf("run %d: the summary saturates at %v; want %v", i, summary.Saturation, v)
		}
		trial := contest.Measure(record, summary, figure.Needs{})
		same("a contest", "share_lost", trial.Lost)
		if trial.Served > 0 {
			same("a contest", "counted_per_success", trial.Counted)
			same("a contest", "billed_per_success", trial.Billed)
		}
		for unit, value := range benchmarksOf(t, record) {
			switch unit {
			case "share-lost":
				same("the benchmark", "share_lost", value)
			case "served-entities/s":
				same("the benchmark", "served", value)
			case "tries/op":
				same("the benchmark", "tries", value)
			case "p99-ns":
				same("the benchmark", "p99", value)
			case "saturation-entities/s":
				same("the benchmark", "saturation", value)
			}
		}
		for _, name := range check.Metrics() {
			m, err := check.ParseMetric(name)
			if err != nil {
				t.Fatal(err)
			}
			got, told := figures.Look(m.Figure, m.Figure.Unit())
			if want := figures.Named(name); told != want.Told || got != want.Value {
				t.Errorf("run %d: a gate says that %s is %v, %t; want %v", i, name, got, told, want)
			}
		}
		cellsAgree(t, record, figures)
	}
}

// benchmarksOf returns the values of the first line of a run's benchmarks, by unit.
func benchmarksOf(t *testing.T, record *results.Record) map[string]float64 {
	t.Helper()
	var text bytes.Buffer
	if err := export.Benchmarks(&text, record, record.Summary); err != nil {
		t.Fatal(err)
	}
	values := make(map[string]float64)
	for line := range strings.Lines(text.String()) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			values[fields[i+1]] = value
		}
		return values
	}
	return values
}

// cellsAgree holds the table of the steps, which text, page and CSV are made of, against
// the figures.
func cellsAgree(t *testing.T, record *results.Record, figures *figure.Figures) {
	t.Helper()
	for _, section := range report.Document(record, record.Summary).Sections {
		for _, block := range section.Blocks {
			table, is := block.(document.Table)
			if !is || table.ID != "steps-all" {
				continue
			}
			for i, step := range figure.Shown(record) {
				for column, want := range map[int]string{1: verdict.Rate(figures.OfStep("offered", step, nil).Value),
					2: verdict.Rate(figures.OfStep("served", step, nil).Value), 4: verdict.Share(figures.OfStep("share_lost_settled", step, nil).Value)} {
					if got := table.Rows[i][column].Text; got != want {
						t.Errorf("the cell %s of %s is %s; want %s", table.Columns[column].Title, step.Phase.Name, got, want)
					}
				}
			}
		}
	}
}

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
	"loadgen/report/compare/history"
	"loadgen/report/document"
	"loadgen/report/export"
	"loadgen/results"
	"loadgen/results/figure"
)

// Whoever shows a figure shows the same: of runs drawn by chance the summary, the cells of
// the report, its CSV, the benchmarks, a contest, a gate and a history.
func TestWhoeverShowsAFigureShowsTheSame(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	compared := 0
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
		compared += comparedAgree(t, i, record, figures)
		cellsAgree(t, record, figures)
	}
	if compared < 200 {
		t.Errorf("%d figures of gates and histories were told; want so many that they say something", compared)
	}
}

// summarised returns what a gate compares, as far as the summary has it too: times in
// nanoseconds, counts as shares; not a number where it tells nothing.
func summarised(record *results.Record) map[string]float64 {
	said := make(map[string]float64)
	nanoseconds := func(prefix string, q results.Quantiles) {
		for name, micros := range map[string]*int64{"p50": q.P50, "p90": q.P90, "p99": q.P99, "p99.9": q.P999, "max": q.Max} {
			said[prefix+name] = math.NaN()
			if micros != nil {
				said[prefix+name] = float64(*micros) * 1000
			}
		}
	}
	s, sum := record.Summary, record.Total(results.Reported)
	nanoseconds("", s.Response)
	nanoseconds("service_", s.Service)
	for name, part := range map[string][2]int64{"lost_operations": {sum.Scheduled - sum.Succeeded, sum.Scheduled}, "dropped": {sum.Dropped, sum.Scheduled},
		"throttled": {sum.Throttled, sum.Attempts}, "failed": {sum.Failed, sum.Attempts}, "ok": {sum.Ok, sum.Attempts}} {
		said[name] = float64(part[0]) / float64(part[1])
	}
	return said
}

// comparedAgree holds what a gate compares and what a history follows against the summary.
// It returns how many figures were told.
func comparedAgree(t *testing.T, run int, record *results.Record, figures *figure.Figures) (compared int) {
	t.Helper()
	said := summarised(record)
	agree := func(where, name string, got float64) {
		t.Helper()
		if want := said[name]; math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-9*math.Max(1, want) {
			t.Errorf("run %d: %s says that %s is %v; want %v", run, where, name, got, want)
		}
		if !math.IsNaN(got) {
			compared++
		}
	}
	for name := range said {
		m, err := figure.ParseClaimMetric(name)
		if err != nil {
			t.Fatal(err)
		}
		got, told := figures.Look(m.Figure, m.Unit)
		if !told {
			got = math.NaN()
		}
		agree("a gate", name, got)
	}
	metrics, err := history.ParseMetrics([]string{"p50", "p99", "max", "service_p50", "share_lost", "saturation"})
	if err != nil {
		t.Fatal(err)
	}
	archive := history.New(metrics)
	archive.Add("run", record)
	kept, err := archive.Document()
	if err != nil || len(kept.Scenarios) != 1 || len(kept.Scenarios[0].Series) != 1 {
		t.Fatalf("run %d: the history is %+v, %v; want one night", run, kept, err)
	}
	said["share_lost"], said["saturation"] = said["lost_operations"], math.NaN()
	if record.Summary.Saturation != nil {
		said["saturation"] = *record.Summary.Saturation
	}
	for m, got := range kept.Scenarios[0].Series[0].Nights[0].Values {
		if metrics[m].Unit() == "us" {
			got *= 1000
		}
		agree("a history", metrics[m].String(), got)
	}
	return compared
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
				for column, want := range map[int]string{1: document.Rate(figures.OfStep("offered", step, nil).Value),
					2: document.Rate(figures.OfStep("served", step, nil).Value), 4: document.Share(figures.OfStep("share_lost_settled", step, nil).Value)} {
					if got := table.Rows[i][column].Text; got != want {
						t.Errorf("the cell %s of %s is %s; want %s", table.Columns[column].Title, step.Phase.Name, got, want)
					}
				}
			}
		}
	}
}

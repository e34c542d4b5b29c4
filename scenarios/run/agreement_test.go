package run_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare/history"
	"loadgen/report/document"
	"loadgen/report/export"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// Whoever shows a figure shows the same: of runs drawn by chance the summary, the cells of
// the report, its CSV, the benchmarks, a gate and a history.
func TestWhoeverShowsAFigureShowsTheSame(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	compared, runs := 0, run.Tier(2, 20)
	for i := range runs {
		n := drawNature(rand.New(rand.NewPCG(5, uint64(i))))
		record := loaded(t, &n.world, n.text, n.peak)
		t.Run(n.says, func(t *testing.T) {
			figures := figure.Of(record)
			summaryAgrees(t, record, figures)
			for name, got := range benchmarksOf(t, record) {
				want := figures.Named(name)
				assert.True(t, want.Told, name)
				assert.InEpsilonf(t, 1+want.Value, 1+got, 1e-9, "%s of the benchmark", name)
			}
			compared += comparedAgree(t, record, figures)
			cellsAgree(t, record, figures)
		})
	}
	assert.Truef(t, compared >= 10*runs, "%d figures of gates and histories were told", compared)
}

func summaryAgrees(t *testing.T, record *results.Record, figures *figure.Figures) {
	t.Helper()
	summary := record.Summary
	for p, phase := range summary.Phases {
		step := figure.Reported(record)[p]
		for name, got := range map[string]*float64{"share_lost": phase.ShareLost, "share_lost_settled": phase.ShareLostSettled,
			"offered": &phase.Offered, "served": &phase.Served, "throttled_per_second": &phase.ThrottledPerSecond} {
			want := figures.OfStep(name, step, nil)
			assert.Truef(t, got != nil && *got == want.Value, "the summary says that %s of %s is %v", name, phase.Name, got)
		}
	}
	v := figures.Named("saturation")
	assert.Truef(t, (summary.Saturation != nil) == v.Told && (!v.Told || *summary.Saturation == v.Value), "saturation %v", v)
}

// summarised returns what a gate and a history compare, as far as the summary has it too:
// times in nanoseconds, counts as shares; not a number where it tells nothing.
func summarised(record *results.Record) map[string]float64 {
	said := make(map[string]float64)
	s, sum := record.Summary, record.Total(results.Reported)
	for prefix, q := range map[string]results.Quantiles{"": s.Response, "service_": s.Service} {
		for name, micros := range map[string]*int64{"p50": q.P50, "p90": q.P90, "p99": q.P99, "p99.9": q.P999, "max": q.Max} {
			said[prefix+name] = math.NaN()
			if micros != nil {
				said[prefix+name] = float64(*micros) * 1000
			}
		}
	}
	for name, part := range map[string][2]int64{"lost_operations": {sum.Scheduled - sum.Succeeded, sum.Scheduled}, "dropped": {sum.Dropped, sum.Scheduled},
		"throttled": {sum.Throttled, sum.Attempts}, "failed": {sum.Failed, sum.Attempts}, "ok": {sum.Ok, sum.Attempts}} {
		said[name] = float64(part[0]) / float64(part[1])
	}
	return said
}

// comparedAgree compares what a gate and a history show with the summary. It returns how many
// figures were told.
func comparedAgree(t *testing.T, record *results.Record, figures *figure.Figures) (compared int) {
	t.Helper()
	said := summarised(record)
	same := func(where, name string, got float64) {
		t.Helper()
		if want := said[name]; math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-9*math.Max(1, want) {
			t.Errorf("%s says that %s is %v; want %v", where, name, got, want)
		}
		if !math.IsNaN(got) {
			compared++
		}
	}
	for name := range said {
		m, err := figure.ParseClaimMetric(name)
		require.NoError(t, err)
		got, told := figures.Look(m.Figure, m.Unit)
		if !told {
			got = math.NaN()
		}
		same("a gate", name, got)
	}
	metrics, err := history.ParseMetrics([]string{"p50", "p99", "max", "service_p50", "share_lost", "saturation"})
	require.NoError(t, err)
	archive := history.New(metrics)
	archive.Add("run", record)
	kept, err := archive.Document()
	require.Truef(t, err == nil && len(kept.Scenarios) == 1 && len(kept.Scenarios[0].Series) == 1,
		"the history is %+v, %v; want one night", kept, err)
	said["share_lost"], said["saturation"] = said["lost_operations"], math.NaN()
	if record.Summary.Saturation != nil {
		said["saturation"] = *record.Summary.Saturation
	}
	for m, got := range kept.Scenarios[0].Series[0].Nights[0].Values {
		if metrics[m].Unit == "us" {
			got *= 1000
		}
		same("a history", metrics[m].Name, got)
	}
	return compared
}

// benchmarksOf returns the values of the first line of a run's benchmarks, by figure.
func benchmarksOf(t *testing.T, record *results.Record) map[string]float64 {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, export.Benchmarks(&text, record, record.Summary))
	_, rest, _ := strings.Cut(text.String(), "\nBenchmark")
	line, _, _ := strings.Cut(rest, "\n")
	names := map[string]string{"share-lost": "share_lost", "served-entities/s": "served", "tries/op": "tries", "p99-ns": "p99",
		"saturation-entities/s": "saturation"}
	values := make(map[string]float64)
	for fields := strings.Fields(line)[2:]; len(fields) > 1; fields = fields[2:] {
		value, err := strconv.ParseFloat(fields[0], 64)
		require.NoError(t, err)
		if name := names[fields[1]]; name != "" {
			values[name] = value
		}
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
					got := table.Rows[i][column].Text
					assert.Truef(t, got == want, "the cell %s of %s is %s", table.Columns[column].Title, step.Phase.Name, got)
				}
			}
		}
	}
}

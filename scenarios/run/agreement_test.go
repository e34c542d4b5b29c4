package run_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/export"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// Whoever shows a figure shows the same: of runs drawn by chance the summary, the cells of
// the report and the benchmarks.
func TestWhoeverShowsAFigureShowsTheSame(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	for i := range run.Tier(2, 20) {
		n := drawNature(rand.New(rand.NewPCG(5, uint64(i))))
		record := loaded(t, &n.world, n.text, n.peak)
		t.Run(n.says, func(t *testing.T) {
			figures := figure.NewFigures(record)
			summaryAgrees(t, record, figures)
			for name, got := range benchmarksOf(t, record) {
				want := figures.Named(name)
				assert.True(t, want.Known, name)
				assert.InEpsilonf(t, 1+want.Value, 1+got, 1e-9, "%s of the benchmark", name)
			}
			cellsAgree(t, record, figures)
		})
	}
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
	assert.Truef(t, (summary.Saturation != nil) == v.Known && (!v.Known || *summary.Saturation == v.Value), "saturation %v", v)
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
			for i, step := range figure.ShownSteps(record) {
				for column, want := range map[int]string{1: document.Rate(figures.OfStep("offered", step, nil).Value),
					2: document.Rate(figures.OfStep("served", step, nil).Value), 4: document.Share(figures.OfStep("share_lost_settled", step, nil).Value)} {
					got := table.Rows[i][column].Text
					assert.Truef(t, got == want, "the cell %s of %s is %s", table.Columns[column].Title, step.Phase.Name, got)
				}
			}
		}
	}
}

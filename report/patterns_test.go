package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

func TestPatternsInTheDocumentsOrder(t *testing.T) {
	list := []report.Pattern{
		{Row: "second", Name: "b-two", Says: "It does.", Contrary: "It does not.", Buys: "time | money", Costs: "care", Assumes: []string{"partition_target 200", "round_trip 40ms"}, Seeds: []uint64{7, 1, 2},
			Expected: []results.Check{{Expr: "violations == 0", Observed: "0", Ok: new(true)}, {Expr: "a < 2", Observed: "1", Ok: new(true)}},
			Denied:   []results.Check{{Expr: "violations == 0", Observed: "22", Ok: new(false)}, {Expr: "a < 2", Observed: "1", Ok: new(true)}},
			Comparisons: []verdict.Comparison{{Operation: "look_up", Name: "requests to one", Pattern: "1", Instead: "2 – 3", Origin: figure.Derived},
				{Name: "requests throttled", Pattern: "0 %", Instead: "<0.1 %", Origin: figure.Modelled}}},
		{Row: "first", Name: "a-one"}, {Row: "second", Name: "c-three"}, {Row: "unknown", Name: "d-four"},
	}
	var text strings.Builder
	require.NoError(t, report.Patterns(&text, []string{"first", "none", "second"}, list))
	resultstest.CheckGolden(t, "testdata/patterns.md", text.String())
	assert.ErrorIs(t, report.Patterns(resultstest.FullWriter{}, nil, nil), resultstest.ErrFull, "Patterns to a writer that fails")
}

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
	head, sections, _ := strings.Cut(text.String(), "\n### ")
	const want = `| the documents' pattern | scenario | it buys | it costs | a claim, and what its anti-pattern comes to |
|---|---|---|---|---|
| first | [a-one](#a-one) |  |  |  |
| none | **missing** | | | |
| second | [b-two](#b-two) | time \| money | care | ` + "`violations == 0`: 0; **22** |" + `
| second | [c-three](#c-three) |  |  |  |
`
	assert.Equal(t, want, head, "the table of rows")
	_, second, _ := strings.Cut(sections, "\n### ")
	second, third, _ := strings.Cut(second, "\n### ")
	const section = "b-two\n\nSecond: It does.\n\n" +
		"- buys: time | money\n- costs: care\n- instead: It does not.\n- set in the model, for both: partition\\_target 200, round\\_trip 40ms\n\n" +
		"| | the pattern | instead | known |\n|---|--:|--:|---|\n" +
		"| `violations == 0` | 0 | **22** | claim |\n" +
		"| `a < 2` | 1 | 1 | claim |\n" +
		"| look\\_up: requests to one | 1 | 2 – 3 | derived |\n" +
		"| requests throttled | 0 % | \\<0.1 % | modelled |\n\n" +
		"`loadgen simulate b-two`, and with `--anti-pattern`; seeds 7, 1, 2.\n"
	assert.Equal(t, section, second, "a section")
	assert.Truef(t, strings.HasPrefix(sections, "a-one\n") && strings.HasPrefix(third, "c-three\n") && !strings.Contains(text.String(), "d-four"),
		"the sections are not those of the rows, in their order:\n%s", sections)
	assert.ErrorIs(t, report.Patterns(resultstest.FullWriter{}, nil, nil), resultstest.ErrFull, "Patterns to a writer that fails")
}

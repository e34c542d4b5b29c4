package gate

import (
	"io"
	"strconv"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/export"
)

// JUnit prints results as the XML that servers of continuous integration read: a
// regression and a claim that fails are failures, an invalid run is an error, and what
// cannot be told is skipped, for it has not passed either.
func JUnit(w io.Writer, list []Result) error {
	suite := export.Suite{Name: "loadgen gate"}
	for i := range list {
		r := &list[i]
		one := export.Case{Class: "loadgen.gate." + r.kind(), Name: r.Scenario, Properties: r.properties(),
			Kind: r.Outcome.String(), Message: r.sentence(), Lines: strings.Join(r.lines(), "\n")}
		switch r.Outcome {
		case compare.Same, compare.Improvement:
			one.Lines = strings.Join(append([]string{r.Outcome.String() + ": " + r.sentence()}, r.lines()...), "\n")
		case compare.Regression, compare.Failed:
			one.Status = export.Failure
		case compare.Invalid:
			one.Status = export.Error
		default:
			one.Status = export.Skipped
		}
		suite.Cases = append(suite.Cases, one)
	}
	return export.JUnit(w, &suite)
}

// properties returns the numbers of a result: how many values differ, and of each metric
// what was judged.
func (r *Result) properties() []export.Property {
	list := []export.Property{{Name: "verdict", Value: r.Outcome.String()}, {Name: "exit_code", Value: strconv.Itoa(code(r.Outcome))}}
	if r.Difference != nil {
		list = append(list, export.Property{Name: "values_that_differ", Value: strconv.Itoa(r.Difference.Total)})
	}
	if r.Judgement != nil {
		for i := range r.Judgement.Findings {
			f := &r.Judgement.Findings[i]
			add := func(what, value string) {
				list = append(list, export.Property{Name: export.Plain(f.Metric) + "." + what, Value: value})
			}
			add("a", export.Decimal(f.A))
			add("b", export.Decimal(f.B))
			add("change", export.Decimal(f.Change))
			if f.Interval != nil {
				add("interval.low", export.Decimal(f.Interval[0]))
				add("interval.high", export.Decimal(f.Interval[1]))
			}
			add("p", export.Decimal(f.P))
			add("p_holm", export.Decimal(f.Adjusted))
			add("pairs", strconv.Itoa(f.Pairs))
		}
	}
	return list
}

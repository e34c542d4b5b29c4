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
		one := export.Case{Class: "loadgen.gate." + r.kind(), Name: r.Scenario,
			Kind: r.Outcome.String(), Message: r.sentence(), Lines: strings.Join(r.lines(), "\n")}
		add := func(name, value string) {
			one.Properties = append(one.Properties, export.Property{Name: name, Value: value})
		}
		add("verdict", r.Outcome.String())
		add("exit_code", strconv.Itoa(code(r.Outcome)))
		if r.Difference != nil {
			add("values_that_differ", strconv.Itoa(r.Difference.Total))
		}
		if r.Judgement != nil {
			for i := range r.Judgement.Findings {
				f := &r.Judgement.Findings[i]
				metric := export.Plain(f.Metric)
				add(metric+".a", export.Decimal(f.A))
				add(metric+".b", export.Decimal(f.B))
				add(metric+".change", export.Decimal(f.Change))
				if f.Interval != nil {
					add(metric+".interval.low", export.Decimal(f.Interval[0]))
					add(metric+".interval.high", export.Decimal(f.Interval[1]))
				}
				add(metric+".p", export.Decimal(f.P))
				add(metric+".p_holm", export.Decimal(f.Adjusted))
				add(metric+".pairs", strconv.Itoa(f.Pairs))
			}
		}
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

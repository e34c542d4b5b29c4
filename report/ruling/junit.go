package ruling

import (
	"io"
	"strconv"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/forms"
)

// JUnit prints rulings as the XML that servers of continuous integration read: a
// regression and a claim that fails are failures, an invalid run is an error, and what
// cannot be told is skipped, for it has not passed either.
func JUnit(w io.Writer, list []Ruling) error {
	suite := forms.Suite{Name: "loadgen gate"}
	for i := range list {
		r := &list[i]
		one := forms.Case{Class: "loadgen.gate." + r.kind(), Name: r.Scenario, Properties: r.properties(),
			Kind: r.Outcome.String(), Message: r.sentence(), Lines: strings.Join(r.lines(), "\n")}
		switch r.Outcome {
		case compare.Same, compare.Improvement:
			one.Lines = strings.Join(append([]string{r.Outcome.String() + ": " + r.sentence()}, r.lines()...), "\n")
		case compare.Regression, compare.Failed:
			one.Status = forms.Failure
		case compare.Invalid:
			one.Status = forms.Error
		default:
			one.Status = forms.Skipped
		}
		suite.Cases = append(suite.Cases, one)
	}
	return forms.JUnit(w, &suite)
}

// properties returns the numbers of a ruling: how many values differ, and of each metric
// what was judged.
func (r *Ruling) properties() []forms.Property {
	list := []forms.Property{{Name: "verdict", Value: r.Outcome.String()}, {Name: "exit_code", Value: strconv.Itoa(code(r.Outcome))}}
	if r.Difference != nil {
		list = append(list, forms.Property{Name: "values_that_differ", Value: strconv.Itoa(r.Difference.Total)})
	}
	if r.Judgement != nil {
		for i := range r.Judgement.Findings {
			f := &r.Judgement.Findings[i]
			add := func(what, value string) {
				list = append(list, forms.Property{Name: forms.Plain(f.Metric) + "." + what, Value: value})
			}
			add("a", forms.Decimal(f.A))
			add("b", forms.Decimal(f.B))
			add("change", forms.Decimal(f.Change))
			if f.Interval != nil {
				add("interval.low", forms.Decimal(f.Interval[0]))
				add("interval.high", forms.Decimal(f.Interval[1]))
			}
			add("p", forms.Decimal(f.P))
			add("p_holm", forms.Decimal(f.Adjusted))
			add("pairs", strconv.Itoa(f.Pairs))
		}
	}
	return list
}

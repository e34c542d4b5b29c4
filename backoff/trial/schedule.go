package trial

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/backoff"
	"loadgen/report/document"
	"loadgen/results"
)

// mostShownRetries is how many retries of a policy are listed.
const mostShownRetries = 20

// Schedule returns when a policy tries again that fails each time at once.
func Schedule(p *backoff.Preset) results.RetrySchedule {
	s := results.RetrySchedule{Policy: p.Name, Retries: p.Retries, Formula: p.Formula, Source: p.Source, Waits: []results.RetryWait{}}
	silent := ", and attempts without a reply"
	if !p.WaitsAlways {
		silent += ", the first of which at once"
	}
	usual := backoff.DocumentedCodes()
	beside := slices.DeleteFunc(slices.Clone(p.Codes), func(code int) bool { return slices.Contains(usual, code) })
	switch {
	case p.Retries == 0:
		s.Codes = "nothing"
	case p.Codes == nil:
		s.Codes = "5xx except 501 and 505" + silent
	case len(p.Codes)-len(beside) == len(usual):
		s.Codes = strings.Trim(fmt.Sprint(beside), "[]") + " and 5xx except 501 and 505" + silent
	default:
		s.Codes = strings.ReplaceAll(strings.Trim(fmt.Sprint(p.Codes), "[]"), " ", ", ") + silent
	}
	var flat []string
	var sums results.RetryWait
	for x := 1; x <= min(p.Retries, mostShownRetries); x++ {
		least, mean, greatest := p.Bounds(x)
		sums.Retry, sums.LeastS, sums.MeanS, sums.GreatestS = x, least.Seconds(), mean.Seconds(), greatest.Seconds()
		sums.SumLeastS += sums.LeastS
		sums.SumMeanS += sums.MeanS
		sums.SumGreatestS += sums.GreatestS
		s.Waits = append(s.Waits, sums)
		if least == greatest {
			flat = append(flat, fmt.Sprintf("%d (%s)", x, document.Span(least)))
		}
	}
	switch {
	case len(flat) == 0:
	case len(flat) == len(s.Waits):
		s.Flat = "No wait has any spread: clients that failed together come back together each time."
	default:
		s.Flat = fmt.Sprintf("Without any spread are the waits before retry %s: clients that come to one together come back together.",
			strings.Join(flat, ", "))
	}
	return s
}

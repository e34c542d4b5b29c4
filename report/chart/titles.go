package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	figures "loadgen/results/figure"
)

// title says what a chart answers, in figures of the record; empty where it has none to
// say it by.
func title(name string, record *results.Record) string {
	switch name {
	case "latency":
		return latencyTitle(record)
	case "throttle":
		return throttleTitle(record)
	case "waits":
		half, told := quantile(record.RetryWaits, .5)
		if !told {
			return ""
		}
		return fmt.Sprintf("%s before retries, half of them of %s or more", document.Counted(int(record.RetryWaits.Count()), "wait"), half)
	case "steps":
		return stepsTitle(record)
	case "percentiles":
		const named = 3
		var words []string
		for _, c := range OperationCurves(record) {
			at := slices.IndexFunc(c.Response, func(p Percentile) bool { return p.P == .99 })
			if at >= 0 && len(words) < named {
				words = append(words, clean(c.Name, longestName)+" "+document.Micros(c.Response[at].Micros))
			}
		}
		if len(words) == 0 {
			return ""
		}
		return "The slowest 1 %: " + strings.Join(words, ", ") + " or more"
	case "response":
		return responseTitle(record)
	case "heat":
		return heatTitle(record)
	default:
		return ""
	}
}

// stepsTitle says where what is served bends away from what is offered, and what is lost
// of the most.
func stepsTitle(record *results.Record) string {
	steps := Steps(record)
	if len(steps) == 0 {
		return ""
	}
	most := slices.MaxFunc(steps, func(a, b Step) int { return cmp.Compare(a.Offered, b.Offered) })
	offered := document.Figures(most.Offered) + "/s"
	lost, _ := most.Lost()
	bend := figures.Of(record).Named("saturation")
	switch {
	case bend.Told && lost > 0:
		return fmt.Sprintf("Served bends at %s entities/s: %s of %s is lost", document.Figures(bend.Value), document.Share(lost), offered)
	case bend.Told:
		return fmt.Sprintf("Served bends at %s entities/s", document.Figures(bend.Value))
	case lost > 0:
		return fmt.Sprintf("Of %s offered, %s is lost", offered, document.Share(lost))
	default:
		return "Served follows offered up to " + offered
	}
}

// quantile writes a quantile of response times, and reports whether it can be told.
func quantile(h *results.Histogram, p float64) (string, bool) {
	micros, told := h.Quantile(p)
	return document.Micros(micros), told
}

func latencyTitle(record *results.Record) string {
	all := record.Total(results.Reported).Response
	half, told := quantile(all, .5)
	if !told {
		return ""
	}
	for _, tail := range []struct {
		p     float64
		words string
	}{{.99, "1 %"}, {.9, "10 %"}} {
		if slow, told := quantile(all, tail.p); told {
			return fmt.Sprintf("Half of %s took %s or less, %s took more than %s", document.Counted(int(all.Count()), "operation"), half, tail.words, slow)
		}
	}
	return fmt.Sprintf("Half of %s took %s or less", document.Counted(int(all.Count()), "operation"), half)
}

// responseTitle compares the p99 of the least and of the greatest load.
func responseTitle(record *results.Record) string {
	var least, most results.KindStats
	var from, to figures.Step
	for _, step := range figures.Reported(record) {
		sum := step.Sum(nil)
		if _, told := quantile(sum.Response, .99); !told {
			continue
		}
		if from.Phase == nil || step.Phase.Rate < from.Phase.Rate {
			from, least = step, sum
		}
		if to.Phase == nil || step.Phase.Rate > to.Phase.Rate {
			to, most = step, sum
		}
	}
	if from.Phase == nil {
		return ""
	}
	before, _ := quantile(least.Response, .99)
	after, _ := quantile(most.Response, .99)
	if from.Phase == to.Phase || from.Phase.Rate == to.Phase.Rate {
		return "p99 is " + after
	}
	low, _ := least.Response.Quantile(.99)
	high, _ := most.Response.Quantile(.99)
	const alike = 1.5
	if float64(high) < alike*float64(low) {
		return fmt.Sprintf("p99 stays near %s up to %s operations/s", after, document.Figures(to.Phase.Rate))
	}
	return fmt.Sprintf("p99 rises from %s at %s to %s at %s operations/s", before, document.Figures(from.Phase.Rate), after, document.Figures(to.Phase.Rate))
}

func throttleTitle(record *results.Record) string {
	all := record.Counts(results.Reported)
	bars := ThrottleBars(record)
	if len(bars) == 0 {
		return ""
	}
	if all.Throttled == 0 {
		sum := ThrottleBar{}
		for _, b := range bars {
			sum.Seconds += b.Seconds
			sum.Add(&b.Counts)
		}
		return document.Rate(sum.mean(sum.Served)) + " entities/s served, nothing throttled"
	}
	first := slices.IndexFunc(bars, func(b ThrottleBar) bool { return b.Throttled > 0 })
	return fmt.Sprintf("%s of %s throttled, from second %s on", document.Share(float64(all.Throttled)/float64(all.Attempts)),
		document.Counted(int(all.Attempts), "attempt"), document.Count(bars[max(first, 0)].From))
}

func heatTitle(record *results.Record) string {
	g, _ := reportedGrid(record)
	hottest := g.hottest()
	if hottest < 0 {
		return "The load lay on so many partitions that none stands out"
	}
	all, _, _ := g.Totals()
	served, throttled, _ := g.Rows[hottest].Totals()
	words := fmt.Sprintf("%q had %s of the load", clean(g.Rows[hottest].Key, longestKey), document.Share(float64(served)/max(float64(all), 1)))
	if len(g.Rows) == 1 && served == all {
		words = "All of the load went to one partition"
	}
	most := 0.
	for _, cell := range g.Rows[hottest].Served {
		most = max(most, g.perSecond(cell))
	}
	words += fmt.Sprintf(", at most %s entities/s", document.Figures(most))
	if throttled > 0 {
		words += ", and was throttled"
	}
	return words
}

// ContestTitle says under which designs something was throttled.
func ContestTitle(arms []HeatArm) string {
	var throttled []string
	for i := range arms {
		if g, _ := reportedGrid(arms[i].Record); g.Columns > 0 {
			if _, n, _ := g.Totals(); n > 0 {
				throttled = append(throttled, clean(arms[i].Name, longestName))
			}
		}
	}
	switch {
	case len(arms) == 0:
		return "No design was run"
	case len(arms) == 1 && len(throttled) == 1:
		return throttled[0] + " is throttled"
	case len(arms) == 1:
		return "Nothing is throttled under " + clean(arms[0].Name, longestName)
	case len(throttled) == 0:
		return "Nothing is throttled under any design"
	case len(throttled) == len(arms):
		return "Every design is throttled"
	case len(throttled) == 1:
		return fmt.Sprintf("Of %d designs %s is throttled", len(arms), throttled[0])
	default:
		return fmt.Sprintf("Of %d designs %d are throttled: %s", len(arms), len(throttled), document.Enumerated(throttled))
	}
}

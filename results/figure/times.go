package figure

import "loadgen/results"

// few says why a quantile is not told.
const few = "fewer than ten longer durations"

// times are the quantiles, the longest and the mean of what takes time.
func times() []Definition {
	var list []Definition
	for _, family := range []struct {
		times, prefix, about string
		scope                Scope
		of                   func(s *Selection) *results.Histogram
	}{
		{"response", "", "response time of successful operations: from due to the last attempt's end",
			OfOperations, func(s *Selection) *results.Histogram { return s.sum().Response }},
		{"service", "service_", "service time of ok attempts", OfOperations,
			func(s *Selection) *results.Histogram { return s.sum().Service[results.Ok] }},
		{"throttled", "throttled_", "service time of throttled attempts", OfOperations,
			func(s *Selection) *results.Histogram { return s.sum().Service[results.Throttled] }},
		{"failed", "failed_", "service time of failed attempts", OfOperations,
			func(s *Selection) *results.Histogram { return s.sum().Service[results.Failed] }},
		{"lost", "lost_", "time of unsuccessful operations, from due to the last attempt's end",
			OfOperations, func(s *Selection) *results.Histogram { return s.sum().Lost }},
		{"wait", "wait_", "retry wait", OfRun, func(s *Selection) *results.Histogram { return s.of.record.RetryWaits }},
		{"lag", "lag_", "delay of first attempts after due", OfRun, func(s *Selection) *results.Histogram { return s.of.record.Lag }},
	} {
		for _, q := range []struct {
			name, about string
			quantile    float64
		}{
			{"p50", "median", .5},
			{"p90", "90th percentile", .9},
			{"p95", "95th percentile", .95},
			{"p99", "99th percentile", .99},
			{"p99.9", "99.9th percentile", .999},
			{"max", "maximum", 1},
			{"mean", "mean", -1},
		} {
			list = append(list, Definition{Name: family.prefix + q.name, About: q.about + " of " + family.about, Scope: family.scope, Unit: Nanoseconds,
				Better: Lower, Times: family.times, Quantile: q.quantile,
				take: func(s *Selection) Value { return timed(family.of(s), q.quantile) }})
		}
	}
	return list
}

// OverHour is what a quantile or the longest is that is over an hour, in nanoseconds: histograms
// tell no more of it.
const OverHour = 1000 * float64(results.OverHour)

// timed returns a quantile in nanoseconds, 1 being the longest and −1 the mean.
func timed(h *results.Histogram, quantile float64) Value {
	const each = 1000
	switch {
	case h.Count() == 0:
		return untold("nothing was timed")
	case quantile < 0 && h.Over() > 0:
		return untold("durations over an hour")
	case quantile < 0:
		return knownValue(h.Mean()*each, h.Count())
	case quantile >= 1:
		return knownValue(float64(h.Max())*each, h.Count())
	}
	micros, enough := h.Quantile(quantile)
	if !enough {
		return untold(few)
	}
	return knownValue(float64(micros)*each, h.Count())
}

package figure

import "loadgen/results"

// few says why a quantile is not told.
const few = "fewer than ten durations lie beyond it"

// times are the quantiles, the longest and the mean of what takes time.
func times() []Definition {
	const mostHave = " do not exceed, told where ten or more lie beyond:"
	var list []Definition
	for _, family := range []struct {
		times, prefix, about string
		scope                Scope
		of                   func(s *Selection) *results.Histogram
	}{
		{"response", "", "response time: from the instant at which an operation was due to the end of its last attempt, of those that succeeded",
			OfOperations, func(s *Selection) *results.Histogram { return s.sum().Response }},
		{"service", "service_", "service time of one ok attempt", OfOperations,
			func(s *Selection) *results.Histogram { return s.sum().Service[results.Ok] }},
		{"throttled", "throttled_", "service time of one throttled attempt", OfOperations,
			func(s *Selection) *results.Histogram { return s.sum().Service[results.Throttled] }},
		{"failed", "failed_", "service time of one failed attempt", OfOperations,
			func(s *Selection) *results.Histogram { return s.sum().Service[results.Failed] }},
		{"lost", "lost_", "time from the instant at which an operation was due to the end of its last attempt, of those that did not succeed",
			OfOperations, func(s *Selection) *results.Histogram { return s.sum().Lost }},
		{"wait", "wait_", "wait before a retry", OfRun, func(s *Selection) *results.Histogram { return s.of.record.RetryWaits }},
		{"lag", "lag_", "time from due to sent, of first attempts", OfRun, func(s *Selection) *results.Histogram { return s.of.record.Lag }},
	} {
		for _, q := range []struct {
			name, about string
			quantile    float64
		}{
			{"p50", "the time that 50 %" + mostHave, .5},
			{"p90", "the time that 90 %" + mostHave, .9},
			{"p95", "the time that 95 %" + mostHave, .95},
			{"p99", "the time that 99 %" + mostHave, .99},
			{"p99.9", "the time that 99.9 %" + mostHave, .999},
			{"max", "the longest", 1},
			{"mean", "the arithmetic mean of the", -1},
		} {
			list = append(list, Definition{Name: family.prefix + q.name, About: q.about + " " + family.about, Scope: family.scope, Unit: Nanoseconds,
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
		return untold("some durations are over an hour")
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

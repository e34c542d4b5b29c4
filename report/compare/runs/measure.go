package runs

import (
	"loadgen/report/compare"
	"loadgen/results"
)

// unit is the format of a measure in a table.
type unit string

const (
	micros    unit = "millis"
	perSecond unit = "rate"
	share     unit = "share"
	each      unit = "tries"
	count     unit = "count"
)

// measure is one figure of a section. Its name is that of the summary of a run.
type measure struct {
	name, label string
	unit        unit
	higher      bool
	// floor is what is told apart from nothing.
	floor float64
	of    func(*section) *float64
}

// metric returns the measure as gates have it.
func (m *measure) metric() compare.Metric {
	return compare.Metric{Name: m.label, Higher: m.higher, Floor: m.floor}
}

// The measures that decide, in the order in which they do: with few pairs, the first alone.
const (
	responseP99 = "response_us.p99"
	served      = "served_entities_per_second"
	responseP50 = "response_us.p50"
)

// measures returns what is compared in each section, in the order of the tables.
func measures() []measure {
	quantile := func(name, label string, of func(*results.Quantiles) *int64) measure {
		return measure{name, label, micros, false, 1, func(s *section) *float64 {
			if value := of(&s.Response); value != nil {
				return new(float64(*value))
			}
			return nil
		}}
	}
	return []measure{
		quantile(responseP50, "response p50", func(q *results.Quantiles) *int64 { return q.P50 }),
		quantile("response_us.p90", "response p90", func(q *results.Quantiles) *int64 { return q.P90 }),
		quantile(responseP99, "response p99", func(q *results.Quantiles) *int64 { return q.P99 }),
		quantile("response_us.p99_9", "response p99.9", func(q *results.Quantiles) *int64 { return q.P999 }),
		quantile("response_us.max", "response max", func(q *results.Quantiles) *int64 { return q.Max }),
		{"offered_entities_per_second", "offered", perSecond, true, .01, func(s *section) *float64 { return new(s.Offered) }},
		{served, "served", perSecond, true, .01, func(s *section) *float64 { return new(s.Served) }},
		{"share_lost", "share lost", share, false, .001, func(s *section) *float64 { return s.ShareLost }},
		{"throttled_per_second", "throttled", perSecond, false, .01, func(s *section) *float64 { return new(s.ThrottledPerSecond) }},
		{"tries_per_operation", "attempts/op", each, false, .001, func(s *section) *float64 { return s.AttemptsPerOperation }},
		{"entities_counted", "counted", count, true, 1, func(s *section) *float64 { return new(float64(s.counted)) }},
	}
}

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

// measure is a figure of a section. Its name is that of a run's summary.
type measure struct {
	name, label string
	unit        unit
	higher      bool
	// floor is the minimum value that counts as more than 0.
	floor float64
	value func(*section) *float64
}

// metric returns the metric for a gate.
func (m *measure) metric() compare.Metric {
	return compare.Metric{Name: m.label, Higher: m.higher, Floor: m.floor}
}

// The measures that decide the verdict. With few pairs only the first does.
const (
	responseP99 = "response_us.p99"
	served      = "served_entities_per_second"
	responseP50 = "response_us.p50"
)

// measures returns the compared figures in the order of the tables.
func measures() []measure {
	quantile := func(name, label string, get func(*results.Quantiles) *int64) measure {
		return measure{name, label, micros, false, 1, func(s *section) *float64 {
			if value := get(&s.Response); value != nil {
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

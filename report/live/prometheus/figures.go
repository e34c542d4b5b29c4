package prometheus

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"loadgen/report/live"
)

// figures are counts and gauges, which a stats has: they are read as they are scraped.
type figures struct {
	stats *live.Stats
	now   func() time.Duration
	keys  bool

	// inFlight, offered, target, served and heat are gauges, of a reported phase alone.
	inFlight, offered, target, served, heat *prometheus.Desc
}

// count is a total that only rises.
type count struct {
	desc *prometheus.Desc
	of   func(t *live.Totals) int64
}

// totals are the counts of a run.
var totals = []count{
	{describe("scheduled_operations_total", "Operations that were due."), func(t *live.Totals) int64 { return t.Scheduled }},
	{describe("dropped_operations_total", "Operations that were due and never sent."), func(t *live.Totals) int64 { return t.Dropped }},
	{describe("late_operations_total", "Operations first sent more than 5 ms after they were due."), func(t *live.Totals) int64 { return t.Late }},
	{describe("operations_total", "Operations that ended."), func(t *live.Totals) int64 { return t.Operations }},
	{describe("sent_attempts_total", "Attempts that were sent."), func(t *live.Totals) int64 { return t.Begun }},
	{describe("attempts_total", "Attempts that ended: ok, throttled or failed."), func(t *live.Totals) int64 { return t.Attempts }},
	{describe("ok_attempts_total", "Attempts that were served."), func(t *live.Totals) int64 { return t.Ok }},
	{describe("throttled_attempts_total", "Attempts that were throttled."), func(t *live.Totals) int64 { return t.Throttled }},
	{describe("failed_attempts_total", "Attempts that failed otherwise."), func(t *live.Totals) int64 { return t.Failed }},
	{describe("served_entities_total", "Entities counted for successes."), func(t *live.Totals) int64 { return t.Served }},
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("loadgen_"+name, help, labels, nil)
}

// Describe implements [prometheus.Collector].
func (f *figures) Describe(to chan<- *prometheus.Desc) {
	for _, one := range totals {
		to <- one.desc
	}
	for _, one := range []*prometheus.Desc{f.inFlight, f.target, f.offered, f.served, f.heat} {
		to <- one
	}
}

// Collect implements [prometheus.Collector].
func (f *figures) Collect(to chan<- prometheus.Metric) {
	s := f.stats.Status(f.now())
	for _, one := range totals {
		to <- prometheus.MustNewConstMetric(one.desc, prometheus.CounterValue, float64(one.of(&s.Totals)))
	}
	if !s.Reported {
		// What is prepared says nothing of the load that is asked about.
		return
	}
	to <- prometheus.MustNewConstMetric(f.inFlight, prometheus.GaugeValue, float64(s.Sofar.InFlight()))
	for _, one := range []struct {
		desc  *prometheus.Desc
		value *float64
	}{{f.target, s.Target}, {f.offered, s.Offered}, {f.served, s.Served}} {
		if one.value != nil {
			to <- prometheus.MustNewConstMetric(one.desc, prometheus.GaugeValue, *one.value)
		}
	}
	for i, heat := range s.Hottest {
		labels := []string{strconv.Itoa(i + 1)}
		if f.keys {
			labels = append(labels, strings.ToValidUTF8(heat.Name, "?"))
		}
		to <- prometheus.MustNewConstMetric(f.heat, prometheus.GaugeValue, heat.Rate, labels...)
	}
}

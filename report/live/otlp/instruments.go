package otlp

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"loadgen/results"
)

// instruments are what a run is measured with. Counts are read from tallies as they are
// collected; durations go to the SDK's histograms.
type instruments struct {
	// response, service and lag are durations in seconds.
	response, service, lag metric.Float64Histogram
}

// count is a sum that only rises.
type count struct {
	name, unit, what string
	// tell hands over what a tally has of it.
	tell func(to func(int64, ...metric.ObserveOption), t *tally, now *counts)
}

// whole tells what is of an operation in a phase alone.
func whole(of func(*counts) int64) func(func(int64, ...metric.ObserveOption), *tally, *counts) {
	return func(to func(int64, ...metric.ObserveOption), t *tally, now *counts) { to(of(now), observed(t.whole)) }
}

// classified tells what is of a class, too.
func classified(of func(*counts, results.Class) int64) func(func(int64, ...metric.ObserveOption), *tally, *counts) {
	return func(to func(int64, ...metric.ObserveOption), t *tally, now *counts) {
		for _, class := range classes {
			to(of(now, class), observed(t.byClass[class]))
		}
	}
}

// observed returns the attributes that durations are recorded with, for counts.
func observed(options []metric.RecordOption) metric.ObserveOption {
	return options[0].(metric.MeasurementOption)
}

var sums = []count{
	{"loadgen.operations.scheduled", "{operation}", "Operations that were due.", whole(func(c *counts) int64 { return c.scheduled })},
	{"loadgen.operations.dropped", "{operation}", "Operations that were due and never sent.", whole(func(c *counts) int64 { return c.dropped })},
	{"loadgen.operations.late", "{operation}", "Operations first sent more than 5 ms after they were due.", whole(func(c *counts) int64 { return c.late })},
	{"loadgen.operations.completed", "{operation}", "Operations that ended, by the outcome of their last attempt.",
		classified(func(c *counts, class results.Class) int64 { return c.completed[class] })},
	{"loadgen.attempts", "{attempt}", "Attempts that ended: ok, throttled or failed.",
		classified(func(c *counts, class results.Class) int64 { return c.attempts[class] })},
	{"loadgen.retries", "{attempt}", "Attempts that sent a request once more.", whole(func(c *counts) int64 { return c.retries })},
	{"loadgen.entities.offered", "{entity}", "Entities that operations were due to touch.", whole(func(c *counts) int64 { return c.offered })},
	{"loadgen.entities.served", "{entity}", "Entities counted for operations that succeeded.", whole(func(c *counts) int64 { return c.served })},
	{"loadgen.network.io", "By", "Sizes of requests (transmit) and replies (receive), of those that tell them.",
		func(to func(int64, ...metric.ObserveOption), t *tally, now *counts) {
			to(now.bytesOut, t.out)
			to(now.bytesIn, t.in)
		}},
}

func (e *Exporter) observeSums(meter metric.Meter) error {
	var made []metric.Int64ObservableCounter
	var all []metric.Observable
	for _, one := range sums {
		counter, err := meter.Int64ObservableCounter(one.name, metric.WithUnit(one.unit), metric.WithDescription(one.what))
		if err != nil {
			return err
		}
		made, all = append(made, counter), append(all, counter)
	}
	sampled, err := meter.Int64ObservableCounter("loadgen.traces.sampled", metric.WithUnit("{trace}"),
		metric.WithDescription("Operations among the slowest of their second, which are traced."))
	if err != nil {
		return err
	}
	lost, err := meter.Int64ObservableCounter("loadgen.traces.lost", metric.WithUnit("{trace}"),
		metric.WithDescription("Traces that were not sent, or of operations that could not be followed."))
	if err != nil {
		return err
	}
	failed, err := meter.Int64ObservableCounter("loadgen.exports.failed", metric.WithUnit("{export}"),
		metric.WithDescription("Exports of metrics or of traces that did not arrive."))
	if err != nil {
		return err
	}
	_, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		e.grid.all(func(t *tally) {
			t.mu.Lock()
			now := t.counts
			t.mu.Unlock()
			for i, one := range sums {
				one.tell(func(n int64, with ...metric.ObserveOption) { o.ObserveInt64(made[i], n, with...) }, t, &now)
			}
		})
		traced, lostSoFar := e.slowest.counts()
		o.ObserveInt64(sampled, traced)
		o.ObserveInt64(lost, lostSoFar+e.unsent.Load())
		o.ObserveInt64(failed, e.failed.Load())
		return nil
	}, append(all, sampled, lost, failed)...)
	return err
}

// observeGauges makes what is told of the last seconds of a reported phase.
func (e *Exporter) observeGauges(meter metric.Meter) error {
	var faults [5]error
	gauge := func(i int, name, unit, what string) metric.Float64ObservableGauge {
		g, err := meter.Float64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(what))
		faults[i] = err
		return g
	}
	flight := gauge(0, "loadgen.attempts.in_flight", "{attempt}", "Attempts under way.")
	target := gauge(1, "loadgen.operations.target_rate", "{operation}/s", "Rate at which the phase has operations arrive; absent in a closed loop.")
	offered := gauge(2, "loadgen.entities.offered_rate", "{entity}/s", "Entities due, over the last two whole seconds.")
	served := gauge(3, "loadgen.entities.served_rate", "{entity}/s", "Entities counted for successes, over the last two whole seconds.")
	heat := gauge(4, "loadgen.partition.heat", "{entity}/s", "Entities served at least by the busiest partitions over the last two whole seconds, by rank, 1 the busiest.")
	if err := errors.Join(faults[:]...); err != nil {
		return err
	}
	_, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := e.stats.Status(e.now())
		if !s.Reported {
			return nil
		}
		o.ObserveFloat64(flight, float64(s.Sofar.InFlight()))
		for _, one := range []struct {
			gauge metric.Float64ObservableGauge
			value *float64
		}{{target, s.Target}, {offered, s.Offered}, {served, s.Served}} {
			if one.value != nil {
				o.ObserveFloat64(one.gauge, *one.value)
			}
		}
		for i, one := range s.Hottest {
			with := []attribute.KeyValue{attribute.Int(rankKey, i+1)}
			if e.keys {
				with = append(with, attribute.String(partitionKey, strings.ToValidUTF8(one.Name, "?")))
			}
			o.ObserveFloat64(heat, one.Rate, metric.WithAttributes(with...))
		}
		return nil
	}, flight, target, offered, served, heat)
	return err
}

func seconds(d time.Duration) float64 { return max(0, d).Seconds() }

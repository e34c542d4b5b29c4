package telemetry

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// instrumentNames are the names of instruments and attributes in one form of telemetry.
type instrumentNames struct {
	// operation and phase are attributes of counts and durations, rank and partition of heat.
	operation, phase, rank, partition attribute.Key
	// Gauges of the last whole seconds of a reported phase.
	inFlight, targetRate, offeredRate, servedRate, heat string
}

// registerGauges adds the gauges of a run to a meter.
func (r *Run) registerGauges(meter metric.Meter, names *instrumentNames) error {
	var faults []error
	gauge := func(name, unit, about string) metric.Float64ObservableGauge {
		made, err := meter.Float64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(about))
		faults = append(faults, err)
		return made
	}
	flight := gauge(names.inFlight, "{attempt}", "Attempts in flight.")
	target := gauge(names.targetRate, "{operation}/s", "Rate at which operations of the phase arrive; absent in a closed loop.")
	offered := gauge(names.offeredRate, "{entity}/s", "Entities due, over the last two whole seconds.")
	served := gauge(names.servedRate, "{entity}/s", "Entities counted for successes, over the last two whole seconds.")
	heat := gauge(names.heat, "{entity}/s", "Lower bound of the entities that the hottest partitions served over the last two whole seconds, by rank from 1.")
	if err := errors.Join(faults...); err != nil {
		return err
	}
	_, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := r.Stats.Rates(r.Now())
		if !s.Reported {
			return nil // preparation says nothing about the load in question
		}
		o.ObserveFloat64(flight, float64(s.Sofar.InFlight))
		for _, one := range []struct {
			gauge metric.Float64ObservableGauge
			value *float64
		}{{target, s.Target}, {offered, s.Offered}, {served, s.Served}} {
			if one.value != nil {
				o.ObserveFloat64(one.gauge, *one.value)
			}
		}
		for i, one := range s.Hottest {
			with := []attribute.KeyValue{names.rank.Int(i + 1)}
			if r.Keys {
				with = append(with, names.partition.String(strings.ToValidUTF8(one.Name, "?")))
			}
			o.ObserveFloat64(heat, one.Rate, metric.WithAttributes(with...))
		}
		return nil
	}, flight, target, offered, served, heat)
	return err
}

// durations returns a histogram of durations in seconds.
func durations(meter metric.Meter, name, about string) (metric.Float64Histogram, error) {
	return meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about), metric.WithExplicitBucketBoundaries(bounds()...))
}

// bounds returns the upper bounds of the buckets of durations, in seconds: from the latency of a loopback socket to the
// longest timeout of a client.
func bounds() []float64 {
	return []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
}

// seconds returns a duration in seconds, 0 for a negative one.
func seconds(d time.Duration) float64 { return max(0, d).Seconds() }

// counter is a sum that only rises, read when it is collected. T is what it is read from.
type counter[T any] struct {
	name, unit, about string
	// observe passes the values of T, each with the options of its series.
	observe func(of T, to func(int64, ...metric.ObserveOption))
}

// total returns a counter of one value.
func total[T any](name, unit, about string, value func(T) int64) counter[T] {
	return counter[T]{name: name, unit: unit, about: about,
		observe: func(from T, to func(int64, ...metric.ObserveOption)) { to(value(from)) }}
}

// registerCounters adds counters to a meter, which are read from each T that read passes.
func registerCounters[T any](meter metric.Meter, counters []counter[T], read func(each func(T))) error {
	made, all := make([]metric.Int64ObservableCounter, len(counters)), make([]metric.Observable, len(counters))
	for i, one := range counters {
		var err error
		if made[i], err = meter.Int64ObservableCounter(one.name, metric.WithUnit(one.unit), metric.WithDescription(one.about)); err != nil {
			return err
		}
		all[i] = made[i]
	}
	_, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		read(func(of T) {
			for i := range counters {
				counters[i].observe(of, func(n int64, with ...metric.ObserveOption) { o.ObserveInt64(made[i], n, with...) })
			}
		})
		return nil
	}, all...)
	return err
}

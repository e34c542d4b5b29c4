package telemetry

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"loadgen/results"
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

// The maximum numbers of phases and of kinds of operation with a name. The rest is called "other".
const (
	maxPhases = 200
	maxKinds  = 100
	other     = "other"
)

// series are the attributes of measurements by phase, kind of operation and variant, made when they are first needed.
// All methods are safe for concurrent use.
type series struct {
	operation, phase attribute.Key
	kinds            []string
	variants         [][]attribute.KeyValue
	// mu is held to replace phases; readers do not need it. others is the phase "other".
	mu     sync.Mutex
	phases atomic.Pointer[[]*phase]
	others *phase
}

type phase struct {
	name     string
	reported bool
	series   []atomic.Pointer[attributes]
}

// attributes are those of one series.
type attributes struct {
	// record is for histograms, observe for what is read when it is collected.
	record  []metric.RecordOption
	observe metric.ObserveOption
	// ended is the number of operations whose last attempt failed, by class, which the recorder does not have.
	ended atomic.Int64
}

// newSeries returns the series of a run. Its variants are attributes besides operation and phase.
func newSeries(names *instrumentNames, kinds []results.Kind, variants ...[]attribute.KeyValue) *series {
	s := &series{operation: names.operation, phase: names.phase, variants: variants}
	for _, kind := range kinds[:min(len(kinds), maxKinds)] {
		s.kinds = append(s.kinds, strings.ToValidUTF8(kind.Name, "?"))
	}
	s.kinds = append(s.kinds, other)
	s.others = s.newPhase(other, false)
	s.phases.Store(new([]*phase))
	return s
}

func (s *series) newPhase(name string, reported bool) *phase {
	return &phase{name, reported, make([]atomic.Pointer[attributes], len(s.kinds)*len(s.variants))}
}

// addPhase adds a phase by its number in the record.
func (s *series) addPhase(index int, of *results.Phase) {
	if index < 0 || index >= maxPhases {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := slices.Clone(*s.phases.Load())
	for len(known) <= index {
		known = append(known, s.others)
	}
	known[index] = s.newPhase(strings.ToValidUTF8(of.Name, "?"), of.Reported)
	s.phases.Store(&known)
}

func (s *series) phaseOf(index int) *phase {
	if known := *s.phases.Load(); index >= 0 && index < len(known) {
		return known[index]
	}
	return s.others
}

func (s *series) place(kind int) int {
	if kind < 0 || kind >= len(s.kinds) {
		return len(s.kinds) - 1
	}
	return kind
}

// names returns the names of a kind of operation and of a phase, and whether the phase is reported.
func (s *series) names(phase, kind int) (operation, name string, reported bool) {
	of := s.phaseOf(phase)
	return s.kinds[s.place(kind)], of.name, of.reported
}

// attributesOf returns the attributes of a variant of a kind of operation in a phase.
func (s *series) attributesOf(phase, kind, variant int) *attributes {
	of := s.phaseOf(phase)
	kind = s.place(kind)
	place := &of.series[kind*len(s.variants)+variant]
	if known := place.Load(); known != nil {
		return known
	}
	with := metric.WithAttributeSet(attribute.NewSet(append([]attribute.KeyValue{s.operation.String(s.kinds[kind]), s.phase.String(of.name)},
		s.variants[variant]...)...))
	place.CompareAndSwap(nil, &attributes{record: []metric.RecordOption{with}, observe: with})
	return place.Load()
}

// sum returns the counts of a recorder by the phases and kinds of the series.
func (s *series) sum(recorder *results.Recorder) [][]results.Counts {
	var sums [][]results.Counts
	for i, one := range recorder.Totals().Phases {
		if i <= maxPhases {
			sums = append(sums, make([]results.Counts, len(s.kinds)))
		}
		for kind := range one {
			sums[min(i, maxPhases)][s.place(kind)].Add(&one[kind])
		}
	}
	return sums
}

// otlpNames are those of metrics and spans.
var otlpNames = instrumentNames{
	operation: "loadgen.operation", phase: "loadgen.phase", rank: "loadgen.partition.rank", partition: "loadgen.partition.key",
	inFlight: "loadgen.attempts.in_flight", targetRate: "loadgen.operations.target_rate", offeredRate: "loadgen.entities.offered_rate",
	servedRate: "loadgen.entities.served_rate", heat: "loadgen.partition.heat",
}

// outcomeKey is the attribute of metrics and spans for the class of an attempt or operation.
const outcomeKey = "loadgen.outcome"

// The variants of the series of one operation and phase: all, by direction, and by outcome from results.Ok on.
const (
	whole    = 0
	byClass  = 1
	transmit = 4
	receive  = 5
)

// variants are the attributes of the variants.
func variants() [][]attribute.KeyValue {
	list := [][]attribute.KeyValue{whole: nil, transmit: {attribute.String("network.io.direction", "transmit")},
		receive: {attribute.String("network.io.direction", "receive")}}
	for _, class := range [...]results.Class{results.Ok, results.Throttled, results.Failed} {
		list[variantOf(class)] = []attribute.KeyValue{attribute.String(outcomeKey, class.String())}
	}
	return list
}

// variantOf returns the variant of a class. An unknown class counts as failed.
func variantOf(c results.Class) int {
	if c < results.Ok || c > results.Failed {
		c = results.Failed
	}
	return byClass + int(c-results.Ok)
}

// counted are the counts of one operation in one phase.
type counted struct {
	results.Counts
	series      *series
	phase, kind int
}

// option returns the option that selects the series of a variant.
func (c *counted) option(variant int) metric.ObserveOption {
	return c.series.attributesOf(c.phase, c.kind, variant).observe
}

// sums are the counters that the recorder has.
func sums() []counter[*counted] {
	sum := func(name, unit, about string, value func(*counted) int64) counter[*counted] {
		return counter[*counted]{name: name, unit: unit, about: about,
			observe: func(c *counted, to func(int64, ...metric.ObserveOption)) { to(value(c), c.option(whole)) }}
	}
	return []counter[*counted]{
		sum("loadgen.operations.scheduled", "{operation}", "Operations that were due.", func(c *counted) int64 { return c.Scheduled }),
		sum("loadgen.operations.dropped", "{operation}", "Operations that were due and never sent.", func(c *counted) int64 { return c.Dropped }),
		sum("loadgen.operations.late", "{operation}", "Operations first sent more than 5 ms after they were due.", func(c *counted) int64 { return c.Late }),
		sum("loadgen.retries", "{attempt}", "Attempts that repeated a request.", func(c *counted) int64 { return c.Retries }),
		sum("loadgen.entities.offered", "{entity}", "Entities that operations were due to touch.", func(c *counted) int64 { return c.Offered }),
		sum("loadgen.entities.served", "{entity}", "Entities counted for operations that succeeded.", func(c *counted) int64 { return c.Served }),
		{name: "loadgen.operations.completed", unit: "{operation}", about: "Operations that ended, by the outcome of their last attempt.",
			observe: func(c *counted, to func(int64, ...metric.ObserveOption)) {
				to(c.Succeeded, c.option(variantOf(results.Ok)))
				for _, class := range [...]results.Class{results.Throttled, results.Failed} {
					of := c.series.attributesOf(c.phase, c.kind, variantOf(class))
					to(of.ended.Load(), of.observe)
				}
			}},
		{name: "loadgen.attempts", unit: "{attempt}", about: "Attempts that ended: ok, throttled or failed.",
			observe: func(c *counted, to func(int64, ...metric.ObserveOption)) {
				to(c.Ok, c.option(variantOf(results.Ok)))
				to(c.Throttled, c.option(variantOf(results.Throttled)))
				to(c.Failed, c.option(variantOf(results.Failed)))
			}},
		{name: "loadgen.network.io", unit: "By", about: "Sizes of requests (transmit) and replies (receive), where they are known.",
			observe: func(c *counted, to func(int64, ...metric.ObserveOption)) {
				to(c.BytesOut, c.option(transmit))
				to(c.BytesIn, c.option(receive))
			}},
	}
}

// instruments are durations in seconds.
type instruments struct{ response, service, lag metric.Float64Histogram }

// register makes the instruments.
func (e *Exporter) register(m metric.Meter) error {
	var faults [6]error
	e.response, faults[0] = durations(m, "loadgen.operation.duration", "Time of operations, from when each was due to the end of its last attempt.")
	e.service, faults[1] = durations(m, "loadgen.attempt.duration", "Time of single attempts, from when each was sent to its reply.")
	e.lag, faults[2] = durations(m, "loadgen.operation.lag", "How long after it was due each operation was first sent.")
	faults[3] = registerCounters(m, sums(), func(each func(*counted)) {
		for phase, kinds := range e.series.sum(e.run.Recorder) {
			for kind, sum := range kinds {
				if sum.Scheduled > 0 || sum.Attempts > 0 {
					each(&counted{sum, e.series, phase, kind})
				}
			}
		}
	})
	faults[4] = registerCounters(m, exportCounters(), func(each func(*Exporter)) { each(e) })
	faults[5] = e.run.registerGauges(m, &otlpNames)
	return errors.Join(faults[:]...)
}

// exportCounters are the counters of the export itself.
func exportCounters() []counter[*Exporter] {
	return []counter[*Exporter]{
		total("loadgen.traces.sampled", "{trace}", "Operations among the slowest of their second, which are traced.",
			func(e *Exporter) int64 { sampled, _ := e.slowest.counts(); return sampled }),
		total("loadgen.traces.lost", "{trace}", "Traces that were not sent, or of operations that could not be followed.",
			func(e *Exporter) int64 { _, lost := e.slowest.counts(); return lost + e.unsent.Load() }),
		total("loadgen.exports.failed", "{export}", "Exports of metrics or of traces that did not arrive.", func(e *Exporter) int64 { return e.failed.Load() }),
	}
}

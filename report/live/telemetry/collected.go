package telemetry

import (
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"loadgen/results"
)

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

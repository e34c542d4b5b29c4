package telemetry

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"loadgen/engine/clock"
	"loadgen/report/live"
	"loadgen/results"
)

// Run describes a run before it begins.
type Run struct {
	Scenario string
	// Tool is the build of the program.
	Tool results.Tool
	// Started is the wall time of the run's instant zero, Now returns the time since then.
	Started time.Time
	Now     func() time.Duration
	Kinds   []results.Kind
	// Recorder has the counts of the run, Stats its last seconds.
	Recorder *results.Recorder
	Stats    *live.Stats
	// Keys exports PartitionKeys as well.
	Keys bool
	// Clock is the clock of exports.
	Clock clock.Clock
	// Say reports, once, that exports fail, and at the end how many did.
	Say func(line string)
}

// Exporter sends the metrics and traces of a run.
type Exporter struct {
	instruments
	client  *Client
	run     Run
	series  *series
	slowest *slowest

	reader   *sdkmetric.ManualReader
	tracer   trace.Tracer
	gathered gathered
	// batch are operations whose traces have not been sent yet.
	batch []*life

	// exports is the number of exports, failed of those that failed, unsent of the traces in these. failing is the cause
	// if the last one failed, else empty; said is whether that was reported.
	exports, failed, unsent atomic.Int64
	failing                 string
	said                    bool

	over context.Context
	end  context.CancelFunc
	done sync.WaitGroup
}

// Start begins to export a run, until [Exporter.Stop]. ctx is canceled to end the run at once.
func (c *Client) Start(ctx context.Context, r Run) (*Exporter, error) {
	r.Started = r.Started.Round(0)
	e := &Exporter{client: c, run: r, series: newSeries(&otlpNames, r.Kinds, variants()...), slowest: newSlowest(r.Keys), over: ctx}
	var id [16]byte
	if _, err := io.ReadFull(clock.Secrets(), id[:]); err != nil {
		return nil, fmt.Errorf("telemetry: drawing the name of a run: %w", err)
	}
	// OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence.
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "loadgen"), attribute.String("service.version", r.Tool.Version),
		attribute.String("service.instance.id", hex.EncodeToString(id[:])), attribute.String("loadgen.scenario", r.Scenario),
	), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	var how []sdkmetric.ManualReaderOption
	if c.metrics != nil {
		how = append(how, sdkmetric.WithTemporalitySelector(c.metrics.Temporality), sdkmetric.WithAggregationSelector(c.metrics.Aggregation))
	}
	e.reader = sdkmetric.NewManualReader(how...)
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(e.reader), sdkmetric.WithResource(about),
		sdkmetric.WithExemplarFilter(exemplar.AlwaysOffFilter), sdkmetric.WithCardinalityLimit((maxPhases+1)*(maxKinds+1)*len(variants())))
	if err := e.register(meters.Meter("loadgen")); err != nil {
		return nil, err
	}
	e.tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(&e.gathered), sdktrace.WithResource(about),
		sdktrace.WithSampler(sdktrace.AlwaysSample())).Tracer("loadgen")
	loop, end := context.WithCancel(ctx)
	e.end = end
	e.done.Go(func() {
		for next := e.run.Clock.Now(); ; {
			next = max(next.Add(e.client.endpoint.every), e.run.Clock.Now())
			if e.run.Clock.Sleep(loop, next) != nil {
				return
			}
			e.export(loop, e.run.Now())
		}
	})
	return e, nil
}

// Phase implements a watcher.
func (e *Exporter) Phase(index int, phase *results.Phase) { e.series.addPhase(index, phase) }

// Due observes every operation as it is first sent, or dropped.
func (e *Exporter) Due(s *results.Scheduled) {
	if !s.Dropped {
		e.lag.Record(context.Background(), seconds(s.Sent-s.Intended), e.series.attributesOf(s.Phase, s.Kind, whole).record...)
	}
}

// Attempt observes every attempt as it ends.
func (e *Exporter) Attempt(a *results.Attempt) {
	e.service.Record(context.Background(), seconds(a.Done-a.Sent), e.series.attributesOf(a.Phase, a.Kind, variantOf(a.Class)).record...)
	if e.traces(a.Phase) {
		e.slowest.attempt(a)
	}
}

// Completed observes every operation as it ends.
func (e *Exporter) Completed(c *results.Completed) {
	with := e.series.attributesOf(c.Phase, c.Kind, variantOf(c.Class))
	e.response.Record(context.Background(), seconds(c.Done-c.Intended), with.record...)
	if c.Class != results.Ok {
		with.ended.Add(1)
	}
	if e.traces(c.Phase) {
		e.slowest.completed(c)
	}
}

// traces reports whether operations of a phase are traced: those of reported phases.
func (e *Exporter) traces(phase int) bool {
	if e.client.traces == nil {
		return false
	}
	_, _, reported := e.series.names(phase, 0)
	return reported
}

// Event implements a watcher.
func (e *Exporter) Event(results.Event) {}

package otlp

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"loadgen/engine/clock"
	"loadgen/report/live"
	"loadgen/results"
)

// Run is what an exporter is told of a run before it begins.
type Run struct {
	Scenario string
	Version  string
	// Started is the wall time of the run's instant zero, Now tells its present since then.
	Started time.Time
	Now     func() time.Duration
	Kinds   []results.Kind
	// Stats is told of the run beside.
	Stats *live.Stats
	// Keys says that PartitionKeys are to be sent.
	Keys bool
	// Clock says when to send.
	Clock clock.Clock
	// Say tells somebody, once, that nothing arrives, and at the end what did not.
	Say func(line string)
}

// Exporter counts what a run does, and sends it.
type Exporter struct {
	instruments
	client  *Client
	stats   *live.Stats
	grid    *grid
	slowest *slowest
	keys    bool
	started time.Time
	now     func() time.Duration
	clock   clock.Clock
	say     func(string)

	reader   *sdkmetric.ManualReader
	tracer   trace.Tracer
	gathered gathered
	// batch are operations whose traces were not sent yet.
	batch []*life

	// exports is how many were tried, failed how many of them failed, unsent how many traces
	// were in those. failing is why the last failed, empty if it did not; said whether that was told.
	exports, failed, unsent atomic.Int64
	failing                 string
	said                    bool

	over context.Context
	end  context.CancelFunc
	done sync.WaitGroup
}

// Start begins to send how a run fares, until [Exporter.Stop]; ctx ends as somebody wants
// the run to end at once.
func (c *Client) Start(ctx context.Context, r Run) (*Exporter, error) {
	kinds := r.Kinds
	g := new(grid)
	for _, kind := range kinds[:min(len(kinds), mostKinds)] {
		g.kinds = append(g.kinds, strings.ToValidUTF8(kind.Name, "?"))
	}
	g.kinds = append(g.kinds, others)
	g.other = g.newPhase(others, false)
	g.phases.Store(&[]*phase{})
	e := &Exporter{client: c, stats: r.Stats, grid: g, slowest: newSlowest(r.Keys), keys: r.Keys,
		started: r.Started.Round(0), now: r.Now, clock: r.Clock, say: r.Say, over: ctx}
	var id [16]byte
	if _, err := io.ReadFull(clock.Secrets(), id[:]); err != nil {
		return nil, fmt.Errorf("otlp: drawing the name of a run: %w", err)
	}
	// What OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say comes before what is given here.
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "loadgen"), attribute.String("service.version", r.Version),
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
		sdkmetric.WithExemplarFilter(exemplar.AlwaysOffFilter), sdkmetric.WithCardinalityLimit((mostPhases+1)*(mostKinds+1)*len(classes)))
	meter := meters.Meter("loadgen")
	histogram := func(name, what string) (metric.Float64Histogram, error) {
		return meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what), metric.WithExplicitBucketBoundaries(live.Bounds()...))
	}
	var faults [5]error
	e.response, faults[0] = histogram("loadgen.operation.duration", "Time of operations, from when each was due to the end of its last attempt.")
	e.service, faults[1] = histogram("loadgen.attempt.duration", "Time of single attempts, from when each was sent to its reply.")
	e.lag, faults[2] = histogram("loadgen.operation.lag", "How long after it was due each operation was first sent.")
	faults[3] = e.observeSums(meter)
	faults[4] = e.observeGauges(meter)
	if err := errors.Join(faults[:]...); err != nil {
		return nil, err
	}
	e.tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(&e.gathered), sdktrace.WithResource(about),
		sdktrace.WithSampler(sdktrace.AlwaysSample())).Tracer("loadgen")
	loop, end := context.WithCancel(ctx)
	e.end = end
	e.done.Go(func() {
		for next := e.clock.Now(); ; {
			next = max(next.Add(e.client.endpoint.every), e.clock.Now())
			if e.clock.Sleep(loop, next) != nil {
				return
			}
			e.export(loop, e.now())
		}
	})
	return e, nil
}

// Phase is told of each phase with the record's number of it.
func (e *Exporter) Phase(index int, told *results.Phase) {
	if index < 0 || index >= mostPhases {
		return
	}
	g := e.grid
	g.mu.Lock()
	defer g.mu.Unlock()
	known := *g.phases.Load()
	known = known[:len(known):len(known)]
	for len(known) < index {
		known = append(known, g.other)
	}
	one := g.newPhase(strings.ToValidUTF8(told.Name, "?"), told.Reported)
	if len(known) == index {
		known = append(known, one)
	} else {
		known = append(append(known[:index:index], one), known[index+1:]...)
	}
	g.phases.Store(&known)
}

// Due is told of every operation as it is first sent, or dropped.
func (e *Exporter) Due(s *results.Scheduled) {
	t := e.grid.of(s.Phase, s.Kind)
	t.mu.Lock()
	t.scheduled++
	t.offered += s.Entities
	switch {
	case s.Dropped:
		t.dropped++
	case s.Sent-s.Intended > results.LateAfter:
		t.late++
	}
	t.mu.Unlock()
	if !s.Dropped {
		e.lag.Record(context.Background(), seconds(s.Sent-s.Intended), t.whole...)
	}
}

// Attempt is told of every attempt as it ends.
func (e *Exporter) Attempt(a *results.Attempt) {
	t := e.grid.of(a.Phase, a.Kind)
	class := classOf(a.Class)
	t.mu.Lock()
	t.attempts[class]++
	t.bytesOut += a.BytesOut
	t.bytesIn += a.BytesIn
	if a.Retry {
		t.retries++
	}
	t.mu.Unlock()
	e.service.Record(context.Background(), seconds(a.Done-a.Sent), t.byClass[class]...)
	if e.traces(a.Phase) {
		e.slowest.attempt(a)
	}
}

// Completed is told of every operation as it ends.
func (e *Exporter) Completed(c *results.Completed) {
	t := e.grid.of(c.Phase, c.Kind)
	class := classOf(c.Class)
	t.mu.Lock()
	t.completed[class]++
	t.served += c.Served
	t.mu.Unlock()
	e.response.Record(context.Background(), seconds(c.Done-c.Intended), t.byClass[class]...)
	if e.traces(c.Phase) {
		e.slowest.completed(c)
	}
}

// traces reports whether operations of a phase are traced: what prepares is not.
func (e *Exporter) traces(phase int) bool {
	return e.client.traces != nil && e.grid.phase(phase).reported
}

// Again and Event are told of what stats counts.
func (e *Exporter) Again(time.Duration) {}

// Event is as Again.
func (e *Exporter) Event(results.Event) {}

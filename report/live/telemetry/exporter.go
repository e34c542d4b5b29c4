package telemetry

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
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

// Scheduled observes every operation as it is first sent, or dropped.
func (e *Exporter) Scheduled(s *results.Scheduled) {
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

// The time limits of the last export: usually, and if the run was interrupted or the export before failed.
const (
	flushTimeout = 5 * time.Second
	shortTimeout = time.Second
)

// errLate is the cause of an export that took too long.
var errLate = errors.New("telemetry: no answer")

// export sends what there is at an instant. An export that the context cuts off is no failure, and is repeated.
func (e *Exporter) export(ctx context.Context, at time.Duration) {
	// Metrics count these traces, and are sent first, because they matter most.
	e.batch = append(e.batch, e.slowest.drain(at)...)
	failing := ""
	if e.client.metrics != nil {
		var all metricdata.ResourceMetrics
		err := e.reader.Collect(ctx, &all)
		if err == nil {
			err = e.client.metrics.Export(ctx, &all)
		}
		if !ended(ctx, err) {
			failing = e.countExport(ctx, "metrics", err)
		}
	}
	if e.client.traces != nil && len(e.batch) > 0 {
		e.gathered.spans = nil
		for _, l := range e.batch {
			e.trace(l)
		}
		err := e.client.traces.ExportSpans(ctx, e.gathered.spans)
		if !ended(ctx, err) {
			why := e.countExport(ctx, "traces", err)
			if why != "" {
				e.unsent.Add(int64(len(e.batch)))
			}
			failing, e.batch = cmp.Or(failing, why), nil
		}
	}
	if e.failing = failing; failing != "" && !e.said {
		e.said = true
		e.run.Say(fmt.Sprintf("--otlp %s: %s; the run continues, failed exports are counted", e.client.endpoint, failing))
	}
}

// ended reports whether an export failed only because its context ended.
func ended(ctx context.Context, err error) bool {
	cause := context.Cause(ctx)
	return err != nil && cause != nil && !errors.Is(cause, errLate)
}

// countExport counts an export, and returns the cause if it failed.
func (e *Exporter) countExport(ctx context.Context, what string, err error) string {
	e.exports.Add(1)
	if err == nil {
		return ""
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	e.failed.Add(1)
	return what + ": " + e.client.plain(err)
}

// Stop sends the rest, within five seconds, or one second if the export before failed or the run was interrupted, and
// ends what Start began. It is called once, after the last event.
func (e *Exporter) Stop() {
	e.end()
	e.done.Wait()
	e.flush()
	_, lost := e.slowest.counts()
	lost += e.unsent.Load()
	if failed := e.failed.Load(); failed > 0 || lost > 0 {
		line := fmt.Sprintf("--otlp %s: %d of %d exports failed, %d traces are lost", e.client.endpoint, failed, e.exports.Load(), lost)
		if e.failing != "" {
			line += "; the last export failed"
		}
		e.run.Say(line)
	}
}

// flush sends the remaining data.
func (e *Exporter) flush() {
	limit := flushTimeout
	if e.failing != "" || e.over.Err() != nil {
		limit = shortTimeout
	}
	ctx, release := clock.WithTimeout(context.WithoutCancel(e.over), e.run.Clock, limit, errLate)
	defer release()
	brief, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// An interrupt while this waits shortens the time.
	stop := context.AfterFunc(e.over, func() {
		if e.run.Clock.Sleep(brief, e.run.Clock.Now().Add(shortTimeout)) == nil {
			cancel(errLate)
		}
	})
	defer stop()
	// The current second is over, too.
	e.export(brief, e.run.Now()+time.Second)
}

// The limits of traces: operations of a second, the slowest that ended in it; attempts of an operation; operations in
// flight that are followed; traces that wait to be sent.
const (
	eachSecond  = 3
	maxAttempts = 32
	maxFollowed = 16_384
	maxWaiting  = 300
)

// life is an operation with its attempts.
type life struct {
	results.Completed
	// attempts is the number of attempts, tries has the first of them.
	attempts int
	tries    []try
	// key is the partition of its first attempt, empty if keys are not exported.
	key string
}

func (l *life) duration() time.Duration { return l.Done - l.Intended }

// try is one attempt of an operation.
type try struct {
	sent, done time.Duration
	class      results.Class
	status     int
	code       string
	retry      bool
	injected   bool
}

// slowest follows operations and keeps the slowest of each second.
type slowest struct {
	keys bool

	// mu guards the following fields.
	mu sync.Mutex
	// under are the operations in flight, by number.
	under map[uint64]*life
	// second is the current one.
	second int64
	// slow are the slowest of the second so far, slowest first; waiting are those of earlier seconds that were not taken
	// yet.
	slow, waiting []*life
	// sampled is the number of operations among the slowest of their second, lost of those that were not taken or could
	// not be followed.
	sampled, lost int64
}

func newSlowest(keys bool) *slowest { return &slowest{keys: keys, under: make(map[uint64]*life)} }

// attempt observes every attempt as it ends.
func (s *slowest) attempt(a *results.Attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.under[a.Number]
	if l == nil {
		if len(s.under) >= maxFollowed {
			s.lost++
			return
		}
		l = new(life)
		if s.keys && a.HasPartition {
			l.key = strings.ToValidUTF8(results.PartitionName(a.Table, a.PartitionKey), "?")
		}
		s.under[a.Number] = l
	}
	l.attempts++
	if len(l.tries) < maxAttempts {
		l.tries = append(l.tries, try{a.Sent, a.Done, a.Class, a.Status, strings.Clone(a.Code), a.Retry, a.Injected != ""})
	}
}

// completed observes every operation as it ends.
func (s *slowest) completed(c *results.Completed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.under[c.Number]
	if l == nil {
		return
	}
	delete(s.under, c.Number)
	l.Completed = *c
	if second := int64(l.Done / time.Second); second > s.second {
		s.begin(second)
	}
	at, _ := slices.BinarySearchFunc(s.slow, l, func(a, b *life) int {
		return cmp.Or(cmp.Compare(b.duration(), a.duration()), cmp.Compare(a.Number, b.Number))
	})
	if at < eachSecond {
		s.slow = slices.Insert(s.slow, at, l)
		s.slow = s.slow[:min(len(s.slow), eachSecond)]
	}
}

// begin begins a second. The caller holds mu.
func (s *slowest) begin(second int64) {
	s.sampled += int64(len(s.slow))
	room := min(len(s.slow), maxWaiting-len(s.waiting))
	s.waiting = append(s.waiting, s.slow[:room]...)
	s.lost += int64(len(s.slow) - room)
	s.slow = nil
	s.second = second
}

// drain returns the slowest of the seconds that are over at an instant and not drained yet.
func (s *slowest) drain(at time.Duration) []*life {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := int64(at / time.Second); second > s.second {
		s.begin(second)
	}
	waiting := s.waiting
	s.waiting = nil
	return waiting
}

// counts returns the number of operations that were to be traced, and of those that are lost.
func (s *slowest) counts() (sampled, lost int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sampled, s.lost
}

// gathered keeps ended spans for the goroutine that sends them.
type gathered struct{ spans []sdktrace.ReadOnlySpan }

// OnStart implements [sdktrace.SpanProcessor], as all methods do.
func (*gathered) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd keeps a span.
func (g *gathered) OnEnd(s sdktrace.ReadOnlySpan) { g.spans = append(g.spans, s) }

// Shutdown does nothing.
func (*gathered) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing.
func (*gathered) ForceFlush(context.Context) error { return nil }

func (e *Exporter) timestamp(offset time.Duration) trace.SpanEventOption {
	return trace.WithTimestamp(e.run.Started.Add(offset))
}

func (e *Exporter) trace(l *life) {
	operation, phase, _ := e.series.names(l.Phase, l.Kind)
	about := []attribute.KeyValue{
		otlpNames.operation.String(operation), otlpNames.phase.String(phase),
		attribute.String(outcomeKey, l.Class.String()), attribute.Int64("loadgen.operation.number", int64(l.Number)),
		attribute.Int("loadgen.attempts", l.attempts), attribute.String("db.system.name", "azure.table"),
	}
	if len(l.tries) > 0 {
		about = append(about, attribute.Float64("loadgen.lag", seconds(l.tries[0].sent-l.Intended)))
	}
	if l.key != "" {
		about = append(about, otlpNames.partition.String(l.key))
	}
	ctx, root := e.tracer.Start(context.Background(), operation, trace.WithNewRoot(), e.timestamp(l.Intended), trace.WithAttributes(about...))
	for i := range l.tries {
		t := &l.tries[i]
		if i > 0 && t.retry && t.sent > l.tries[i-1].done {
			_, wait := e.tracer.Start(ctx, "back-off", e.timestamp(l.tries[i-1].done))
			wait.End(e.timestamp(t.sent))
		}
		about := []attribute.KeyValue{attribute.Int("loadgen.attempt", i), attribute.String(outcomeKey, t.class.String())}
		if t.status > 0 {
			about = append(about, attribute.Int("http.response.status_code", t.status))
		}
		if t.injected {
			about = append(about, attribute.Bool("loadgen.injected", true))
		}
		if t.class != results.Ok {
			about = append(about, attribute.String("error.type", cmp.Or(strings.ToValidUTF8(t.code, "?"), strconv.Itoa(t.status))))
		}
		_, span := e.tracer.Start(ctx, "attempt", trace.WithSpanKind(trace.SpanKindClient), e.timestamp(t.sent), trace.WithAttributes(about...))
		if t.class != results.Ok {
			span.SetStatus(codes.Error, t.class.String())
		}
		span.End(e.timestamp(t.done))
	}
	if l.Class != results.Ok {
		root.SetStatus(codes.Error, l.Class.String())
	}
	root.End(e.timestamp(l.Done))
}

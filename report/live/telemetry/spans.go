package telemetry

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"loadgen/results"
)

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
	operation, phase, _ := e.series.names(l.phase, l.kind)
	about := []attribute.KeyValue{
		otlpNames.operation.String(operation), otlpNames.phase.String(phase),
		attribute.String(outcomeKey, l.class.String()), attribute.Int64("loadgen.operation.number", int64(l.number)),
		attribute.Int("loadgen.attempts", l.attempts), attribute.String("db.system.name", "azure.table"),
	}
	if len(l.tries) > 0 {
		about = append(about, attribute.Float64("loadgen.lag", seconds(l.tries[0].sent-l.intended)))
	}
	if l.key != "" {
		about = append(about, otlpNames.partition.String(l.key))
	}
	ctx, root := e.tracer.Start(context.Background(), operation, trace.WithNewRoot(), e.timestamp(l.intended), trace.WithAttributes(about...))
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
	if l.class != results.Ok {
		root.SetStatus(codes.Error, l.class.String())
	}
	root.End(e.timestamp(l.done))
}

package telemetry

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"loadgen/results"
)

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
	kind, phase    int
	number         uint64
	intended, done time.Duration
	class          results.Class
	// attempts is the number of attempts, tries has the first of them.
	attempts int
	tries    []try
	// key is the partition of its first attempt, empty if keys are not exported.
	key string
}

func (l *life) duration() time.Duration { return l.done - l.intended }

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
	l.kind, l.phase, l.number, l.class = c.Kind, c.Phase, c.Number, c.Class
	l.intended, l.done = c.Intended, c.Done
	if second := int64(l.done / time.Second); second > s.second {
		s.begin(second)
	}
	at, _ := slices.BinarySearchFunc(s.slow, l, func(a, b *life) int {
		return cmp.Or(cmp.Compare(b.duration(), a.duration()), cmp.Compare(a.number, b.number))
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

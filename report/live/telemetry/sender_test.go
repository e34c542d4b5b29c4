package telemetry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"loadgen/engine/clock"
	"loadgen/report/live"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// fake is both exporters of an endpoint that does as answer says.
type fake struct {
	answer func(ctx context.Context, number int) error
	mu     sync.Mutex
	asked  int
	// spans are those that arrived.
	spans []sdktrace.ReadOnlySpan
}

func (f *fake) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(k)
}
func (f *fake) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}
func (f *fake) Export(ctx context.Context, _ *metricdata.ResourceMetrics) error { return f.ask(ctx) }
func (f *fake) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := f.ask(ctx)
	if err == nil {
		f.spans = append(f.spans, spans...)
	}
	return err
}
func (f *fake) ForceFlush(context.Context) error { return nil }
func (f *fake) Shutdown(context.Context) error   { return nil }

func (f *fake) ask(ctx context.Context) error {
	f.mu.Lock()
	f.asked++
	number := f.asked
	f.mu.Unlock()
	return f.answer(ctx, number)
}

func silent(ctx context.Context, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

func down(context.Context, int) error { return errors.New("status 401:\nno access for abc def") }

// sending is an exporter to a fake endpoint, of a run that has one slow operation.
func sending(t *testing.T, ctx context.Context, f *fake, said *[]string) *Exporter {
	t.Helper()
	c := &Client{endpoint: &endpoint{metrics: "http://collector/v1/metrics", every: 5 * time.Second, secrets: []string{"abc def"}}, metrics: f, traces: f}
	clk, kinds := clock.NewReal(), []results.Kind{{Name: "get"}}
	e, err := c.Start(ctx, Run{Scenario: "drawn", Started: clk.Started(), Now: func() time.Duration { return clk.Now().Offset() },
		Kinds: kinds, Recorder: resultstest.Open(t, new(results.Memory), results.Manifest{Operations: kinds}), Stats: live.New(), Clock: clk, Say: func(line string) { *said = append(*said, line) }})
	require.NoError(t, err)
	e.Phase(0, &results.Phase{Name: "peak", Reported: true})
	return e
}

// slow tells of an operation that ends now, after a refusal and a back-off.
func slow(e *Exporter, number uint64) {
	now := e.run.Now()
	e.Due(&results.Scheduled{Intended: now - 90*time.Millisecond, Sent: now - 80*time.Millisecond})
	e.Attempt(&results.Attempt{Number: number, Sent: now - 80*time.Millisecond, Done: now - 70*time.Millisecond, Class: results.Throttled, Status: 503, Code: "ServerBusy"})
	e.Attempt(&results.Attempt{Number: number, Sent: now - 30*time.Millisecond, Done: now, Class: results.Ok, Status: 200, Retry: true, Try: 1})
	e.Completed(&results.Completed{Number: number, Intended: now - 90*time.Millisecond, Done: now, Class: results.Ok})
}

func TestEndpointsThatDoNotTake(t *testing.T) {
	hangs := []string{"no answer in time", "2 of 2 exports failed, 1 traces are lost; the last"}
	for _, tt := range []struct {
		name   string
		answer func(context.Context, int) error
		// lasts is how long the run does, interrupted that somebody then wants its end, and
		// hurried how long after that somebody does.
		lasts       time.Duration
		interrupted bool
		hurried     time.Duration
		// stops is how long the end then takes, asked how many exports there were, said what
		// was said.
		stops time.Duration
		asked int
		said  []string
	}{
		{"it takes all", func(context.Context, int) error { return nil }, 11 * time.Second, false, 0, 0, 4, nil},
		{"it refuses: said once, and at the end", down, 11 * time.Second, false, 0, 0, 4,
			[]string{"status 401: no access for …", "4 of 4 exports failed, 1 traces are lost; the last"}},
		{"it is there again", func(ctx context.Context, n int) error {
			if n <= 2 {
				return down(ctx, n)
			}
			return nil
		}, 11 * time.Second, false, 0, 0, 4, []string{"status 401: no access for …", "2 of 4 exports failed, 1 traces are lost"}},
		{"it never answers: five seconds at the end", silent, 3 * time.Second, false, 0, 5 * time.Second, 2, hangs},
		{"it never answers, and an export hangs as the run ends", silent, 7 * time.Second, false, 0, 5 * time.Second, 4, hangs},
		{"interrupted, it has a second", silent, 7 * time.Second, true, 0, time.Second, 4, hangs},
		{"interrupted while the end waits, too", silent, 7 * time.Second, false, 1500 * time.Millisecond, 2500 * time.Millisecond, 4, hangs},
		{"interrupted, what takes all has all", func(context.Context, int) error { return nil }, 7 * time.Second, true, 0, 0, 3, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancelCause(t.Context())
				interrupt := func() { end(errors.New("interrupted")) }
				defer interrupt()
				var said []string
				f := &fake{answer: tt.answer}
				e := sending(t, ctx, f, &said)
				time.Sleep(time.Second)
				slow(e, 1)
				time.Sleep(tt.lasts - time.Second)
				if tt.interrupted {
					interrupt()
				} else if tt.hurried > 0 {
					timer := time.AfterFunc(tt.hurried, interrupt)
					defer timer.Stop()
				}
				begin := time.Now()
				e.Stop()
				assert.Equal(t, tt.stops, time.Since(begin), "the end took")
				assert.Truef(t, slices.EqualFunc(said, tt.said, strings.Contains) && f.asked == tt.asked,
					"asked %d times, it said\n%q\nwant %d and\n%q", f.asked, said, tt.asked, tt.said)
			})
		})
	}
}

// A trace shows its operation from when it was due, each attempt and the wait between them,
// at their instants; it is sent once more where its export was cut off.
func TestTraceOfAnOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		f := &fake{answer: func(ctx context.Context, n int) error {
			if n == 1 {
				return silent(ctx, n)
			}
			return nil
		}}
		e := sending(t, t.Context(), f, &said)
		time.Sleep(2 * time.Second)
		slow(e, 17)
		time.Sleep(4 * time.Second)
		e.Stop()
		got := ""
		for _, s := range f.spans {
			from := e.run.Started
			got += fmt.Sprintf("%s %v..%v %s", s.Name(), s.StartTime().Sub(from), s.EndTime().Sub(from), s.Status().Code)
			for _, one := range s.Attributes() {
				got += fmt.Sprintf(" %s=%v", one.Key, one.Value.AsInterface())
			}
			got += "\n"
		}
		want := `attempt 1.92s..1.93s Error loadgen.attempt=0 loadgen.outcome=throttled http.response.status_code=503 error.type=ServerBusy
back-off 1.93s..1.97s Unset
attempt 1.97s..2s Unset loadgen.attempt=1 loadgen.outcome=ok http.response.status_code=200
get 1.91s..2s Unset loadgen.operation=get loadgen.phase=peak loadgen.outcome=ok loadgen.operation.number=17 loadgen.attempts=2 db.system.name=azure.table loadgen.lag=0.01
`
		assert.Truef(t, got == want && len(said) <= 0, "the spans are\n%s\nwant\n%s\nand it said %q", got, want, said)
	})
}

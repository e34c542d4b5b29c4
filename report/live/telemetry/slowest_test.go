package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// drawn are operations of several attempts, in the order in which they end.
func drawn(seed uint64, n int) []*life {
	chance := rand.New(rand.NewPCG(seed, 3))
	list := make([]*life, n)
	for i := range list {
		l := &life{Completed: results.Completed{Number: uint64(i), Intended: time.Duration(i) * 3 * time.Millisecond, Class: results.Ok}}
		at := l.Intended
		for range 1 + chance.IntN(40) {
			sent := at + time.Duration(chance.ExpFloat64()*float64(time.Millisecond))
			// Many take the same, so that ties are met.
			at = sent + time.Duration(1+chance.IntN(4))*time.Millisecond
			l.tries = append(l.tries, try{sent: sent, done: at, class: results.Ok, retry: len(l.tries) > 0})
		}
		l.attempts, l.Done = len(l.tries), at
		list[i] = l
	}
	slices.SortStableFunc(list, func(a, b *life) int { return cmp.Compare(a.Done, b.Done) })
	return list
}

// play tells of operations in order, from as many goroutines as there are.
func play(s *slowest, list []*life) {
	for _, l := range list {
		for try, one := range l.tries {
			s.attempt(&results.Attempt{Number: l.Number, Try: try, Sent: one.sent, Done: one.done, Class: one.class, Retry: one.retry})
		}
		s.completed(&l.Completed)
	}
}

func listed(lives []*life) (text string) {
	for _, l := range lives {
		text += fmt.Sprintf("%d took %v by %d of %d attempts, the last until %v\n", l.Number, l.duration(), len(l.tries), l.attempts, l.tries[len(l.tries)-1].done)
	}
	return text
}

// The slowest of each second are those that sorting all of it gives, with their attempts.
func TestSlowestOfEachSecond(t *testing.T) {
	for seed := range uint64(resultstest.Cases(3, 20)) {
		list := drawn(seed, 2000)
		bySecond := map[int64][]*life{}
		for _, l := range list {
			second := int64(l.Done / time.Second)
			bySecond[second] = append(bySecond[second], l)
		}
		var want []*life
		for second := range int64(60) {
			of := bySecond[second]
			slices.SortFunc(of, func(a, b *life) int {
				return cmp.Or(cmp.Compare(b.duration(), a.duration()), cmp.Compare(a.Number, b.Number))
			})
			for _, l := range of[:min(len(of), eachSecond)] {
				own := *l
				own.tries = own.tries[:min(len(own.tries), maxAttempts)]
				want = append(want, &own)
			}
		}
		s := newSlowest(false)
		play(s, list)
		got := s.drain(time.Hour)
		require.Truef(t, listed(got) == listed(want),
			"seed %d: the slowest are\n%s\nwant\n%s", seed, listed(got), listed(want))
		if sampled, lost := s.counts(); sampled != int64(len(want)) || lost != 0 || len(s.drain(2*time.Hour)) > 0 {
			t.Errorf("seed %d: %d sampled, %d lost; want %d, 0, and each taken once", seed, sampled, lost, len(want))
		}
	}
}

// Several goroutines observe at once: an operation is sampled once at most, with its own attempts.
func TestSlowestOfSeveralGoroutines(t *testing.T) {
	list, s, attempts := drawn(7, 4000), newSlowest(false), map[uint64]int{}
	var all sync.WaitGroup
	for part := range slices.Chunk(list, 1000) {
		all.Go(func() { play(s, part) })
	}
	all.Wait()
	for _, l := range list {
		attempts[l.Number] = l.attempts
	}
	sampled := s.drain(time.Hour)
	assert.GreaterOrEqual(t, len(sampled), eachSecond, "sampled operations")
	for _, l := range sampled {
		assert.Equalf(t, attempts[l.Number], l.attempts, "attempts of operation %d", l.Number)
		delete(attempts, l.Number)
	}
}

// What nobody takes, and what is too much to follow, is counted.
func TestSlowestIsBounded(t *testing.T) {
	s := newSlowest(false)
	for second := range 200 {
		for n := range uint64(3) {
			done := time.Duration(second)*time.Second + time.Millisecond
			s.attempt(&results.Attempt{Number: n, Done: done})
			s.completed(&results.Completed{Number: n, Intended: done - time.Millisecond, Done: done})
		}
	}
	taken := len(s.drain(time.Hour))
	if sampled, lost := s.counts(); taken != maxWaiting || sampled != 600 || lost != 600-maxWaiting {
		t.Errorf("%d are taken, of %d sampled, %d lost; want %d of 600", taken, sampled, lost, maxWaiting)
	}
	for n := range uint64(maxFollowed + 100) {
		s.attempt(&results.Attempt{Number: n})
	}
	_, lost := s.counts()
	assert.Truef(t, lost == 600-maxWaiting+100, "%d are lost; want a hundred more, which cannot be followed", lost)
}

func TestFind(t *testing.T) {
	type vars = map[string]string
	folder := t.TempDir()
	noPEM := filepath.Join(folder, "no.pem")
	require.NoError(t, os.WriteFile(noPEM, []byte("nothing"), 0o600))
	const standard = "http://localhost:4318/v1/metrics http://localhost:4318/v1/traces 5s"
	for _, tt := range []struct {
		name, typed string
		variables   vars
		// want are the URLs and the interval, or a part of what is wrong.
		want string
	}{
		{"a URL", "http://localhost:4318", nil, standard},
		{"with a slash", "http://localhost:4318/", nil, standard},
		{"https, with a path, as some services have it", "https://otlp.example/otlp", nil, "https://otlp.example/otlp/v1/metrics https://otlp.example/otlp/v1/traces 5s"},
		{"it comes before the environment", "http://localhost:4318", vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://other:1", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "x"}, standard},
		{"that of the environment", "env", vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://other:1"}, "http://other:1/v1/metrics http://other:1/v1/traces 5s"},
		{"which is where a collector listens if it says nothing", "env", nil, standard},
		{"a signal's own is as it stands", "env", vars{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://prom:9090/api/v1/otlp/v1/metrics", "OTEL_TRACES_EXPORTER": "none"}, "http://prom:9090/api/v1/otlp/v1/metrics  5s"},
		{"an interval", "env", vars{"OTEL_METRIC_EXPORT_INTERVAL": "60000"}, "http://localhost:4318/v1/metrics http://localhost:4318/v1/traces 1m0s"},

		{"no URL", "localhost:4318", nil, `"localhost:4318"; expected a URL`},
		{"no host", "http://:4318", nil, "expected a URL"},
		{"no port behind a colon", "http://localhost:", nil, "expected a URL"},
		{"nothing", "", nil, "expected a URL"},
		{"another scheme", "ftp://localhost", nil, "expected a URL"},
		{"a port that is none", "http://localhost:99999", nil, "65535"},
		{"a user", "http://me:secret@localhost", nil, `"http://…@localhost"`},
		{"a user, in what cannot be read", "http://me:secret@local host", nil, "expected a URL"},
		{"a user, without a scheme", "me:secret@localhost", nil, "expected a URL"},
		{"a query", "http://localhost?api_key=secret", nil, `"http://localhost"`},
		{"a signal's URL", "http://localhost:4318/v1/metrics", nil, "/v1/metrics"},
		{"a bad URL in the environment", "env", vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:1"}, `OTEL_EXPORTER_OTLP_ENDPOINT is "localhost:1"`},
		{"gRPC", "http://localhost:4317", vars{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; expected http/protobuf`},
		{"another protocol", "env", vars{"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}, `OTEL_EXPORTER_OTLP_PROTOCOL is "http/json"`},
		{"another exporter", "env", vars{"OTEL_METRICS_EXPORTER": "prometheus"}, `OTEL_METRICS_EXPORTER is "prometheus"`},
		{"nothing to send", "env", vars{"OTEL_METRICS_EXPORTER": "none", "OTEL_TRACES_EXPORTER": "none"}, "none"},
		{"headers that are none", "env", vars{"OTEL_EXPORTER_OTLP_HEADERS": "secret"}, "OTEL_EXPORTER_OTLP_HEADERS: "},
		{"a header of two lines", "env", vars{"OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=secret%0a"}, "OTEL_EXPORTER_OTLP_TRACES_HEADERS: "},
		{"a header that has no name", "env", vars{"OTEL_EXPORTER_OTLP_HEADERS": "a b=secret"}, "OTEL_EXPORTER_OTLP_HEADERS: "},
		{"a timeout", "env", vars{"OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, `OTEL_EXPORTER_OTLP_TIMEOUT is "10s"`},
		{"an interval too short", "env", vars{"OTEL_METRIC_EXPORT_INTERVAL": "1"}, "at least 100"},
		{"a compression", "env", vars{"OTEL_EXPORTER_OTLP_COMPRESSION": "br"}, "gzip"},
		{"a certificate that is not there", "env", vars{"OTEL_EXPORTER_OTLP_CERTIFICATE": filepath.Join(folder, "none")}, "OTEL_EXPORTER_OTLP_CERTIFICATE: open"},
		{"a certificate that is none", "env", vars{"OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE": noPEM}, "PEM"},
		{"a key that is none", "env", vars{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": noPEM, "OTEL_EXPORTER_OTLP_CLIENT_KEY": noPEM}, "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: "},
	} {
		e, err := find(tt.typed, func(name string) string { return tt.variables[name] })
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = e.metrics + " " + e.traces + " " + e.every.String()
		}
		if err == nil && got != tt.want || err != nil && (!strings.Contains(got, tt.want) || strings.HasPrefix(tt.want, "http")) {
			t.Errorf("%s: %s; want %s", tt.name, got, tt.want)
		}
		assert.Truef(t, !strings.Contains(got, "secret") && !strings.Contains(got, "\n"),
			"%s: it tells a secret, or two lines: %s", tt.name, got)
	}
}

// What is typed is an endpoint of which both URLs can be asked, or wrong in one line.
func FuzzFind(f *testing.F) {
	f.Add("http://localhost:4318", "a=b", "grpc")
	f.Add("http://u:p@[::1]:1/x?y#z", "a=%41,b=c%", "")
	f.Add("env", "=", "http/protobuf")
	f.Fuzz(func(t *testing.T, typed, headers, protocol string) {
		e, err := find(typed, func(name string) string {
			switch name {
			case "OTEL_EXPORTER_OTLP_HEADERS":
				return headers
			case "OTEL_EXPORTER_OTLP_PROTOCOL":
				return protocol
			}
			return ""
		})
		if err != nil {
			text := err.Error()
			assert.Falsef(t, strings.ContainsAny(text, "\n\r"), "%q is wrong in several lines: %q", typed, text)
			return
		}
		_, err = address(e.metrics)
		assert.Truef(t, err == nil && e.every == 5*time.Second, "%q is sent to %q: %v", typed, e.metrics, err)
	})
}

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
	e.Scheduled(&results.Scheduled{Intended: now - 90*time.Millisecond, Sent: now - 80*time.Millisecond})
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

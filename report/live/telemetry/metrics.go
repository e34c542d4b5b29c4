package telemetry

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/otel/attribute"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"

	"loadgen/engine/rest"
	"loadgen/report/live"
	"loadgen/results"
)

// Metrics are those of a run that a [Server] serves.
type Metrics struct {
	registry *prometheus.Registry
	duration metric.Float64Histogram
	series   *series
}

var prometheusNames = instrumentNames{
	operation: "op", phase: "phase", rank: "rank", partition: "partition",
	inFlight: "loadgen_in_flight_attempts", targetRate: "loadgen_target_operations_per_second",
	offeredRate: "loadgen_offered_entities_per_second", servedRate: "loadgen_served_entities_per_second",
	heat: "loadgen_partition_heat_entities_per_second",
}

// statusClasses are the variants of the series of durations by the first digit of a status; the first is that of no
// answer.
var statusClasses = [...]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}

// maxScrapes is the greatest number of scrapes that are answered at a time.
const maxScrapes = 4

// NewMetrics returns the metrics of a run.
func NewMetrics(r Run) (*Metrics, error) {
	e := &Metrics{registry: prometheus.NewRegistry()}
	var variants [][]attribute.KeyValue
	for _, class := range statusClasses {
		variants = append(variants, []attribute.KeyValue{attribute.String("status_class", class)})
	}
	e.series = newSeries(&prometheusNames, r.Kinds, variants...)
	// Names are complete, with units and "_total".
	reader, err := otelprometheus.New(otelprometheus.WithRegisterer(e.registry), otelprometheus.WithoutTargetInfo(), otelprometheus.WithoutScopeInfo(),
		otelprometheus.WithTranslationStrategy(otlptranslator.UnderscoreEscapingWithoutSuffixes))
	if err != nil {
		return nil, err
	}
	m := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithExemplarFilter(exemplar.AlwaysOffFilter),
		sdkmetric.WithCardinalityLimit((maxPhases+1)*(maxKinds+1)*len(statusClasses))).Meter("loadgen")
	var faults [4]error
	e.duration, faults[0] = durations(m, "loadgen_request_duration_seconds", "Time of single attempts, from when each was sent to its reply.")
	faults[1] = registerCounters(m, counters(), func(each func(*live.Totals)) {
		totals := r.Stats.Totals()
		each(&totals)
	})
	_, faults[2] = m.Int64ObservableGauge("loadgen_build_info", metric.WithDescription("1, with the build of loadgen."),
		metric.WithInt64Callback(func(_ context.Context, to metric.Int64Observer) error {
			to.Observe(1, metric.WithAttributes(attribute.String("version", r.Tool.Version), attribute.String("revision", r.Tool.Commit),
				attribute.String("goversion", r.Tool.Go)))
			return nil
		}))
	faults[3] = r.registerGauges(m, &prometheusNames)
	return e, errors.Join(faults[:]...)
}

// counters are the totals of a run.
func counters() []counter[*live.Totals] {
	return []counter[*live.Totals]{
		total("loadgen_scheduled_operations_total", "{operation}", "Operations that were due.", func(t *live.Totals) int64 { return t.Scheduled }),
		total("loadgen_dropped_operations_total", "{operation}", "Operations that were due and never sent.", func(t *live.Totals) int64 { return t.Dropped }),
		total("loadgen_late_operations_total", "{operation}", "Operations first sent more than 5 ms after they were due.", func(t *live.Totals) int64 { return t.Late }),
		total("loadgen_operations_total", "{operation}", "Operations that ended.", func(t *live.Totals) int64 { return t.Operations }),
		total("loadgen_sent_attempts_total", "{attempt}", "Attempts that were sent.", (*live.Totals).Begun),
		total("loadgen_attempts_total", "{attempt}", "Attempts that ended: ok, throttled or failed.", func(t *live.Totals) int64 { return t.Attempts }),
		total("loadgen_ok_attempts_total", "{attempt}", "Attempts that were served.", func(t *live.Totals) int64 { return t.Ok }),
		total("loadgen_throttled_attempts_total", "{attempt}", "Attempts that were throttled.", func(t *live.Totals) int64 { return t.Throttled }),
		total("loadgen_failed_attempts_total", "{attempt}", "Attempts that failed otherwise.", func(t *live.Totals) int64 { return t.Failed }),
		total("loadgen_served_entities_total", "{entity}", "Entities counted for successes.", func(t *live.Totals) int64 { return t.Served }),
	}
}

// Handler answers scrapes.
func (e *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(e.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes, EnableOpenMetrics: true})
}

// Phase implements a watcher, as the following methods do.
func (e *Metrics) Phase(index int, phase *results.Phase) { e.series.addPhase(index, phase) }

// Attempt observes every attempt as it ends.
func (e *Metrics) Attempt(a *results.Attempt) {
	class := a.Status / 100
	if class < 0 || class >= len(statusClasses) {
		class = 0 // as without an answer
	}
	e.duration.Record(context.Background(), (a.Done - a.Sent).Seconds(), e.series.attributesOf(a.Phase, a.Kind, class).record...)
}

// Completed does nothing: the recorder counts operations.
func (e *Metrics) Completed(*results.Completed) {}

// Scheduled is as Completed.
func (e *Metrics) Scheduled(*results.Scheduled) {}

// Event is as Completed.
func (e *Metrics) Event(results.Event) {}

// Path is the path of metrics, as Prometheus expects it.
const Path = "/metrics"

// readTimeout is the time that a scraper has to send its request.
const readTimeout = 5 * time.Second

// Server serves metrics of the current run. A nil one serves nothing. The caller of Listen closes it.
type Server struct {
	listener net.Listener
	server   *http.Server
	done     sync.WaitGroup
	// now answers for the current run.
	now atomic.Pointer[http.Handler]
}

// Listen opens an address: a port, or a host and a port. Without a host it is reachable from this machine only.
func Listen(address string) (*Server, error) {
	listener, err := rest.ListenAt(address, false)
	if err != nil {
		return nil, err
	}
	return &Server{listener: listener}, nil
}

// URL returns the URL of the metrics, empty for a nil server.
func (s *Server) URL() string {
	if s == nil {
		return ""
	}
	return "http://" + s.listener.Addr().String() + Path
}

// Reachable reports whether other machines can reach the metrics, which have no access control; false for a nil server.
func (s *Server) Reachable() bool { return s != nil && rest.IsReachable(s.listener.Addr()) }

// Serve begins to answer scrapes about a run, in place of an earlier one.
func (s *Server) Serve(e *Metrics) {
	handler := e.Handler()
	s.now.Store(&handler)
	if s.server != nil {
		return
	}
	paths := http.NewServeMux()
	paths.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) { (*s.now.Load()).ServeHTTP(w, r) })
	var guarded http.Handler = paths
	if !s.Reachable() {
		guarded = rest.RequireLocal(paths)
	}
	s.server = &http.Server{Handler: guarded, ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, IdleTimeout: time.Minute}
	// It ends with the server. Its error is of no use then.
	s.done.Go(func() { _ = s.server.Serve(s.listener) })
}

// Close ends what Listen and Serve began, and scrapes in progress.
func (s *Server) Close() {
	switch {
	case s == nil:
	case s.server == nil:
		_ = s.listener.Close()
	default:
		_ = s.server.Close()
		s.done.Wait()
	}
}

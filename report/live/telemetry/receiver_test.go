package telemetry_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metricsapi "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracesapi "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"loadgen/report/live/telemetry"
)

// receiver is a collector that keeps what it is sent, by the official protobufs.
type receiver struct {
	metricsapi.UnimplementedMetricsServiceServer
	mu sync.Mutex
	// resource are the attributes of what was sent last, metrics the last state of each.
	resource map[string]string
	metrics  map[string]*metricspb.Metric
	spans    []*tracepb.Span
	headers  http.Header
	faults   []string
}

func valueOf(v *commonpb.AnyValue) string {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_IntValue:
		return fmt.Sprint(v.IntValue)
	}
	return fmt.Sprint(v)
}

func attributesOf(list []*commonpb.KeyValue) map[string]string {
	all := map[string]string{}
	for _, one := range list {
		all[one.GetKey()] = valueOf(one.GetValue())
	}
	return all
}

// Export implements the service of metrics.
func (r *receiver) Export(_ context.Context, asked *metricsapi.ExportMetricsServiceRequest) (*metricsapi.ExportMetricsServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.metrics == nil {
		r.metrics = map[string]*metricspb.Metric{}
	}
	for _, resource := range asked.GetResourceMetrics() {
		r.resource = attributesOf(resource.GetResource().GetAttributes())
		for _, scope := range resource.GetScopeMetrics() {
			for _, one := range scope.GetMetrics() {
				r.metrics[one.GetName()] = one
			}
		}
	}
	return &metricsapi.ExportMetricsServiceResponse{}, nil
}

// traces is the service of traces of a receiver.
type traces struct {
	tracesapi.UnimplementedTraceServiceServer
	*receiver
}

func (t traces) Export(_ context.Context, asked *tracesapi.ExportTraceServiceRequest) (*tracesapi.ExportTraceServiceResponse, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, resource := range asked.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			t.spans = append(t.spans, scope.GetSpans()...)
		}
	}
	return &tracesapi.ExportTraceServiceResponse{}, nil
}

// ServeHTTP implements OTLP over HTTP.
func (r *receiver) ServeHTTP(w http.ResponseWriter, asked *http.Request) {
	fault := func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.faults = append(r.faults, err.Error())
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	body := io.Reader(asked.Body)
	if asked.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(asked.Body); err != nil {
			fault(err)
			return
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		fault(err)
		return
	}
	r.mu.Lock()
	r.headers = asked.Header.Clone()
	r.mu.Unlock()
	switch asked.Method + " " + asked.URL.Path {
	case "POST /v1/metrics":
		var in metricsapi.ExportMetricsServiceRequest
		if err = proto.Unmarshal(text, &in); err == nil {
			_, err = r.Export(asked.Context(), &in)
		}
	case "POST /v1/traces":
		var in tracesapi.ExportTraceServiceRequest
		if err = proto.Unmarshal(text, &in); err == nil {
			_, err = traces{receiver: r}.Export(asked.Context(), &in)
		}
	default:
		err = fmt.Errorf("%s %s", asked.Method, asked.URL.Path)
	}
	if err != nil {
		fault(err)
		return
	}
	// The answers to both are empty messages, of no bytes.
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// received is a receiver over HTTP, and the client that sends there.
func received(t *testing.T, variables map[string]string) (*receiver, *telemetry.Client) {
	t.Helper()
	r := new(receiver)
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return r, opened(t, server.URL, variables)
}

// opened is a client. What the exporters read of the environment themselves is set there.
func opened(t *testing.T, typed string, variables map[string]string) *telemetry.Client {
	t.Helper()
	for name, value := range variables {
		t.Setenv(name, value)
	}
	c, err := telemetry.Open(t.Context(), typed, func(name string) string { return variables[name] })
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// sum adds up what a metric has where it has these attributes.
func (r *receiver) sum(name string, with ...string) (n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.metrics[name]
	for _, point := range one.GetSum().GetDataPoints() {
		if has(point.GetAttributes(), with) {
			n += point.GetAsInt()
		}
	}
	for _, point := range one.GetHistogram().GetDataPoints() {
		if has(point.GetAttributes(), with) {
			n += int64(point.GetCount())
		}
	}
	for _, point := range one.GetExponentialHistogram().GetDataPoints() {
		if has(point.GetAttributes(), with) {
			n += int64(point.GetCount())
		}
	}
	return n
}

// has reports whether attributes have all of these, each name=value.
func has(list []*commonpb.KeyValue, with []string) bool {
	all := attributesOf(list)
	return !slices.ContainsFunc(with, func(one string) bool {
		name, value, _ := strings.Cut(one, "=")
		return all[name] != value
	})
}

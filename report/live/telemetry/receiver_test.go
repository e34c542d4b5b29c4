package telemetry_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"loadgen/report/live/telemetry"
)

// receiver is a collector that keeps what it is sent, by the official protobufs.
type receiver struct {
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

// ServeHTTP implements OTLP over HTTP. Both replies are empty messages without bytes.
func (r *receiver) ServeHTTP(w http.ResponseWriter, asked *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headers = asked.Header.Clone()
	if err := r.receive(asked); err != nil {
		r.faults = append(r.faults, err.Error())
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (r *receiver) receive(asked *http.Request) error {
	body := io.Reader(asked.Body)
	if asked.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(asked.Body); err != nil {
			return err
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	switch asked.Method + " " + asked.URL.Path {
	case "POST /v1/metrics":
		var in metricspb.MetricsData
		err = proto.Unmarshal(text, &in)
		for _, resource := range in.GetResourceMetrics() {
			r.resource = attributesOf(resource.GetResource().GetAttributes())
			for _, scope := range resource.GetScopeMetrics() {
				for _, one := range scope.GetMetrics() {
					r.metrics[one.GetName()] = one
				}
			}
		}
	case "POST /v1/traces":
		var in tracepb.TracesData
		err = proto.Unmarshal(text, &in)
		for _, resource := range in.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				r.spans = append(r.spans, scope.GetSpans()...)
			}
		}
	default:
		err = fmt.Errorf("%s %s", asked.Method, asked.URL.Path)
	}
	return err
}

// received is a receiver over HTTP, and the client that sends there.
func received(t *testing.T, variables map[string]string) (*receiver, *telemetry.Client) {
	t.Helper()
	r := &receiver{metrics: map[string]*metricspb.Metric{}}
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

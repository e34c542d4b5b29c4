//go:build ci

package otlp_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metricsapi "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracesapi "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"loadgen/scenarios/run"
)

// Of a run in real time, with all its goroutines, over HTTP and over gRPC, the counts are
// those of the record, too.
func TestCountsOfALiveRun(t *testing.T) {
	for _, way := range []string{"http/protobuf", "grpc"} {
		t.Run(way, func(t *testing.T) {
			variables := map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": way, "OTEL_METRIC_EXPORT_INTERVAL": "200"}
			r, c := received(t, variables)
			if way == "grpc" {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				server := grpc.NewServer()
				metricsapi.RegisterMetricsServiceServer(server, r)
				tracesapi.RegisterTraceServiceServer(server, traces{receiver: r})
				served := make(chan error, 1)
				go func() { served <- server.Serve(listener) }()
				defer func() {
					server.Stop()
					<-served
				}()
				c = opened(t, "http://"+listener.Addr().String(), variables)
			}
			record := ran(t, c, run.InProcess, false, append(short, "model.partition_target=200", "phases.peak.rates=[100, 400]", "phases.peak.hold=false")...)
			sameCounts(t, r, record)
			checkUnits(t, r)
			assert.Truef(t, len(r.faults) <= 0 && len(r.spans) != 0,
				"the receiver met %v, and %d spans", r.faults, len(r.spans))
		})
	}
}

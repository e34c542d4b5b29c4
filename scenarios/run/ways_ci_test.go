//go:build ci

package run_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// The stress test comes to the same over TLS, over HTTP/2 and through a forward proxy: every
// operation that was due is carried out, and the record says which way it went.
func TestTheStressTestOnEveryWay(t *testing.T) {
	for _, row := range []struct {
		name, client, address string
		http2, proxied        bool
	}{
		{"TLS, the native client", run.Native, "", true, false},
		{"TLS and HTTP/1.1", run.NetHTTP, "", false, false},
		{"TLS and HTTP/2", run.NetHTTP, "", true, false},
		{"a forward proxy, TLS and HTTP/1.1", "", "https://example.com", false, true},
		{"a forward proxy, TLS and HTTP/2", "", "https://example.com", true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(account(t, "somebody's tables", model.Documented, nil))
			server.EnableHTTP2 = row.http2
			server.StartTLS()
			defer server.Close()
			address := server.URL
			var proxy *runtest.Proxy
			if row.proxied {
				address, proxy = row.address, useProxy(t, server.Listener.Addr().String(), http.StatusOK)
			}
			p := remote(t, server, address)
			p.Scenario = runtest.Builtin(t, "stress", "phases.load.entities=100", "phases.peak.hold=false", "phases.peak.rates=[200, 400]",
				"phases.peak.each=2s", "workers=32", "retry=none")
			p.Client = row.client
			record := runtest.Run(t, p)
			all, c := record.Total(results.Everything), record.Connections
			assert.Truef(t, all.Failed == 0 && all.Throttled == 0 && all.Ok >= 1200 && all.Scheduled == all.Sent+all.Dropped,
				"%d ok, %d throttled, %d failed of %d", all.Ok, all.Throttled, all.Failed, all.Scheduled)
			// The question before the run went the same way.
			if over := c.HTTP2; (over > 0) != (row.http2 && row.client != run.Native) || over > 0 && over != all.Attempts+1 {
				t.Errorf("%d of %d attempts went over HTTP/2", over, all.Attempts)
			}
			assert.Truef(t, c.Handshakes.Count == c.Opened && c.FirstByte.Count >= all.Attempts && c.Opened != 0 && c.Reused != 0,
				"the connections are %+v; want handshakes, and first bytes of all", c)
			assert.Equalf(t, row.proxied, record.Manifest.Proxy != "",
				"the record says that the proxy was %q", record.Manifest.Proxy)
			if proxy != nil {
				assert.NotZero(t, proxy.Tunnels.Load(), "tunnels of the proxy")
				assert.Zero(t, proxy.Unexpected.Load(), "requests to the proxy that are not the run's")
			}
			checkSecrets(t, p.Memory, record.Record, nil)
		})
	}
}

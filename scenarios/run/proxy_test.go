package run_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// useProxy sets the environment's proxy to one that connects to an address, or answers a status.
func useProxy(t *testing.T, address string, status int) *runtest.Proxy {
	t.Helper()
	p := &runtest.Proxy{Address: address, Status: status, Expected: func(r *http.Request, user, password string) bool {
		return r.Method == http.MethodConnect && r.Host == "example.com:443" && user == "me" && password == plantedProxyPassword
	}}
	t.Setenv("HTTPS_PROXY", strings.Replace(p.Start(t), "http://", "http://me:"+plantedProxyPassword+"@", 1))
	t.Setenv("NO_PROXY", "")
	return p
}

// A proxy in the way is named, with what it says, in one line without its password.
func TestAProxyInTheWay(t *testing.T) {
	server := serve(t, account(t, "somebody's tables", model.Off, nil).ServeHTTP)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed.Close()
	for _, row := range []struct {
		name    string
		answers int
		host    string
		says    string
		of      error
	}{
		{"one that wants a password", http.StatusProxyAuthRequired, "", "407", run.ErrTarget},
		{"one that lets nobody through", http.StatusForbidden, "", "403", run.ErrTarget},
		{"one that is not there", 0, closed.Addr().String(), closed.Addr().String(), run.ErrTarget},
		{"one whose address is none", 0, "ho st:x", "HTTPS_PROXY", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			proxy := useProxy(t, "", row.answers)
			if row.host != "" {
				t.Setenv("HTTPS_PROXY", "http://me:"+plantedProxyPassword+"@"+row.host)
			}
			p := remote(t, server, "https://example.com")
			_, err := run.Run(t.Context(), p)
			assert.Truef(t, err != nil && errors.Is(err, run.ErrTarget) == (row.of != nil) &&
				strings.Contains(err.Error(), row.says) && !strings.Contains(err.Error(), "\n"), "Run = %v", err)
			checkSecrets(t, p.Memory, nil, err)
			assert.Zero(t, proxy.Unexpected.Load(), "unexpected requests to the proxy")
		})
	}
}

// Which client sends: net/http to whoever is not this tool, and what is named where somebody
// names one.
func TestWhichClientSends(t *testing.T) {
	t.Parallel()
	const ours, another = "loadgen/1 (partition_target=2000; account_target=20000)", "somebody's tables"
	var all sync.WaitGroup
	for _, row := range []struct{ service, asked, want string }{
		{another, "", run.NetHTTP}, {another, run.Native, run.Native}, {ours, "", run.Native}, {ours, run.NetHTTP, run.NetHTTP},
	} {
		name, server := row.service+" by "+row.asked, serve(t, account(t, row.service, model.Off, nil).ServeHTTP)
		p := remote(t, server, server.URL)
		p.Client = row.asked
		all.Go(func() {
			record, err := run.Run(t.Context(), p)
			if !assert.NoError(t, err, name) {
				return
			}
			assert.Equal(t, row.want, record.Manifest.Client, name)
			sum := record.Total(results.Everything)
			assert.Truef(t, sum.Failed == 0 && sum.Ok > 0, "%s: %d ok, %d failed", name, sum.Ok, sum.Failed)
			for _, one := range record.Said.Slowest {
				assert.Truef(t, len(one.RequestID) == 36 && one.ClientRequestID != "" && one.Took > 0,
					"%s: one of the slowest is %+v; want the service's identifier of it", name, one)
			}
			assert.Len(t, record.Said.Slowest, 10, name)
		})
	}
	all.Wait()
}

func TestClientsThatAreNone(t *testing.T) {
	for says, plan := range map[string]run.Plan{
		"nearest is native": {On: run.Embedded, Client: "nativ"},
		"net/http":          {On: run.Embedded, Client: "curl"},
		"network":           {On: run.InProcess, Client: run.NetHTTP},
		"vegeta":            {On: run.Embedded, Client: run.Native, Driver: run.Vegeta, RetryChosen: true},
	} {
		plan.Scenario = runtest.Builtin(t, "stress", "retry=none")
		faults := plan.Validate()
		var fault fields.Fault
		assert.Truef(t, len(faults) == 1 && errors.As(faults[0], &fault) && fault.Path == "client" &&
			strings.Contains(fault.Error(), says), "client %q: %v; want one fault of it, with %q", plan.Client, faults, says)
	}
}

// What a service refuses is kept by the limit that it names, with identifiers for its
// support.
func TestWhatAServiceSaysIsKept(t *testing.T) {
	t.Parallel()
	inner := account(t, "somebody's tables", model.Off, nil)
	answers := []struct {
		limit      string
		status     int
		code, says string
	}{
		{"account", 503, "ServerBusy", "Operations per second is over the account limit."},
		{"egress", 503, "ServerBusy", "Egress is over the account limit."},
		{"time", 500, "OperationTimedOut", "Operation could not be completed within the specified time."},
	}
	var seen atomic.Int64
	var sent [3]atomic.Int64
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := seen.Add(1)
		if n <= 20 || r.Method != http.MethodGet || strings.HasSuffix(r.URL.Path, "()") || n%2 != 0 {
			inner.ServeHTTP(w, r)
			return
		}
		which := int(n/2) % len(answers)
		sent[which].Add(1)
		w.Header().Set("x-ms-request-id", fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
		refuses(w, answers[which].status, answers[which].code, answers[which].says)
	})
	said := runtest.Run(t, remote(t, server, server.URL)).Said
	want := map[string]int64{}
	for i := range answers {
		want[answers[i].limit] = sent[i].Load()
	}
	for _, one := range said.Refusals {
		assert.Truef(t, one.Count == want[one.Limit] && one.Count != 0 && len(one.First) != 0 &&
			strings.HasPrefix(one.First[0].RequestID, "00000000-0000-4000-8000-"), "refused for %s: %+v", one.Limit, one)
		delete(want, one.Limit)
	}
	assert.Truef(t, len(want) <= 0 && said.ClockAhead.Abs() <= 5e9,
		"not kept: %v; the clock is %v ahead", want, said.ClockAhead)
}

package run_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"loadgen/engine/model"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// The proxy's own user and password, which nothing may show.
const plantedProxyPassword = "planted-proxy-password"

// forward is a proxy that tunnels whatever host it is asked for to one address, as long as
// answers is 200, and counts its tunnels.
type forward struct {
	to      string
	answers int
	tunnels atomic.Int64
	strange atomic.Int64
	open    sync.WaitGroup
}

func (f *forward) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
	if r.Method != http.MethodConnect || r.Host != "example.com:443" || user != "me" || password != plantedProxyPassword {
		f.strange.Add(1)
	}
	if f.answers != http.StatusOK {
		w.WriteHeader(f.answers)
		return
	}
	there, err := net.Dial("tcp", f.to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	f.tunnels.Add(1)
	// Counted while the server still waits for the connection, and taken over before it is
	// answered: what is sent after the answer nobody else reads.
	f.open.Add(2)
	here, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		there.Close()
		f.open.Add(-2)
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	pass := func(to, from net.Conn) {
		defer f.open.Done()
		_, _ = io.Copy(to, from)
		to.Close()
	}
	go pass(there, here)
	go pass(here, there)
}

// behind has this process know of a proxy before it for everybody else, and returns that.
func behind(t *testing.T, to string, answers int) *forward {
	t.Helper()
	f := &forward{to: to, answers: answers}
	server := httptest.NewServer(f)
	t.Cleanup(func() {
		server.Close()
		f.open.Wait()
	})
	t.Setenv("HTTPS_PROXY", strings.Replace(server.URL, "http://", "http://me:"+plantedProxyPassword+"@", 1))
	t.Setenv("NO_PROXY", "")
	return f
}

// signed is the plan of a short stress test against an address, by the account's key.
func signed(t *testing.T, address string, server *httptest.Server, settings ...string) run.Plan {
	t.Helper()
	secret, err := wire.NewSecret(plantedKey)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := run.ParseURL(address+"/races", "races", secret)
	if err != nil {
		t.Fatal(err)
	}
	settings = append([]string{"phases.load.entities=100", "phases.peak.hold=false", "phases.peak.rates=[200]", "phases.peak.each=1s", "workers=8", "retry=none"}, settings...)
	return run.Plan{Scenario: runtest.Builtin(t, "stress", settings...), On: run.Remote, Accounts: []run.Endpoint{endpoint}, NoProbe: true,
		Trust: trusts(server), Consent: func(run.Ask) error { return nil }, Memory: new(results.Memory)}
}

// A proxy in the way is named, with what it says, in one line without its password; it is
// asked once.
func TestAProxyInTheWay(t *testing.T) {
	server := httptest.NewTLSServer(account(t, "somebody's tables", model.Off, nil))
	defer server.Close()
	for _, row := range []struct {
		name    string
		answers int
		says    string
	}{
		{"one that wants a password", http.StatusProxyAuthRequired, "asks who you are (407)"},
		{"one that lets nobody through", http.StatusForbidden, "lets nobody through to the service (403)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := behind(t, server.Listener.Addr().String(), row.answers)
			p := signed(t, "https://example.com", server)
			_, err := run.Run(t.Context(), p)
			if !errors.Is(err, run.ErrTarget) || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "\n") ||
				strings.Contains(err.Error(), plantedProxyPassword) {
				t.Errorf("Run = %v; want ErrTarget in one line with %q", err, row.says)
			}
			if n := f.strange.Load(); n != 0 {
				t.Errorf("%d requests to the proxy were none of ours", n)
			}
		})
	}
	t.Run("one that is not there", func(t *testing.T) {
		closed, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		closed.Close()
		t.Setenv("HTTPS_PROXY", "http://me:"+plantedProxyPassword+"@"+closed.Addr().String())
		_, err = run.Run(t.Context(), signed(t, "https://example.com", server))
		if !errors.Is(err, run.ErrTarget) || !strings.Contains(err.Error(), "the proxy "+closed.Addr().String()) || strings.Contains(err.Error(), plantedProxyPassword) {
			t.Errorf("Run = %v; want ErrTarget that names the proxy", err)
		}
	})
	t.Run("one whose address is none", func(t *testing.T) {
		t.Setenv("HTTPS_PROXY", "http://me:"+url.QueryEscape(plantedProxyPassword)+"@ho st:x")
		_, err := run.Run(t.Context(), signed(t, "https://example.com", server))
		if err == nil || errors.Is(err, run.ErrTarget) || !strings.Contains(err.Error(), "HTTPS_PROXY") || strings.Contains(err.Error(), plantedProxyPassword) {
			t.Errorf("Run = %v; want a fault of the environment", err)
		}
	})
}

// Which client sends: net/http to whoever is not this tool, and what is named where somebody
// names one.
func TestWhichClientSends(t *testing.T) {
	for _, row := range []struct{ name, service, asked, want string }{
		{"somebody else's service", "somebody's tables", "", run.NetHTTP},
		{"somebody else's service, by the client that is named", "somebody's tables", run.Native, run.Native},
		{"what this tool serves", "loadgen/1 (partition_target=2000; account_target=20000)", "", run.Native},
		{"what this tool serves, by the client that is named", "loadgen/1 (partition_target=2000; account_target=20000)", run.NetHTTP, run.NetHTTP},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewTLSServer(account(t, row.service, model.Off, nil))
			defer server.Close()
			p := signed(t, server.URL, server, "phases.peak.rates=[40]")
			p.Client = row.asked
			record, err := run.Run(t.Context(), p)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if all := record.Total(results.Everything); record.Manifest.Client != row.want || all.Failed > 0 || all.Ok == 0 {
				t.Errorf("client %q, %d ok, %d failed; want %s", record.Manifest.Client, all.Ok, all.Failed, row.want)
			}
			for _, one := range record.Said.Slowest {
				if len(one.RequestID) != 36 || one.ClientRequestID == "" || one.Took <= 0 {
					t.Errorf("one of the slowest is %+v; want the service's identifier of it", one)
				}
			}
			if len(record.Said.Slowest) != 10 {
				t.Errorf("%d slowest; want 10", len(record.Said.Slowest))
			}
		})
	}
}

func TestClientsThatAreNone(t *testing.T) {
	for _, row := range []struct {
		name string
		plan run.Plan
		says string
	}{
		{"a misspelt one", run.Plan{On: run.Embedded, Client: "nativ"}, "the nearest is native"},
		{"one that is unknown", run.Plan{On: run.Embedded, Client: "curl"}, "expected native or net/http"},
		{"one where nothing is sent over a network", run.Plan{On: run.InProcess, Client: run.NetHTTP}, "nothing is sent over a network"},
		{"another than vegeta's", run.Plan{On: run.Embedded, Client: run.Native, Driver: run.Vegeta, RetryChosen: true}, "vegeta's driver sends by net/http"},
	} {
		row.plan.Scenario = runtest.Builtin(t, "stress", "retry=none")
		if faults := fmt.Sprint(row.plan.Validate()); !strings.Contains(faults, "client") || !strings.Contains(faults, row.says) {
			t.Errorf("%s: Validate = %s; want %q", row.name, faults, row.says)
		}
	}
}

// What a service refuses is kept by the limit that it names, with identifiers for its
// support.
func TestWhatAServiceSaysIsKept(t *testing.T) {
	inner := account(t, "somebody's tables", model.Off, nil)
	var seen atomic.Int64
	answers := []struct {
		status     int
		code, says string
	}{{503, "ServerBusy", "Operations per second is over the account limit."}, {503, "ServerBusy", "Egress is over the account limit."},
		{500, "OperationTimedOut", "Operation could not be completed within the specified time."}}
	var sent [3]atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := seen.Add(1); n > 20 && r.Method == http.MethodGet && !strings.HasSuffix(r.URL.Path, "()") && n%2 == 0 {
			which := int(n/2) % len(answers)
			one := answers[which]
			sent[which].Add(1)
			w.Header().Set("x-ms-request-id", fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(one.status)
			fmt.Fprintf(w, `{"odata.error":{"code":%q,"message":{"lang":"en-US","value":"%s\nRequestId:x\nTime:y"}}}`, one.code, one.says)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	defer server.Close()
	record, err := run.Run(t.Context(), signed(t, server.URL, server))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"account": sent[0].Load(), "egress": sent[1].Load(), "time": sent[2].Load()}
	for _, one := range record.Said.Refusals {
		if one.Count != want[one.Limit] || one.Count == 0 || len(one.First) == 0 || !strings.HasPrefix(one.First[0].RequestID, "00000000-0000-4000-8000-") {
			t.Errorf("refused for %s: %+v; want %d, and whom to ask about", one.Limit, one, want[one.Limit])
		}
		delete(want, one.Limit)
	}
	if len(want) > 0 || record.Said.ClockAhead.Abs() > 5e9 {
		t.Errorf("not kept: %v; the clock is %v ahead", want, record.Said.ClockAhead)
	}
}

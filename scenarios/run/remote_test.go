package run_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// The secrets that no record, no line and no error may hold.
const (
	plantedKey           = "cGxhbnRlZC1hY2NvdW50LWtleS0xMjM0NTY3ODkw"
	plantedHeader        = "planted-identity-header-41d0"
	plantedToken         = "planted.token"
	plantedSecret        = "planted-client-secret-93"
	plantedProxyPassword = "planted-proxy-password"
)

// tokensLast is less than the five minutes before their end in which azidentity gives none
// that it has kept, for any test of this process.
const tokensLast = 4 * time.Minute

// issuer is a managed identity's endpoint on loopback, whose tokens are numbered, and what
// the service makes of them.
type issuer struct {
	given atomic.Int64
	// revoked is the number up to which tokens are not taken any more.
	revoked atomic.Int64
	// second is closed when the second one is given.
	second chan struct{}
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-IDENTITY-HEADER") != plantedHeader || r.URL.Query().Get("resource") != "https://storage.azure.com" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	n := i.given.Add(1)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":"%s.%d","expires_on":"%d","token_type":"Bearer"}`, plantedToken, n, time.Now().Add(tokensLast).Unix())
	if n == 2 {
		close(i.second)
	}
}

// Accept implements rest.Tokens.
func (i *issuer) Accept(_ context.Context, token string) error {
	var number int64
	if _, err := fmt.Sscanf(token, plantedToken+".%d", &number); err != nil || number <= i.revoked.Load() || number > i.given.Load() {
		return errors.New("not this one")
	}
	return nil
}

// Challenge implements rest.Tokens.
func (i *issuer) Challenge() string {
	return "Bearer authorization_uri=https://login.example/tenant-of-races/oauth2/authorize resource_id=https://storage.azure.com"
}

// identify has this process be who the issuer knows.
func identify(t *testing.T) *issuer {
	i := &issuer{second: make(chan struct{})}
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	t.Setenv("IDENTITY_ENDPOINT", server.URL)
	t.Setenv("IDENTITY_HEADER", plantedHeader)
	t.Setenv("AZURE_CLIENT_SECRET", plantedSecret)
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
	return i
}

// account is the account races of an engine in real time.
func account(t *testing.T, name, profile string, tokens rest.Tokens) http.Handler {
	t.Helper()
	clk := clock.NewReal()
	return resttest.New(t, resttest.Options{Profile: profile, Key: resttest.Key{Account: "races", Secret: plantedKey},
		Rest: rest.Options{Clock: clk, Calendar: clk, Tokens: tokens, Name: name}})
}

const remoteRaces = `name: races
seed: 4
retry: none
workers: 8
attributes: {event: {list: [NYC, Berlin]}, bib: {sequence: 1}}
design: {partition_key: "{event}", row_key: "{bib}"}
phases:
  - {name: load, load: {entities: 100}}
  - {name: rush, traffic: {clients: 8, count: 200, operations: [{verb: get}, {verb: insert}]}}
`

// remote is the plan of a short run against a server with TLS. It signs with the account's key
// at the address, or uses the identity of Entra ID if the address is empty.
func remote(t *testing.T, server *httptest.Server, address string) run.Plan {
	t.Helper()
	secret, err := wire.NewSecret(plantedKey)
	require.NoError(t, err)
	identity := address == ""
	if identity {
		address, secret = server.URL, nil
	}
	endpoint, err := run.ParseURL(address+"/races", "races", secret)
	if err == nil && identity {
		endpoint, err = endpoint.WithIdentity()
	}
	require.NoError(t, err)
	trust := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	return run.Plan{Scenario: runtest.Parse(t, remoteRaces), On: run.Remote, Accounts: []run.Endpoint{endpoint}, NoProbe: true,
		Trust: trust, Consent: func(run.Ask) error { return nil }, Memory: new(results.Memory)}
}

// serve returns a server with TLS of a function.
func serve(t *testing.T, do http.HandlerFunc) *httptest.Server {
	server := httptest.NewTLSServer(do)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(server.Close)
	return server
}

// A token that is refused in the middle of a run is requested once more. The run goes on with the
// second token, and ends with the cause if the service refuses that one, too.
func TestTokenRefusedUnderWay(t *testing.T) {
	for _, row := range []struct {
		name    string
		revoked int64
		// until is the method before which nothing is revoked.
		until string
	}{{"the service accepts the second token", 1, ""}, {"it accepts none", 1 << 30, ""}, {"it accepts none for the last request", 1 << 30, http.MethodDelete}} {
		t.Run(row.name, func(t *testing.T) {
			who := identify(t)
			h := account(t, "somebody's tables", model.Off, who)
			var requests atomic.Int64
			p := remote(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
				n := requests.Add(1)
				if n == 60 && row.until == "" || n > 60 && r.Method == row.until {
					who.revoked.Store(row.revoked)
				}
				token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
				if n > 60 && row.revoked == 1 && who.Accept(r.Context(), token) != nil {
					// The refusal of number 60 makes the client request a token; the others wait until it has that one.
					<-who.second
					time.Sleep(20 * time.Millisecond)
				}
				h.ServeHTTP(w, r)
			}), "")
			record, err := run.Run(t.Context(), p)
			checkSecrets(t, p.Memory, record, err)
			assert.EqualValues(t, 2, who.given.Load(), "tokens given")
			if row.revoked > 1 {
				require.ErrorIs(t, err, run.ErrTarget)
				assert.ErrorContains(t, err, "rejects the token")
				return
			}
			require.NoError(t, err)
			all := record.Total(results.Everything)
			assert.Truef(t, all.Failed > 0 && all.Failed <= 2*int64(p.Scenario.Workers) && all.Ok >= 100,
				"%d attempts ok, %d failed; want only those under way to fail", all.Ok, all.Failed)
			assert.Equal(t, [2]string{run.NetHTTP, ""}, [2]string{record.Manifest.Client, record.Manifest.Proxy}, "client and proxy")
			assert.NotZero(t, record.Connections.Opened, "connections")
			assert.NotZero(t, record.Connections.Handshakes.Count, "handshakes")
		})
	}
}

// refuses answers an error of the protocol.
func refuses(w http.ResponseWriter, status int, code, says string) {
	w.Header().Set("Server", "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"odata.error":{"code":%q,"message":{"lang":"en-US","value":"%s\nRequestId:x\nTime:y"}}}`, code, says)
}

// nobody accepts no token.
type nobody struct{ *issuer }

func (nobody) Accept(context.Context, string) error { return errors.New("not this one") }

// What a service says to whom Entra ID knows is one line, and nothing is tried again.
func TestNobodyIsLetInToBeginWith(t *testing.T) {
	who := identify(t)
	strict := account(t, "", model.Off, nobody{who})
	for _, row := range []struct {
		name   string
		status int
		code   string
		asked  int64
		says   string
	}{
		{"a service that takes no token of ours", 0, "", 2, "https://login.example/tenant-of-races/oauth2/authorize"},
		{"no role", 403, "AuthorizationPermissionMismatch", 1, "Storage Table Data Contributor"},
		{"a closed network", 403, "AuthorizationFailure", 1, "firewall"},
		{"a proxy that wants a password", 407, "", 1, "407"},
	} {
		who.given.Store(0)
		var requests atomic.Int64
		p := remote(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
			if requests.Add(1); row.status == 0 {
				strict.ServeHTTP(w, r)
				return
			}
			refuses(w, row.status, row.code, "No.")
		}), "")
		record, err := run.Run(t.Context(), p)
		require.ErrorIs(t, err, run.ErrTarget, row.name)
		assert.ErrorContains(t, err, row.says, row.name)
		assert.NotContains(t, err.Error(), "\n", row.name)
		assert.Nil(t, record, row.name)
		assert.Equalf(t, row.asked, requests.Load(), "%s: requests sent", row.name)
		checkSecrets(t, p.Memory, nil, err)
	}
}

// checkSecrets fails where a secret is in what is kept of a run, or in why it ended.
func checkSecrets(t *testing.T, memory *results.Memory, record *results.Record, err error) {
	t.Helper()
	said := map[string]string{"the error": fmt.Sprintf("%v %+v", err, err), "the record": fmt.Sprintf("%+v", record)}
	for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		said[name] = string(memory.Bytes(name))
	}
	for where, text := range said {
		for _, secret := range []string{plantedKey, plantedHeader, plantedToken, plantedSecret, plantedProxyPassword} {
			assert.NotContainsf(t, text, secret, "%s holds %q", where, secret)
		}
	}
}

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

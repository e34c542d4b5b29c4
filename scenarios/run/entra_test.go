package run_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	once   sync.Once
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
		i.once.Do(func() { close(i.second) })
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

// remote is the plan of a short stress test against a server with TLS, by the account's key
// at the address or, without one, as whom Entra ID knows us.
func remote(t *testing.T, server *httptest.Server, address string, settings ...string) run.Plan {
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
	settings = append([]string{"phases.load.entities=100", "phases.peak.hold=false", "phases.peak.rates=[200]", "phases.peak.each=1s",
		"workers=8", "retry=none"}, settings...)
	trust := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	return run.Plan{Scenario: runtest.Builtin(t, "stress", settings...), On: run.Remote, Accounts: []run.Endpoint{endpoint}, NoProbe: true,
		Trust: trust, Consent: func(run.Ask) error { return nil }, Memory: new(results.Memory)}
}

// serve returns a server with TLS of a function.
func serve(t *testing.T, do http.HandlerFunc) *httptest.Server {
	server := httptest.NewTLSServer(do)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(server.Close)
	return server
}

// A token that is refused in the middle of a run is got once anew, and the run goes on with
// that: what was under way has failed, and nothing else.
func TestATokenRefusedUnderWayIsGotAnew(t *testing.T) {
	who := identify(t)
	h := account(t, "somebody's tables", model.Off, who)
	var seen atomic.Int64
	p := remote(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if seen.Add(1) == 60 {
			who.revoked.Store(1)
		}
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if who.Accept(r.Context(), token) != nil && who.given.Load() == 1 && seen.Load() > 60 {
			// The first that is refused has another one got; those behind it wait until that is so.
			defer func() { <-who.second }()
		}
		h.ServeHTTP(w, r)
	}), "")
	record := runtest.Run(t, p)
	all := record.Total(results.Everything)
	if all.Failed == 0 || all.Failed > int64(p.Scenario.Workers)+1 || all.Ok < 100 || who.given.Load() != 2 {
		t.Errorf("%d attempts ok, %d failed, %d tokens given; want those under way to fail, and a second token", all.Ok, all.Failed, who.given.Load())
	}
	if m := record.Manifest; m.Client != run.NetHTTP || m.Proxy != "" || record.Connections.Opened == 0 || record.Connections.Handshakes.Count == 0 {
		t.Errorf("client %q, proxy %q, connections %+v; want net/http, and handshakes", m.Client, m.Proxy, record.Connections)
	}
	checkSecrets(t, p.Memory, record.Record, nil)
}

// Once another token is refused, too, the run ends with the cause, and sends no more.
func TestARunEndsOnceNobodyIsLetIn(t *testing.T) {
	who := identify(t)
	h := account(t, "somebody's tables", model.Off, who)
	var seen atomic.Int64
	p := remote(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if seen.Add(1) == 60 {
			who.revoked.Store(1 << 30)
		}
		h.ServeHTTP(w, r)
	}), "", "phases.peak.each=1m")
	record, err := run.Run(t.Context(), p)
	if !errors.Is(err, run.ErrTarget) || !strings.Contains(err.Error(), "refuses the token") || who.given.Load() != 2 {
		t.Errorf("Run = %v, after %d tokens; want ErrTarget for the token, after two", err, who.given.Load())
	}
	checkSecrets(t, p.Memory, record, err)
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
		{"a closed network", 403, "AuthorizationFailure", 1, "network"},
		{"a proxy that wants a password", 407, "", 1, "407"},
	} {
		who.given.Store(0)
		var asked atomic.Int64
		p := remote(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if row.status == 0 {
				strict.ServeHTTP(w, r)
				return
			}
			refuses(w, row.status, row.code, "No.")
		}), "")
		record, err := run.Run(t.Context(), p)
		if !errors.Is(err, run.ErrTarget) || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "\n") || record != nil {
			t.Errorf("%s: Run = %v; want one line with %q", row.name, err, row.says)
		}
		assert.Equalf(t, row.asked, asked.Load(), "%s: requests were sent", row.name)
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

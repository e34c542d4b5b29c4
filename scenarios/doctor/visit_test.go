package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/wire"
	"loadgen/scenarios/run/runtest"
	"loadgen/target/azure"
)

// planted is a key that must not be found where it does not belong.
const planted = "cGxhbnRlZHNlY3JldHBsYW50ZWRzZWNyZXRwbGFudGVk"

// service is an engine of our own, without limits, that a visit meets as a stranger.
type service struct{ *resttest.Service }

// newService serves the account races; its clock goes wrong by so much.
func newService(t *testing.T, wrong time.Duration) *service {
	clk := clock.NewReal()
	return serviceOf(t, rest.Options{Clock: clk, Calendar: clock.Epoch(clk.Started().Add(wrong))})
}

func serviceOf(t *testing.T, o rest.Options) *service {
	t.Helper()
	return &service{resttest.Listen(t, resttest.Options{Key: resttest.Key{Account: "races", Secret: planted}, Rest: o})}
}

// endpointAt is an address with a key.
func endpointAt(t *testing.T, url, key string) azure.Endpoint {
	t.Helper()
	return runtest.Must(azure.ParseURL(url, "", runtest.Must(wire.NewSecret(key))))
}

// signedAt is an address with a shared access signature.
func signedAt(url, signature string) azure.Endpoint {
	return runtest.Must(azure.ParseConnectionString("TableEndpoint=" + url + ";SharedAccessSignature=" + signature))
}

// serves has an engine's handler answer behind something else.
func serves(t *testing.T, s *service, change func(w http.ResponseWriter, r *http.Request) bool) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if change(w, r) {
			s.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// dateless is a reply without a date.
type dateless struct{ http.ResponseWriter }

func (d dateless) WriteHeader(status int) {
	d.Header()["Date"] = nil
	d.ResponseWriter.WriteHeader(status)
}

// closedPort is an address of this machine that nobody listens on.
func closedPort(t *testing.T) string {
	t.Helper()
	closed := runtest.Must(net.Listen("tcp", "127.0.0.1:0"))
	closed.Close()
	return closed.Addr().String()
}

// visiting is a visit to a service, whose way is to carry a little.
func visiting(endpoint azure.Endpoint, trust *tls.Config) *visit {
	v := newVisit(&Options{Service: &endpoint, Trust: trust, Clock: clock.NewReal()})
	v.needs = need{"a scenario", 1000, 1000}
	return v
}

// visited returns the diagnosis of a visit.
func visited(endpoint azure.Endpoint, trust *tls.Config) *Diagnosis {
	v := visiting(endpoint, trust)
	defer v.close()
	return diagnose(context.Background(), v.checks(), io.Discard)
}

// otherKey is a key, and not that of the service.
const otherKey = "b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90aGVyb3Ro"

func TestVisits(t *testing.T) {
	good, late, slow := newService(t, 0), newService(t, 20*time.Minute), newService(t, -5*time.Minute)
	secured := httptest.NewUnstartedServer(good)
	secured.Config.ErrorLog = log.New(io.Discard, "", 0)
	secured.StartTLS()
	t.Cleanup(secured.Close)
	roots := x509.NewCertPool()
	roots.AddCert(secured.Certificate())
	closing := serves(t, good, func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Connection", "close")
		return true
	})
	timeless := serves(t, good, func(w http.ResponseWriter, r *http.Request) bool {
		good.ServeHTTP(dateless{w}, r)
		return false
	})
	page := serves(t, good, func(w http.ResponseWriter, _ *http.Request) bool {
		fmt.Fprint(w, "<!DOCTYPE html><title>Welcome</title>")
		return false
	})
	mute := serves(t, good, func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) })
	var asked atomic.Int64
	tired := serves(t, good, func(http.ResponseWriter, *http.Request) bool {
		if asked.Add(1) > 4 {
			panic(http.ErrAbortHandler)
		}
		return true
	})
	closed := "http://" + closedPort(t) + "/races"
	trusted, bare := &tls.Config{RootCAs: roots}, "https"+strings.TrimPrefix(good.URL, "http")
	behindKey := []string{visitTrip, "keep-alive", "bandwidth"}
	behindTLS := []string{visitKey, visitTrip, "clock skew", "keep-alive", "bandwidth"}
	behindConnect := []string{visitKey, visitTrip, "distance", "clock skew", "keep-alive", "bandwidth"}
	behindResolve := append([]string{visitConnect}, behindConnect...)
	for _, row := range []struct {
		sentence, url, key string
		trust              *tls.Config
		// fails and unknown are the checks that do not pass, says is a part of the diagnosis.
		fails, unknown string
		untried        []string
		says           string
	}{
		{"a table service", good.URL, planted, nil, "", "", nil, ""},
		{"a table service behind TLS", secured.URL + "/races", planted, trusted, "", "", nil, ""},
		{"a port that nobody listens on", closed, planted, nil, visitConnect, "", behindConnect, "and its port"},
		{"no such host", "http://races.table.invalid/races", planted, nil, visitResolve, "", behindResolve, "no address for races.table.invalid"},
		{"the key of another account", good.URL, otherKey, nil, visitKey, "", behindKey, "account races"},
		{"a clock that is 20 minutes off", late.URL, planted, nil, "clock skew", visitKey, behindKey, "20 min"},
		{"a clock that is 5 minutes off", slow.URL, planted, nil, "", "", nil, ""},
		{"a service without a date", timeless.URL + "/races", planted, nil, "", "clock skew", nil, "sent no date"},
		{"a server that closes after each reply", closing.URL + "/races", planted, nil, "keep-alive", "", nil, "11 requests, 0 on"},
		{"a page of the web", page.URL + "/races", planted, nil, visitKey, "", behindKey, "a web page"},
		{"a server that hangs up", mute.URL + "/races", planted, nil, visitKey, "clock skew", behindKey, "closed"},
		{"a server that hangs up in the end", tired.URL + "/races", planted, nil, visitTrip, "", behindKey[1:], "3 replies, then: "},
		{"a certificate that nobody trusts", secured.URL + "/races", planted, nil, visitTLS, "", behindTLS, "and its issuer"},
		{"https where http is spoken", bare, planted, nil, visitTLS, "", behindTLS, "check the scheme"},
	} {
		d := visited(endpointAt(t, row.url, row.key), row.trust)
		for verdict, want := range map[string][]string{Fail: {row.fails}, CannotTell: {row.unknown}, NotTried: row.untried} {
			want = slices.DeleteFunc(want, func(name string) bool { return name == "" })
			assert.ElementsMatchf(t, want, d.names(verdict), "%s: %q", row.sentence, verdict)
		}
		assert.Contains(t, spelled(d), row.says, row.sentence)
		mustNotTell(t, row.sentence, d, planted, otherKey)
		for _, one := range d.Checks {
			assert.Truef(t, one.Verdict != Fail || one.Note != "", "%s: %s does not say what to do", row.sentence, one.Name)
		}
	}
	assert.Empty(t, good.Engine.TableNames("races"), "tables that the visits made")
	assert.EqualValues(t, 0, good.Counts().Entities, "the visits counted entities")
}

// mustNotTell fails where a diagnosis holds eight bytes in a row of a secret.
func mustNotTell(t *testing.T, sentence string, d *Diagnosis, secrets ...string) {
	t.Helper()
	told := spelled(d)
	for _, secret := range secrets {
		for i := 0; i+8 <= len(secret); i++ {
			assert.Truef(t, !strings.Contains(told, secret[i:i+8]),
				"%s: the diagnosis holds %q, a part of the secret:\n%s", sentence, secret[i:i+8], told)
		}
	}
}

// spelled is all that a diagnosis says, as a person reads it and as a script does.
func spelled(d *Diagnosis) string { return fmt.Sprintf("%+v", *d.Document()) + fmt.Sprintf("%+v", *d) }

func TestVisitWithASignature(t *testing.T) {
	good := newService(t, 0)
	const signature = "c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmE="
	const rights = "sv=2019-02-02&ss=t&srt=sco&sp=rl&se=2099-01-01T00:00:00Z&sig="
	d := visited(signedAt(good.URL, rights+signature), nil)
	assert.Equal(t, []string{visitKey}, d.names(Fail), "checks that a signature that is not the account's fails")
	mustNotTell(t, "a signature that is not the account's", d, signature, planted)
}

// The visit goes by the client that a run would have: net/http, and where it has met this tool's
// own service the native one, whose connection is a second.
func TestVisitIsElevenReads(t *testing.T) {
	for _, row := range []struct {
		sentence, name string
		client         azure.Client
		opened, reused int64
	}{
		{"what this tool serves", "", azure.Native, 2, 9},
		{"somebody else's service", "somebody's tables", azure.ByNetHTTP, 1, 10},
	} {
		good := serviceOf(t, rest.Options{Name: row.name})
		v := visiting(endpointAt(t, good.URL, planted), nil)
		list := v.checks()
		list = list[:len(list)-1] // the bandwidth's requests are others
		d := diagnose(context.Background(), list, io.Discard)
		assert.EqualValues(t, 11, good.Counts().Requests, row.sentence+": requests sent")
		assert.EqualValues(t, 11, v.requests, row.sentence+": requests counted")
		assert.Equal(t, row.client, v.client.Client(), row.sentence)
		c := v.client.Connections()
		assert.Equalf(t, [2]int64{row.opened, row.reused}, [2]int64{c.Opened, c.Reused}, "%s: connections\n%s", row.sentence, spelled(d))
		assert.Truef(t, len(d.passed()) == len(list), "%s: %s", row.sentence, spelled(d))
		v.close()
	}
}

func TestClocksThatAreCompared(t *testing.T) {
	clocks := func(ahead, heard time.Duration) Finding {
		return (&visit{first: azure.Service{Ahead: ahead}, heard: heard}).compareClocks(t.Context())
	}
	wantFindings(t, []judgement{
		{"the date says nothing", clocks(0, time.Millisecond), CannotTell, ""},
		// A date that is cut off to the second is half a second early.
		{"no difference", clocks(-500*time.Millisecond, time.Millisecond), Pass, "none measurable, ± 501 ms"},
		{"a difference within the round trip", clocks(1400*time.Millisecond, 3*time.Second), Pass, "none measurable, ± 2 s"},
		{"a difference beyond it", clocks(2*time.Second, time.Millisecond), Pass, "2.5 s behind the service"},
		{"a clock ahead", clocks(-10*time.Second, time.Millisecond), Pass, "9.5 s ahead of the service"},
		{"the most that a service takes", clocks(15*time.Minute-time.Second/2, time.Millisecond), Pass, "15 min behind"},
		{"more than a service takes", clocks(15*time.Minute, time.Millisecond), Fail, ""},
		{"more than it takes, the other way", clocks(-15*time.Minute-time.Second, time.Millisecond), Fail, ""},
	})
}

func TestAddresses(t *testing.T) {
	address := func(url string) Finding {
		endpoint := endpointAt(t, url, planted)
		return (&visit{Options: &Options{Service: &endpoint}}).lookAtAddress(t.Context())
	}
	wantFindings(t, []judgement{
		{"https://races.table.core.windows.net", address("https://races.table.core.windows.net"), Pass, "https on port 443"},
		{"https://races.table.cosmos.azure.com", address("https://races.table.cosmos.azure.com"), Pass, "https on port 443"},
		{"http://races.table.core.windows.net", address("http://races.table.core.windows.net"), Warn, ""},
		{"https://races.table.core.windows.net:10002", address("https://races.table.core.windows.net:10002"), Warn, ""},
		{"http://127.0.0.1:10002/races", address("http://127.0.0.1:10002/races"), Pass, "http on port 10002"},
		{"http://127.0.0.1:10000/races", address("http://127.0.0.1:10000/races"), Warn, "tables are at 10002"},
		{"http://azurite:10001/races", address("http://azurite:10001/races"), Warn, "tables are at 10002"},
		{"http://tables.example.org/races", address("http://tables.example.org/races"), Warn, ""},
		{"https://tables.example.org:8443/races", address("https://tables.example.org:8443/races"), Pass, "https on port 8443"},
	})
}

// The environment's proxy is named without its password, and so is why there is none.
func TestProxies(t *testing.T) {
	for _, row := range []struct {
		sentence, url, https, none string
		verdict, says              string
	}{
		{"none is named", "https://tables.example.org", "", "", Pass, "HTTPS_PROXY is not set"},
		{"one is", "https://tables.example.org", "http://me:" + planted + "@proxy.example.org:3128", "", Warn, "by proxy.example.org:3128, which HTTPS_PROXY names"},
		{"one that is left out", "https://tables.example.org", "http://proxy.example.org:3128", "example.org", Pass, "tables.example.org is excluded (NO_PROXY"},
		{"this machine never goes by one", "https://127.0.0.1:8443/races", "http://proxy.example.org:3128", "", Pass, ""},
		{"one of https says nothing of http", "http://tables.example.org/races", "http://proxy.example.org:3128", "", Pass, "HTTP_PROXY is not set"},
		{"one that is no address", "https://tables.example.org", "http://me:" + planted + "@ho st:x", "", Fail, ""},
	} {
		t.Setenv("HTTP_PROXY", "")
		t.Setenv("HTTPS_PROXY", row.https)
		t.Setenv("NO_PROXY", row.none)
		url := row.url
		if !strings.HasSuffix(url, "/races") {
			url += "/races"
		}
		v := visiting(endpointAt(t, url, planted), nil)
		f := v.lookForProxy(t.Context())
		v.close()
		assert.Truef(t, f.Verdict == row.verdict && strings.Contains(f.Measured+f.Note, row.says) &&
			v.proxied == (row.verdict == Warn), "%s: %+v; want %s and %q", row.sentence, f, row.verdict, row.says)
		mustNotTell(t, row.sentence, &Diagnosis{Checks: []Finding{f}}, planted)
	}
}

// A visit goes by the proxy that a run would go by, which warns and fails nothing; one that lets
// nobody through is what fails.
func TestVisitByAProxy(t *testing.T) {
	good := serviceOf(t, rest.Options{Name: "somebody's tables"})
	server := httptest.NewUnstartedServer(good)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for _, row := range []struct {
		to      string
		warned  []string
		failed  []string
		unknown []string
	}{
		{server.Listener.Addr().String(), []string{visitProxy}, nil, []string{"distance"}},
		{"127.0.0.1:0", []string{visitProxy}, []string{visitKey}, []string{"distance", "clock skew"}},
	} {
		proxy := &runtest.Proxy{Address: row.to, Status: http.StatusForbidden}
		t.Setenv("HTTPS_PROXY", proxy.Start(t))
		t.Setenv("NO_PROXY", "")
		d := visited(endpointAt(t, "https://example.com/races", planted), &tls.Config{RootCAs: roots})
		want, got := [][]string{row.warned, row.failed, row.unknown}, [][]string{d.names(Warn), d.names(Fail), d.names(CannotTell)}
		assert.Equalf(t, want, got, "warned, failed and not known, to %s\n%s", row.to, spelled(d))
		assert.Truef(t, row.failed == nil || strings.Contains(spelled(d), "blocks the service"),
			"the visit does not say that it was the proxy:\n%s", spelled(d))
	}
}

// taker takes one token.
type taker string

func (k taker) Accept(_ context.Context, token string) error {
	if token != string(k) {
		return errors.New("not this one")
	}
	return nil
}

func (taker) Challenge() string { return "Bearer authorization_uri=https://login.example/tenant" }

// A visit with a token of Entra ID names what is wrong with it.
func TestVisitWithAToken(t *testing.T) {
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":"token-of-races","expires_on":"%d","token_type":"Bearer"}`, time.Now().Add(time.Hour).Unix())
	}))
	defer issuer.Close()
	t.Setenv("IDENTITY_ENDPOINT", issuer.URL)
	t.Setenv("IDENTITY_HEADER", planted)
	t.Setenv("PATH", "/nowhere")
	for _, row := range []struct {
		sentence, source string
		accepts          taker
		fails            []string
		says             string
	}{
		{"the right token", "ManagedIdentityCredential", "token-of-races", nil, "accepts the token of races"},
		{"another's", "ManagedIdentityCredential", "token-of-horses", []string{visitKey}, "rejects the token"},
		{"none is to be had", "AzureCLICredential", "token-of-races", []string{visitKey}, "az login"},
	} {
		t.Setenv("AZURE_TOKEN_CREDENTIALS", row.source)
		server := httptest.NewTLSServer(serviceOf(t, rest.Options{Name: "somebody's tables", Tokens: row.accepts}))
		t.Cleanup(server.Close)
		endpoint := runtest.Must(runtest.Must(azure.ParseURL(server.URL+"/races", "", nil)).WithIdentity())
		d := visited(endpoint, server.Client().Transport.(*http.Transport).TLSClientConfig)
		assert.Equal(t, row.fails, d.names(Fail), row.sentence)
		assert.Contains(t, spelled(d), row.says, row.sentence)
		mustNotTell(t, row.sentence, d, "token-of-races", "token-of-horses", planted)
	}
}

func TestDistances(t *testing.T) {
	const real = "https://races.table.core.windows.net"
	distance := func(url string, took time.Duration, proxied bool) Finding {
		endpoint := endpointAt(t, url, planted)
		return (&visit{Options: &Options{Service: &endpoint}, connecting: took, proxied: proxied}).judgeDistance(t.Context())
	}
	wantFindings(t, []judgement{
		{"this machine", distance("http://127.0.0.1:10002/races", time.Second, false), Pass, ""},
		{"perhaps the same region", distance(real, 2*time.Millisecond, false), Pass, "within 200 km"},
		{"another region", distance(real, 90*time.Millisecond, false), Warn, "within 9,000 km"},
		{"behind a proxy", distance(real, 2*time.Millisecond, true), CannotTell, ""},
	})
}

func TestWhatIsCarriedIsHeldAgainstTheNeed(t *testing.T) {
	judge := func(n need) Finding {
		return carried{bytes: 1_000_000, took: time.Second, senders: 1}.judged(n)
	}
	wantFindings(t, []judgement{
		{"enough", judge(need{"s", 900_000, 100_000}), Pass, "977 KiB/s"},
		{"too little out", judge(need{"s", 1_100_000, 0}), Warn, ""},
		{"too little back", judge(need{"s", 100_000, 1_100_000}), Warn, ""},
	})
}

// A scenario needs the bandwidth of its busiest step: at four times the rate it needs four times as much.
func TestNeeds(t *testing.T) {
	t.Parallel()
	needs := func(rates string) need {
		s := runtest.Must(stress("phases.load.entities=100", "phases.peak.rates="+rates, "phases.peak.each=2s", "phases.peak.hold=false"))
		return runtest.Must(needOf(t.Context(), s))
	}
	slow, busy := needs("[50]"), needs("[200, 50]")
	assert.InEpsilon(t, 4, busy.sent/slow.sent, .05)
	assert.InEpsilon(t, 4, busy.received/slow.received, .05)
}

// The writes of a visit find no table, so that nothing is made; where they may not be sent at all,
// there is no telling.
func TestBandwidthWritesNothing(t *testing.T) {
	good := serviceOf(t, rest.Options{Name: "somebody's tables"})
	v := visiting(endpointAt(t, good.URL, planted), nil)
	defer v.close()
	v.needs = need{"much", 1e15, 1}
	require.Equal(t, Pass, v.lookForProxy(t.Context()).Verdict)
	f := v.measureBandwidth(t.Context())
	c := good.Counts()
	assert.Truef(t, f.Verdict == Warn && c.Entities == 0 && c.Requests <= 17 && len(good.Engine.TableNames("races")) == 0,
		"%+v with %+v; want a warning, at most 17 requests, and nothing written", f, c)
	w := visiting(signedAt(good.URL, "sv=2019-02-02&ss=t&srt=sco&sp=rl&se=2099-01-01T00:00:00Z&sig="+otherKey), nil)
	defer w.close()
	f = w.measureBandwidth(t.Context())
	assert.Truef(t, f.Verdict == CannotTell && strings.Contains(f.Measured, "403"), "%+v; want that it cannot be told", f)
}

package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"loadgen/target/azure"
)

func TestAddresses(t *testing.T) {
	for _, row := range []struct {
		url     string
		verdict string
		says    string
	}{
		{"https://races.table.core.windows.net", Pass, "https on port 443"},
		{"https://races.table.cosmos.azure.com", Pass, "https on port 443"},
		{"http://races.table.core.windows.net", Warn, "write https://"},
		{"https://races.table.core.windows.net:10002", Warn, "leave the port out"},
		{"http://127.0.0.1:10002/races", Pass, "http on port 10002"},
		{"http://localhost:7777/races", Pass, "http on port 7777"},
		{"http://127.0.0.1:10000/races", Warn, "its tables are at 10002"},
		{"http://azurite:10001/races", Warn, "its tables are at 10002"},
		{"http://tables.example.org/races", Warn, "whoever is on the way"},
		{"http://127.0.0.1:443/races", Warn, "https is spoken"},
		{"https://tables.example.org:8443/races", Pass, "https on port 8443"},
	} {
		endpoint := endpointAt(t, row.url, planted)
		if f := (&visit{endpoint: endpoint}).lookAtAddress(); f.Verdict != row.verdict || !strings.Contains(f.Measured+f.Note, row.says) {
			t.Errorf("%s: %+v; want %s and %q", row.url, f, row.verdict, row.says)
		}
	}
}

// The environment's proxy is named without its password, and so is why there is none.
func TestProxies(t *testing.T) {
	for _, row := range []struct {
		sentence, url, https, none string
		verdict, says              string
	}{
		{"none is named", "https://tables.example.org", "", "", Pass, "HTTPS_PROXY is not set"},
		{"one is", "https://tables.example.org", "http://me:" + planted + "@proxy.example.org:3128", "", Warn, "by proxy.example.org:3128, which HTTPS_PROXY names"},
		{"one that is left out", "https://tables.example.org", "http://proxy.example.org:3128", "example.org", Pass, "leaves tables.example.org out (NO_PROXY"},
		{"this machine never goes by one", "https://127.0.0.1:8443/races", "http://proxy.example.org:3128", "", Pass, "this machine's own address"},
		{"one of https says nothing of http", "http://tables.example.org/races", "http://proxy.example.org:3128", "", Pass, "HTTP_PROXY is not set"},
		{"one that is no address", "https://tables.example.org", "http://me:" + planted + "@ho st:x", "", Fail, "http://host:port"},
	} {
		t.Setenv("HTTP_PROXY", "")
		t.Setenv("HTTPS_PROXY", row.https)
		t.Setenv("NO_PROXY", row.none)
		url := row.url
		if !strings.HasSuffix(url, "/races") {
			url += "/races"
		}
		v := visiting(endpointAt(t, url, planted), nil)
		f := v.lookForProxy()
		v.close()
		if f.Verdict != row.verdict || !strings.Contains(f.Measured+f.Note, row.says) || v.proxied != (row.verdict == Warn) {
			t.Errorf("%s: %+v; want %s and %q", row.sentence, f, row.verdict, row.says)
		}
		mustNotTell(t, row.sentence, &Diagnosis{Checks: []Finding{f}}, planted)
	}
}

// tunnel is a proxy that lets everybody through to one address, if it does.
type tunnel struct {
	to   string
	open sync.WaitGroup
}

func (p *tunnel) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	there, err := net.Dial("tcp", p.to)
	if err != nil {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	// Counted while the server still waits for the connection, and taken over before it is
	// answered: what is sent after the answer nobody else reads.
	p.open.Add(2)
	here, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		there.Close()
		p.open.Add(-2)
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	pass := func(to, from net.Conn) {
		defer p.open.Done()
		_, _ = io.Copy(to, from)
		to.Close()
	}
	go pass(there, here)
	go pass(here, there)
}

// A visit goes by the proxy that a run would go by, which warns and fails nothing; one that lets
// nobody through is what fails.
func TestVisitByAProxy(t *testing.T) {
	good := namedService(t, "somebody's tables", nil)
	server := httptest.NewUnstartedServer(good.handler)
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
		{server.Listener.Addr().String(), []string{visitProxy}, nil, []string{visitWay}},
		{closedPort(t), []string{visitProxy}, []string{visitKey}, []string{visitWay, visitClock}},
	} {
		proxy := &tunnel{to: row.to}
		before := httptest.NewServer(proxy)
		t.Setenv("HTTPS_PROXY", before.URL)
		t.Setenv("NO_PROXY", "")
		v := visiting(endpointAt(t, "https://example.com/races", planted), &tls.Config{RootCAs: roots})
		d := diagnose(context.Background(), v.checks(), io.Discard)
		v.close()
		before.Close()
		proxy.open.Wait()
		if !slices.Equal(d.names(Warn), row.warned) || !slices.Equal(d.names(Fail), row.failed) || !slices.Equal(d.names(CannotTell), row.unknown) {
			t.Errorf("to %s: warned %v, failed %v, not known %v; want %v, %v, %v\n%s", row.to, d.names(Warn), d.names(Fail), d.names(CannotTell),
				row.warned, row.failed, row.unknown, spelled(d))
		}
		if row.failed != nil && !strings.Contains(spelled(d), "lets nobody through") {
			t.Errorf("the visit does not say that it was the proxy:\n%s", spelled(d))
		}
	}
}

// giver gives the same token to everybody, or none.
type giver string

func (g giver) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	if g == "" {
		return azcore.AccessToken{}, errors.New("nobody")
	}
	return azcore.AccessToken{Token: string(g), ExpiresOn: time.Now().Add(time.Hour)}, nil
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

// A visit as whom Entra ID knows us says what is wrong with that.
func TestVisitWithAToken(t *testing.T) {
	good := namedService(t, "somebody's tables", taker("token-of-races"))
	for _, row := range []struct {
		sentence string
		given    giver
		fails    []string
		says     string
	}{
		{"the right token", "token-of-races", nil, "takes the token of races"},
		{"another's", "token-of-horses", []string{visitKey}, "refuses the token"},
		{"none is to be had", "", []string{visitKey}, "az login"},
	} {
		v := visiting(endpointAt(t, good.url, planted).WithCredential(azure.NewCredential("scope", row.given)), nil)
		d := diagnose(context.Background(), v.checks(), io.Discard)
		v.close()
		if !slices.Equal(d.names(Fail), row.fails) || !strings.Contains(spelled(d), row.says) {
			t.Errorf("%s: failed %v; want %v and %q\n%s", row.sentence, d.names(Fail), row.fails, row.says, spelled(d))
		}
		mustNotTell(t, row.sentence, d, "token-of-races", "token-of-horses")
	}
}

func TestDistances(t *testing.T) {
	for _, row := range []struct {
		sentence, url string
		took          time.Duration
		proxied       bool
		verdict, says string
	}{
		{"this machine", "http://127.0.0.1:10002/races", time.Second, false, Pass, "this machine"},
		{"perhaps the same region", "https://races.table.core.windows.net", 2 * time.Millisecond, false, Pass, "within 200 km, which may be the same region"},
		{"less than a kilometre is one", "https://races.table.core.windows.net", time.Microsecond, false, Pass, "within 1 km"},
		{"another region", "https://races.table.core.windows.net", 90 * time.Millisecond, false, Warn, "within 9,000 km"},
		{"behind a proxy", "https://races.table.core.windows.net", 2 * time.Millisecond, true, CannotTell, "a proxy is between"},
	} {
		v := &visit{endpoint: endpointAt(t, row.url, planted), connecting: row.took, proxied: row.proxied}
		if f := v.judgeDistance(); f.Verdict != row.verdict || !strings.Contains(f.Measured, row.says) {
			t.Errorf("%s: %+v; want %s and %q", row.sentence, f, row.verdict, row.says)
		}
	}
}

func TestWhatIsCarriedIsHeldAgainstTheNeed(t *testing.T) {
	c := carried{bytes: 1_000_000, took: time.Second, senders: 1}
	for _, row := range []struct {
		needs         need
		verdict, says string
	}{
		{need{"s", 900_000, 100_000}, Pass, "977 KiB/s"},
		{need{"s", 1_100_000, 0}, Warn, "nearer to the account"},
		{need{"s", 100_000, 1_100_000}, Warn, "the other way was not measured"},
	} {
		if f := c.judged(row.needs, row.needs.String()); f.Verdict != row.verdict || !strings.Contains(f.Measured+f.Note, row.says) {
			t.Errorf("%v: %+v; want %s and %q", row.needs, f, row.verdict, row.says)
		}
	}
}

// What a scenario needs is what its busiest step sends and gets: four times
// what a step at a quarter of its rate does.
func TestNeeds(t *testing.T) {
	needs := func(rates, each string) need {
		t.Helper()
		s, err := stress([2]string{"phases.load.entities", "100"}, [2]string{"phases.peak.rates", rates}, [2]string{"phases.peak.each", each},
			[2]string{"phases.peak.hold", "false"})
		if err != nil {
			t.Fatal(err)
		}
		n, err := needOf(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	slow := needs("[100]", "2s")
	for _, row := range []struct {
		sentence    string
		rates, each string
		times       float64
	}{
		{"the busiest step counts", "[100, 400]", "2s", 4},
		{"also where it is not the last", "[400, 100]", "2s", 4},
		{"a step that lasts longer needs no more", "[100]", "8s", 1},
	} {
		n := needs(row.rates, row.each)
		for _, way := range [][2]float64{{n.sent, slow.sent}, {n.received, slow.received}} {
			if times := way[0] / way[1]; times < .95*row.times || times > 1.05*row.times {
				t.Errorf("%s: %v is %.2f times %v; want %v times", row.sentence, n, times, slow, row.times)
			}
		}
	}
	// An operation of entities of 1 KiB has some hundred bytes of head, and less than three entities.
	if each := (slow.sent + slow.received) / 100; each < 1024 || each > 3*1024 {
		t.Errorf("an operation needs %.0f bytes both ways; want 1 to 3 KiB", each)
	}
}

// The writes of a visit find no table, so that nothing is made; where they may not be sent at all,
// there is no telling.
func TestBandwidthWritesNothing(t *testing.T) {
	good := namedService(t, "somebody's tables", nil)
	v := visiting(endpointAt(t, good.url, planted), nil)
	defer v.close()
	v.needs = need{"much", 1e15, 1}
	if f := v.lookForProxy(); f.Verdict != Pass {
		t.Fatal(f)
	}
	f := v.measureBandwidth(t.Context())
	if c := good.handler.Counts(); f.Verdict != Warn || c.Entities != 0 || c.Requests > 17 || len(good.engine.TableNames("races")) > 0 {
		t.Errorf("%+v with %+v; want a warning, at most 17 requests, and nothing written", f, c)
	}
	read, err := v.endpoint.WithSAS("sv=2019-02-02&ss=t&srt=sco&sp=rl&se=2099-01-01T00:00:00Z&sig=" + otherKey)
	if err != nil {
		t.Fatal(err)
	}
	w := visiting(read, nil)
	defer w.close()
	if f := w.measureBandwidth(t.Context()); f.Verdict != CannotTell || !strings.Contains(f.Measured, "403") {
		t.Errorf("%+v; want that it cannot be told", f)
	}
}

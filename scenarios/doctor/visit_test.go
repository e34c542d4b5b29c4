package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
	"loadgen/target/azure"
)

// planted is a key that must not be found where it does not belong.
const planted = "cGxhbnRlZHNlY3JldHBsYW50ZWRzZWNyZXRwbGFudGVk"

// service is an engine of our own, without limits, that a visit meets as a stranger.
type service struct {
	url     string
	engine  *engine.Engine
	handler *rest.Handler
}

// newService serves the account races; its clock goes wrong by so much.
func newService(t *testing.T, wrong time.Duration) *service {
	return serviceOf(t, wrong, rest.Options{})
}

// namedService is one that calls itself so, this tool's own name where that is empty, and takes
// tokens as well where there is somebody who accepts them.
func namedService(t *testing.T, name string, tokens rest.Tokens) *service {
	return serviceOf(t, 0, rest.Options{Name: name, Tokens: tokens})
}

func serviceOf(t *testing.T, wrong time.Duration, o rest.Options) *service {
	t.Helper()
	m, err := model.New(model.Off)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := wire.NewSecret(planted)
	if err != nil {
		t.Fatal(err)
	}
	clk := clock.NewReal()
	calendar := clock.Epoch(clk.Started().Add(wrong))
	s := &service{engine: engine.New(engine.Options{Model: m, Accounts: []string{"races"}, Calendar: calendar})}
	o.Engine, o.Clock, o.Calendar, o.Accounts = s.engine, clk, calendar, []rest.Account{{Name: "races", Secret: secret}}
	s.handler, err = rest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: s.handler})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s.url = server.URL() + "/races"
	return s
}

// endpointAt is an address with a key.
func endpointAt(t *testing.T, url, key string) azure.Endpoint {
	t.Helper()
	secret, err := wire.NewSecret(key)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := azure.ParseURL(url, "", secret)
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

// serves has an engine's handler answer behind something else.
func serves(t *testing.T, s *service, change func(w http.ResponseWriter, r *http.Request) bool) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if change(w, r) {
			s.handler.ServeHTTP(w, r)
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
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	return closed.Addr().String()
}

// visiting is a visit to a service, whose way is to carry a little.
func visiting(endpoint azure.Endpoint, trust *tls.Config) *visit {
	v := newVisit(&Options{Service: &endpoint, Trust: trust, Clock: clock.NewReal()})
	v.needs = need{"a scenario", 1000, 1000}
	return v
}

// otherKey is a key, and not that of the service.
const otherKey = "b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90aGVyb3Ro"

func TestVisits(t *testing.T) {
	good, late, slow := newService(t, 0), newService(t, 20*time.Minute), newService(t, -5*time.Minute)
	secured := httptest.NewUnstartedServer(good.handler)
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
		good.handler.ServeHTTP(dateless{w}, r)
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
	for _, row := range []struct {
		sentence string
		url, key string
		trust    *tls.Config
		// fails, unknown and untried are the checks that do not pass; says is part
		// of what is told of the first that fails or is not known.
		fails, unknown, untried []string
		says                    string
	}{
		{sentence: "a table service", url: good.url, key: planted},
		{sentence: "a table service behind TLS", url: secured.URL + "/races", key: planted, trust: &tls.Config{RootCAs: roots}},
		{sentence: "a port that nobody listens on", url: "http://" + closedPort(t) + "/races", key: planted,
			fails: []string{visitConnect}, untried: []string{visitKey, visitTrip, visitWay, visitClock, visitKeep, visitBytes}, says: "is the port right?"},
		{sentence: "a host that does not exist", url: "http://races.table.invalid/races", key: planted,
			fails: []string{visitResolve}, untried: []string{visitConnect, visitKey, visitTrip, visitWay, visitClock, visitKeep, visitBytes}, says: "no address of races.table.invalid"},
		{sentence: "the key of another account", url: good.url, key: otherKey,
			fails: []string{visitKey}, untried: []string{visitTrip, visitKeep, visitBytes}, says: "the key is not that of the account races"},
		{sentence: "a clock that is 20 minutes off", url: late.url, key: planted,
			fails: []string{visitClock}, unknown: []string{visitKey}, untried: []string{visitTrip, visitKeep, visitBytes}, says: "20 min"},
		{sentence: "a clock that is 5 minutes off", url: slow.url, key: planted},
		{sentence: "a service that does not tell the time", url: timeless.URL + "/races", key: planted,
			unknown: []string{visitClock}, says: "nothing of the time"},
		{sentence: "a server that closes after each reply", url: closing.URL + "/races", key: planted,
			fails: []string{visitKeep}, says: "11 requests, 0 of them"},
		{sentence: "a page of the web", url: page.URL + "/races", key: planted,
			fails: []string{visitKey}, untried: []string{visitTrip, visitKeep, visitBytes}, says: "a web page"},
		{sentence: "a server that hangs up", url: mute.URL + "/races", key: planted,
			fails: []string{visitKey}, unknown: []string{visitClock}, untried: []string{visitTrip, visitKeep, visitBytes}, says: "closed before the reply"},
		{sentence: "a server that hangs up in the end", url: tired.URL + "/races", key: planted,
			fails: []string{visitTrip}, untried: []string{visitKeep, visitBytes}, says: "3 replies, then: "},
		{sentence: "a certificate that nobody trusts", url: secured.URL + "/races", key: planted,
			fails: []string{visitTLS}, untried: []string{visitKey, visitTrip, visitClock, visitKeep, visitBytes}, says: "trust who signed it"},
		{sentence: "https where http is spoken", url: "https" + strings.TrimPrefix(good.url, "http"), key: planted,
			fails: []string{visitTLS}, untried: []string{visitKey, visitTrip, visitClock, visitKeep, visitBytes}, says: "does the address need http"},
	} {
		v := visiting(endpointAt(t, row.url, row.key), row.trust)
		d := diagnose(context.Background(), v.checks(), io.Discard)
		v.close()
		for verdict, want := range map[string][]string{Fail: row.fails, CannotTell: row.unknown, NotTried: row.untried} {
			if got := d.names(verdict); !slices.Equal(got, want) {
				t.Errorf("%s: %q of %v; want of %v\n%s", row.sentence, verdict, got, want, spelled(d))
			}
		}
		if !strings.Contains(spelled(d), row.says) {
			t.Errorf("%s: the checks do not say %q:\n%s", row.sentence, row.says, spelled(d))
		}
		mustNotTell(t, row.sentence, d, planted, otherKey)
		for _, one := range d.Checks {
			if one.Verdict == Fail && one.Note == "" {
				t.Errorf("%s: %s does not say what to do", row.sentence, one.Name)
			}
		}
	}
	if names := good.engine.TableNames("races"); len(names) > 0 {
		t.Errorf("the visits made the tables %v; want nothing written", names)
	}
	if counts := good.handler.Counts(); counts.Entities != 0 {
		t.Errorf("the visits counted %d entities; want none touched", counts.Entities)
	}
}

// mustNotTell fails where a diagnosis holds eight bytes in a row of a secret.
func mustNotTell(t *testing.T, sentence string, d *Diagnosis, secrets ...string) {
	t.Helper()
	told := spelled(d)
	for _, secret := range secrets {
		for i := 0; i+8 <= len(secret); i++ {
			if strings.Contains(told, secret[i:i+8]) {
				t.Errorf("%s: the diagnosis holds %q, a part of the secret:\n%s", sentence, secret[i:i+8], told)
			}
		}
	}
}

// spelled is all that a diagnosis says, as a person reads it and as a script does.
func spelled(d *Diagnosis) string { return fmt.Sprintf("%+v", *d.Document()) + fmt.Sprintf("%+v", *d) }

func TestVisitWithASignature(t *testing.T) {
	good := newService(t, 0)
	const signature = "c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmE="
	endpoint, err := endpointAt(t, good.url, planted).WithSAS("sv=2019-02-02&ss=t&srt=sco&sp=rl&se=2099-01-01T00:00:00Z&sig=" + signature)
	if err != nil {
		t.Fatal(err)
	}
	v := visiting(endpoint, nil)
	defer v.close()
	d := diagnose(context.Background(), v.checks(), io.Discard)
	if got := d.names(Fail); !slices.Equal(got, []string{visitKey}) {
		t.Errorf("a signature that is not the account's fails %v; want the key alone\n%s", got, spelled(d))
	}
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
		good := namedService(t, row.name, nil)
		v := visiting(endpointAt(t, good.url, planted), nil)
		list := v.checks()
		list = list[:len(list)-1] // the bandwidth's requests are others
		d := diagnose(context.Background(), list, io.Discard)
		if got := good.handler.Counts().Requests; got != 11 || v.requests != 11 {
			t.Errorf("%s: a visit sent %d requests and counted %d; want the 11 that its help names", row.sentence, got, v.requests)
		}
		if c := v.client.Connections(); c.Opened != row.opened || c.Reused != row.reused || v.client.Client() != row.client {
			t.Errorf("%s: a visit by %s opened %d connections and used them again %d times; want %s, %d and %d\n%s", row.sentence,
				v.client.Client(), c.Opened, c.Reused, row.client, row.opened, row.reused, spelled(d))
		}
		if len(d.passed()) != len(list) {
			t.Errorf("%s: %s", row.sentence, spelled(d))
		}
		v.close()
	}
}

func TestClocksThatAreCompared(t *testing.T) {
	for _, row := range []struct {
		sentence     string
		ahead, heard time.Duration
		want         string
		says         string
	}{
		{"the date says nothing", 0, time.Millisecond, CannotTell, "nothing of the time"},
		// A date that is cut off to the second is half a second early.
		{"no difference", -500 * time.Millisecond, time.Millisecond, Pass, "none that can be told, ± 501 ms"},
		{"a difference within the round trip", 1400 * time.Millisecond, 3 * time.Second, Pass, "none that can be told, ± 2 s"},
		{"a difference beyond it", 2 * time.Second, time.Millisecond, Pass, "2.5 s behind the service's"},
		{"a clock ahead", -10 * time.Second, time.Millisecond, Pass, "9.5 s ahead of the service's"},
		{"a difference that is worth setting right", 5 * time.Minute, time.Millisecond, Pass, "set this machine's clock right"},
		{"the most that a service takes", 15*time.Minute - time.Second/2, time.Millisecond, Pass, "15 min behind"},
		{"more than a service takes", 15 * time.Minute, time.Millisecond, Fail, "refuses every request"},
		{"more than it takes, the other way", -15*time.Minute - time.Second, time.Millisecond, Fail, "ahead of"},
	} {
		v := &visit{first: azure.Service{Ahead: row.ahead}, heard: row.heard}
		if f := v.compareClocks(); f.Verdict != row.want || !strings.Contains(f.Measured+f.Note, row.says) {
			t.Errorf("%s: compareClocks = %+v; want %s and %q", row.sentence, f, row.want, row.says)
		}
	}
}

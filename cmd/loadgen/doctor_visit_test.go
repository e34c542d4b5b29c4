package main

import (
	"bytes"
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

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/wire"
	"loadgen/target/azure"
)

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

// otherKey is a key, and not that of the service.
const otherKey = "b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90aGVyb3Ro"

func TestVisits(t *testing.T) {
	good, late, slow := newService(t, model.Off, 0), newService(t, model.Off, 20*time.Minute), newService(t, model.Off, -5*time.Minute)
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
			fails: []string{visitConnect}, untried: []string{visitKey, visitTrip, visitClock, visitKeep}, says: "is the port right?"},
		{sentence: "a host that does not exist", url: "http://races.table.invalid/races", key: planted,
			fails: []string{visitResolve}, untried: []string{visitConnect, visitKey, visitTrip, visitClock, visitKeep}, says: "no address of races.table.invalid"},
		{sentence: "the key of another account", url: good.url, key: otherKey,
			fails: []string{visitKey}, untried: []string{visitTrip, visitKeep}, says: "the key is not that of the account races"},
		{sentence: "a clock that is 20 minutes off", url: late.url, key: planted,
			fails: []string{visitClock}, unknown: []string{visitKey}, untried: []string{visitTrip, visitKeep}, says: "20m"},
		{sentence: "a clock that is 5 minutes off", url: slow.url, key: planted},
		{sentence: "a service that does not tell the time", url: timeless.URL + "/races", key: planted,
			unknown: []string{visitClock}, says: "nothing of the time"},
		{sentence: "a server that closes after each reply", url: closing.URL + "/races", key: planted,
			fails: []string{visitKeep}, says: "11 requests, 0 of them"},
		{sentence: "a page of the web", url: page.URL + "/races", key: planted,
			fails: []string{visitKey}, untried: []string{visitTrip, visitKeep}, says: "a web page"},
		{sentence: "a server that hangs up", url: mute.URL + "/races", key: planted,
			fails: []string{visitKey}, unknown: []string{visitClock}, untried: []string{visitTrip, visitKeep}, says: "closed before the reply"},
		{sentence: "a server that hangs up in the end", url: tired.URL + "/races", key: planted,
			fails: []string{visitTrip}, untried: []string{visitKeep}, says: "3 replies, then: "},
		{sentence: "a certificate that nobody trusts", url: secured.URL + "/races", key: planted,
			fails: []string{visitTLS}, untried: []string{visitKey, visitTrip, visitClock, visitKeep}, says: "trust who signed it"},
		{sentence: "https where http is spoken", url: "https" + strings.TrimPrefix(good.url, "http"), key: planted,
			fails: []string{visitTLS}, untried: []string{visitKey, visitTrip, visitClock, visitKeep}, says: "does the address need http"},
	} {
		v := newVisit(endpointAt(t, row.url, row.key), clock.NewReal(), row.trust)
		d := diagnose(context.Background(), v.checks(), io.Discard)
		v.close()
		for verdict, want := range map[string][]string{checkFails: row.fails, checkUnknown: row.unknown, checkNotTried: row.untried} {
			if got := d.names(verdict); !slices.Equal(got, want) {
				t.Errorf("%s: %q of %v; want of %v\n%s", row.sentence, verdict, got, want, d.text())
			}
		}
		if (d.judge() == nil) != (len(row.fails) == 0) {
			t.Errorf("%s: judge = %v with %d failures", row.sentence, d.judge(), len(row.fails))
		}
		// Lines are broken for their width.
		if text := strings.Join(strings.Fields(d.text()), " "); !strings.Contains(text, row.says) {
			t.Errorf("%s: the page does not say %q:\n%s", row.sentence, row.says, d.text())
		}
		mustNotTell(t, row.sentence, d, planted, otherKey)
		for _, one := range d.Checks {
			if one.Verdict == checkFails && one.Note == "" {
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
func mustNotTell(t *testing.T, sentence string, d *diagnosis, secrets ...string) {
	t.Helper()
	var told bytes.Buffer
	for _, format := range []string{"text", "json"} {
		if err := d.print(&told, format); err != nil {
			t.Fatal(err)
		}
	}
	for _, secret := range secrets {
		for i := 0; i+8 <= len(secret); i++ {
			if bytes.Contains(told.Bytes(), []byte(secret[i:i+8])) {
				t.Errorf("%s: the diagnosis holds %q, a part of the secret:\n%s", sentence, secret[i:i+8], &told)
			}
		}
	}
}

func TestVisitWithASignature(t *testing.T) {
	good := newService(t, model.Off, 0)
	const signature = "c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmE="
	endpoint, err := endpointAt(t, good.url, planted).WithSAS("sv=2019-02-02&ss=t&srt=sco&sp=rl&se=2099-01-01T00:00:00Z&sig=" + signature)
	if err != nil {
		t.Fatal(err)
	}
	v := newVisit(endpoint, clock.NewReal(), nil)
	defer v.close()
	d := diagnose(context.Background(), v.checks(), io.Discard)
	if got := d.names(checkFails); !slices.Equal(got, []string{visitKey}) {
		t.Errorf("a signature that is not the account's fails %v; want the key alone\n%s", got, d.text())
	}
	mustNotTell(t, "a signature that is not the account's", d, signature, planted)
}

func TestVisitIsElevenRequests(t *testing.T) {
	good := newService(t, model.Off, 0)
	v := newVisit(endpointAt(t, good.url, planted), clock.NewReal(), nil)
	defer v.close()
	d := diagnose(context.Background(), v.checks(), io.Discard)
	if got := good.handler.Counts().Requests; got != 11 || v.requests != 11 {
		t.Errorf("a visit sent %d requests and counted %d; want the 11 that its help names", got, v.requests)
	}
	if c := v.client.Connections(); c.Opened != 1 || c.Reused != 10 {
		t.Errorf("a visit opened %d connections and used them again %d times; want 1 and 10\n%s", c.Opened, c.Reused, d.text())
	}
}

func TestClocksThatAreCompared(t *testing.T) {
	for _, row := range []struct {
		sentence     string
		ahead, heard time.Duration
		want         string
		says         string
	}{
		{"the date says nothing", 0, time.Millisecond, checkUnknown, "nothing of the time"},
		// A date that is cut off to the second is half a second early.
		{"no difference", -500 * time.Millisecond, time.Millisecond, checkPasses, "none that can be told, ± 501 ms"},
		{"a difference within the round trip", 1400 * time.Millisecond, 3 * time.Second, checkPasses, "none that can be told, ± 2 s"},
		{"a difference beyond it", 2 * time.Second, time.Millisecond, checkPasses, "2.50 s behind the service's"},
		{"a clock ahead", -10 * time.Second, time.Millisecond, checkPasses, "9.50 s ahead of the service's"},
		{"a difference that is worth setting right", 5 * time.Minute, time.Millisecond, checkPasses, "set this machine's clock right"},
		{"the most that a service takes", 15*time.Minute - time.Second/2, time.Millisecond, checkPasses, "15m0s behind"},
		{"more than a service takes", 15 * time.Minute, time.Millisecond, checkFails, "refuses every request"},
		{"more than it takes, the other way", -15*time.Minute - time.Second, time.Millisecond, checkFails, "ahead of"},
	} {
		v := &visit{first: azure.Service{Ahead: row.ahead}, heard: row.heard}
		if f := v.compareClocks(); f.Verdict != row.want || !strings.Contains(f.Measured+f.Note, row.says) {
			t.Errorf("%s: compareClocks = %+v; want %s and %q", row.sentence, f, row.want, row.says)
		}
	}
}

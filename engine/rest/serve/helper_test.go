package serve_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
	"loadgen/engine/wire"
	"loadgen/target"
	"loadgen/target/azure"
)

// The emulators' account and its key, and one of one's own.
const (
	emulators = "devstoreaccount1"
	known     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
	own       = "cGxhbnRlZHNlY3JldHBsYW50ZWRzZWNyZXRwbGFudGVk"
)

// guarded is a buffer that may be read while others write.
type guarded struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (g *guarded) Write(text []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(text)
}

func (g *guarded) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

// shop is a service that is open, and a client of it.
type shop struct {
	*serve.Service
	t       *testing.T
	journal guarded
	clock   clock.Real
	client  *azure.Target
	number  uint64
}

// open opens a service on a free port and lets requests in.
func open(t *testing.T, o serve.Options) *shop {
	t.Helper()
	s := &shop{t: t, clock: clock.NewReal()}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	o.Clock, o.Journal = s.clock, &s.journal
	var err error
	if s.Service, err = serve.Open(t.Context(), o); err != nil {
		t.Fatalf("Open = %v; want no error", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v; want no error", err)
		}
	})
	s.Begin()
	s.enter(strings.Replace(s.ConnectionString(), "<the key of races.key>", own, 1))
	return s
}

// enter makes a client out of a connection string.
func (s *shop) enter(connection string) {
	s.t.Helper()
	endpoint, err := azure.ParseConnectionString(connection)
	if err != nil {
		s.t.Fatalf("ParseConnectionString(%q) = %v; want no error", connection, err)
	}
	s.client, err = azure.New(azure.Options{Endpoint: endpoint, Connections: 1, Clock: s.clock, Calendar: s.clock, RunID: "shop"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.client.Close)
}

// do sends one operation.
func (s *shop) do(verb entity.Verb, table, partition, row string, properties ...entity.Property) target.Outcome {
	s.number++
	op := &target.Operation{Verb: verb, Table: table, Number: s.number,
		Change: entity.Change{Verb: verb, Key: entity.Key{Partition: partition, Row: row}, Properties: properties}}
	if verb == entity.Delete {
		op.Change.Match = entity.MatchAny
	}
	return s.client.Do(s.t.Context(), op)
}

// want fails the test unless the operation succeeds.
func (s *shop) want(verb entity.Verb, table, partition, row string, properties ...entity.Property) target.Outcome {
	s.t.Helper()
	got := s.do(verb, table, partition, row, properties...)
	if got.Code != entity.OK || got.Status == 0 {
		s.t.Fatalf("%v of %s %q %q = %d %s %s; want success", verb, table, partition, row, got.Status, got.Code, got.Detail)
	}
	return got
}

// get asks an address.
func (s *shop) get(method, url string) (int, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

// state returns what the second address says of the service.
func (s *shop) state() (now serve.State) {
	s.t.Helper()
	status, text := s.get("GET", s.AdminURL()+serve.StatePath)
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&now); err != nil || status != http.StatusOK {
		s.t.Fatalf("GET %s = %d %q, %v; want the state", serve.StatePath, status, text, err)
	}
	return now
}

// slow is a request that waits to be sent to its end.
type slow struct {
	t    *testing.T
	sent net.Conn
}

// makeTable is what such a request says.
const makeTable = `{"TableName":"Races"}`

// begins sends all of a request but its body, and returns once the service has it.
func (s *shop) begins() slow {
	s.t.Helper()
	host, path, _ := strings.Cut(strings.TrimPrefix(s.URL(), "http://"), "/")
	sent, err := net.Dial("tcp", host)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = sent.Close() })
	secret, err := wire.NewSecret(known)
	if err != nil {
		s.t.Fatal(err)
	}
	path = "/" + path + "/Tables"
	date := s.clock.Started().UTC().Format(http.TimeFormat)
	signature := secret.AppendAuthorization(nil, wire.SharedKeyLite, &wire.Signable{Method: "POST", Date: date, Account: emulators, Path: path})
	fmt.Fprintf(sent, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nX-Ms-Date: %s\r\n"+
		"Content-Type: application/json\r\nAccept: application/json;odata=minimalmetadata\r\nContent-Length: %d\r\n\r\n",
		path, host, signature, date, len(makeTable))
	s.until("a request under way", func() bool { return s.state().UnderWay == 1 })
	return slow{s.t, sent}
}

// ends sends what is left of the request, and returns the status of the reply, 0
// where there is none.
func (x slow) ends() int {
	_, _ = x.sent.Write([]byte(makeTable)) // its error is that nobody is there any more
	reply, err := http.ReadResponse(bufio.NewReader(x.sent), nil)
	if err != nil {
		return 0
	}
	_ = reply.Body.Close()
	return reply.StatusCode
}

// until waits for what another goroutine is about to do, asking again and again.
func (s *shop) until(what string, there func() bool) {
	s.t.Helper()
	const most = 100_000
	for range most {
		if there() {
			return
		}
	}
	s.t.Fatalf("waited in vain for %s: %s", what, &s.journal)
}

// leftIn lists the files of a folder.
func leftIn(t *testing.T, folder string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// put writes files into the present folder.
func put(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

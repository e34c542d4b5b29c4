package azure_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/target"
	"loadgen/target/azure"
)

// TestMain collects less garbage, except in a process whose memory is measured.
func TestMain(m *testing.M) {
	if os.Getenv("LOADGEN_ENDLESS_PEERS") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

// testKey is the base64 of plainKey, the key of the account races.
const (
	plainKey = "a key that only the tests of this package know, and no service"
	testKey  = "YSBrZXkgdGhhdCBvbmx5IHRoZSB0ZXN0cyBvZiB0aGlzIHBhY2thZ2Uga25vdywgYW5kIG5vIHNlcnZpY2U="
)

// epoch is the calendar instant of instant zero in all tests.
var epoch = time.Date(2026, 11, 20, 11, 48, 19, 0, time.UTC)

// still is a clock that stands at instant zero; its alarms are real.
type still struct{ clock.Real }

func (still) Now() clock.Instant { return 0 }

// moving is a clock that the test moves; it rings no alarm.
type moving struct{ at atomic.Int64 }

func (m *moving) Now() clock.Instant { return clock.Instant(m.at.Load()) }

func (*moving) Sleep(ctx context.Context, _ clock.Instant) error { return ctx.Err() }

func (*moving) Alarm(clock.Instant) clock.Alarm {
	return clock.NewReal().Alarm(clock.Instant(time.Hour))
}

// raw is a server that takes requests as bytes and answers with bytes.
type raw struct {
	address string
	answer  func(number int, request []byte) (reply string, closing bool)

	mu   sync.Mutex
	seen [][]byte
}

// serve starts a server; number counts the requests from 0, over all
// connections.
func serve(t testing.TB, answer func(number int, request []byte) (reply string, closing bool)) *raw {
	t.Helper()
	r := &raw{answer: answer}
	r.address = each(t, r.handle)
	return r
}

// each has a function take the connections that come, one after another.
func each(t testing.TB, take func(conn net.Conn)) (address string) {
	t.Helper()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				take(conn)
			})
		}
	})
	// Targets are closed before, since they are opened after: what a handler
	// waits for then comes, or a connection was forgotten.
	t.Cleanup(func() {
		listener.Close()
		serving.Wait()
	})
	return listener.Addr().String()
}

// always returns an answer that is the same for each request.
func always(reply string) func(int, []byte) (string, bool) {
	return func(int, []byte) (string, bool) { return reply, false }
}

func (r *raw) handle(conn net.Conn) {
	var arrived bytes.Buffer
	converse(conn, io.TeeReader(conn, &arrived), func(*http.Request) (string, bool) {
		r.mu.Lock()
		number, request := len(r.seen), bytes.Clone(arrived.Bytes())
		r.seen = append(r.seen, request)
		r.mu.Unlock()
		arrived.Reset()
		reply, closing := r.answer(number, request)
		return reply, !closing
	})
}

// converse answers the requests of a connection, each read whole, until answer hangs up.
func converse(conn net.Conn, from io.Reader, answer func(*http.Request) (reply string, stay bool)) {
	for reader := bufio.NewReader(from); ; {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		reply, stay := answer(request)
		if _, err := io.WriteString(conn, reply); err != nil || !stay {
			return
		}
	}
}

// requests returns what has arrived so far.
func (r *raw) requests() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([][]byte(nil), r.seen...)
}

func (r *raw) url() string { return "http://" + r.address + "/races" }

// endpointAt is the account races at an address, with the key of the tests.
func endpointAt(t testing.TB, address string) azure.Endpoint {
	t.Helper()
	return must(azure.ParseURL(address, "races", must(wire.NewSecret(testKey))))
}

// signedAt is an address with a shared access signature.
func signedAt(address, signature string) azure.Endpoint {
	return must(azure.ParseConnectionString("TableEndpoint=" + address + ";SharedAccessSignature=" + signature))
}

// open builds a target that is closed when the test ends, see build.
func open(t testing.TB, o azure.Options) *azure.Target {
	t.Helper()
	built := build(t, o)
	t.Cleanup(built.Close)
	return built
}

// build builds a target on options of which all may be missing.
func build(t testing.TB, o azure.Options) *azure.Target {
	t.Helper()
	if o.Endpoint.Account() == "" {
		o.Endpoint = endpointAt(t, "http://127.0.0.1/races")
	}
	if o.Clock == nil {
		o.Clock = clock.NewReal()
	}
	if o.Calendar == nil {
		o.Calendar = clock.Epoch(epoch)
	}
	o.RunID, o.Timeout = "run7", cmp.Or(o.Timeout, 5*time.Second)
	return must(azure.New(o))
}

// openAt builds a target of a service with these answers.
func openAt(t testing.TB, answer func(int, []byte) (string, bool), o azure.Options) (*azure.Target, *raw) {
	t.Helper()
	server := serve(t, answer)
	o.Endpoint = endpointAt(t, server.url())
	return open(t, o), server
}

// do has a target carry out an operation.
func do(t *testing.T, subject target.Target, op target.Operation) target.Outcome {
	return subject.Do(t.Context(), &op)
}

// framed returns a reply written with plain line ends as bytes of the wire: its
// body in one piece with a length, or in chunks as the real service sends JSON.
func framed(text string, chunked bool) string {
	head, body, _ := strings.Cut(strings.ReplaceAll(text, "\n", "\r\n"), "\r\n\r\n")
	if strings.HasPrefix(head, "HTTP/1.1 204") || strings.Contains(head, "\r\nContent-Length:") {
		return head + "\r\n\r\n" + body
	}
	if !chunked {
		return head + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	half := len(body) / 2
	text = head + "\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, chunk := range []string{body[:half], body[half:]} {
		if chunk != "" {
			text += fmt.Sprintf("%x\r\n%s\r\n", len(chunk), chunk)
		}
	}
	return text + "0\r\n\r\n"
}

// runner is an entity of an ordinary kind.
func runner(row string) entity.Change {
	return entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "NYC 2011", Row: row},
		Properties: []entity.Property{
			{Name: "Name", Value: entity.String("Zoë O'Neill")},
			{Name: "Age", Value: entity.Int32(55)},
			{Name: "Bib", Value: entity.Int64(1234)},
		}}
}

// single is an operation on one entity of the table Runners.
func single(verb entity.Verb, row string, match entity.Match) target.Operation {
	change := runner(row)
	change.Verb, change.Match = verb, match
	return target.Operation{Verb: verb, Table: "Runners", Change: change, Number: 42}
}

func get(row string) target.Operation {
	return target.Operation{Verb: entity.Get, Table: "Runners", Number: 42,
		Change: entity.Change{Verb: entity.Get, Key: entity.Key{Partition: "NYC 2011", Row: row}}}
}

// network is a service in memory: each connection is a pipe, and answer says
// what comes back on it. It is fit for a bubble of synctest, in which a socket
// would let time stand.
type network struct {
	dials    atomic.Int64
	requests atomic.Int64
	handlers sync.WaitGroup
	// answer may block; it returns false to hang up.
	answer func(r *http.Request) (reply string, stay bool)
}

// join has a target use the network.
func (n *network) join(subject *azure.Target) {
	subject.DialWith(func(context.Context, string, string) (net.Conn, error) {
		n.dials.Add(1)
		near, far := net.Pipe()
		n.handlers.Go(func() { n.handle(far) })
		return near, nil
	})
}

func (n *network) handle(conn net.Conn) {
	defer conn.Close()
	converse(conn, conn, func(request *http.Request) (string, bool) {
		n.requests.Add(1)
		return n.answer(request)
	})
}

// must returns a value, and panics where there is an error: the test cannot go on.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// netHTTP is a target by its client of net/http.
type netHTTP struct{ *azure.Target }

// Do implements target.Target.
func (n netHTTP) Do(ctx context.Context, op *target.Operation) target.Outcome {
	return n.DoOverNetHTTP(ctx, op)
}

// ways are both to a target's service.
func ways(subject *azure.Target) map[string]target.Target {
	return map[string]target.Target{"Do": subject, "net/http": netHTTP{subject}}
}

// sent is a request as a service has it.
type sent struct {
	Method, URI, Host, Body string
	Header                  http.Header
	Length                  int64
}

// Both ways send the same request, byte for byte but for the order of headers.
func TestNetHTTPSendsWhatDoSends(t *testing.T) {
	strange := single(entity.Merge, "a'b c/#?%2F+ü&=", entity.MatchAny)
	query := target.Operation{Verb: entity.Query, Table: "Runners", Query: target.OnePartition("NYC's 100% & more")}
	query.Query.Token = target.Token{Present: true, NextPartitionKey: "1!8!TllD", NextRowKey: "1!4!MQ--"}
	requests := make(chan sent, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- sent{r.Method, r.RequestURI, r.Host, string(body), r.Header, r.ContentLength}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	endpoint := endpointAt(t, server.URL+"/races")
	shared := signedAt(server.URL+"/races", "sv=2019-02-02&sig=c2VjcmV0%2Bc2VjcmV0")
	for _, endpoint := range []azure.Endpoint{endpoint, shared} {
		subject := open(t, azure.Options{Endpoint: endpoint, AskCounted: true, Clock: still{clock.NewReal()}})
		other := netHTTP{subject}
		for _, op := range append(every(), large(0), strange, query) {
			a := subject.Do(t.Context(), &op)
			want := <-requests
			b := other.Do(t.Context(), &op)
			got := <-requests
			// What another client puts on the wire it does not tell.
			if b.BytesOut, b.BytesIn = a.BytesOut, a.BytesIn; a.BytesOut < int64(len(want.Body)) {
				t.Errorf("%v: Do says that the request has %d bytes; want more than those of its body, %d", op.Verb, a.BytesOut, len(want.Body))
			}
			assert.Truef(t, reflect.DeepEqual(got, want) && reflect.DeepEqual(a, b),
				"%v over net/http sent\n%+v\nfor %+v; want as Do does\n%+v\nfor %+v", op.Verb, got, b, want, a)
		}
	}
}

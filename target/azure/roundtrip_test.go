package azure_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

// byNetHTTP is a target that sends and reads as a driver with an HTTP client does.
type byNetHTTP struct{ *azure.NetHTTP }

// Do implements target.Target.
func (b byNetHTTP) Do(ctx context.Context, op *target.Operation) target.Outcome {
	response, err := b.RoundTrip(ctx, op)
	if err != nil {
		return unanswered(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return unanswered(err)
	}
	outcome := b.Outcome(op, response.StatusCode, response.Header, body)
	clear(body)
	clear(response.Header)
	return outcome
}

// unanswered returns what an error tells of an attempt, all of it.
func unanswered(err error) target.Outcome {
	none := new(target.Unanswered)
	if !errors.As(err, &none) {
		return target.Outcome{Detail: "not told by a target.Unanswered: " + err.Error()}
	}
	return target.Outcome{Fault: none.Fault, Detail: err.Error()}
}

// netHTTP returns a target's other way, closed when the test ends.
func netHTTP(t testing.TB, subject *azure.Target) byNetHTTP {
	n := subject.NetHTTP()
	t.Cleanup(n.Close)
	return byNetHTTP{n}
}

// sent is a request as a service has it.
type sent struct {
	Method, URI, Host, Body string
	Header                  http.Header
	Length                  int64
}

// Both ways send the same request, byte for byte but for the order of headers.
func TestNetHTTPSendsWhatDoSends(t *testing.T) {
	large := single(entity.Insert, "large", entity.Match{})
	large.Change.Properties = append(large.Change.Properties, entity.Property{Name: "Notes", Value: entity.String(strings.Repeat("x", 30_000))})
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
	shared, err := endpoint.WithSAS("sv=2019-02-02&sig=" + "c2VjcmV0%2Bc2VjcmV0")
	if err != nil {
		t.Fatal(err)
	}
	for _, endpoint := range []azure.Endpoint{endpoint, shared} {
		subject := open(t, azure.Options{Endpoint: endpoint, AskCounted: true, Clock: stopped{clock.NewReal()}})
		other := netHTTP(t, subject)
		for _, op := range append(every(), large, strange, query) {
			a := subject.Do(t.Context(), &op)
			want := <-requests
			b := other.Do(t.Context(), &op)
			got := <-requests
			// What another client puts on the wire it does not tell.
			if b.BytesOut, b.BytesIn = a.BytesOut, a.BytesIn; a.BytesOut < int64(len(want.Body)) {
				t.Errorf("%v: Do says that the request has %d bytes; want more than those of its body, %d", op.Verb, a.BytesOut, len(want.Body))
			}
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(a, b) {
				t.Errorf("%v over net/http sent\n%+v\nfor %+v; want as Do does\n%+v\nfor %+v", op.Verb, got, b, want, a)
			}
		}
	}
}

// stopped is a clock that always tells the same instant.
type stopped struct{ clock.Real }

func (stopped) Now() clock.Instant { return clock.Instant(time.Second) }

// A service that hangs up on a connection in use gets each request once.
func TestNetHTTPSendsOnce(t *testing.T) {
	for _, op := range every() {
		server := serve(t, func(number int, _ []byte) (string, bool) {
			if number == 0 {
				return busy, false
			}
			return "", true
		})
		subject := open(t, azure.Options{Endpoint: endpointAt(t, server.url())})
		other := netHTTP(t, subject)
		if first := other.Do(t.Context(), &op); first.Status != 503 {
			t.Fatalf("the first %v = %+v; want 503", op.Verb, first)
		}
		got := other.Do(t.Context(), &op)
		if got.Status != 0 || got.Counted != 0 || !strings.Contains(got.Detail, "the connection was") {
			t.Errorf("%v on a connection that is hung up = %+v; want status 0 and a detail about the connection", op.Verb, got)
		}
		if n := len(server.requests()); n != 2 {
			t.Errorf("%v: the server saw %d requests for 2 attempts; want 2", op.Verb, n)
		}
	}
}

// Why no reply came is told as Do tells it.
func TestNetHTTPSaysWhyNoReplyCame(t *testing.T) {
	const begun = "HTTP/1.1 200 OK\r\nContent-Length: "
	for _, row := range []struct {
		name  string
		reply string
		stay  bool
		// gives is when the caller gives up, if ever, after when the attempt ends.
		gives, after time.Duration
		fault        target.Fault
		says         string
	}{
		{"a service that hangs", "", true, 0, 5 * time.Second, target.TimedOut, "no reply within 5s"},
		{"a body that hangs", begun + "50\r\n\r\n{", true, 0, 5 * time.Second, target.TimedOut, "no reply within 5s"},
		{"a caller who gives up", "", true, time.Second, time.Second, target.Cancelled, "cancelled before a reply came: context canceled"},
		{"a reply cut short", begun + "50\r\n\r\n{}", false, 0, 0, target.ReplyCutOff, "the connection was closed before the reply was complete"},
		{"a reply beyond all bounds", begun + "6000000\r\n\r\n" + strings.Repeat("x", 6_000_000), false, 0, 0, target.ReplyTooLong, "the reply has more than 5 MiB"},
		{"something that is not HTTP", "SSH-2.0-OpenSSH\r\n", false, 0, 0, target.NotHTTP, "what answers does not speak HTTP"},
	} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			subject, err := azure.New(azure.Options{Endpoint: endpointAt(t, "http://races.example.net"), Clock: clk, Calendar: clock.Epoch(epoch), Timeout: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			service := &network{answer: func(int, *http.Request) (string, bool) { return row.reply, row.stay }}
			service.join(t, subject)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if row.gives > 0 {
				defer time.AfterFunc(row.gives, cancel).Stop()
			}
			other := byNetHTTP{subject.NetHTTP()}
			op := get("1")
			got := other.Do(ctx, &op)
			if got.Status != 0 || got.Fault != row.fault || got.Counted != 0 || !strings.HasPrefix(got.Detail, row.says) || strings.Contains(got.Detail, "\n") {
				t.Errorf("%s: %+v; want status 0, %s and %q", row.name, got, row.fault, row.says)
			}
			if took := clk.Now().Offset(); took != row.after {
				t.Errorf("%s: it took %v; want %v", row.name, took, row.after)
			}
			other.Close()
			subject.Close()
			service.handlers.Wait()
		})
	}
}

// No secret is in what is told, and an operation that has no request is not sent.
func TestNetHTTPTellsNoSecret(t *testing.T) {
	shared, err := endpointAt(t, "http://127.0.0.1:1/races").WithSAS("sv=2019-02-02&sig=cGxhbnRlZA%3D%3D")
	if err != nil {
		t.Fatal(err)
	}
	other := netHTTP(t, open(t, azure.Options{Endpoint: shared}))
	op := get("1")
	if got := other.Do(t.Context(), &op); got.Detail != "the connection was refused" {
		t.Errorf("nobody listens: %+v; want that the connection was refused", got)
	}
	op = single(entity.Replace, "1", entity.Match{})
	if got := other.Do(t.Context(), &op); got.Status != 0 || !strings.HasPrefix(got.Detail, "nothing sent") {
		t.Errorf("a replace without a condition: %+v; want that nothing was sent", got)
	}
}

// Attempts and connections are told as those of Do are.
func TestNetHTTPCountsConnections(t *testing.T) {
	server := serve(t, func(int, []byte) (string, bool) { return created, false })
	subject := open(t, azure.Options{Endpoint: endpointAt(t, server.url())})
	other := netHTTP(t, subject)
	for range 5 {
		op := single(entity.Insert, "1", entity.Match{})
		if got := other.Do(t.Context(), &op); got.Status != 204 || got.Counted != 1 {
			t.Fatalf("an insert = %+v; want 204", got)
		}
	}
	if n := subject.Connections(); n.Opened != 1 || n.Reused != 4 || n.FirstBytes.Count != 5 || n.Connects.Count != 1 {
		t.Errorf("Connections() = %+v; want one opened, used five times", n)
	}
}

// What a caller hands over to be understood stays its own.
func TestNetHTTPKeepsNothingOfAReply(t *testing.T) {
	other := "HTTP/1.1 404 Not Found\r\nContent-Length: 300\r\n\r\n" + strings.Repeat("y", 300)
	server := serve(t, func(int, []byte) (string, bool) { return other, false })
	subject := open(t, azure.Options{Endpoint: endpointAt(t, server.url())})
	way := netHTTP(t, subject)
	op, text := get("1"), `{"PartitionKey":"NYC 2011","RowKey":"1","Timestamp":"2026-11-20T11:48:20Z","Echo":"mine"}`
	body := []byte(text)
	got := way.Outcome(&op, 200, http.Header{"Etag": {`W/"datetime'2026-11-20T11%3A48%3A20Z'"`}}, body)
	subject.Do(t.Context(), &op)
	if echo, _ := got.Entity.Lookup("Echo"); echo.Text() != "mine" || got.Counted != 1 || got.Version == 0 {
		t.Errorf("Outcome(%s) = %+v; want the entity and its version", text, got)
	}
	if string(body) != text {
		t.Errorf("the body is %s by then; want %s", body, text)
	}
}

package azure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/azure"
)

const (
	created = "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"
	busy    = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
)

// every returns an operation of each verb.
func every() []target.Operation {
	batch := target.Operation{Verb: entity.Batch, Table: "Runners", Changes: []entity.Change{runner("1")}}
	return []target.Operation{
		get("1"), {Verb: entity.Query, Table: "Runners"}, batch,
		single(entity.Insert, "1", entity.Match{}), single(entity.Replace, "1", entity.MatchAny),
		single(entity.Merge, "1", entity.MatchAny), single(entity.Delete, "1", entity.MatchAny),
		{Verb: entity.CreateTable, Table: "Runners"}, {Verb: entity.DeleteTable, Table: "Runners"},
	}
}

// A service that hangs up on a connection in use, once it has read a request,
// gets that request once: net/http left alone would send a GET again.
func TestOneRequestAnAttempt(t *testing.T) {
	for _, op := range every() {
		// On a machine so busy that a write takes 50 ms to be seen as done,
		// net/http does not use a connection again: another try, then.
		for try := 0; !hungUp(t, op); try++ {
			if try == 20 {
				t.Errorf("%v: no connection was used again in %d tries", op.Verb, try)
				break
			}
		}
	}
}

// hungUp has the server hang up on the second attempt, and returns false where
// that came on a new connection.
func hungUp(t *testing.T, op target.Operation) bool {
	server := serve(t, func(number int, _ []byte) (string, bool) {
		if number == 0 {
			return busy, false
		}
		return "", true
	})
	subject := open(t, azure.Options{Endpoint: endpointAt(t, server.url())})
	if first := subject.Do(context.Background(), &op); first.Status != 503 {
		t.Fatalf("the first %v = %+v; want 503", op.Verb, first)
	}
	got := subject.Do(context.Background(), &op)
	if got.Status != 0 || got.Code != "" || got.Counted != 0 || !strings.Contains(got.Detail, "connection was") {
		t.Errorf("%v on a connection that is hung up = %+v; want status 0 and a detail about the connection", op.Verb, got)
	}
	if n := len(server.requests()); n != 2 {
		t.Errorf("%v: the server saw %d requests for 2 attempts; want 2", op.Verb, n)
	}
	return subject.Connections().Reused == 1
}

// mute is a connection on which the second request cannot be written at all.
type mute struct {
	net.Conn
	writes atomic.Int64
}

func (m *mute) Write(p []byte) (int, error) {
	if m.writes.Add(1) > 1 {
		return 0, errors.New("the line is cut")
	}
	return m.Conn.Write(p)
}

// Nor is a request sent on another connection of which nothing could be
// written on the first.
func TestNothingWrittenIsAnAttempt(t *testing.T) {
	for _, op := range every() {
		synctest.Test(t, func(t *testing.T) {
			n := &network{answer: func(int, *http.Request) (string, bool) { return busy, true }}
			subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://127.0.0.1/races"), Clock: clock.NewReal()})
			subject.DialWith(func(context.Context, string, string) (net.Conn, error) {
				n.dials.Add(1)
				near, far := net.Pipe()
				n.handlers.Go(func() { n.handle(far) })
				return &mute{Conn: near}, nil
			})
			subject.Do(t.Context(), &op)
			got := subject.Do(t.Context(), &op)
			if got.Status != 0 || got.Detail == "" || n.dials.Load() != 1 || n.requests.Load() != 1 {
				t.Errorf("%v = %+v after %d dials and %d requests; want a failure after one of each", op.Verb, got, n.dials.Load(), n.requests.Load())
			}
			n.handlers.Wait()
		})
	}
}

// An attempt takes as long as it may, and no longer, whatever begins or ends
// meanwhile.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://127.0.0.1/races"), Clock: clk, Timeout: 35 * time.Second})
		stuck := make(chan struct{})
		n := &network{answer: func(_ int, r *http.Request) (string, bool) {
			if strings.Contains(r.URL.Path, "quick") {
				return busy, true
			}
			<-stuck
			return "", false
		}}
		n.join(t, subject)
		var attempts sync.WaitGroup
		for second := range 20 {
			for _, row := range []string{"slow", "quick"} {
				attempts.Go(func() {
					time.Sleep(time.Duration(second) * 7 * time.Second)
					began := clk.Now()
					op := get(row)
					got := subject.Do(context.Background(), &op)
					took := clk.Now().Sub(began)
					if row == "quick" && (got.Status != 503 || took != 0) {
						t.Errorf("a quick attempt = %+v after %v; want 503 at once", got, took)
					}
					if row == "slow" && (got.Status != 0 || got.Detail != "no reply within 35s" || took != 35*time.Second) {
						t.Errorf("a slow attempt = %+v after %v; want none after 35s", got, took)
					}
				})
			}
		}
		attempts.Wait()
		close(stuck)
		n.handlers.Wait()
	})
}

// A caller that gives up gets the attempt back at once.
func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://127.0.0.1/races"), Clock: clk})
		stuck := make(chan struct{})
		n := &network{answer: func(int, *http.Request) (string, bool) { <-stuck; return "", false }}
		n.join(t, subject)
		op := get("1")
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if got := subject.Do(done, &op); got.Status != 0 || got.Detail != "cancelled before a reply came: context canceled" || n.requests.Load() != 0 {
			t.Errorf("Do(done) = %+v with %d requests; want none and a detail that says so", got, n.requests.Load())
		}
		soon, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if got := subject.Do(soon, &op); got.Status != 0 || got.Detail != "cancelled before a reply came: context deadline exceeded" || clk.Now() != clock.Instant(3*time.Second) {
			t.Errorf("Do(3s) = %+v at %v; want no reply at 3s", got, clk.Now().Offset())
		}
		close(stuck)
		n.handlers.Wait()
	})
}

// Connecting is a part of the attempt, and bounded by itself.
func TestSlowDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "https://127.0.0.1/races"), Clock: clk, Timeout: 10 * time.Second})
		subject.DialWith(func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		op := get("1")
		got := subject.Do(t.Context(), &op)
		if got.Detail != "no reply within 10s" || clk.Now() != clock.Instant(10*time.Second) {
			t.Errorf("Do = %+v at %v; want none after 10s", got, clk.Now().Offset())
		}
		// A handshake that the other side never answers.
		synctest.Wait()
		near, far := net.Pipe()
		subject.DialWith(func(context.Context, string, string) (net.Conn, error) { return near, nil })
		var swallow sync.WaitGroup
		swallow.Go(func() { io.Copy(io.Discard, far) })
		got = subject.Do(t.Context(), &op)
		if got.Detail != "no reply within 10s" || clk.Now() != clock.Instant(20*time.Second) {
			t.Errorf("Do = %+v at %v; want none after 10s", got, clk.Now().Offset())
		}
		synctest.Wait()
		far.Close()
		swallow.Wait()
		if n := subject.Connections(); n.Opened != 0 || n.Refused != 2 || n.Connects.Count != 2 || n.Handshakes.Count != 1 || n.Handshakes.Max != 10*time.Second {
			t.Errorf("Connections() = %+v; want 2 refused of 2, one handshake of 10s", n)
		}
	})
}

// An idle connection is given up before Azurite would close it.
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://127.0.0.1/races"), Clock: clock.NewReal()})
		n := &network{answer: func(int, *http.Request) (string, bool) { time.Sleep(20 * time.Millisecond); return created, true }}
		n.join(t, subject)
		op := single(entity.Insert, "1", entity.Match{})
		for _, row := range []struct {
			wait   time.Duration
			opened int64
		}{{0, 1}, {3 * time.Second, 1}, {4500 * time.Millisecond, 2}, {time.Second, 2}} {
			time.Sleep(row.wait)
			if got := subject.Do(t.Context(), &op); got.Status != 204 {
				t.Errorf("Do after %v = %+v; want 204", row.wait, got)
			}
			if opened := subject.Connections().Opened; opened != row.opened {
				t.Errorf("after a wait of %v, %d connections were opened; want %d", row.wait, opened, row.opened)
			}
		}
		c := subject.Connections()
		if c.Reused != 2 || c.FirstBytes != (azure.Timing{Count: 4, Total: 80 * time.Millisecond, Max: 20 * time.Millisecond}) {
			t.Errorf("Connections() = %+v; want 2 reused, 4 first bytes of 20ms", c)
		}
		subject.Do(t.Context(), &op)
		time.Sleep(5 * time.Second)
		n.handlers.Wait()
	})
}

// What the attempt is told of a connection that fails.
func TestFailures(t *testing.T) {
	op := get("1")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := closed.Addr().String()
	closed.Close()
	hangUp := func(reply string) func(*testing.T) string {
		return func(t *testing.T) string {
			return serve(t, func(int, []byte) (string, bool) { return reply, true }).url()
		}
	}
	for _, row := range []struct {
		name    string
		fault   target.Fault
		detail  string
		address func(*testing.T) string
	}{
		{"nobody listens", target.ConnectionRefused, "the connection was refused", func(*testing.T) string { return "http://" + refusing + "/races" }},
		{"no host of that name", target.HostNotFound, "there is no host nowhere.invalid", func(*testing.T) string { return "http://nowhere.invalid/races" }},
		{"hung up at once", target.ConnectionClosed, "the connection was closed before the reply was complete", hangUp("")},
		{"hung up within the headers", target.ReplyCutOff, "the connection was closed before the reply was complete", hangUp("HTTP/1.1 200 OK\r\nServer: x\r\n")},
		{"hung up within the body", target.ReplyCutOff, "the connection was closed before the reply was complete", hangUp("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")},
		{"no HTTP at all", target.NotHTTP, "what answers does not speak HTTP", hangUp("SSH-2.0-OpenSSH_9.6\r\n")},
		{"a reply that says it is too long", target.ReplyTooLong, "the reply has more than 5 MiB", hangUp("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{")},
		{"TLS where there is none", target.TLSFailed, "TLS: what answers does not speak it", func(t *testing.T) string {
			server := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(server.Close)
			return strings.Replace(server.URL, "http:", "https:", 1) + "/races"
		}},
	} {
		subject := open(t, azure.Options{Endpoint: endpointAt(t, row.address(t))})
		got := subject.Do(context.Background(), &op)
		if !strings.HasPrefix(got.Detail, row.detail) || got.Status != 0 || got.Code != "" || got.Fault != row.fault || got.Counted != 0 {
			t.Errorf("%s: Do = %+v; want status 0, %s, detail %q", row.name, got, row.fault, row.detail)
		}
		if class := got.Class(target.Expected{NotFound: true}); class != results.Failed {
			t.Errorf("%s: class %v; want failed", row.name, class)
		}
	}
}

// A reply of more than 5 MiB is not read to its end, and its connection not
// used again.
func TestEndlessReply(t *testing.T) {
	var sent atomic.Int64
	n := &network{}
	subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://127.0.0.1/races")})
	subject.DialWith(func(context.Context, string, string) (net.Conn, error) {
		n.dials.Add(1)
		near, far := net.Pipe()
		n.handlers.Go(func() {
			defer far.Close()
			far.Read(make([]byte, 4096))
			io.WriteString(far, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20))
			for {
				wrote, err := io.WriteString(far, chunk)
				sent.Add(int64(wrote))
				if err != nil {
					return
				}
			}
		})
		return near, nil
	})
	op := get("1")
	for range 2 {
		if got := subject.Do(context.Background(), &op); got.Status != 0 || got.Detail != "the reply has more than 5 MiB" {
			t.Errorf("Do = %+v; want none for its length", got)
		}
	}
	n.handlers.Wait()
	if n.dials.Load() != 2 || sent.Load() > 14<<20 {
		t.Errorf("%d dials, %d bytes sent; want 2 dials, about 5 MiB each", n.dials.Load(), sent.Load())
	}
}

// A service that answers before it has read the request leaves net/http with
// the request in hand; what it reads then must not be another attempt's.
func TestEarlyReply(t *testing.T) {
	var conns []net.Conn
	var lock sync.Mutex
	subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://127.0.0.1/races")})
	subject.DialWith(func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		lock.Lock()
		conns = append(conns, far)
		lock.Unlock()
		go io.WriteString(far, created) // and nothing is read
		return near, nil
	})
	op := single(entity.Insert, "1", entity.Match{})
	for range 5 {
		if got := subject.Do(context.Background(), &op); got.Status != 204 && got.Status != 0 {
			t.Errorf("Do = %+v; want 204, or none", got)
		}
	}
	for _, conn := range conns {
		conn.Close()
	}
}

// counting is a connection that counts how often it is written to.
type counting struct {
	net.Conn
	writes *atomic.Int64
}

func (c counting) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// A request for an entity of ordinary size goes out in one piece, headers and
// body together, which saves the service a second look.
func TestOneWriteARequest(t *testing.T) {
	for _, op := range every() {
		var writes atomic.Int64
		server := serve(t, always(busy))
		subject := open(t, azure.Options{Endpoint: endpointAt(t, server.url())})
		subject.DialWith(func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			return counting{conn, &writes}, err
		})
		for range 3 {
			subject.Do(context.Background(), &op)
		}
		if n := writes.Load(); n != 3 {
			t.Errorf("%v: 3 requests went out in %d writes; want 3", op.Verb, n)
		}
	}
}

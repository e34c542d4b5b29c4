package azure_test

import (
	"cmp"
	"context"
	"errors"
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

// A service that hangs up on a connection in use, once it has read a request, gets that
// request once, by either way: net/http left alone would send a GET again.
func TestOneRequestAnAttempt(t *testing.T) {
	for _, op := range every() {
		for _, way := range []string{"Do", "net/http"} {
			// On a machine so busy that a write takes 50 ms to be seen as done, net/http does not
			// use a connection again: another try, then.
			for try := 0; !hungUp(t, op, way); try++ {
				if try == 20 {
					t.Errorf("%v by %s: no connection was used again in %d tries", op.Verb, way, try)
					break
				}
			}
		}
	}
}

// hungUp has the server hang up on the second attempt, and returns false where
// that came on a new connection.
func hungUp(t *testing.T, op target.Operation, way string) bool {
	subject, server := openAt(t, func(number int, _ []byte) (string, bool) { return []string{busy, ""}[number], number > 0 }, azure.Options{})
	do := ways(t, subject)[way]
	if first := do.Do(t.Context(), &op); first.Status != 503 {
		t.Fatalf("the first %v by %s = %+v; want 503", op.Verb, way, first)
	}
	if n := subject.Connections(); n.Opened != 1 || n.Connects.Count != 1 || n.FirstBytes.Count != 1 {
		t.Errorf("%v by %s: Connections() = %+v after one attempt; want one", op.Verb, way, n)
	}
	got := do.Do(t.Context(), &op)
	closed := got.Fault == target.ConnectionClosed || got.Fault == target.ConnectionReset
	if got.Status != 0 || got.Code != "" || got.Counted != 0 || !closed {
		t.Errorf("%v by %s on a connection that is hung up = %+v; want status 0 and why", op.Verb, way, got)
	}
	if n := len(server.requests()); n != 2 {
		t.Errorf("%v by %s: the server saw %d requests for 2 attempts; want 2", op.Verb, way, n)
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
			subject := open(t, azure.Options{Clock: clock.NewReal()})
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
		subject := open(t, azure.Options{Clock: clk, Timeout: 35 * time.Second})
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
					if row == "slow" && (got.Fault != target.TimedOut || took != 35*time.Second) {
						t.Errorf("a slow attempt = %+v after %v; want none after 35s", got, took)
					}
				})
			}
		}
		attempts.Wait()
		before := n.requests.Load()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		op := get("late")
		if got := subject.Do(ended, &op); got.Fault != target.Cancelled || n.requests.Load() != before {
			t.Errorf("Do of a caller who gave up before = %+v; want it cancelled, and nothing sent", got)
		}
		close(stuck)
		n.handlers.Wait()
	})
}

// An idle connection is given up before Azurite would close it.
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		subject := open(t, azure.Options{Clock: clock.NewReal()})
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
		name  string
		fault target.Fault
		// other is what it is by net/http, where that is another.
		other   target.Fault
		address func(*testing.T) string
	}{
		{"nobody listens", target.ConnectionRefused, "", func(*testing.T) string { return "http://" + refusing + "/races" }},
		{"no host of that name", target.HostNotFound, "", func(*testing.T) string { return "http://nowhere.invalid/races" }},
		{"hung up at once", target.ConnectionClosed, "", hangUp("")},
		{"hung up within the headers", target.ReplyCutOff, target.ConnectionClosed, hangUp("HTTP/1.1 200 OK\r\nServer: x\r\n")},
		{"hung up within the body", target.ReplyCutOff, "", hangUp("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")},
		{"no HTTP at all", target.NotHTTP, "", hangUp("SSH-2.0-OpenSSH_9.6\r\n")},
		{"a reply that says it is too long", target.ReplyTooLong, target.ReplyCutOff, hangUp("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{")},
		{"TLS where there is none", target.TLSFailed, "", func(t *testing.T) string {
			server := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(server.Close)
			return strings.Replace(server.URL, "http:", "https:", 1) + "/races"
		}},
	} {
		subject := open(t, azure.Options{Endpoint: endpointAt(t, row.address(t))})
		for way, do := range ways(t, subject) {
			got, fault := do.Do(t.Context(), &op), row.fault
			if way == "net/http" {
				fault = cmp.Or(row.other, fault)
			}
			if got.Status != 0 || got.Code != "" || got.Fault != fault || got.Counted != 0 || strings.Contains(got.Detail, "\n") || got.Detail == "" {
				t.Errorf("%s by %s: Do = %+v; want status 0, %s, and one line", row.name, way, got, fault)
			}
			if class := got.Class(target.Expected{NotFound: true}); class != results.Failed {
				t.Errorf("%s by %s: class %v; want failed", row.name, way, class)
			}
		}
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
		subject, _ := openAt(t, always(busy), azure.Options{})
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

package azure_test

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	subject, server := openAt(t,
		func(number int, _ []byte) (string, bool) { return []string{busy, ""}[number], number > 0 }, azure.Options{})
	do := ways(subject)[way]
	require.Equalf(t, 503, do.Do(t.Context(), &op).Status, "the first %v by %s", op.Verb, way)
	if n := subject.Connections(); n.Opened != 1 || n.Connects.Count != 1 || n.FirstByte.Count != 1 {
		t.Errorf("%v by %s: Connections() = %+v after one attempt; want one", op.Verb, way, n)
	}
	got := do.Do(t.Context(), &op)
	closed := got.Fault == target.ConnectionClosed || got.Fault == target.ConnectionReset
	assert.Truef(t, got.Status == 0 && got.Code == "" && got.Counted == 0 && closed,
		"%v by %s on a connection that is hung up = %+v; want status 0 and why", op.Verb, way, got)
	assert.Lenf(t, server.requests(), 2, "%v by %s: requests of 2 attempts", op.Verb, way)
	return subject.Connections().Reused == 1
}

// mute is a connection that takes one write: the second request cannot be written at all.
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

// A request goes out in one piece, headers and body together, and is not sent on another
// connection where nothing of it could be written on the first.
func TestNothingWrittenIsAnAttempt(t *testing.T) {
	for _, op := range every() {
		synctest.Test(t, func(t *testing.T) {
			n := &network{answer: func(*http.Request) (string, bool) { return busy, true }}
			subject := open(t, azure.Options{Clock: clock.NewReal()})
			subject.DialWith(func(context.Context, string, string) (net.Conn, error) {
				n.dials.Add(1)
				near, far := net.Pipe()
				n.handlers.Go(func() { n.handle(far) })
				return &mute{Conn: near}, nil
			})
			assert.Equalf(t, 503, subject.Do(t.Context(), &op).Status, "%v, sent in one write", op.Verb)
			got := subject.Do(t.Context(), &op)
			assert.Truef(t, got.Status == 0 && got.Detail != "" && n.dials.Load() == 1 && n.requests.Load() == 1,
				"%v = %+v after %d dials and %d requests; want a failure after one of each",
				op.Verb, got, n.dials.Load(), n.requests.Load())
			n.handlers.Wait()
		})
	}
}

// An attempt takes as long as it may by either way, and no longer, whatever begins or ends
// meanwhile.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		subject := open(t, azure.Options{Clock: clk, Timeout: 35 * time.Second})
		stuck := make(chan struct{})
		n := &network{answer: func(r *http.Request) (string, bool) {
			if strings.Contains(r.URL.Path, "quick") {
				return busy, true
			}
			<-stuck
			return "", false
		}}
		n.join(subject)
		var attempts sync.WaitGroup
		send := func(way string, to target.Target, row string, want time.Duration) {
			began := clk.Now()
			got := do(t, to, get(row))
			assert.Equalf(t, want, clk.Now().Sub(began), "a %s attempt by %s", row, way)
			assert.Truef(t, got.Status == 503 && want == 0 || got.Status == 0 && got.Fault == target.TimedOut && want > 0, "a %s attempt by %s: %+v", row, way, got)
		}
		for way, to := range ways(subject) {
			for second := range 20 {
				attempts.Go(func() {
					time.Sleep(time.Duration(second) * 7 * time.Second)
					send(way, to, "quick", 0)
					send(way, to, "slow", 35*time.Second)
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

// What the attempt is told of a connection that fails, and what a probe advises.
func TestFailures(t *testing.T) {
	op := get("1")
	closed := must(net.Listen("tcp", "127.0.0.1:0"))
	closed.Close()
	plain, secure := httptest.NewServer(http.NotFoundHandler()), httptest.NewTLSServer(http.NotFoundHandler())
	defer plain.Close()
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	hangUp := func(reply string) string {
		return serve(t, func(int, []byte) (string, bool) { return reply, true }).address
	}
	shake := func(reply string) string {
		return each(t, func(conn net.Conn) {
			conn.Read(make([]byte, 4096))
			io.WriteString(conn, reply)
		})
	}
	for _, row := range []struct {
		name, address string
		fault         target.Fault
		// other is what it is by net/http, where that is another.
		other target.Fault
		hint  string
	}{
		{"nobody listens", "http://" + closed.Addr().String(), target.ConnectionRefused, "", "is the service running"},
		{"no host of that name", "http://nowhere.invalid", target.HostNotFound, "", "nowhere.invalid"},
		{"hung up at once", "http://" + hangUp(""), target.ConnectionClosed, "", ""},
		{"hung up within the headers", "http://" + hangUp("HTTP/1.1 200 OK\r\nServer: x\r\n"),
			target.ReplyCutOff, target.ConnectionClosed, ""},
		{"hung up within the body", "http://" + hangUp("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"), target.ReplyCutOff, "", ""},
		{"no HTTP at all", "http://" + hangUp("SSH-2.0-OpenSSH_9.6\r\n"), target.NotHTTP, "", "does not speak HTTP"},
		{"a reply that says it is too long", "http://" + hangUp("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{"),
			target.ReplyTooLong, "", ""},
		{"TLS where there is none", strings.Replace(plain.URL, "http:", "https:", 1), target.TLSFailed, "", "does the address need http"},
		{"TLS that nobody trusts", secure.URL, target.TLSFailed, "", "TLS: "},
		{"hung up in the handshake", "https://" + shake(""), target.TLSFailed, "", "TLS: "},
		{"an alert of TLS", "https://" + shake("\x15\x03\x03\x00\x02\x02\x28"), target.TLSFailed, "", "TLS: "},
	} {
		subject := open(t, azure.Options{Endpoint: endpointAt(t, row.address+"/races")})
		for way, do := range ways(subject) {
			got, fault := do.Do(t.Context(), &op), row.fault
			if way == "net/http" {
				fault = cmp.Or(row.other, fault)
			}
			assert.Truef(t, got.Status == 0 && got.Code == "" && got.Fault == fault && got.Counted == 0 &&
				!strings.Contains(got.Detail, "\n") && got.Detail != "",
				"%s by %s: Do = %+v; want status 0, %s, and one line", row.name, way, got, fault)
			assert.Equalf(t, results.Failed, got.Class(target.Expected{NotFound: true}), "%s by %s: class", row.name, way)
		}
		n := subject.Connections()
		assert.Truef(t, row.fault != target.TLSFailed || n.Opened == 0 && n.Connects.Count == 2 && n.Handshakes.Count == 2,
			"%s: Connections() = %+v; want two refused in handshakes", row.name, n)
		_, err := subject.Probe(t.Context())
		assert.Regexpf(t, "^[^\n]*"+row.hint+"[^\n]*$", err.Error(), "%s: Probe", row.name)
		assert.Truef(t, errors.Is(err, azure.ErrUnreachable) != errors.Is(err, azure.ErrNotTables), "%s: Probe = %v", row.name, err)
	}
}

// stage is what an attempt is at when it has to end: how far a service goes
// before it says no more.
type stage struct {
	name   string
	scheme string
	op     target.Operation
	// dialled is 1 where there is a connection, answered where a reply began.
	dialled, answered int64
	stall             func(far net.Conn)
}

func stages(config *tls.Config) []stage {
	insert, read := single(entity.Insert, "1", entity.Match{}), get("1")
	after := func(reply string) func(net.Conn) {
		return func(far net.Conn) {
			http.ReadRequest(bufio.NewReader(far))
			io.WriteString(far, reply)
		}
	}
	const head = "HTTP/1.1 200 OK\r\n"
	return []stage{
		{"making a connection", "http", insert, 0, 0, nil},
		{"making one that is to be secured", "https", insert, 0, 0, nil},
		{"shaking hands with nobody", "https", insert, 0, 0, func(far net.Conn) { io.Copy(io.Discard, far) }},
		{"shaking hands, half", "https", insert, 0, 0, func(far net.Conn) {
			far.Read(make([]byte, 4096))
			far.Write([]byte{22, 3, 3, 0, 100})
		}},
		{"writing what nobody reads", "http", insert, 1, 0, func(net.Conn) {}},
		{"writing much of which a part is read", "http", large(1 << 20), 1, 0, func(far net.Conn) { far.Read(make([]byte, 4096)) }},
		{"writing over TLS what nobody reads", "https", large(1 << 20), 1, 0, func(far net.Conn) { tls.Server(far, config).Handshake() }},
		{"awaiting a reply", "http", read, 1, 0, after("")},
		{"awaiting the reply after news of it", "http", read, 1, 1, after("HTTP/1.1 100 Continue\r\n\r\n")},
		{"within the first line", "http", read, 1, 1, after("HTTP/1.1 2")},
		{"within the head", "http", read, 1, 1, after(head + "Content-Le")},
		{"before the body", "http", read, 1, 1, after(head + "Content-Length: 9\r\n\r\n")},
		{"within the body", "http", read, 1, 1, after(head + "Content-Length: 9\r\n\r\n{}")},
		{"within a body without a length", "http", read, 1, 1, after(head + "\r\n{}")},
		{"within the size of a chunk", "http", read, 1, 1, after(head + "Transfer-Encoding: chunked\r\n\r\n2")},
		{"within a chunk", "http", read, 1, 1, after(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{")},
		{"within the trailer", "http", read, 1, 1, after(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n")},
		{"while the reply comes by drops", "http", read, 1, 1, func(far net.Conn) {
			http.ReadRequest(bufio.NewReader(far))
			for _, drop := range head + strings.Repeat("X: y\r\n", 1000) {
				time.Sleep(700 * time.Millisecond)
				if _, err := io.WriteString(far, string(drop)); err != nil {
					return
				}
			}
		}},
	}
}

// Whatever an attempt is at, it ends when its time is over or its caller gives
// up, at once; nothing is left of it, and its connection is closed.
func TestEveryStageEnds(t *testing.T) {
	config := serverTLS()
	for _, s := range stages(config) {
		for _, row := range []struct {
			limit, patience, want time.Duration
			fault                 target.Fault
		}{
			{20 * time.Second, time.Hour, 20 * time.Second, target.TimedOut},
			{time.Hour, 3 * time.Second, 3 * time.Second, target.Cancelled},
		} {
			synctest.Test(t, func(t *testing.T) { s.check(t, row.limit, row.patience, row.want, row.fault) })
		}
	}
}

func (s *stage) check(t *testing.T, limit, patience, want time.Duration, fault target.Fault) {
	clk := clock.NewReal()
	subject := open(t, azure.Options{Endpoint: endpointAt(t, s.scheme+"://127.0.0.1/races"), Clock: clk,
		Timeout: limit, TLS: &tls.Config{InsecureSkipVerify: true}})
	var serving sync.WaitGroup
	subject.DialWith(func(ctx context.Context, _, _ string) (net.Conn, error) {
		if s.stall == nil {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		near, far := net.Pipe()
		serving.Go(func() {
			defer far.Close()
			s.stall(far)
			time.Sleep(want + time.Second) // nothing more is read before the attempt has ended
			io.Copy(io.Discard, far)
		})
		return near, nil
	})
	for n := range int64(2) {
		began := clk.Now()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		got := subject.Do(ctx, &s.op)
		cancel()
		took := clk.Now().Sub(began)
		assert.Truef(t, got.Status == 0 && got.Fault == fault && took == want && got.Counted == 0,
			"%s: Do = %+v after %v; want %s after %v", s.name, got, took, fault, want)
		c, opened := subject.Connections(), (n+1)*s.dialled
		assert.Equalf(t, []int64{opened, n + 1, 0, (n + 1) * s.answered},
			[]int64{c.Opened, c.Connects.Count, c.Reused, c.FirstByte.Count}, "%s: opened, tried, used again, answered", s.name)
		if s.scheme == "https" && s.dialled == 0 && s.stall != nil {
			assert.Equalf(t, want, c.Handshakes.Max, "%s: the longest handshake", s.name)
		}
	}
	serving.Wait()
}

// A connection that is made just when the attempt has ended carries nothing.
func TestConnectedTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		subject := open(t, azure.Options{Clock: clk, Timeout: time.Hour})
		near, far := net.Pipe()
		subject.DialWith(func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			synctest.Wait()
			return near, nil
		})
		var serving sync.WaitGroup
		serving.Go(func() {
			sent, _ := io.ReadAll(far)
			assert.Truef(t, len(sent) == 0, "the service was sent %q; want nothing", sent)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		op := single(entity.Insert, "1", entity.Match{})
		got := subject.Do(ctx, &op)
		assert.Truef(t, got.Fault == target.Cancelled && clk.Now() == clock.Instant(time.Second),
			"Do = %+v at %v; want none at 1s", got, clk.Now().Offset())
		serving.Wait()
	})
}

package azure_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

// stage is what an attempt is at when it has to end: how far a service goes
// before it says no more.
type stage struct {
	name   string
	scheme string
	op     target.Operation
	// dialled says that there is a connection, answered that a reply began.
	dialled, answered bool
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
		{"making a connection", "http", insert, false, false, nil},
		{"making one that is to be secured", "https", insert, false, false, nil},
		{"shaking hands with nobody", "https", insert, false, false, func(far net.Conn) { io.Copy(io.Discard, far) }},
		{"shaking hands, half", "https", insert, false, false, func(far net.Conn) {
			far.Read(make([]byte, 4096))
			far.Write([]byte{22, 3, 3, 0, 100})
		}},
		{"writing what nobody reads", "http", insert, true, false, func(net.Conn) {}},
		{"writing much of which a part is read", "http", large(1 << 20), true, false, func(far net.Conn) { far.Read(make([]byte, 4096)) }},
		{"writing over TLS what nobody reads", "https", large(1 << 20), true, false, func(far net.Conn) { tls.Server(far, config).Handshake() }},
		{"awaiting a reply", "http", read, true, false, after("")},
		{"awaiting the reply after news of it", "http", read, true, true, after("HTTP/1.1 100 Continue\r\n\r\n")},
		{"within the first line", "http", read, true, true, after("HTTP/1.1 2")},
		{"within the head", "http", read, true, true, after(head + "Content-Le")},
		{"before the body", "http", read, true, true, after(head + "Content-Length: 9\r\n\r\n")},
		{"within the body", "http", read, true, true, after(head + "Content-Length: 9\r\n\r\n{}")},
		{"within a body without a length", "http", read, true, true, after(head + "\r\n{}")},
		{"within the size of a chunk", "http", read, true, true, after(head + "Transfer-Encoding: chunked\r\n\r\n2")},
		{"within a chunk", "http", read, true, true, after(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{")},
		{"within the trailer", "http", read, true, true, after(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n")},
		{"while the reply comes by drops", "http", read, true, true, func(far net.Conn) {
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
			s.stall(far)
			// Returns once the other end is closed.
			io.Copy(io.Discard, closing{far, want})
			far.Close()
		})
		return near, nil
	})
	for n := range 2 {
		began := clk.Now()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		got := subject.Do(ctx, &s.op)
		cancel()
		took := clk.Now().Sub(began)
		if got.Status != 0 || got.Fault != fault || took != want || got.Counted != 0 {
			t.Errorf("%s: Do = %+v after %v; want %s after %v", s.name, got, took, fault, want)
		}
		tries := int64(n + 1)
		wanted := azure.Connections{Refused: tries}
		if s.dialled {
			wanted = azure.Connections{Opened: tries}
		}
		if s.answered {
			wanted.FirstBytes.Count = tries
		}
		c := subject.Connections()
		if c.Opened != wanted.Opened || c.Refused != wanted.Refused || c.Reused != 0 || c.FirstBytes.Count != wanted.FirstBytes.Count {
			t.Errorf("%s: Connections() = %+v; want %+v", s.name, c, wanted)
		}
		if shakes := s.scheme == "https" && !s.dialled && s.stall != nil; shakes && c.Handshakes.Max != want {
			t.Errorf("%s: the longest handshake took %v; want %v", s.name, c.Handshakes.Max, want)
		}
	}
	serving.Wait()
}

// closing is the far end of a pipe, of which nothing is read before a time.
type closing struct {
	net.Conn
	after time.Duration
}

func (c closing) Read(p []byte) (int, error) {
	time.Sleep(c.after + time.Second)
	return c.Conn.Read(p)
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
			if sent, _ := io.ReadAll(far); len(sent) > 0 {
				t.Errorf("the service was sent %q; want nothing", sent)
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		op := single(entity.Insert, "1", entity.Match{})
		got := subject.Do(ctx, &op)
		if got.Fault != target.Cancelled || clk.Now() != clock.Instant(time.Second) {
			t.Errorf("Do = %+v at %v; want none at 1s", got, clk.Now().Offset())
		}
		serving.Wait()
	})
}

// A handshake that fails leaves no connection, and says what it was.
func TestHandshakeFails(t *testing.T) {
	config := serverTLS()
	for _, row := range []struct {
		name string
		take func(conn net.Conn)
	}{
		{"whom nobody trusts", func(conn net.Conn) {
			tls.Server(conn, config).Handshake()
			io.Copy(io.Discard, conn)
		}},
		{"hung up", func(conn net.Conn) { conn.Read(make([]byte, 4096)) }},
		{"an alert", func(conn net.Conn) {
			conn.Read(make([]byte, 4096))
			conn.Write([]byte{21, 3, 3, 0, 2, 2, 40})
			io.Copy(io.Discard, conn)
		}},
		{"no TLS", func(conn net.Conn) {
			io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			io.Copy(io.Discard, conn)
		}},
	} {
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "https://"+each(t, row.take)+"/races")})
		op := get("1")
		for range 2 {
			if got := subject.Do(context.Background(), &op); got.Status != 0 || got.Fault != target.TLSFailed {
				t.Errorf("%s: Do = %+v; want %s", row.name, got, target.TLSFailed)
			}
		}
		if n := subject.Connections(); n.Opened != 0 || n.Refused != 2 || n.Connects.Count != 2 || n.Handshakes.Count != 2 || n.FirstBytes.Count != 0 {
			t.Errorf("%s: Connections() = %+v; want 2 refused in 2 handshakes", row.name, n)
		}
	}
}

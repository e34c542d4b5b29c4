package azure_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

const teapot = "HTTP/1.1 418 X\r\nContent-Length: 0\r\n\r\n"

// each has a function take the connections that come, one after another.
func each(t *testing.T, take func(conn net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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

// What a service says or does right behind a reply is never the fate of the next
// attempt, however soon that begins.
func TestBehindAReply(t *testing.T) {
	for _, row := range []struct {
		name   string
		behind func(conn net.Conn)
	}{
		{"another reply", func(conn net.Conn) { io.WriteString(conn, teapot) }},
		{"news of the way to nothing", func(conn net.Conn) { io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n") }},
		{"an empty line", func(conn net.Conn) { io.WriteString(conn, "\r\n") }},
		{"a silent farewell", func(conn net.Conn) { conn.Close() }},
		{"half a farewell", func(conn net.Conn) { conn.(*net.TCPConn).CloseWrite() }},
		{"a reset", func(conn net.Conn) { conn.(*net.TCPConn).SetLinger(0); conn.Close() }},
	} {
		told := make(chan struct{}, 100)
		address := each(t, func(conn net.Conn) {
			in := bufio.NewReader(conn)
			for {
				if _, err := http.ReadRequest(in); err != nil {
					return
				}
				io.WriteString(conn, created)
				told <- struct{}{}
				row.behind(conn)
				told <- struct{}{}
			}
		})
		// No time passes on this clock between the attempts.
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://"+address+"/races"), Clock: still{clock.NewReal()}})
		op := single(entity.Delete, "1", entity.MatchAny)
		for i := range 5 {
			if got := subject.Do(context.Background(), &op); got.Status != 204 {
				t.Fatalf("%s: attempt %d = %+v; want 204", row.name, i, got)
			}
			<-told
			<-told
		}
		if got := subject.Connections(); got.Opened != 5 || got.Reused != 0 || got.FirstBytes.Count != 5 {
			t.Errorf("%s: %+v; want 5 opened, none used again", row.name, got)
		}
	}
}

// serverTLS returns what a service of TLS that nobody trusts has.
func serverTLS() *tls.Config {
	borrowed := httptest.NewTLSServer(http.NotFoundHandler())
	defer borrowed.Close()
	return &tls.Config{Certificates: borrowed.TLS.Certificates}
}

// gathered is a connection of which several writes go out as one.
type gathered struct {
	net.Conn
	holding bool
	held    []byte
}

func (g *gathered) Write(p []byte) (int, error) {
	if g.holding {
		g.held = append(g.held, p...)
		return len(p), nil
	}
	return g.Conn.Write(p)
}

// Nor is it where TLS has taken it in together with the reply, so that no look
// at the socket finds it.
func TestBehindAReplyOverTLS(t *testing.T) {
	config := serverTLS()
	for _, row := range []struct {
		name   string
		behind func(conn *tls.Conn)
		opened int64
	}{
		{"nothing", func(*tls.Conn) {}, 1},
		{"another reply", func(conn *tls.Conn) { io.WriteString(conn, teapot) }, 4},
		{"a farewell of TLS alone", func(conn *tls.Conn) { conn.CloseWrite() }, 4},
	} {
		address := each(t, func(conn net.Conn) {
			below := &gathered{Conn: conn}
			secured := tls.Server(below, config)
			in := bufio.NewReader(secured)
			for {
				if _, err := http.ReadRequest(in); err != nil {
					return
				}
				below.holding, below.held = true, nil
				io.WriteString(secured, created)
				row.behind(secured)
				below.holding = false
				conn.SetWriteDeadline(time.Time{}) // which a farewell leaves in the past
				conn.Write(below.held)
			}
		})
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "https://"+address+"/races"), TLS: &tls.Config{InsecureSkipVerify: true}})
		op := single(entity.Delete, "1", entity.MatchAny)
		for i := range 4 {
			if got := subject.Do(context.Background(), &op); got.Status != 204 {
				t.Errorf("%s: attempt %d = %+v; want 204", row.name, i, got)
			}
		}
		if got := subject.Connections().Opened; got != row.opened {
			t.Errorf("%s: %d connections were opened; want %d", row.name, got, row.opened)
		}
	}
}

// large is a transaction of so many bytes and more.
func large(bytes int) target.Operation {
	op := target.Operation{Verb: entity.Batch, Table: "Runners"}
	const each = 30_000
	for i := range bytes/each + 1 {
		change := runner(fmt.Sprint(i))
		change.Properties = append(change.Properties, entity.Property{Name: "Notes", Value: entity.String(strings.Repeat("n", each))})
		op.Changes = append(op.Changes, change)
	}
	return op
}

// A service that refuses a large request before it has read it, and hangs up on
// the rest, is heard all the same: why it did is not lost with the connection, as a rule.
func TestRefusedAndHungUp(t *testing.T) {
	address := each(t, func(conn net.Conn) {
		conn.Read(make([]byte, 1024))
		io.WriteString(conn, "HTTP/1.1 413 X\r\nContent-Length: 0\r\n\r\n")
	})
	subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://"+address+"/races")})
	op := large(2 << 20)
	// What a system does with a reply that a reset follows is its own affair; of an
	// even chance to hear each, fewer than one run in 100,000 would miss so few.
	const attempts, mostUnheard = 40, 6
	unheard := 0
	for i := range attempts {
		switch got := subject.Do(context.Background(), &op); {
		case got.Status == 413:
		case got.Status == 0:
			unheard++
		default:
			t.Errorf("attempt %d = %+v; want 413", i, got)
		}
	}
	if unheard > mostUnheard {
		t.Errorf("%d of %d replies were not heard; want at most %d", unheard, attempts, mostUnheard)
	}
	// Where the system took all of the request before the service hung up, the
	// connection looks sound until that is heard of.
	if got := subject.Connections(); got.Opened+got.Reused != attempts || got.Reused > mostUnheard {
		t.Errorf("Connections() = %+v; want one for each of %d attempts, hardly any used again", got, attempts)
	}
}

// A target that is closed too soon ends what is under way, and what begins later,
// rather than to leave it without anybody who would see it late.
func TestClosedUnderWay(t *testing.T) {
	arrived := make(chan struct{})
	address := each(t, func(conn net.Conn) {
		http.ReadRequest(bufio.NewReader(conn))
		arrived <- struct{}{}
		io.Copy(io.Discard, conn)
	})
	built := build(t, azure.Options{Endpoint: endpointAt(t, "http://"+address+"/races")})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var attempts sync.WaitGroup
	for i := range 6 {
		attempts.Go(func() {
			op, caller := get("1"), ctx
			if i%2 == 0 {
				caller = context.Background()
			}
			if got := built.Do(caller, &op); got.Fault != target.Cancelled {
				t.Errorf("Do under way = %+v; want it cancelled", got)
			}
		})
		<-arrived
	}
	built.Close()
	attempts.Wait()
	op := get("1")
	if got := built.Do(ctx, &op); got.Fault != target.Cancelled {
		t.Errorf("Do after Close = %+v; want it cancelled", got)
	}
	if n := built.Callers(); n != 0 {
		t.Errorf("%d callers are listened to after Close; want none", n)
	}
}

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

// A connection is used again unless the reply, or the service, says otherwise.
func TestConnectionsAreUsedAgain(t *testing.T) {
	// A long request is written while its reply is awaited.
	long := single(entity.Insert, "1", entity.Match{})
	long.Change.Properties = large(0).Changes[0].Properties
	long.Change.Properties = append(long.Change.Properties, entity.Property{Name: "More", Value: long.Change.Properties[3].Value})
	for _, row := range []struct {
		name, reply    string
		hangUp         bool
		opened, reused int64
	}{
		{"as a rule", created, false, 1, 2},
		{"after a reply in chunks", framed("HTTP/1.1 503 X\nX: y\n\n{}", true), false, 1, 2},
		{"not where the service says farewell", "HTTP/1.1 204 X\r\nConnection: close\r\n\r\n", true, 3, 0},
		{"nor where it says so and stays", "HTTP/1.1 204 X\r\nConnection: close\r\n\r\n", false, 3, 0},
		{"nor in HTTP/1.0", "HTTP/1.0 204 X\r\n\r\n", true, 3, 0},
		{"nor where the end is that of the body", "HTTP/1.1 503 X\r\n\r\nabc", true, 3, 0},
		{"nor with more on it than the reply", created + "x", false, 3, 0},
		{"nor beyond the bound of a reply", "HTTP/1.1 200 OK\r\nContent-Length: 5242881\r\n\r\n{", false, 3, 0},
	} {
		for _, op := range []target.Operation{get("1"), long} {
			subject, _ := openAt(t, func(int, []byte) (string, bool) { return row.reply, row.hangUp }, azure.Options{})
			for range 3 {
				got := subject.Do(t.Context(), &op)
				assert.Truef(t, got.Status != 0 || got.Fault == target.ReplyTooLong, "%s: Do = %+v; want a reply", row.name, got)
			}
			n := subject.Connections()
			assert.Equalf(t, []int64{row.opened, row.reused, 3}, []int64{n.Opened, n.Reused, n.FirstByte.Count},
				"%s, after %v: opened, used again, answered", row.name, op.Verb)
		}
	}
}

// More attempts at once than connections are kept: each gets one, and the rest
// are closed when they are back.
func TestFewAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const kept, more = 3, 10
		subject := open(t, azure.Options{Connections: kept})
		n := &network{answer: func(*http.Request) (string, bool) { time.Sleep(time.Second); return created, true }}
		n.join(subject)
		for round := range 2 {
			var attempts sync.WaitGroup
			for range more {
				attempts.Go(func() {
					assert.Equal(t, 204, do(t, subject, single(entity.Insert, "1", entity.Match{})).Status, "Do")
				})
			}
			attempts.Wait()
			want := int64(more + round*(more-kept))
			assert.Equalf(t, want, subject.Connections().Opened, "round %d: connections opened", round)
		}
		c, want := subject.Connections(), results.Spell{Count: 2 * more, Total: 2 * more * time.Second, Max: time.Second}
		assert.Truef(t, c.Reused == kept && c.FirstByte == want, "%+v; want %d used again, and the first bytes %+v", c, kept, want)
		idle := time.Now()
		n.handlers.Wait()
		took := time.Since(idle)
		assert.Truef(t, took > 3*time.Second && took < 5*time.Second, "idle for %v; want them closed before Azurite's 5 s", took)
	})
}

// A service that answers before it has read all of a request, and reads no more, is heard,
// and its connection is not used again: whether the body is long or the head.
func TestLargeRequestRefusedEarly(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]target.Operation{
		"a body": large(6 << 20), "a head": single(entity.Get, strings.Repeat("é", 60_000), entity.Match{}),
	} {
		address := each(t, func(conn net.Conn) {
			conn.(*net.TCPConn).SetReadBuffer(4 << 10)
			conn.Read(make([]byte, 1024))
			io.WriteString(conn, "HTTP/1.1 413 X\r\nContent-Length: 0\r\n\r\n")
			<-t.Context().Done()
		})
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://"+address+"/races")})
		subject.DialWith(func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			if err == nil {
				err = conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
			}
			return conn, err
		})
		for range 2 {
			assert.Equalf(t, 413, subject.Do(t.Context(), &op).Status, "%s: Do", name)
		}
		if got := subject.Connections(); got.Opened != 2 || got.Reused != 0 {
			t.Errorf("%s: Connections() = %+v; want 2 opened, none used again", name, got)
		}
	}
}

// A service that reads nothing of a request after its reply is waited for, but not for long. If it closes the
// connection, its reply still counts.
func TestUnreadRequest(t *testing.T) {
	for _, row := range []struct {
		hangsUp bool
		took    time.Duration
	}{{false, 50 * time.Millisecond}, {true, 0}} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			subject := open(t, azure.Options{Clock: clk})
			var far net.Conn
			var serving sync.WaitGroup
			subject.DialWith(func(context.Context, string, string) (net.Conn, error) {
				var near net.Conn
				near, far = net.Pipe()
				serving.Go(func() {
					io.WriteString(far, created)
					if row.hangsUp {
						far.Close()
					}
				})
				return near, nil
			})
			got := do(t, subject, single(entity.Insert, "1", entity.Match{}))
			assert.Truef(t, got.Status == 204 && clk.Now().Offset() == row.took,
				"%+v: Do = %+v after %v; want 204", row, got, clk.Now().Offset())
			serving.Wait()
			far.Close()
		})
	}
}

// Over TLS as well, a connection is used again while it is open, and costs no attempt once
// the service has closed it. HTTP/1.1 is spoken, and look-ups and handshakes are counted.
func TestConnectionsOverTLS(t *testing.T) {
	spoken := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		spoken <- r.Proto + " " + r.TLS.ServerName
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	server.EnableHTTP2 = true // which is not asked for
	server.StartTLS()
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	config := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com" // which httptest's certificate is for
	moved := &moving{}
	subject := open(t,
		azure.Options{Endpoint: endpointAt(t, "https://localhost:"+port+"/races"), Clock: moved, TLS: config})
	for n, row := range []struct {
		op     target.Operation
		opened int64
	}{{single(entity.Insert, "1", entity.Match{}), 1}, {large(0), 1}, {single(entity.Delete, "1", entity.MatchAny), 1}, {large(0), 2}} {
		if n == 3 {
			server.CloseClientConnections()
		}
		got, by := subject.Do(t.Context(), &row.op), ""
		if got.Status == 503 {
			by = <-spoken
		}
		assert.Equalf(t, "HTTP/1.1 example.com", by, "attempt %d = %+v: protocol and server name", n, got)
		c := subject.Connections()
		assert.Truef(t, c.Opened == row.opened && c.Handshakes.Count == row.opened && c.Lookups.Count == row.opened &&
			c.Connects.Count == row.opened,
			"attempt %d: %+v; want %d opened", n, c, row.opened)
		moved.at.Add(int64(time.Second))
	}
}

const teapot = "HTTP/1.1 418 X\r\nContent-Length: 0\r\n\r\n"

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
			converse(conn, conn, func(*http.Request) (string, bool) {
				io.WriteString(conn, created)
				told <- struct{}{}
				row.behind(conn)
				told <- struct{}{}
				return "", true
			})
		})
		// No time passes on this clock between the attempts.
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://"+address+"/races"), Clock: still{clock.NewReal()}})
		op := single(entity.Delete, "1", entity.MatchAny)
		for i := range 5 {
			require.Equalf(t, 204, subject.Do(t.Context(), &op).Status, "%s: attempt %d", row.name, i)
			<-told
			<-told
		}
		if got := subject.Connections(); got.Opened != 5 || got.Reused != 0 || got.FirstByte.Count != 5 {
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
			converse(below, secured, func(*http.Request) (string, bool) {
				below.holding, below.held = true, nil
				io.WriteString(secured, created)
				row.behind(secured)
				below.holding = false
				conn.SetWriteDeadline(time.Time{}) // which a farewell leaves in the past
				return string(below.held), true
			})
		})
		subject := open(t, azure.Options{Endpoint: endpointAt(t, "https://"+address+"/races"), TLS: &tls.Config{InsecureSkipVerify: true}})
		op := single(entity.Delete, "1", entity.MatchAny)
		for i := range 4 {
			assert.Equalf(t, 204, subject.Do(t.Context(), &op).Status, "%s: attempt %d", row.name, i)
		}
		assert.Equalf(t, row.opened, subject.Connections().Opened, "%s: connections opened", row.name)
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
			assert.Equal(t, target.Cancelled, built.Do(caller, &op).Fault, "Do under way")
		})
		<-arrived
	}
	built.Close()
	built.Close() // has no effect
	attempts.Wait()
	op := get("1")
	assert.Equal(t, target.Cancelled, built.Do(ctx, &op).Fault, "Do after Close")
	assert.Equal(t, 0, built.Callers(), "callers are listened to after Close")
}

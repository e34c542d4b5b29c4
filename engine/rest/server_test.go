package rest_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// echo answers each request with its body's length, once it is released. It counts
// what it carried out.
type echo struct {
	released chan struct{}
	carried  atomic.Int64
	// entered has a value for each of the first requests.
	entered chan struct{}
}

func newEcho() *echo {
	return &echo{released: make(chan struct{}), entered: make(chan struct{}, 16)}
}

// newReleased returns an echo that nobody has to release.
func newReleased() *echo {
	e := newEcho()
	close(e.released)
	return e
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.carried.Add(1)
	select {
	case e.entered <- struct{}{}:
	default:
	}
	n, err := io.Copy(io.Discard, r.Body)
	<-e.released
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if _, err := fmt.Fprintf(w, "%s %d", r.URL, n); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// open opens a server that is closed with the test.
func open(t testing.TB, o rest.ListenOptions) *rest.Server {
	t.Helper()
	if o.Address == "" && o.Listener == nil {
		o.Address = "127.0.0.1:0"
	}
	s := must(rest.Listen(o))(t)
	t.Cleanup(func() { _ = s.Cut() })
	return s
}

// openPipes opens a server to which only those connect that dial its pipes.
func openPipes(t testing.TB, o rest.ListenOptions) (*rest.Server, *resttest.Pipes) {
	t.Helper()
	pipes := resttest.NewPipes()
	o.Listener = pipes
	return open(t, o), pipes
}

// dial connects to a server with an address.
func dial(t testing.TB, s *rest.Server) *resttest.Conn { return resttest.DialConn(t, s.Address()) }

// get is a request without a body, post one with that body.
func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n" }

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// shut closes a server whose clients are gone.
func shut(t *testing.T, s *rest.Server) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil && !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}

// account is that of every service here, date when each test begins.
const (
	account = "contoso"
	date    = resttest.Date
)

var contoso = resttest.Contoso

// documented are options of the documented limits, changed by settings NAME=VALUE.
func documented(settings ...string) resttest.Options {
	return resttest.Options{Profile: model.Documented, Settings: settings}
}

// service is a handler with an engine of its own behind it.
type service struct{ *resttest.Service }

func newService(t testing.TB, o resttest.Options) *service {
	t.Helper()
	o.Rest.Name, o.Rest.Seed, o.Engine.Seed = cmp.Or(o.Rest.Name, "loadgen"), 1, 1
	return &service{resttest.New(t, o)}
}

// withTable returns a service with a table in it, unlimited without options.
func withTable(t testing.TB, options ...resttest.Options) *service {
	t.Helper()
	s := newService(t, append(options, resttest.Options{})[0])
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Races"}`)
	return s
}

// insert adds an entity of one property.
func (s *service) insert(t testing.TB, partition, row string, number int) {
	t.Helper()
	body := fmt.Sprintf(`{"PartitionKey":%q,"RowKey":%q,"Number":%d}`, partition, row, number)
	s.Want(t, 204, "POST", "/contoso/Races", body, "Prefer: return-no-content")
}

// must returns the value of a call that must not fail.
func must[T any](value T, err error) func(testing.TB) T { return resttest.Must(value, err) }

// certified returns a certificate of this machine's, for a server and its clients: that of
// another server.
func certified(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	lender := httptest.NewTLSServer(nil)
	defer lender.Close()
	return lender.TLS, lender.Client().Transport.(*http.Transport).TLSClientConfig
}

// Over TLS all is as without: handlers see that it is there, connections last, one
// request is carried out at a time, and no other protocol is spoken.
func TestServerOverTLS(t *testing.T) {
	ours, theirs := certified(t)
	carried := newReleased()
	s := open(t, rest.ListenOptions{TLS: ours, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Truef(t, r.TLS != nil && r.TLS.HandshakeComplete && r.ProtoMajor == 1,
			"request = %s, TLS %v; want HTTP/1.1 over TLS", r.Proto, r.TLS)
		carried.ServeHTTP(w, r)
	})})
	assert.Contains(t, s.URL(), "https://127.0.0.1:")
	c := secured(dial(t, s), theirs)
	for i := range 3 {
		c.Send(post(fmt.Sprint("/", i), "hello"))
		c.Want(200)
	}
	c.Send(get("/both") + second)
	c.Want(200)
	c.WantEnd("two at once")

	c = secured(dial(t, s), theirs)
	c.Send(head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + second)
	c.Want(200)
	c.WantEnd("a length with chunks")

	plain := dial(t, s)
	plain.Send(get("/plain"))
	assert.Regexp(t, "(?s)400 Bad Request.*https", string(must(io.ReadAll(plain.In))(t)), "the reply to a client without TLS")
	assert.EqualValues(t, 5, carried.carried.Load(), "requests were carried out")

	outsider := &http.Client{Transport: &http.Transport{TLSClientConfig: theirs.Clone(), ForceAttemptHTTP2: true}}
	reply := must(outsider.Get(s.URL() + "/two"))(t)
	assert.Equal(t, 1, reply.ProtoMajor, "the protocol of a client of HTTP/2")
	_ = reply.Body.Close()
	outsider.CloseIdleConnections()
	assert.NoError(t, s.Close(context.Background()))
}

// Silent ones make room, although they never shook hands.
func TestSilentOnesMakeRoomOverTLS(t *testing.T) {
	ours, theirs := certified(t)
	synctest.Test(t, func(t *testing.T) {
		s, pipes := openPipes(t, rest.ListenOptions{TLS: ours, Connections: 2, Handler: newReleased()})
		silent := resttest.NewConn(t, pipes.Dial())
		for range 3 {
			c := secured(resttest.NewConn(t, pipes.Dial()), theirs)
			c.Send(get("/room"))
			c.Want(200)
			synctest.Wait()
		}
		silent.WantEnd("a silent one")
		assert.Equal(t, rest.Connections{Open: 2, Evicted: 2}, s.Connections())
	})
}

// secured has a client speak TLS over its connection.
func secured(c *resttest.Conn, config *tls.Config) *resttest.Conn {
	config = config.Clone()
	config.ServerName = "127.0.0.1"
	shaken := tls.Client(c.Conn, config)
	_ = shaken.SetDeadline(time.Now().Add(20 * time.Second))
	c.Conn = shaken
	c.In.Reset(shaken)
	return c
}

// tooLong refuses every body without reading it.
func tooLong(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "9")
	w.WriteHeader(http.StatusRequestEntityTooLarge)
	_, _ = io.WriteString(w, "too long\n")
}

// A client that sends all of its body before it reads hears why it was refused: it
// is read, in vain, up to a bound. One that waits for the reply hears it at once.
func TestRefusalsAreHeard(t *testing.T) {
	const mib = 1 << 20
	for _, row := range []struct {
		sentence      string
		claimed, sent int64
		chunked       bool
	}{
		{"a little, all of it", 100 << 10, 100 << 10, false},
		{"what net/http reads by itself, just about", 256 << 10, 256 << 10, false},
		{"a little more", 256<<10 + 1, 256<<10 + 1, false},
		{"five million bytes", 5_000_000, 5_000_000, false},
		{"five million bytes in chunks", -1, 5_000_000, true},
		{"16 MiB and a byte", 16*mib + 1, 16*mib + 1, false},
		{"24 MiB in chunks", -1, 24 * mib, true},
		{"a gibibyte is claimed, and nothing sent", 1 << 30, 0, false},
		{"a gibibyte is claimed, and a little sent", 1 << 30, 3 * mib, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			e := open(t, rest.ListenOptions{Handler: http.HandlerFunc(tooLong)})
			c := dial(t, e)
			framing := fmt.Sprintf("Content-Length: %d", row.claimed)
			if row.chunked {
				framing = "Transfer-Encoding: chunked"
			}
			c.Send("POST /x HTTP/1.1\r\nHost: h\r\n" + framing + "\r\n\r\n")
			piece := strings.Repeat("x", 64<<10)
			for left := row.sent; left > 0; {
				n := min(left, int64(len(piece)))
				if left -= n; row.chunked {
					c.Send(fmt.Sprintf("%x\r\n%s\r\n", n, piece[:n]))
				} else {
					c.Send(piece[:n])
				}
			}
			if row.chunked {
				c.Send("0\r\n\r\n")
			}
			assert.Equal(t, "too long\n", c.Want(http.StatusRequestEntityTooLarge), "body")
		})
	}
}

// Nobody keeps a connection by sending a body without end: neither bytes nor time
// are without bound.
func TestEndlessBodiesAreCutOff(t *testing.T) {
	for _, row := range []struct {
		sentence string
		pause    time.Duration
		// most is how much may be read, within how long.
		most   int
		within time.Duration
	}{
		{"as fast as it can", 0, 34 << 20, time.Second},
		{"64 KiB each second", time.Second, 1 << 20, 12 * time.Second},
		{"nothing more", time.Hour, 1 << 20, 12 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, listener := openPipes(t, rest.ListenOptions{Handler: http.HandlerFunc(tooLong)})
			client := listener.Dial()
			began, ended := time.Now(), make(chan time.Duration, 1)
			go func() {
				_, _ = io.Copy(io.Discard, client)
				ended <- time.Since(began)
			}()
			sent := 0
			piece := strings.Repeat("x", 64<<10)
			_, err := io.WriteString(client, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1099511627776\r\n\r\n")
			for err == nil {
				var n int
				n, err = io.WriteString(client, piece)
				sent += n
				<-time.After(row.pause) // in the bubble's time
			}
			assert.LessOrEqualf(t, <-ended, row.within, "%s: read for", row.sentence)
			assert.LessOrEqualf(t, sent, row.most, "%s: bytes were read", row.sentence)
			_ = client.Close()
			shut(t, s)
		})
	}
}

// Who takes too long over a request is cut off, at a time that is known: nobody
// keeps a connection by sending next to nothing.
func TestSlowSendersAreCutOff(t *testing.T) {
	head := func(length int) string {
		return contoso.Head(date, "POST", races, fmt.Sprint("Content-Length: ", length))
	}
	for _, row := range []struct {
		name, sent string
		// drip is sent each second after that, for as long as it can be.
		drip  string
		body  bool
		after time.Duration
	}{
		{"nothing", "", "", false, rest.HeaderTime},
		{"half a header", head(1)[:40], "", false, rest.HeaderTime},
		{"a header, one letter a second", "GET / HTTP/1.1\r\nX-", "a", false, rest.HeaderTime},
		{"half a body", head(100) + `{"PartitionKey":`, "", true, rest.ReadTime},
		{"a body, one letter a second", head(1000) + "{", " ", true, rest.ReadTime},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := withTable(t)
			server, pipes := openPipes(t, rest.ListenOptions{Handler: s})
			began := time.Now()
			client := resttest.NewConn(t, pipes.Dial())
			_ = client.SetDeadline(time.Time{})
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, err := io.WriteString(client, row.sent)
				for err == nil && row.drip != "" {
					time.Sleep(time.Second)
					_, err = io.WriteString(client, row.drip)
				}
			}()
			reply, _, err := client.Reply()
			assert.Equalf(t, row.after, time.Since(began), "%s: cut off after", row.name)
			if row.body {
				require.NoError(t, err, row.name)
				assert.Equal(t, "InvalidInput", reply.Header.Get("x-ms-error-code"), row.name)
			}
			assert.Truef(t, err != nil || reply.StatusCode == 400, "%s: reply %v", row.name, reply)
			client.Close()
			<-done
			shut(t, server)
			assert.EqualValuesf(t, 1, s.Engine.Counts().Requests, "%s: the engine was asked times", row.name)
		})
	}
}

// A body that says it is too long is refused before any of it was sent, and one
// that does not say so once it is.
func TestLongBodiesAreRefusedEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, pipes := openPipes(t, rest.ListenOptions{Handler: withTable(t)})
		for _, row := range []struct{ name, method, target, framing string }{
			{"an entity", "POST", races, "Content-Length: 4194305"},
			{"a transaction", "POST", "/contoso/$batch", "Content-Type: multipart/mixed; boundary=b\r\nContent-Length: 99999999999"},
			{"access policies", "PUT", races + "?comp=acl", "Content-Length: 65537"},
			{"properties", "PUT", properties, "Content-Length: 65537"},
			{"an entity in chunks", "POST", races, "Transfer-Encoding: chunked"},
			{"access policies in chunks", "PUT", races + "?comp=acl", "Transfer-Encoding: chunked"},
		} {
			client := resttest.NewConn(t, pipes.Dial())
			_ = client.SetDeadline(time.Time{})
			sent, began := make(chan struct{}), time.Now()
			go func() {
				defer close(sent)
				_, err := io.WriteString(client, contoso.Head(date, row.method, row.target, row.framing))
				// A little more than 4 MiB, and no end of the body: the reply must not wait for it.
				const enough = (4<<20)/4096 + 16
				for chunks := 0; err == nil && strings.HasSuffix(row.framing, "chunked") && chunks < enough; chunks++ {
					_, err = io.WriteString(client, "1000\r\n"+strings.Repeat(" ", 4096)+"\r\n")
				}
			}()
			reply, _, err := client.Reply()
			assert.Truef(t, err == nil && reply.StatusCode == 413 && reply.Header.Get("x-ms-error-code") == "RequestBodyTooLarge" && time.Since(began) == 0,
				"%s: reply %v, %v after %v; want 413 RequestBodyTooLarge at once", row.name, reply, err, time.Since(began))
			_ = client.Close()
			<-sent
		}
		shut(t, server)
	})
}

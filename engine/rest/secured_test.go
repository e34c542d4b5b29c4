package rest_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

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

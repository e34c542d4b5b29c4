package resttest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Conn is a connection to a server for requests that no HTTP client would send.
type Conn struct {
	net.Conn
	In *bufio.Reader
	t  testing.TB
}

// DialConn connects to an address.
func DialConn(t testing.TB, address string) *Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	return NewConn(t, c)
}

// NewConn wraps a connection and limits its use to 20 seconds.
func NewConn(t testing.TB, c net.Conn) *Conn {
	t.Helper()
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return &Conn{c, bufio.NewReader(c), t}
}

// Send writes a text.
func (c *Conn) Send(text string) {
	c.t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(c.t, err)
}

// Reply reads a reply and its body.
func (c *Conn) Reply() (reply *http.Response, body string, err error) {
	if reply, err = http.ReadResponse(c.In, nil); err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(reply.Body)
	return reply, string(text), err
}

// Want reads a reply and fails the test unless it has the status.
func (c *Conn) Want(status int) (body string) {
	c.t.Helper()
	reply, body, err := c.Reply()
	require.Truef(c.t, err == nil && reply.StatusCode == status, "reply = %v, %v; want %d", reply, err, status)
	return body
}

// WantEnd fails the test if the server sends more.
func (c *Conn) WantEnd(what string) {
	c.t.Helper()
	rest, err := io.ReadAll(c.In)
	assert.Truef(c.t, err == nil && len(rest) <= 0, "%s: read %q, %v after the reply; want EOF", what, rest, err)
}

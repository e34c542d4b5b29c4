package rest

import (
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
)

// connection is a client's connection above TLS. It follows the bytes that net/http reads, to know whether a
// request is complete, whether another one followed before the reply, and whether the connection is idle.
//
// net/http never reads from two goroutines at once, which is enough for framing. Atomic fields are shared by the
// reader and the handler.
type connection struct {
	net.Conn
	// socket is what is below TLS.
	socket  net.Conn
	framing framing
	// state has the bits below.
	state atomic.Uint32
	// idle is the turn since which it is idle, busy, or evicted.
	idle atomic.Uint64
	// answer is reused for every request.
	answer answer
}

// The bits of a connection's state. isWhole: the request is complete, and nothing of the next was read.
// isAnswered: its reply has begun. isDoubtful: the next reply is the last.
const (
	isWhole = 1 << iota
	isAnswered
	isDoubtful
)

const (
	busy    = 0
	evicted = math.MaxUint64
)

// Read implements [net.Conn].
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		if !c.wake() {
			return 0, net.ErrClosed
		}
		c.follow(p[:n])
	}
	return n, err
}

// wake makes the connection busy, and reports whether it is not evicted.
func (c *connection) wake() bool {
	for {
		switch since := c.idle.Load(); since {
		case busy:
			return true
		case evicted:
			return false
		default:
			if c.idle.CompareAndSwap(since, busy) {
				return true
			}
		}
	}
}

// follow updates the state by the bytes that were read.
func (c *connection) follow(p []byte) {
	for len(p) > 0 && c.state.Load()&isDoubtful == 0 {
		// Another request begins. Without a reply to the one before they are pipelined, and only the first
		// is answered.
		for c.framing.stage == whole {
			state := c.state.Load()
			if state&isAnswered == 0 {
				if c.state.CompareAndSwap(state, state|isDoubtful) {
					return
				}
			} else if c.state.CompareAndSwap(state, state&^(isWhole|isAnswered)) {
				c.framing = framing{}
			}
		}
		p = p[c.framing.follow(p):]
		switch c.framing.stage {
		case whole:
			c.state.Or(isWhole)
		case doubtful:
			c.state.Or(isDoubtful)
			return
		}
	}
}

// evict closes a connection that is still idle since a turn, and reports whether it was.
func (c *connection) evict(since uint64) bool {
	if !c.idle.CompareAndSwap(since, evicted) {
		return false
	}
	_ = c.socket.Close() // its reader sees that as well
	return true
}

// CloseWrite closes the sending side; net/http calls it before it closes a connection with unread bytes.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// connectionOf returns the connection of one accepted by net/http.
func connectionOf(c net.Conn) *connection {
	if secured, ok := c.(*secured); ok {
		return secured.connection
	}
	return c.(*connection)
}

// connectionKey is the context key of the connection.
type connectionKey struct{}

// framed is the handler between net/http and the inner one.
type framed struct{ inner http.Handler }

// ServeHTTP implements [http.Handler].
func (f framed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(connectionKey{}).(*connection)
	a := &c.answer
	a.ResponseWriter, a.connection, a.begun = w, c, false
	f.inner.ServeHTTP(a, r)
	a.begin()
	// A long unread body is read after the reply. A reply with a length is complete for the client by now, a
	// chunked one is not. Once it has the reply, a client may begin its next request before the handler
	// returns: framing then belongs to that request and another goroutine. A client that waits for 100
	// Continue sends no body.
	state := c.state.Load()
	if state&isWhole == 0 && state&isAnswered != 0 && a.Header().Get("Connection") == "close" && r.Header.Get("Expect") == "" &&
		http.NewResponseController(w).Flush() == nil {
		_ = c.SetReadDeadline(clock.NewReal().Started().Add(drainTime))
		_, _ = io.CopyN(io.Discard, r.Body, drainBytes) // the connection ends in any case
	}
	a.ResponseWriter = nil
}

// secured is a connection over TLS. net/http calls ConnectionState before it reads, in the goroutine of the
// connection.
type secured struct {
	*connection
	tls *tls.Conn
}

// ConnectionState makes the handshake within HeaderTime. If that fails, reads fail.
func (s *secured) ConnectionState() tls.ConnectionState {
	_ = s.tls.SetDeadline(clock.NewReal().Started().Add(HeaderTime))
	err := s.tls.Handshake()
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) && plain.Conn != nil {
		switch string(plain.RecordHeader[:]) {
		case "GET /", "HEAD ", "POST ", "PUT /", "MERGE", "PATCH", "DELET", "OPTIO":
			const wrongPort = "HTTP/1.0 400 Bad Request\r\nConnection: close\r\n\r\nThis port speaks https, not http.\n"
			_, _ = io.WriteString(plain.Conn, wrongPort)
			_ = plain.Conn.Close()
		}
	}
	if err != nil {
		_ = s.socket.Close()
	}
	_ = s.tls.SetDeadline(time.Time{})
	return s.tls.ConnectionState()
}

// answer is the reply to a request; it sets Connection: close on the last one.
type answer struct {
	http.ResponseWriter
	connection *connection
	begun      bool
}

// WriteHeader implements [http.ResponseWriter]. Interim replies such as 100 Continue do not begin the reply.
func (a *answer) WriteHeader(status int) {
	if status >= 200 {
		a.begin()
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.begin()
	return a.ResponseWriter.Write(p)
}

// Unwrap is for [http.ResponseController].
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) begin() {
	if a.begun {
		return
	}
	a.begun = true
	state := a.connection.state.Or(isAnswered)
	if state&isDoubtful != 0 || state&isWhole == 0 && a.connection.framing.rest > discarded {
		a.Header().Set("Connection", "close")
	}
}

// The limits of reading a rejected body. net/http itself reads discarded bytes, less its own buffer, before it
// sends the reply: a client that sends no more may reuse the connection. The rest is read after the reply: an
// early close would discard the reply before a client that sends its whole body first has read it. Reading ends
// at drainBytes, four times the longest valid body, or drainTime.
const (
	discarded  = 256<<10 - 8<<10
	drainBytes = 32 << 20
	drainTime  = 10 * time.Second
)

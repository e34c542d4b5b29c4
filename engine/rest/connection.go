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

// connection is one client's, between who reads its requests and the network, above TLS.
// For net/http it follows what is read, so that it knows whether a request is whole, whether
// another came behind it before it was answered, and whether nothing has come
// since the last answer.
//
// net/http never reads from two goroutines at once, and what one has read the
// other sees; framing needs no more than that. The fields that are atomic are
// those that a reader and whoever answers touch at the same time.
type connection struct {
	net.Conn
	// socket is what is below TLS.
	socket  net.Conn
	framing framing
	// state is made of the bits below.
	state atomic.Uint32
	// idle is the turn since which nothing has come, busy, or evicted.
	idle atomic.Uint64
	// answer is used for every request in turn.
	answer answer
}

// The bits of a connection's state. isWhole: all of the request has come, and
// nothing of the next. isAnswered: the answer to it has begun. isDoubtful: the next
// answer is the last.
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

// wake makes it busy, and reports whether it has not been evicted.
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

// follow takes down what has come.
func (c *connection) follow(p []byte) {
	for len(p) > 0 && c.state.Load()&isDoubtful == 0 {
		// Another request begins. Where the one before it has no answer yet, the two came
		// together, and only the first is answered.
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

// evict closes a connection that has been idle since that turn, and reports whether
// it still was.
func (c *connection) evict(since uint64) bool {
	if !c.idle.CompareAndSwap(since, evicted) {
		return false
	}
	_ = c.socket.Close() // its reader sees that as well
	return true
}

// CloseWrite tells the client that nothing more will come; net/http does so before
// it closes a connection of which it has not read all.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// connectionOf returns the connection that net/http speaks of.
func connectionOf(c net.Conn) *connection {
	if secured, ok := c.(*secured); ok {
		return secured.connection
	}
	return c.(*connection)
}

// connectionKey is that of the connection in the context of a request.
type connectionKey struct{}

// framed is a handler between net/http and the one that answers.
type framed struct{ inner http.Handler }

// ServeHTTP implements [http.Handler].
func (f framed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(connectionKey{}).(*connection)
	a := &c.answer
	a.ResponseWriter, a.connection, a.begun = w, c, false
	f.inner.ServeHTTP(a, r)
	a.begin()
	// Where much of the body has not come it is read behind the reply. One that says its
	// length is with the client by now; the end of one in chunks is not. A client that has
	// all of the reply may have begun its next request before the handler returned: framing
	// is that request's by then, and another goroutine's. Who waits to be told to send it was
	// told otherwise.
	state := c.state.Load()
	if state&isWhole == 0 && state&isAnswered != 0 && !(c.framing.stage == inBody && c.framing.rest <= discarded) &&
		r.Header.Get("Expect") == "" && http.NewResponseController(w).Flush() == nil {
		_ = c.SetReadDeadline(clock.NewReal().Started().Add(drainTime))
		_, _ = io.CopyN(io.Discard, r.Body, drainBytes) // whatever it was, the connection ends
	}
	a.ResponseWriter = nil
}

// secured is a connection over TLS. net/http asks for its state before it reads, in
// the goroutine of the connection, and shows it to handlers.
type secured struct {
	*connection
	tls *tls.Conn
}

// ConnectionState shakes hands, within HeaderTime. Where that fails, so does all
// that is read from then on.
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

// answer is the reply to a request; it says Connection: close where no other is to
// follow.
type answer struct {
	http.ResponseWriter
	connection *connection
	begun      bool
}

// WriteHeader implements [http.ResponseWriter]. What comes before the reply proper,
// as 100 Continue, is no answer.
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

// Unwrap lets [http.ResponseController] find what it controls.
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

// Bounds on what is read of a body that nobody wants. discarded is how much net/http
// reads itself before it sends the reply, less its own buffer: a client that has no
// more to send may use the connection again. More than that is read behind the
// reply: closing at once would make the network forget the reply that a client has
// yet to read, which sends all of its body first. It is not kept, and ends at
// drainBytes, four times the longest body that anybody should send, or drainTime.
const (
	discarded  = 256<<10 - 8<<10
	drainBytes = 32 << 20
	drainTime  = 10 * time.Second
)

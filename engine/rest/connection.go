package rest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
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

// framing finds the end of one request in the bytes of a connection. A head that is ambiguous about it makes it
// doubtful, so that a body is never read as a request. net/http cannot do this: it removes Content-Length from a head
// with Transfer-Encoding.
//
// Chunked requests are doubtful as well: each costs a connection, but this reader need not agree with net/http's about
// extensions, trailers and line ends. No known client of the service sends them.
type framing struct {
	stage stage
	// rest is the unread length of the body.
	rest int64

	// Of the head: whether its first line was read, and the length.
	started, hasLength bool
	length             int64
	// line is the beginning of an incomplete line, lineLength its length so far, lineEnd its last byte.
	line       [lineKept]byte
	lineLength int
	lineEnd    byte
}

// stage is the state of a request.
type stage uint8

const (
	inHead stage = iota
	inBody
	// whole: the request is complete. doubtful: its end is ambiguous, also for all that follows.
	whole
	doubtful
)

// lineKept is the kept length of an incomplete line: a length with its name fits.
const lineKept = 64

// follow reads bytes, and returns how many of them belong to the request: fewer than all only if it is whole. If
// doubtful it may return any number.
func (f *framing) follow(p []byte) (taken int) {
	for taken < len(p) {
		switch f.stage {
		case inHead:
			line, _, ended := bytes.Cut(p[taken:], []byte{'\n'})
			taken += len(line)
			if !ended {
				f.keep(line)
				return taken
			}
			taken++
			if f.lineLength > 0 {
				f.keep(line)
				line = f.line[:min(f.lineLength, lineKept)]
			}
			if f.lineLength > lineKept {
				// Only the last byte of a line without a length matters.
				line[lineKept-1] = f.lineEnd
			}
			f.read(line, f.lineLength > lineKept)
			f.lineLength = 0
		case inBody:
			n := min(f.rest, int64(len(p)-taken))
			taken += int(n)
			if f.rest -= n; f.rest == 0 {
				f.stage = whole
			}
		default:
			return taken
		}
	}
	return taken
}

// keep keeps the beginning of a line.
func (f *framing) keep(p []byte) {
	if len(p) == 0 {
		return
	}
	if f.lineLength < lineKept {
		copy(f.line[f.lineLength:], p)
	}
	f.lineLength += len(p)
	f.lineEnd = p[len(p)-1]
}

const (
	lengthName = "Content-Length:"
	codingName = "Transfer-Encoding:"
)

// read parses a line of the head without its LF. cut reports that its middle is missing.
func (f *framing) read(line []byte, cut bool) {
	if len(line) == 0 || line[len(line)-1] != '\r' {
		f.stage = doubtful
		return
	}
	line = line[:len(line)-1]
	switch {
	case len(line) == 0 && f.started:
		f.rest, f.stage = f.length, inBody
		if f.length == 0 {
			f.stage = whole
		}
	case len(line) == 0:
		f.stage = doubtful
	case !f.started:
		f.started = true
	case line[0] == ' ' || line[0] == '\t', begins(line, codingName):
		// Line folding, which not every reader supports.
		f.stage = doubtful
	case begins(line, lengthName):
		// The one length of a head: digits, and blanks around them.
		length, err := strconv.ParseUint(string(bytes.Trim(line[len(lengthName):], " \t")), 10, 63)
		if f.hasLength || cut || err != nil {
			f.stage = doubtful
			return
		}
		f.hasLength, f.length = true, int64(length)
	}
}

// begins reports whether a line begins with a name in whatever case.
func begins(line []byte, name string) bool {
	return line[0]|0x20 == name[0]|0x20 && len(line) >= len(name) && bytes.EqualFold(line[:len(name)], []byte(name))
}

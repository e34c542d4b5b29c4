package azure

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"sync/atomic"
	"unsafe"

	"loadgen/engine/clock"
	"loadgen/engine/wire"
)

// attempt is the room that one request and its reply need, to be used again and
// again. It belongs to one goroutine, save for what the transport reads of the
// request while it sends it: it is used again only where wrote says that the
// whole request has left it. (A service may reply before it has read the
// request, and then the transport still reads headers and body after RoundTrip
// has returned.)
type attempt struct {
	target  *Target
	watched watched

	request http.Request
	url     url.URL
	// headers holds, for each header that differs, a slice of values.
	headers http.Header
	values  [headerSlots]string
	body    bytes.Reader
	// target, content and proof are what the request line, the body and the
	// Authorization header are made in.
	line, content, proof []byte

	// trace is handed to the transport with each request.
	trace httptrace.ClientTrace
	got   clock.Instant
	wrote atomic.Bool

	reply []byte
	rows  []wire.Row
}

// The bounds of a reply: what is read of it, what room is made before it is
// seen, and what room is kept for the next.
const (
	mostReply = 16 << 20
	mostAhead = 1 << 20
	mostKept  = 4 << 20
)

var errReplyTooLong = errors.New("the reply has more than 16 MiB")

// newAttempt returns an attempt with all that stays the same in its request.
func newAttempt(t *Target) *attempt {
	a := &attempt{target: t}
	a.url = url.URL{Scheme: t.endpoint.scheme, Host: t.endpoint.host}
	a.headers = t.fixedHeaders()
	a.request = http.Request{
		URL: &a.url, Host: t.endpoint.host, Header: a.headers,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		// The wrapper and the reader are types that net/http knows: it then
		// sends headers and body in one packet.
		Body: io.NopCloser(&a.body),
	}
	a.trace = httptrace.ClientTrace{
		GotConn:              a.gotConnection,
		WroteRequest:         func(httptrace.WroteRequestInfo) { a.wrote.Store(true) },
		GotFirstResponseByte: func() { t.tally.firstBytes.add(t.clock.Now().Sub(a.got)) },
	}
	return a
}

// gotConnection is called by the goroutine of the attempt, before anything is
// sent.
func (a *attempt) gotConnection(info httptrace.GotConnInfo) {
	a.got = a.target.clock.Now()
	if info.Reused {
		a.target.tally.reused.Add(1)
	}
}

// read takes in the body of a reply, whole. Closing a body that was not read to
// its end closes the connection.
func (a *attempt) read(r *http.Response) error {
	defer r.Body.Close()
	if r.ContentLength > mostReply {
		return errReplyTooLong
	}
	a.reply = slices.Grow(a.reply[:0], bytes.MinRead+min(int(max(r.ContentLength, 0)), mostAhead))
	for {
		if len(a.reply) == cap(a.reply) {
			a.reply = slices.Grow(a.reply, len(a.reply))
		}
		n, err := r.Body.Read(a.reply[len(a.reply):cap(a.reply)])
		a.reply = a.reply[:len(a.reply)+n]
		switch {
		case len(a.reply) > mostReply:
			return errReplyTooLong
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// text returns the reply as a view into the room of the attempt. Only a parser
// that copies what it keeps may have it.
func (a *attempt) text() string { return unsafe.String(unsafe.SliceData(a.reply), len(a.reply)) }

// reusable reports whether the attempt may be used for another request, and
// trims what it would keep.
func (a *attempt) reusable() bool {
	if !a.wrote.Load() {
		return false
	}
	if cap(a.reply) > mostKept {
		a.reply = nil
	}
	if cap(a.content) > mostKept {
		a.content = nil
	}
	clear(a.rows)
	return true
}

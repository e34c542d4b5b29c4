package azure

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"

	"loadgen/engine/clock"
	"loadgen/target"
)

// NetHTTP sends what a target does over net/http in place of the target's own
// connections, one request at a time and in two halves: [NetHTTP.RoundTrip]
// returns the reply unread, and [NetHTTP.Outcome] says what it means. It is there
// for a driver that brings an HTTP client of its own and times that. Requests are
// the same, and so are how long one may take, whom it is sent to, and what counts
// as a success. It is safe for concurrent use; the caller owes it a Close, before
// that of the target.
type NetHTTP struct {
	target    *Target
	transport *http.Transport
	// proxy is where requests go by, nil for the service itself.
	proxy *url.URL
}

// Close closes the connections, all of which must be idle.
func (n *NetHTTP) Close() { n.transport.CloseIdleConnections() }

// RoundTrip sends the request of an operation, once, and returns the reply as soon
// as its head is there. The caller owes its body a Close; reading it gives no more
// than 5 MiB. Both errors are a [target.Unanswered] without a secret: that no reply came,
// and why.
func (n *NetHTTP) RoundTrip(ctx context.Context, op *target.Operation) (*http.Response, error) {
	t := n.target
	a := t.attempt()
	err := t.authorize(ctx, a)
	if err != nil {
		a.end()
		return nil, &target.Unanswered{Fault: target.NotSent, Detail: t.line(err.Error())}
	}
	if fault := a.write(op); fault != "" {
		a.end()
		return nil, &target.Unanswered{Fault: target.NotSent, Detail: fault}
	}
	w, response, err := n.begin(ctx, a)
	if err != nil {
		none := t.unanswered(err, false)
		a.end()
		return nil, &target.Unanswered{Fault: none.Fault, Detail: none.Detail}
	}
	if response.StatusCode == http.StatusUnauthorized && a.token != nil {
		t.tokens.Refused(a.token)
	}
	w.lent = true
	w.ReadCloser, response.Body = target.NewBoundedBody(response.Body, &a.reply.share, mostReply), w
	return response, nil
}

// errForm is that of a request that net/http does not take.
var errForm = errors.New("nothing sent: net/http rejects the request")

// begin sends the request of an attempt, byte for byte but for the order of the headers, and
// returns its reply unread. The caller owes the way an end.
func (n *NetHTTP) begin(ctx context.Context, a *attempt) (*way, *http.Response, error) {
	t := n.target
	w := &way{attempt: a}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(a.message)))
	if err != nil {
		w.cancel(nil)
		return nil, nil, errForm
	}
	// What was signed is the text of the path, which parsing could alter.
	request.URL = &url.URL{Scheme: t.endpoint.scheme, Host: t.endpoint.host, Opaque: string(a.line)}
	if n.proxy != nil && request.URL.Scheme == "http" {
		// What a proxy is asked for is a whole address.
		request.URL.Opaque = "//" + request.URL.Host + request.URL.Opaque
	}
	request.RequestURI, request.Body = "", http.NoBody
	if len(a.content) > 0 {
		// The transport may go on reading it after the attempt has ended.
		request.Body = io.NopCloser(bytes.NewReader(bytes.Clone(a.content)))
	}
	request = request.WithContext(httptrace.WithClientTrace(w.ctx, w.trace()))
	t.watch.begin(ctx, a, t.clock.Now(), nil, w.cancel)
	response, err := n.transport.RoundTrip(request)
	if err != nil {
		err = w.because(err)
		w.end()
		return nil, nil, err
	}
	return w, response, nil
}

// Outcome returns what a reply means whose body was read to its end, as Do would.
// It keeps nothing of what it is given.
func (n *NetHTTP) Outcome(op *target.Operation, status int, header http.Header, body []byte) target.Outcome {
	t := n.target
	a := t.attempt()
	own := a.reply.body
	defer func() {
		a.reply.body = own
		a.end()
	}()
	a.reply.fill(status, header, body)
	outcome := t.outcome(a, op)
	if IsRefusal(status) {
		t.note(a, op, &outcome)
	}
	return outcome
}

// fill makes a reply of what net/http has read; the body stays the caller's.
func (r *reply) fill(status int, header http.Header, body []byte) {
	r.status, r.head, r.fields = status, r.head[:0], r.fields[:0]
	for name, values := range header {
		if len(values) == 0 {
			continue
		}
		// No name comes twice, so that their order does not matter.
		f := field{from: len(r.head)}
		r.head = append(r.head, name...)
		f.name = len(r.head)
		r.head = append(r.head, values[0]...)
		f.value = len(r.head)
		r.fields = append(r.fields, f)
	}
	r.body = body
}

// way is one attempt on its way through net/http, and the body of its reply: the
// attempt lasts until that is closed.
type way struct {
	io.ReadCloser
	*attempt
	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  sync.Once
	// lent says that the attempt is given back with the end of the body.
	lent bool

	// mu guards what the transport tells of connections: when the attempt had its own, and
	// when a reply began to come.
	mu         sync.Mutex
	got, first clock.Instant
	// had says that the attempt has had its connection, unshaken why it has none.
	had      bool
	unshaken error
}

// trace counts what becomes of the connections. An attempt that loses its
// connection gets no other: what net/http does on its own when it finds one closed
// is to send some requests again, which may have been carried out.
func (w *way) trace() *httptrace.ClientTrace {
	t := w.attempt.target
	trace := &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			w.mu.Lock()
			defer w.mu.Unlock()
			secured, ok := info.Conn.(*tls.Conn)
			shared := ok && secured.ConnectionState().NegotiatedProtocol == "h2"
			if w.had {
				w.cancel(io.ErrUnexpectedEOF)
				if !shared {
					info.Conn.Close()
				}
				return
			}
			w.had, w.got = true, t.clock.Now()
			if info.Reused {
				t.counter.reused.Add(1)
			}
			if shared {
				t.counter.http2.Add(1)
			}
		},
		GotFirstResponseByte: func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.first = t.clock.Now()
			t.counter.firstBytes.add(w.first.Sub(w.got))
		},
	}
	if t.proxy == nil {
		return trace
	}
	// Behind a proxy net/http makes the handshakes itself.
	var began clock.Instant
	trace.TLSHandshakeStart = func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		began = t.clock.Now()
	}
	trace.TLSHandshakeDone = func(_ tls.ConnectionState, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		t.counter.handshakes.add(t.clock.Now().Sub(began))
		w.unshaken = err
	}
	return trace
}

func (w *way) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, target.ErrReplyTooLong):
		err = errReplyTooLong
	}
	// Why there is no more of the reply, in one line.
	none := w.attempt.target.unanswered(w.because(err), true)
	return n, &target.Unanswered{Fault: none.Fault, Detail: none.Detail}
}

func (w *way) Close() error {
	err := w.ReadCloser.Close()
	w.end()
	return err
}

// because returns why the attempt has no reply, or no more of it, given what net/http says.
func (w *way) because(err error) error {
	if cause := context.Cause(w.ctx); isAny(cause, errCancelled, errClosed, io.ErrUnexpectedEOF) {
		return cause
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.unshaken != nil && !errors.Is(err, errTLS):
		err = fmt.Errorf("%w: %w", errTLS, err)
	case strings.Contains(err.Error(), "malformed HTTP"):
		err = errNotHTTP
	}
	return w.attempt.target.ended(err, orCause(w.ctx, err))
}

// end lets go of the attempt, and gives its room back where that was lent to the body.
func (w *way) end() {
	w.ended.Do(func() {
		w.attempt.target.watch.done(w.attempt)
		w.cancel(nil)
		if w.lent {
			w.attempt.end()
		}
	})
}

package azure

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"

	"loadgen/engine/clock"
	"loadgen/target"
	"loadgen/target/bounds"
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
}

// NetHTTP returns another way to the target's service. It has no more connections
// than the target keeps: an attempt beyond waits for another to end.
func (t *Target) NetHTTP() *NetHTTP {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &NetHTTP{t, &http.Transport{
		// A proxy named in the environment would be what is measured.
		Proxy:       nil,
		DialContext: t.dialer.plain, DialTLSContext: t.dialer.secure,
		Protocols: protocols, DisableCompression: true,
		MaxConnsPerHost: t.pool.most, MaxIdleConnsPerHost: t.pool.most, IdleConnTimeout: idleFor,
		WriteBufferSize: connectionBuffer, ReadBufferSize: connectionBuffer, MaxResponseHeaderBytes: mostHead,
	}}
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
	if fault := a.write(op); fault != "" {
		a.end()
		return nil, &target.Unanswered{Fault: target.NotSent, Detail: fault}
	}
	w := &way{attempt: a}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	request, err := w.request()
	if err != nil {
		w.end()
		return nil, &target.Unanswered{Fault: target.NotSent, Detail: "nothing sent: the request has no form that net/http takes"}
	}
	t.watch.begin(ctx, a, t.clock.Now(), nil, w.cancel)
	response, err := n.transport.RoundTrip(request)
	if err != nil {
		err = w.failure(err, false)
		w.end()
		return nil, err
	}
	w.ReadCloser, response.Body = bounds.NewBody(response.Body, &a.reply.share, mostReply), w
	return response, nil
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
	return t.outcome(a, op)
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

	// mu guards what the transport tells of connections.
	mu  sync.Mutex
	got clock.Instant
	// had says that the attempt has had its connection.
	had bool
}

// request returns the attempt's request, byte for byte but for the order of the
// headers.
func (w *way) request() (*http.Request, error) {
	a := w.attempt
	request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(a.message)))
	if err != nil {
		return nil, err
	}
	// What was signed is the text of the path, which parsing could alter.
	request.URL = &url.URL{Scheme: a.target.endpoint.scheme, Host: a.target.endpoint.host, Opaque: string(a.line)}
	request.RequestURI, request.Body = "", http.NoBody
	if len(a.content) > 0 {
		// The transport may go on reading it after the attempt has ended.
		request.Body = io.NopCloser(bytes.NewReader(bytes.Clone(a.content)))
	}
	return request.WithContext(httptrace.WithClientTrace(w.ctx, w.trace())), nil
}

// trace counts what becomes of the connections. An attempt that loses its
// connection gets no other: what net/http does on its own when it finds one closed
// is to send some requests again, which may have been carried out.
func (w *way) trace() *httptrace.ClientTrace {
	t := w.attempt.target
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.had {
				w.cancel(io.ErrUnexpectedEOF)
				info.Conn.Close()
				return
			}
			w.had, w.got = true, t.clock.Now()
			if info.Reused {
				t.counter.reused.Add(1)
			}
		},
		GotFirstResponseByte: func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			t.counter.firstBytes.add(t.clock.Now().Sub(w.got))
		},
	}
}

func (w *way) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, bounds.ErrTooLong):
		err = errReplyTooLong
	}
	return n, w.failure(err, true)
}

func (w *way) Close() error {
	err := w.ReadCloser.Close()
	w.end()
	return err
}

// failure says in one line why the attempt has no reply, or no more of it.
func (w *way) failure(err error, within bool) error {
	if cause := context.Cause(w.ctx); isAny(cause, errCancelled, errClosed, io.ErrUnexpectedEOF) {
		err = cause
	} else {
		err = w.attempt.target.ended(err, orCause(w.ctx, err))
	}
	none := w.attempt.target.unanswered(err, within)
	return &target.Unanswered{Fault: none.Fault, Detail: none.Detail}
}

// end gives the room of the attempt back.
func (w *way) end() {
	w.ended.Do(func() {
		t := w.attempt.target
		t.watch.done(w.attempt)
		w.cancel(nil)
		w.attempt.end()
	})
}

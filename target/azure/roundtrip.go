package azure

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"

	"loadgen/engine/clock"
)

// errForm is the error of a request that net/http rejects.
var errForm = errors.New("nothing sent: net/http rejects the request")

// beginOverNetHTTP sends the request of an attempt over net/http, the same except for the order of headers, and returns
// its unread reply. Callers must end the way.
func (t *Target) beginOverNetHTTP(ctx context.Context, a *attempt) (*way, *http.Response, error) {
	w := &way{attempt: a}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(a.message)))
	if err != nil {
		w.cancel(nil)
		return nil, nil, errForm
	}
	// Opaque, since parsing could alter the signed path.
	request.URL = &url.URL{Scheme: t.endpoint.scheme, Host: t.endpoint.host, Opaque: string(a.line)}
	if t.proxy != nil && request.URL.Scheme == "http" {
		// A proxy requires the absolute form.
		request.URL.Opaque = "//" + request.URL.Host + request.URL.Opaque
	}
	request.RequestURI, request.Body = "", http.NoBody
	if len(a.content) > 0 {
		// A copy, since the transport may read it after the attempt.
		request.Body = io.NopCloser(bytes.NewReader(bytes.Clone(a.content)))
	}
	request = request.WithContext(httptrace.WithClientTrace(w.ctx, w.trace()))
	t.watch.begin(ctx, a, t.clock.Now(), nil, w.cancel)
	response, err := t.other.RoundTrip(request)
	if err != nil {
		err = w.because(err)
		w.end()
		return nil, nil, err
	}
	return w, response, nil
}

// fill sets the reply from net/http's, without its body.
func (r *reply) fill(status int, header http.Header) {
	r.status, r.head, r.fields, r.body = status, r.head[:0], r.fields[:0], r.body[:0]
	for name, values := range header {
		if len(values) == 0 {
			continue
		}
		// Names are unique: their order does not matter.
		f := field{from: len(r.head)}
		r.head = append(r.head, name...)
		f.name = len(r.head)
		r.head = append(r.head, values[0]...)
		f.value = len(r.head)
		r.fields = append(r.fields, f)
	}
}

// way is one attempt over net/http.
type way struct {
	*attempt
	ctx    context.Context
	cancel context.CancelCauseFunc

	// mu guards the times of the connection and of the first byte.
	mu         sync.Mutex
	got, first clock.Instant
	// had reports that the attempt has had its connection, unshaken is the error of a handshake.
	had      bool
	unshaken error
}

// trace counts connections. An attempt that loses its connection fails: net/http itself would send some
// requests again, which may have been carried out.
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
				t.counter.increment(&t.counter.sum.Reused)
			}
			if shared {
				t.counter.increment(&t.counter.sum.HTTP2)
			}
		},
		GotFirstResponseByte: func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.first = t.clock.Now()
			t.counter.record(&t.counter.sum.FirstByte, w.first.Sub(w.got))
		},
	}
	if t.proxy == nil {
		return trace
	}
	// With a proxy net/http makes the handshakes itself.
	var began clock.Instant
	trace.TLSHandshakeStart = func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		began = t.clock.Now()
	}
	trace.TLSHandshakeDone = func(_ tls.ConnectionState, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		t.counter.record(&t.counter.sum.Handshakes, t.clock.Now().Sub(began))
		w.unshaken = err
	}
	return trace
}

// because returns the cause of a missing or incomplete reply, for an error of net/http.
func (w *way) because(err error) error {
	if cause := context.Cause(w.ctx); isAny(cause, errCancelled, errClosed, io.ErrUnexpectedEOF) {
		return cause
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.unshaken != nil && !errors.Is(err, errTLS):
		err = tlsError(err)
	case strings.Contains(err.Error(), "malformed HTTP"):
		err = errNotHTTP
	}
	return w.attempt.target.ended(err, orCause(w.ctx, err))
}

// end ends the attempt.
func (w *way) end() {
	w.attempt.target.watch.finish(w.attempt)
	w.cancel(nil)
}

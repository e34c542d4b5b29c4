package azure

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/wire"
	"loadgen/target"
)

// Target sends operations to one account of a table service. It is safe for
// concurrent use.
type Target struct {
	endpoint   Endpoint
	base       string
	scheme     wire.Scheme
	askCounted bool
	runID      string
	clock      clock.Clock

	transport *http.Transport
	dialer    *dialer
	watch     *watch
	attempts  sync.Pool
	dates     dates
	etags     etags
	tally     tally
}

var _ target.Target = (*Target)(nil)

const (
	// idleFor lies below the 5 s after which Azurite closes a connection that
	// is not in use; an attempt on one that closes just then would fail.
	idleFor = 4 * time.Second
	// connectionBuffer holds the request for an entity of ordinary size whole.
	connectionBuffer = 16 << 10
	mostHeaders      = 64 << 10
)

// New returns a target, and an error that wraps ErrOptions for each fault of
// the options. The caller owes the target a Close.
func New(o Options) (*Target, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	t := &Target{endpoint: o.Endpoint, base: o.Endpoint.base(), scheme: o.Scheme,
		askCounted: o.AskCounted, runID: o.RunID, clock: o.Clock}
	t.dates.epoch = o.Epoch
	t.dialer = &dialer{clock: o.Clock, limit: o.Timeout, tally: &t.tally, open: new(net.Dialer).DialContext}
	t.dialer.tls = o.TLS.Clone()
	if t.dialer.tls == nil {
		t.dialer.tls = new(tls.Config)
	}
	t.dialer.tls.NextProtos = []string{"http/1.1"}
	t.transport = newTransport(t.dialer, o.Connections)
	t.watch = newWatch(o.Clock, o.Timeout)
	t.attempts.New = func() any { return newAttempt(t) }
	return t, nil
}

// newTransport returns a transport that has connections kept and no more: no
// cookies, redirections or retries, which belong to http.Client, and no
// compression.
func newTransport(d *dialer, connections int) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		// A proxy named in the environment would be what is measured.
		Proxy:              nil,
		DialContext:        d.plain,
		DialTLSContext:     d.secure,
		Protocols:          protocols,
		DisableCompression: true,
		// MaxConnsPerHost stays open: beyond it an attempt would wait in the
		// transport, unseen, for another to end.
		MaxIdleConnsPerHost:    connections,
		IdleConnTimeout:        idleFor,
		WriteBufferSize:        connectionBuffer,
		ReadBufferSize:         connectionBuffer,
		MaxResponseHeaderBytes: mostHeaders,
	}
}

// Do implements [target.Target]: it sends one request, once. Where no reply
// came, or none that can be read, the status is 0 and the detail says why. It
// must not be called after Close.
func (t *Target) Do(ctx context.Context, op *target.Operation) target.Outcome {
	a := t.attempts.Get().(*attempt)
	if fault := a.write(op); fault != "" {
		t.attempts.Put(a)
		return target.Outcome{Detail: fault}
	}
	reply, err := t.exchange(ctx, a)
	if err != nil {
		// The transport may still hold on to the attempt.
		return target.Outcome{Detail: t.line(noReply(err))}
	}
	outcome := t.outcome(a, op, reply)
	if a.reusable() {
		t.attempts.Put(a)
	}
	return outcome
}

// exchange sends the request of an attempt and reads the reply, whose body is in
// the attempt then. Where the attempt was ended, the error is the cause.
func (t *Target) exchange(ctx context.Context, a *attempt) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.watch.begin(a, t.clock.Now(), cancel)
	defer t.watch.done(a)
	request := a.request.WithContext(httptrace.WithClientTrace(ctx, &a.trace))
	reply, err := t.transport.RoundTrip(request)
	if err == nil {
		err = a.read(reply)
	}
	if err != nil {
		return nil, orCause(ctx, err)
	}
	return reply, nil
}

// Connections returns what the connections have done so far.
func (t *Target) Connections() Connections { return t.tally.read() }

// Close closes the connections, all of which must be idle, and ends the
// target's goroutine.
func (t *Target) Close() {
	t.watch.end()
	t.transport.CloseIdleConnections()
}

// Format writes the address of the service, whatever the verb: the rest of a
// target is in use by others.
func (t *Target) Format(state fmt.State, verb rune) { t.endpoint.Format(state, verb) }

// line returns a text as one line without a secret.
func (t *Target) line(text string) string { return oneLine(t.hide(text)) }

// hide returns a text without the shared access signature, should it hold it.
// The key cannot come back in any text: it is never sent.
func (t *Target) hide(text string) string {
	_, signature := t.endpoint.prove()
	return signature.hide(text)
}

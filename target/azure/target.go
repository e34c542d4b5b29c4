package azure

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http/httpproxy"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/target"
)

// Target sends operations to one account of a table service. It is safe for
// concurrent use.
type Target struct {
	endpoint Endpoint
	base     string
	address  string // host and port to connect to
	begin    string
	// accept is the header line with the metadata level of replies.
	accept string
	// nagle sends head and body separately.
	nagle      bool
	askCounted bool
	runID      string
	clock      clock.Clock

	dialer *dialer
	pool   *pool
	// other is the transport of net/http, used unless native is set; proxy is its proxy.
	other  *http.Transport
	proxy  *url.URL
	client Client
	native atomic.Bool
	// tokens is nil with a key or a signature.
	tokens *TokenKeeper
	// refusals is used if observe is set.
	refusals refusalLog
	observe  bool
	watch    *watch
	budget   *target.ReplyBudget
	stop     chan struct{}
	closing  sync.Once
	alone    sync.WaitGroup
	attempts sync.Pool
	dates    dates
	etags    etags
	counter  counter
}

var _ target.Target = (*Target)(nil)

// New returns a target, or an error that wraps ErrOptions for each fault of the options. Callers must close
// the target.
func New(o Options) (*Target, error) {
	if faults := o.Validate(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	o.Client = cmp.Or(o.Client, Native)
	o.Connections = cmp.Or(o.Connections, defaultConnections)
	if o.Budget == nil {
		o.Budget = target.NewReplyBudget(target.CommonReplyBudget)
	}
	o.Timeout, o.RunID = cmp.Or(o.Timeout, defaultTimeout), cmp.Or(o.RunID, defaultRunID)
	t := &Target{endpoint: o.Endpoint, base: o.Endpoint.base(),
		accept: "Accept: application/json;odata=" + o.Level.String() + "\r\n", nagle: o.Nagle, askCounted: o.AskCounted, runID: o.RunID, clock: o.Clock}
	t.address = o.Endpoint.Socket()
	t.begin = " HTTP/1.1\r\nHost: " + o.Endpoint.host + "\r\nUser-Agent: loadgen\r\n"
	t.dates.calendar = o.Calendar
	t.dialer = &dialer{clock: o.Clock, limit: o.Timeout, nagle: o.Nagle, counter: &t.counter, open: new(net.Dialer).DialContext}
	t.dialer.tls = o.TLS.Clone()
	if t.dialer.tls == nil {
		t.dialer.tls = new(tls.Config)
	}
	t.pool = &pool{most: o.Connections, opening: make(chan struct{}, maxOpening), wanted: make(chan *connection)}
	t.watch = &watch{limit: o.Timeout, late: fmt.Errorf("%w within %v", errLate, o.Timeout), callers: make(map[<-chan struct{}]*caller)}
	t.budget = o.Budget
	t.client, t.observe = o.Client, o.Observe
	t.native.Store(o.Client == Native)
	if o.Client != Native {
		address, err := httpproxy.FromEnvironment().ProxyFunc()(&url.URL{Scheme: o.Endpoint.scheme, Host: o.Endpoint.host})
		// An address without http:// can parse as one with a path. It may contain a password, so no error
		// repeats it.
		if err != nil || address != nil && (!plainHost(address.Hostname()) || strings.Trim(address.Path, "/") != "") {
			return nil, fmt.Errorf("%w: HTTPS_PROXY or HTTP_PROXY: expected http://host:port",
				ErrOptions)
		}
		t.proxy = address
	}
	t.other = t.newTransport()
	if who := o.Endpoint.prove().identity; who != nil {
		t.tokens = NewTokenKeeper(who, o.Clock, o.Calendar)
	}
	t.attempts.New = func() any { return t.newAttempt() }
	t.stop = make(chan struct{})
	t.alone.Go(t.keep)
	return t, nil
}

// Socket returns the host and port to connect to.
func (e Endpoint) Socket() string {
	address := url.URL{Host: e.host}
	port := address.Port()
	switch {
	case port != "":
	case e.scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(address.Hostname(), port)
}

// Do implements [target.Target]: it sends one request, once. Without a reply the status is 0; an invalid reply
// keeps its status. Fault and detail explain both. It must not be called after Close.
func (t *Target) Do(ctx context.Context, op *target.Operation) target.Outcome {
	return t.do(ctx, op, t.exchange)
}

// do sends a request by a function that exchanges it for the reply.
func (t *Target) do(ctx context.Context, op *target.Operation, exchange func(context.Context, *attempt) error) target.Outcome {
	a := t.attempt()
	defer a.end()
	if err := t.authorize(ctx, a); err != nil {
		return target.Outcome{Fault: target.NotSent, Detail: t.line(err.Error())}
	}
	if fault := a.write(op); fault != "" {
		return target.Outcome{Fault: target.NotSent, Detail: fault}
	}
	if err := exchange(ctx, a); err != nil {
		return t.unanswered(err, a.answered)
	}
	outcome := t.outcome(a, op)
	outcome.BytesOut, outcome.BytesIn = int64(len(a.message)), a.came
	if a.bodyIsSeparate() {
		outcome.BytesOut += int64(len(a.content))
	}
	if outcome.Status == http.StatusUnauthorized && a.token != nil {
		t.tokens.Refused(a.token)
	}
	if t.observe && t.refusals.notable(outcome.Status, a.first.Sub(a.sent)) {
		t.note(a, op, &outcome)
	}
	return outcome
}

// exchange sends the request of an attempt and reads the reply into the attempt. For an attempt that was
// ended, the error is the cause.
func (t *Target) exchange(ctx context.Context, a *attempt) error {
	if ctx.Err() != nil {
		return orCause(ctx, ctx.Err())
	}
	if !t.native.Load() {
		return t.exchangeOverNetHTTP(ctx, a)
	}
	now := t.clock.Now()
	line := t.pool.get(now)
	if line != nil {
		t.watch.begin(ctx, a, now, line, nil)
	} else {
		var err error
		if line, err = t.connect(ctx, a, now); err != nil {
			if cause := t.watch.finish(a); cause != nil {
				return cause
			}
			return err
		}
		now = t.clock.Now()
	}
	if line.used {
		t.counter.increment(&t.counter.sum.Reused)
	}
	line.used, a.sent = true, now
	again, err := line.exchange(a, t.clock)
	if a.answered {
		t.counter.record(&t.counter.sum.FirstByte, a.first.Sub(now))
	}
	cause := t.watch.finish(a)
	if err != nil || cause != nil || !again {
		line.cut()
	} else {
		t.pool.put(line, a.first)
	}
	if err != nil && cause != nil {
		return t.ended(err, cause)
	}
	return err
}

// ended returns the error of an attempt that was ended. If its reply waited for memory until the timeout, the
// service was not late.
func (t *Target) ended(err, cause error) error {
	if errors.Is(err, target.ErrReplyEnded) && errors.Is(cause, errLate) {
		return fmt.Errorf("%w: those under way hold %d MiB together", errNoRoom, t.budget.Limit()>>20)
	}
	return cause
}

// connect registers an attempt that begins now, and opens a connection for it.
func (t *Target) connect(ctx context.Context, a *attempt, now clock.Instant) (*connection, error) {
	making, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.watch.begin(ctx, a, now, nil, cancel)
	line, err := t.pool.open(making, func() (net.Conn, error) {
		if t.endpoint.scheme == "https" {
			return t.dialer.secure(making, "tcp", t.address, "http/1.1")
		}
		return t.dialer.plain(making, "tcp", t.address)
	})
	if err != nil {
		return nil, orCause(making, err)
	}
	t.watch.connected(a, line)
	return line, nil
}

// keep ends attempts that time out and closes connections that were idle for too long, until the target is
// closed.
func (t *Target) keep() {
	for {
		now := t.clock.Now()
		// Attempts first: closing TLS may have to wait for the other side.
		due := t.watch.expire(now)
		alarm := t.clock.Alarm(min(due, t.pool.expire(now)))
		select {
		case <-alarm.C:
		case <-t.stop:
			alarm.Stop()
			return
		}
	}
}

// Connections returns the statistics so far. Lookups, Connects and Handshakes include failures.
func (t *Target) Connections() results.Connections {
	t.counter.mu.Lock()
	defer t.counter.mu.Unlock()
	return t.counter.sum
}

// Close closes the connections, which should be idle, and ends the target's goroutine. Attempts in progress get
// no reply.
func (t *Target) Close() { t.closing.Do(t.close) }

func (t *Target) close() {
	if t.tokens != nil {
		t.tokens.Close()
	}
	close(t.stop)
	t.alone.Wait()
	t.other.CloseIdleConnections()
	t.watch.close()
	t.pool.close()
}

// Format writes the address of the service, whatever the verb: other fields change concurrently.
func (t *Target) Format(state fmt.State, verb rune) { t.endpoint.Format(state, verb) }

// hide returns a text without the shared access signature and the token. The key is never sent, so that no text
// can repeat it.
func (t *Target) hide(text string) string {
	if t.tokens != nil {
		if token := t.tokens.Token(); token != nil {
			text = strings.ReplaceAll(text, token.Secret(), redacted)
		}
	}
	if signature := t.endpoint.prove().signature; signature != nil {
		for _, secret := range signature.shows {
			if secret != "" {
				text = strings.ReplaceAll(text, secret, redacted)
			}
		}
	}
	return text
}

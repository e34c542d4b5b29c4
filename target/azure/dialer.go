package azure

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// dial opens a connection; net.Dialer.DialContext is one.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

// dialer opens connections and counts them. Safe for concurrent use.
type dialer struct {
	clock clock.Clock
	limit time.Duration
	tls   *tls.Config
	// nagle leaves Nagle's algorithm on.
	nagle   bool
	counter *counter
	open    dial
}

// The causes of missing replies that are not the service's.
var (
	errTLS       = errors.New("TLS")
	errLate      = errors.New("no reply")
	errCancelled = errors.New("cancelled before a reply came")
	errClosed    = errors.New("the target was closed before the reply")
)

// plain opens a connection without TLS.
func (d *dialer) plain(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, address)
	if err == nil {
		d.counter.increment(&d.counter.sum.Opened)
	}
	return conn, err
}

// secure opens a TLS connection for one of the protocols.
func (d *dialer) secure(ctx context.Context, network, address string, protocols ...string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := d.tls.Clone()
	config.NextProtos = protocols
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	began := d.clock.Now()
	ctx, release := clock.WithTimeout(ctx, d.clock, d.limit, errLate)
	defer release()
	secured := tls.Client(conn, config)
	err = secured.HandshakeContext(ctx)
	d.counter.record(&d.counter.sum.Handshakes, d.clock.Now().Sub(began))
	if err != nil {
		conn.Close()
		return nil, orCause(ctx, tlsError(err))
	}
	d.counter.increment(&d.counter.sum.Opened)
	return secured, nil
}

// connect opens a connection within the limit.
func (d *dialer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, release := clock.WithTimeout(ctx, d.clock, d.limit, errLate)
	defer release()
	began := d.clock.Now()
	var asked clock.Instant
	var lookup time.Duration
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { asked = d.clock.Now() },
		DNSDone: func(httptrace.DNSDoneInfo) {
			lookup = d.clock.Now().Sub(asked)
			d.counter.record(&d.counter.sum.Lookups, lookup)
		},
	})
	conn, err := d.open(traced, network, address)
	d.counter.record(&d.counter.sum.Connects, d.clock.Now().Sub(began)-lookup)
	if err != nil {
		return nil, orCause(ctx, err)
	}
	if tcp, is := conn.(*net.TCPConn); is && d.nagle {
		_ = tcp.SetNoDelay(false) // package net disables it; a closed connection fails later
	}
	return conn, nil
}

// tlsError returns the error of a failed handshake.
func tlsError(err error) error {
	if errors.As(err, new(tls.RecordHeaderError)) {
		err = errors.New("the server does not support it")
	}
	return fmt.Errorf("%w: %w", errTLS, err)
}

// orCause returns why the context ended, if it did, and otherwise err.
func orCause(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return err
	case errors.Is(cause, errLate):
		return cause
	default:
		return fmt.Errorf("%w: %w", errCancelled, cause)
	}
}

// counter counts [results.Connections]. It is safe for concurrent use.
type counter struct {
	mu  sync.Mutex
	sum results.Connections
}

// increment adds one to a number of the sum.
func (c *counter) increment(number *int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*number++
}

// record adds a duration to a spell of the sum.
func (c *counter) record(spell *results.Spell, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	spell.Count, spell.Total, spell.Max = spell.Count+1, spell.Total+d, max(spell.Max, d)
}

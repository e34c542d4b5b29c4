package azure

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"time"

	"loadgen/engine/clock"
)

// dial opens a connection; net.Dialer.DialContext is one.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

// dialer opens connections and counts them. Safe for concurrent use.
type dialer struct {
	clock   clock.Clock
	limit   time.Duration
	tls     *tls.Config
	counter *counter
	open    dial
}

// Why an attempt got no reply, where it was not the service's doing.
var (
	errTLS       = errors.New("TLS")
	errLate      = errors.New("no reply")
	errCancelled = errors.New("cancelled before a reply came")
	errClosed    = errors.New("the target was closed before a reply came")
)

// plain opens a connection without TLS. TCP_NODELAY is on: net sets it.
func (d *dialer) plain(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, address)
	return d.counted(conn, err)
}

// secure opens a connection and shakes hands.
func (d *dialer) secure(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, address)
	if err != nil {
		return d.counted(nil, err)
	}
	config := d.tls.Clone()
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	began := d.clock.Now()
	ctx, release := clock.Within(ctx, d.clock, d.limit, errLate)
	defer release()
	secured := tls.Client(conn, config)
	err = secured.HandshakeContext(ctx)
	d.counter.handshakes.add(d.clock.Now().Sub(began))
	if err != nil {
		conn.Close()
		return d.counted(nil, orCause(ctx, fmt.Errorf("%w: %w", errTLS, err)))
	}
	return d.counted(secured, nil)
}

// connect opens a connection within the limit.
func (d *dialer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, release := clock.Within(ctx, d.clock, d.limit, errLate)
	defer release()
	began := d.clock.Now()
	var asked clock.Instant
	var lookup time.Duration
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { asked = d.clock.Now() },
		DNSDone: func(httptrace.DNSDoneInfo) {
			lookup = d.clock.Now().Sub(asked)
			d.counter.lookups.add(lookup)
		},
	})
	conn, err := d.open(traced, network, address)
	d.counter.connects.add(d.clock.Now().Sub(began) - lookup)
	if err != nil {
		return nil, orCause(ctx, err)
	}
	return conn, nil
}

func (d *dialer) counted(conn net.Conn, err error) (net.Conn, error) {
	if err != nil {
		d.counter.refused.Add(1)
		return nil, err
	}
	d.counter.opened.Add(1)
	return conn, nil
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

package azure

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
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

// Why an attempt got no reply, where it was not the service's doing.
var (
	errTLS       = errors.New("TLS")
	errLate      = errors.New("no reply")
	errCancelled = errors.New("cancelled before a reply came")
	errClosed    = errors.New("the target was closed before the reply")
)

// plain opens a connection without TLS.
func (d *dialer) plain(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, address)
	return d.counted(conn, err)
}

// secure opens a connection and shakes hands for one of the protocols.
func (d *dialer) secure(ctx context.Context, network, address string, protocols ...string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, address)
	if err != nil {
		return d.counted(nil, err)
	}
	config := d.tls.Clone()
	config.NextProtos = protocols
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
	if tcp, is := conn.(*net.TCPConn); is && d.nagle {
		_ = tcp.SetNoDelay(false) // net switches it off; a connection that is closed already fails at once
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

// Connections is what the connections of a target have done since it was built.
type Connections struct {
	// Opened is how many connections were made, Refused how many could not be.
	Opened, Refused int64
	// Reused is how many attempts were sent on a connection that had carried
	// one before, HTTP2 how many over HTTP/2, where several share one.
	Reused, HTTP2 int64
	// Lookups are look-ups of the host's name, Connects the making of
	// connections without that, Handshakes those of TLS, failures included.
	Lookups, Connects, Handshakes Timing
	// FirstBytes run from when an attempt has a connection to the first byte of
	// the reply.
	FirstBytes Timing
}

// Timing is how often something was done and how long that took.
type Timing struct {
	Count      int64
	Total, Max time.Duration
}

// counter is [Connections] while it is being counted.
type counter struct {
	opened, refused, reused, http2            atomic.Int64
	lookups, connects, handshakes, firstBytes stopwatch
}

// stopwatch is a [Timing] while it is being counted.
type stopwatch struct{ count, total, longest atomic.Int64 }

func (s *stopwatch) add(d time.Duration) {
	s.count.Add(1)
	s.total.Add(int64(d))
	for {
		longest := s.longest.Load()
		if int64(d) <= longest || s.longest.CompareAndSwap(longest, int64(d)) {
			return
		}
	}
}

func (s *stopwatch) read() Timing {
	return Timing{Count: s.count.Load(), Total: time.Duration(s.total.Load()), Max: time.Duration(s.longest.Load())}
}

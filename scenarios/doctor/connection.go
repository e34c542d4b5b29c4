package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"syscall"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/results"
)

func (v *visit) resolve(ctx context.Context) Finding {
	const bound = "an address"
	name, _, _ := net.SplitHostPort(v.client.Socket())
	if net.ParseIP(name) != nil {
		return findingFor(true, name+" is one", bound, "")
	}
	ctx, release := clock.Within(ctx, v.clock, visitLimit, context.Canceled)
	defer release()
	began := v.clock.Now()
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	took := document.Span(v.clock.Now().Sub(began))
	if err != nil {
		return findingFor(false, fmt.Sprintf("no address for %s after %s", name, took), bound,
			"check the account name and this machine's DNS")
	}
	return findingFor(true, fmt.Sprintf("%s (of %d) in %s", addresses[0], len(addresses), took), bound, "")
}

func (v *visit) connect(ctx context.Context) Finding {
	bound := "a connection within " + document.Span(visitLimit)
	began := v.clock.Now()
	conn, err := v.dial(ctx)
	v.connecting = v.clock.Now().Sub(began)
	if err != nil {
		return findingFor(false, fmt.Sprintf("none after %s: %s", document.Span(v.connecting), reasonOf(err)), bound, adviceOn(err))
	}
	measured := fmt.Sprintf("with %s in %s", conn.RemoteAddr(), document.Span(v.connecting))
	_ = conn.Close() // nothing was sent
	return findingFor(true, measured, bound, "")
}

func (v *visit) dial(ctx context.Context) (net.Conn, error) {
	ctx, release := clock.Within(ctx, v.clock, visitLimit, context.Canceled)
	defer release()
	return new(net.Dialer).DialContext(ctx, "tcp", v.client.Socket())
}

// The error numbers of Windows for a connection that was refused or reset.
const (
	windowsRefused = syscall.Errno(10061)
	windowsReset   = syscall.Errno(10054)
)

// reasonOf returns a short reason for a failed connection.
func reasonOf(err error) string {
	switch {
	case refused(err):
		return "it was refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, windowsReset):
		return "it was reset"
	case errors.Is(err, context.Canceled):
		return "nobody answers"
	default:
		return results.OneLine(err)
	}
}

func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, windowsRefused)
}

func adviceOn(err error) string {
	if refused(err) {
		return "check that the service runs, and its port"
	}
	return "check for a firewall, or a required proxy"
}

// shakeHands opens a TLS connection.
func (v *visit) shakeHands(ctx context.Context) Finding {
	const bound = "a trusted certificate"
	conn, err := v.dial(ctx)
	if err != nil {
		return findingFor(false, reasonOf(err), bound, adviceOn(err))
	}
	defer conn.Close()
	config := v.trust.Clone()
	if config == nil {
		config = new(tls.Config)
	}
	config.NextProtos = []string{"h2", "http/1.1"}
	if config.ServerName == "" {
		config.ServerName = v.host()
	}
	ctx, release := clock.Within(ctx, v.clock, visitLimit, context.Canceled)
	defer release()
	began := v.clock.Now()
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return findingFor(false, results.OneLine(err), bound, "check the scheme, the certificate's host name "+
			"and its issuer")
	}
	state := secured.ConnectionState()
	protocol := "HTTP/1.1"
	if state.NegotiatedProtocol == "h2" {
		protocol = "HTTP/2"
	}
	return findingFor(true, fmt.Sprintf("%s in %s, %s, certificate until %s", tls.VersionName(state.Version),
		document.Span(v.clock.Now().Sub(began)), protocol, state.PeerCertificates[0].NotAfter.UTC().Format("2006-01-02")), bound, "")
}

package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"loadgen/report/document"
	"loadgen/target"
)

func (v *visit) resolve(ctx context.Context) Finding {
	const bound = "an address"
	name := hostOf(v.client.Socket())
	if net.ParseIP(name) != nil {
		return judgeResult(nil, bound, name+" is one", "")
	}
	began := v.Clock.Now()
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	took := document.Span(v.Clock.Now().Sub(began))
	if err != nil {
		return Finding{Verdict: Fail, Measured: fmt.Sprintf("no address for %s after %s", name, took), Bound: bound,
			Note: "check the account name and this machine's DNS"}
	}
	return judgeResult(nil, bound, fmt.Sprintf("%s (of %d) in %s", addresses[0], len(addresses), took), "")
}

func (v *visit) connect(ctx context.Context) Finding {
	bound := "a connection within " + document.Span(visitLimit)
	began := v.Clock.Now()
	conn, failed := v.dial(ctx, bound)
	v.connecting = v.Clock.Now().Sub(began)
	took := document.Span(v.connecting)
	if conn == nil {
		failed.Measured = "none after " + took + ": " + failed.Measured
		return failed
	}
	_ = conn.Close() // nothing was sent
	return judgeResult(nil, bound, fmt.Sprintf("with %s in %s", conn.RemoteAddr(), took), "")
}

// dial opens a connection, or returns the finding of a failure.
func (v *visit) dial(ctx context.Context, bound string) (net.Conn, Finding) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", v.client.Socket())
	if err == nil {
		return conn, Finding{}
	}
	fault, reason := target.FaultOf(err)
	advice := "check for a firewall, or a required proxy"
	switch fault {
	case target.ConnectionRefused:
		advice = "check that the service runs, and its port"
	case target.Cancelled:
		reason = "nobody answers"
	}
	return nil, judgeResult(errors.New(reason), bound, "", advice)
}

// shakeHands opens a TLS connection.
func (v *visit) shakeHands(ctx context.Context) Finding {
	const bound = "a trusted certificate"
	conn, failed := v.dial(ctx, bound)
	if conn == nil {
		return failed
	}
	defer conn.Close()
	config := cmp.Or(v.Trust, new(tls.Config)).Clone()
	config.NextProtos = []string{"h2", "http/1.1"}
	config.ServerName = cmp.Or(config.ServerName, hostOf(v.Service.Socket()))
	began := v.Clock.Now()
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return judgeResult(err, bound, "", "check the scheme, the certificate's host name and its issuer")
	}
	state := secured.ConnectionState()
	protocol := "HTTP/1.1"
	if state.NegotiatedProtocol == "h2" {
		protocol = "HTTP/2"
	}
	return judgeResult(nil, bound, fmt.Sprintf("%s in %s, %s, certificate until %s", tls.VersionName(state.Version),
		document.Span(v.Clock.Now().Sub(began)), protocol, state.PeerCertificates[0].NotAfter.UTC().Format("2006-01-02")), "")
}

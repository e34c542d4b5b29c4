package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"loadgen/report/document"
	"loadgen/results"
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
	began := v.Clock.Now()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", v.client.Socket())
	v.connecting = v.Clock.Now().Sub(began)
	took, bound := document.Span(v.connecting), "a connection within "+document.Span(visitLimit)
	if err != nil {
		reason, advice := explain(err)
		return Finding{Verdict: Fail, Measured: fmt.Sprintf("none after %s: %s", took, reason), Bound: bound, Note: advice}
	}
	_ = conn.Close() // nothing was sent
	return judgeResult(nil, bound, fmt.Sprintf("with %s in %s", conn.RemoteAddr(), took), "")
}

// explain returns a short reason for a failed connection, and advice.
func explain(err error) (reason, advice string) {
	fault, reason := target.FaultOf(err)
	switch fault {
	case target.ConnectionRefused:
		return reason, "check that the service runs, and its port"
	case target.Cancelled:
		reason = "nobody answers"
	}
	return results.OneLine(errors.New(reason)), "check for a firewall, or a required proxy"
}

// shakeHands opens a TLS connection.
func (v *visit) shakeHands(ctx context.Context) Finding {
	const bound = "a trusted certificate"
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", v.client.Socket())
	if err != nil {
		reason, advice := explain(err)
		return Finding{Verdict: Fail, Measured: reason, Bound: bound, Note: advice}
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

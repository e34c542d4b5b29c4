package fleet

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"loadgen/engine/clock"
)

// gate lets in who has the token, each to its own subjects, and the leader to all.
type gate struct {
	subjects subjects
	// join is the key of members, leader that of this leader's own connection.
	join, leader string
}

// Check implements server.Authentication.
func (g *gate) Check(c server.ClientAuthentication) bool {
	opts := c.GetOpts()
	if opts.Nkey != g.join && opts.Nkey != g.leader {
		return false
	}
	nonce := c.GetNonce()
	signature, err := base64.RawURLEncoding.DecodeString(opts.Sig)
	if err != nil || len(nonce) == 0 {
		return false
	}
	if public, err := nkeys.FromPublicKey(opts.Nkey); err != nil || public.Verify(nonce, signature) != nil {
		return false
	}
	if opts.Nkey == g.leader {
		return true
	}
	drawn, err := idLetters.DecodeString(opts.Name)
	if !(err == nil && len(drawn) == idBytes) {
		return false
	}
	only := func(subject string) *server.SubjectPermission {
		return &server.SubjectPermission{Allow: []string{subject}}
	}
	c.RegisterUser(&server.User{Username: opts.Name, Permissions: &server.Permissions{
		Publish: only(g.subjects.ask(opts.Name)), Subscribe: only(g.subjects.answer(opts.Name))}})
	return true
}

// serve starts a server in this process, which shows by its certificate that it has the token.
// Errors wrap [errListen].
func serve(o *BusOptions, g *gate) (*server.Server, error) {
	host, port, err := listenAddress(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errListen, err)
	}
	opts := &server.Options{
		ServerName: "loadgen-fleet", Host: host, Port: port,
		NoLog: true, NoSigs: true, NoSystemAccount: true,
		MaxPayload: maxMessageBytes, MaxConn: 16_384, MaxSubs: 4, MaxControlLine: 1024,
		AlwaysEnableNonce: true, CustomClientAuthentication: g,
	}
	if !loopback(host) {
		key, err := o.Token.leaderKey()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errListen, err)
		}
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1),
			Subject:      pkix.Name{CommonName: "loadgen fleet"},
			DNSNames:     []string{"loadgen-fleet"},
			// A token is thrown away sooner than a date matters, and clocks differ.
			NotBefore: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
			NotAfter:  time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
			KeyUsage:  x509.KeyUsageDigitalSignature,
		}
		certificate, err := x509.CreateCertificate(clock.Secrets(), template, template, key.Public(), key)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errListen, err)
		}
		opts.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
		opts.TLSTimeout = patience.Seconds()
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errListen, err)
	}
	s.Start()
	if !s.ReadyForConnections(2 * patience) {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("%w at %s: it is taken", errListen, o.Listen)
	}
	return s, nil
}

// listening returns where to listen. That nothing is in the way is tried beforehand: the
// server itself would only be silent.
func listenAddress(at string) (host string, port int, err error) {
	if at == "" {
		return "127.0.0.1", server.RANDOM_PORT, nil
	}
	probe, err := net.Listen("tcp", at)
	if err != nil {
		return "", 0, err
	}
	defer probe.Close()
	if host, _, err = net.SplitHostPort(at); err != nil {
		return "", 0, err
	}
	if host == "" {
		host = "0.0.0.0"
	}
	_, text, err := net.SplitHostPort(probe.Addr().String())
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	return host, port, err
}

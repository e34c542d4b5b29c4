package fleet

import (
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"loadgen/engine/clock"
	"loadgen/scenarios/fleet/protocol"
)

// authenticator admits members with the key of the fleet, each to its own subjects, and the leader to all subjects.
type authenticator struct {
	subjects subjects
	// join is the public key of members, leader that of this leader's own connection.
	join, leader string
}

// Check implements server.Authentication.
func (a *authenticator) Check(c server.ClientAuthentication) bool {
	opts := c.GetOpts()
	if opts.Nkey != a.join && opts.Nkey != a.leader {
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
	if opts.Nkey == a.leader {
		return true
	}
	if id, err := hex.DecodeString(opts.Name); err != nil || len(id) != idBytes {
		return false
	}
	c.RegisterUser(&server.User{Username: opts.Name, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{a.subjects.requests(opts.Name)}},
		Subscribe: &server.SubjectPermission{Allow: []string{a.subjects.replies(opts.Name)}}}})
	return true
}

// startServer starts a server in this process, and connects to it without a socket. Errors wrap [errToken] or [errListen].
func (b *bus) startServer(o *BusOptions, k *keys) error {
	_, own, err := ed25519.GenerateKey(clock.Secrets())
	if err != nil {
		return fmt.Errorf("%w: %w", errToken, err)
	}
	if b.server, err = serve(o.Listen, k.leader, &authenticator{b.subjects, publicKey(k.join), publicKey(own)}); err != nil {
		return fmt.Errorf("%w: %w", errListen, err)
	}
	if host, port, err := net.SplitHostPort(b.server.Addr().String()); err == nil {
		if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		b.url = "nats://" + net.JoinHostPort(host, port)
	}
	options := o.withTrust(append(connectionOptions("loadgen-leader"), signWith(own), nats.InProcessServer(b.server)), k, false)
	if b.conn, err = nats.Connect("", options...); err != nil {
		return fmt.Errorf("%w: %w", errListen, err)
	}
	return nil
}

// serve starts a server at an address. On a public address its certificate has the leader's key.
func serve(listen string, key ed25519.PrivateKey, a *authenticator) (*server.Server, error) {
	host, port, err := listenAddress(listen)
	if err != nil {
		return nil, err
	}
	opts := &server.Options{
		ServerName: "loadgen-fleet", Host: host, Port: port,
		NoLog: true, NoSigs: true, NoSystemAccount: true,
		MaxPayload: protocol.MaxBytes, MaxConn: 16_384, MaxSubs: 4, MaxControlLine: 1024,
		AlwaysEnableNonce: true, CustomClientAuthentication: a,
	}
	if !isLoopback(host) {
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1),
			Subject:      pkix.Name{CommonName: "loadgen fleet"},
			DNSNames:     []string{"loadgen-fleet"},
			// Members compare the key only, and clocks differ.
			NotBefore: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
			NotAfter:  time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
			KeyUsage:  x509.KeyUsageDigitalSignature,
		}
		certificate, err := x509.CreateCertificate(clock.Secrets(), template, template, key.Public(), key)
		if err != nil {
			return nil, err
		}
		opts.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
		opts.TLSTimeout = serverTimeout.Seconds()
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(2 * serverTimeout) {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("cannot listen at %s: the server did not start", listen)
	}
	return s, nil
}

// listenAddress returns where to listen. It tries to listen beforehand, because the server would not return the error.
func listenAddress(at string) (host string, port int, err error) {
	if at == "" {
		return "127.0.0.1", server.RANDOM_PORT, nil
	}
	probe, err := net.Listen("tcp", at)
	if err != nil {
		return "", 0, err
	}
	defer probe.Close()
	if host, _, err = net.SplitHostPort(at); host == "" {
		host = "0.0.0.0"
	}
	return host, probe.Addr().(*net.TCPAddr).Port, err
}

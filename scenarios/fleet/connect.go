package fleet

import (
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/nats-io/nats.go"
)

// connectionOptions returns the options of every connection. While a connection is down its messages are lost, and sent
// again by the protocol.
func connectionOptions(name string) []nats.Option {
	return []nats.Option{nats.Name(name), nats.Timeout(serverTimeout), nats.NoEcho(), nats.MaxReconnects(-1),
		nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
		nats.ReconnectBufSize(-1), nats.PingInterval(20 * time.Second), nats.IgnoreDiscoveredServers(),
		// A full queue of a subscription is counted, see Dropped.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
}

// connect opens a connection to a server at a URL. Errors wrap [errUnreachable] or [errRefused].
func connect(o *BusOptions, k *keys, name string) (*nats.Conn, error) {
	at, err := parseAddress(o.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	options := connectionOptions(name)
	switch {
	case o.Creds != "":
		options = append(options, nats.UserCredentials(o.Creds))
	case !o.isShared():
		options = append(options, signWith(k.join))
	}
	options = o.withTrust(options, k, at.Scheme == "tls" || !isLoopback(at.Hostname()))
	c, err := nats.Connect("nats://"+at.Host, options...)
	if errors.Is(err, nats.ErrNkeysNotSupported) {
		// The server does not authenticate. Off loopback it has shown by its certificate that it has the token, and a leader's
		// server would have authenticated.
		c, err = nats.Connect("nats://"+at.Host, append(options, nats.Nkey("", nil))...)
	}
	if err != nil {
		return nil, connectError(at.Host, err)
	}
	return c, nil
}

// errOtherLeader is wrapped if the certificate of a server is not derived from the token.
var errOtherLeader = errors.New("the server has another token than this end")

// withTrust adds the servers to trust: a leader with the same token, or those with a trusted certificate.
func (o *BusOptions) withTrust(options []nats.Option, k *keys, secure bool) []nats.Option {
	config := &tls.Config{
		MinVersion: tls.VersionTLS13,
		// The key of the certificate is compared, instead of its name and signer. The handshake has shown that the server
		// holds it.
		InsecureSkipVerify: true,
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) > 0 && k.leader.Public().(ed25519.PublicKey).Equal(state.PeerCertificates[0].PublicKey) {
				return nil
			}
			return errOtherLeader
		},
	}
	if o.isShared() {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if o.CA != "" {
		options = append(options, nats.RootCAs(o.CA))
		secure = true
	} else if o.Creds != "" {
		// The owner of a cluster chooses whether it uses TLS.
		secure = false
	}
	return append(options, func(n *nats.Options) error {
		n.TLSConfig, n.Secure = config, secure
		return nil
	})
}

// connectError returns why a connection failed, in one line.
func connectError(host string, err error) error {
	var network net.Error
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrNkeysNotSupported):
		return fmt.Errorf("%w at %s: the server rejects the token or credentials", errRefused, host)
	case errors.Is(err, errOtherLeader):
		return fmt.Errorf("%w at %s: %w", errRefused, host, errOtherLeader)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%w at %s: the server does not support TLS, which is required between machines", errRefused, host)
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("%w at %s: %w", errUnreachable, host, errNobody)
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return fmt.Errorf("%w at %s: no reply within %v; is it a NATS server?", errUnreachable, host, serverTimeout)
	}
	return fmt.Errorf("%w at %s: it does not speak NATS: %w", errUnreachable, host, err)
}

// errNobody is wrapped if no process listens at the address.
var errNobody = errors.New("nobody listens")

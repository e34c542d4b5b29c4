package fleet

import (
	"bytes"
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// connectionOptions returns the options of every connection. It keeps no messages while it is down: the sender sends
// again.
func connectionOptions(name string) []nats.Option {
	return []nats.Option{nats.Name(name), nats.Timeout(patience), nats.NoEcho(), nats.MaxReconnects(-1),
		nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
		nats.ReconnectBufSize(-1), nats.PingInterval(20 * time.Second), nats.IgnoreDiscoveredServers(),
		// Errors of a subscription, such as a queue that is full, are counted where they are asked for.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
}

// withSignature returns the option that signs with a key.
func withSignature(key nkeys.KeyPair) (nats.Option, error) {
	public, err := key.PublicKey()
	if err != nil {
		return nil, err
	}
	return nats.Nkey(public, key.Sign), nil
}

// connect opens a connection to a server at a URL. Errors wrap [errUnreachable] or
// [errRefused].
func connect(o *BusOptions, name string) (*nats.Conn, error) {
	at, err := address(o.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	options := connectionOptions(name)
	switch {
	case o.Creds != "":
		options = append(options, nats.UserCredentials(o.Creds))
	case !o.outside():
		var signs nats.Option
		key, err := o.Token.joinKey()
		if err == nil {
			signs, err = withSignature(key)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errToken, err)
		}
		options = append(options, signs)
	}
	if options, err = o.withTrust(options, at.Scheme == "tls" || !loopback(at.Hostname())); err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	c, err := nats.Connect("nats://"+at.Host, options...)
	if errors.Is(err, nats.ErrNkeysNotSupported) {
		// A server that asks nobody who he is. Off loopback it has shown by now that it has the
		// token, and would have asked.
		c, err = nats.Connect("nats://"+at.Host, append(options, nats.Nkey("", nil))...)
	}
	if err != nil {
		return nil, connectError(at.Host, err)
	}
	return c, nil
}

// errOtherLeader is a server with a certificate that does not follow from the token.
var errOtherLeader = errors.New("the server has another token than this end")

// withTrust adds the servers to trust: a leader with the same token, or those with a trusted certificate.
func (o *BusOptions) withTrust(options []nats.Option, secure bool) ([]nats.Option, error) {
	key, err := o.Token.leaderKey()
	if err != nil {
		return nil, err
	}
	want := key.Public().(ed25519.PublicKey)
	config := &tls.Config{
		MinVersion: tls.VersionTLS13,
		// The name and the signer say nothing here. The key is compared below, and the
		// handshake has shown that the server holds it.
		InsecureSkipVerify: true,
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) > 0 {
				if got, is := state.PeerCertificates[0].PublicKey.(ed25519.PublicKey); is && bytes.Equal(got, want) {
					return nil
				}
			}
			return errOtherLeader
		},
	}
	if o.outside() {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
		if o.CA != "" {
			options = append(options, nats.RootCAs(o.CA))
			secure = true
		}
	}
	return append(options, func(n *nats.Options) error {
		if n.TLSConfig = config; o.Creds != "" && o.CA == "" {
			// Whether a cluster of one's own is spoken to in the clear is its owner's choice.
			secure = false
		}
		n.Secure = secure
		return nil
	}), nil
}

// connectError says why a connection was not made, in one line.
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
		return fmt.Errorf("%w at %s: no reply within %v; is it a NATS server?", errUnreachable, host, patience)
	}
	return fmt.Errorf("%w at %s: it does not speak NATS: %w", errUnreachable, host, err)
}

// errNobody is an address at which nobody listens, or not yet.
var errNobody = errors.New("nobody listens")

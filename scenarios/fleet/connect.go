package fleet

import (
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"loadgen/scenarios/fields"
)

// Errors of the two ends, each of one line. They are wrapped with their cause.
var (
	// errToken is wrapped if a token is missing, too short or readable by others.
	errToken = errors.New("the token of the fleet will not do")
	// errRefused is wrapped if a server rejects this end.
	errRefused = errors.New("not let in")
	// errUnreachable is wrapped if no NATS server replies at an address.
	errUnreachable = errors.New("no fleet answers")
	// errListen is wrapped if the leader cannot listen at an address.
	errListen = errors.New("cannot listen")
	// errLed is returned if another process leads the run.
	errLed = errors.New("the fleet of this token has a leader already")
)

const (
	// maxWaiting and maxWaitingBytes bound the messages that wait to be read. Further ones are dropped and counted.
	maxWaiting      = 8192
	maxWaitingBytes = 256 << 20
	// serverTimeout is how long a server has to reply.
	serverTimeout = 3 * time.Second
)

// BusOptions configure an end of the bus.
type BusOptions struct {
	// URL is a NATS server, nats:// or tls://. Without it a leader starts a server of its own; a member needs one.
	URL string
	// Listen is where the leader's own server listens, host:port; empty for a free port on loopback.
	Listen string
	// Token is the fleet's, see [ReadToken] and [NewToken].
	Token Token
	// Creds is a file with NATS credentials, CA one with the certificates to trust instead of the system's. Both are for
	// a shared server.
	Creds, CA string
	// Wait is how long a member tries to connect before the server listens.
	Wait time.Duration
}

// Validate returns the first fault of the options, a [fields.Fault] of its flag. The URL has a flag of the caller's.
func (o *BusOptions) Validate(urlFlag string) error {
	fault := func(flag, format string, args ...any) error {
		return fields.Fault{Path: flag, What: fmt.Sprintf(format, args...)}
	}
	_, urlError := parseAddress(o.URL)
	_, _, listenError := net.SplitHostPort(o.Listen)
	switch {
	case o.Token.secret == "":
		return fault("token-file", "%v: there is none", errToken)
	case o.URL == "" && o.isShared():
		return fault(urlFlag, "missing; credentials and certificates require a server")
	case o.URL != "" && urlError != nil:
		return fault(urlFlag, "%v", urlError)
	case o.URL != "" && o.Listen != "":
		return fault("lead", "%s; expected none with the URL of a server", o.Listen)
	case o.Listen != "" && listenError != nil:
		return fault("lead", "%q; expected host:port or :port", o.Listen)
	}
	for _, file := range []struct{ flag, path string }{{"nats-creds", o.Creds}, {"nats-ca", o.CA}} {
		if file.path == "" {
			continue
		}
		if _, err := os.Stat(file.path); err != nil {
			return fault(file.flag, "%v", err)
		}
	}
	return nil
}

// isShared reports whether the options are of a shared server.
func (o *BusOptions) isShared() bool { return o.Creds != "" || o.CA != "" }

// parseAddress parses a NATS URL. Its errors do not contain a password.
func parseAddress(text string) (*url.URL, error) {
	const want = "expected nats://HOST:PORT or tls://HOST:PORT"
	at, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read; %s", want)
	case at.User != nil:
		return nil, fmt.Errorf("other users can see names and passwords in URLs; use a credentials file")
	case at.Scheme != "nats" && at.Scheme != "tls" || at.Hostname() == "" || at.Path != "" && at.Path != "/":
		return nil, fmt.Errorf("%q; %s", text, want)
	case at.Port() == "":
		at.Host = net.JoinHostPort(at.Hostname(), "4222")
	}
	return at, nil
}

// loopback reports whether a host is this machine and cannot be seen from others.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

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

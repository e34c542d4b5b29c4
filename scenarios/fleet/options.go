package fleet

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"loadgen/scenarios/fields"
	"loadgen/scenarios/fleet/protocol"
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
	// maxMessageBytes is the maximum size of a message.
	maxMessageBytes = protocol.MaxBytes
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

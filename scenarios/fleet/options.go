package fleet

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"
)

// Errors of the two ends, each of one line. They are wrapped with what led to them.
var (
	// errToken is a token that is missing, too short or open to others.
	errToken = errors.New("the token of the fleet will not do")
	// errRefused is a server that does not let this one in.
	errRefused = errors.New("not let in")
	// errUnreachable is an address where nobody answers, or nobody who speaks NATS.
	errUnreachable = errors.New("no fleet answers")
	// errListen is an address that cannot be listened at.
	errListen = errors.New("cannot listen")
	// errLed is a run that somebody else leads.
	errLed = errors.New("the fleet of this token has a leader already")
)

// maxMessageBytes is the maximum size of a message.
const maxMessageBytes = 1 << 20

// maxWaiting is the number of messages that wait to be read. Further ones are dropped and counted.
const maxWaiting = 8192

// patience is how long a server has to answer.
const patience = 3 * time.Second

// BusOptions are how an end of the bus is opened.
type BusOptions struct {
	// URL is the server of somebody else's, nats:// or tls://; a leader that names none has
	// its own. A member must name one.
	URL string
	// Listen is where the leader's own server listens, host:port; empty for loopback, at a
	// free port.
	Listen string
	// Token is the fleet's, see [ReadToken] and [NewToken].
	Token Token
	// Creds is a file of NATS credentials, CA one of certificates that are trusted instead of
	// the system's; both are for a server of somebody else's.
	Creds, CA string
	// Wait is for how long a member asks again where nobody listens yet.
	Wait time.Duration
}

// FieldError is a fault of an option.
type FieldError struct {
	// Field is the option's name in lower case.
	Field string
	Err   error
}

// Error implements error.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *FieldError) Unwrap() error { return e.Err }

// Validate returns all that is wrong with the options of a leader or a member, each a
// [*FieldError].
func (o *BusOptions) Validate() (faults []error) {
	fault := func(field, format string, args ...any) {
		faults = append(faults, &FieldError{field, fmt.Errorf(format, args...)})
	}
	if o.Token.secret == "" {
		fault("token", "%w: there is none", errToken)
	}
	if o.URL != "" {
		if _, err := address(o.URL); err != nil {
			fault("url", "%w", err)
		}
		if o.Listen != "" {
			fault("listen", "%s; expected none where there is a server at a URL", o.Listen)
		}
	}
	if o.Listen != "" {
		if _, _, err := net.SplitHostPort(o.Listen); err != nil {
			fault("listen", "%q; expected host:port or :port", o.Listen)
		}
	}
	if o.URL == "" && o.outside() {
		fault("url", "missing; credentials and certificates require a server")
	}
	for _, file := range []struct{ field, path string }{{"creds", o.Creds}, {"ca", o.CA}} {
		if file.path == "" {
			continue
		}
		if _, err := os.Stat(file.path); err != nil {
			fault(file.field, "%w", err)
		}
	}
	return faults
}

// outside reports whether the server is said to be somebody else's.
func (o *BusOptions) outside() bool { return o.Creds != "" || o.CA != "" }

// address reads a URL of NATS. What it says of a wrong one has no password in it.
func address(text string) (*url.URL, error) {
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
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

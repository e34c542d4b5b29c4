package azure

import (
	"crypto/tls"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/wire"
	"loadgen/target"
)

// What options that are left zero mean.
const (
	defaultConnections = 64
	// defaultTimeout lies above the 30 s after which the service gives up
	// itself, so that its own answer is heard.
	defaultTimeout = 35 * time.Second
	defaultRunID   = "loadgen"
)

// mostRunID leaves room below the 1,024 bytes that the service takes.
const mostRunID = 200

// Options says how a target sends. The zero value of a field that is not
// demanded stands for what its comment says.
type Options struct {
	// Endpoint is where requests go and as whom; demanded.
	Endpoint Endpoint
	// Scheme is how a request is signed with an account's key; Shared Key Lite.
	Scheme wire.SigningScheme
	// Connections is the greatest number of attempts at once, for so many idle
	// connections are kept; 64. More attempts work, but each beyond costs a
	// connection of its own.
	Connections int
	// Timeout bounds a whole attempt, connecting included; 35 s.
	Timeout time.Duration
	// AskCounted has the service asked how many entities each request counted,
	// and believed. Only this module's own engine knows the question.
	AskCounted bool
	// Clock times attempts; demanded.
	Clock clock.Clock
	// Calendar dates requests, and replies that do not say when they are of; demanded.
	Calendar clock.Calendar
	// RunID begins the name of each operation in the service's log: the header
	// x-ms-client-request-id is RunID-number, the same for all attempts.
	// Visible ASCII, at most 200 bytes; loadgen.
	RunID string
	// TLS configures https; nil trusts whom the machine trusts.
	TLS *tls.Config
	// Client is what sends: Native, ByNetHTTP or Auto; Native.
	Client Client
	// Proxy returns the proxy for an address, nil for none; nil is the one that the environment
	// names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY). Native goes by none.
	Proxy func(*url.URL) (*url.URL, error)
	// Level is the metadata of JSON replies; minimal.
	Level wire.Level
	// Nagle leaves Nagle's algorithm on, and sends the head and the body of a request apart.
	// ByNetHTTP sends small requests in one piece all the same.
	Nagle bool
	// Observe has taken down what the service says: see [Target.Said].
	Observe bool
	// Budget is what the replies under way may hold together, of all targets that share
	// it; nil is one of the target's own, of target.CommonReplyBudget.
	Budget *target.ReplyBudget
}

// Validate returns every fault, each wrapping ErrOptions; none where a target
// can be built.
func (o *Options) Validate() []error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: %s", ErrOptions, fmt.Sprintf(format, args...)))
	}
	if o.Endpoint.host == "" {
		fault("Endpoint is missing")
	} else if o.Endpoint.prove() == (proof{}) {
		fault("Endpoint: expected a key, shared access signature or token source")
	}
	if !slices.Contains([]Client{"", Native, ByNetHTTP, Auto}, o.Client) {
		fault("Client is %q; it must be %s, %s or %s", o.Client, Native, ByNetHTTP, Auto)
	}
	if o.Scheme > wire.SharedKey {
		fault("Scheme is %d; it must be SharedKeyLite or SharedKey", o.Scheme)
	}
	if o.Connections < 0 {
		fault("Connections is %d; it must not be negative", o.Connections)
	}
	if o.Timeout < 0 {
		fault("Timeout is %v; it must not be negative", o.Timeout)
	}
	if o.Clock == nil {
		fault("Clock is missing")
	}
	if o.Calendar == nil {
		fault("Calendar is missing")
	}
	if !visible(o.RunID) || len(o.RunID) > mostRunID {
		fault("RunID is not visible ASCII of at most %d bytes", mostRunID)
	}
	return faults
}

// visible reports whether a text is made of visible ASCII characters alone.
func visible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7F })
}

package azure

import (
	"crypto/tls"
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/wire"
	"loadgen/target"
)

// The defaults of options.
const (
	defaultConnections = 64
	// defaultTimeout is above the service's own 30 s, so that its reply arrives first.
	defaultTimeout = 35 * time.Second
	defaultRunID   = "loadgen"
)

// maxRunID leaves room below the 1,024 bytes that the service takes.
const maxRunID = 200

// Options of a target. Comments name the defaults of optional fields.
type Options struct {
	// Endpoint is the address and credential; required.
	Endpoint Endpoint
	// Connections is the maximum number of idle connections; 64. Each further concurrent attempt opens
	// a connection of its own.
	Connections int
	// Timeout limits an attempt with its connection; 35 s.
	Timeout time.Duration
	// AskCounted requests the number of counted entities from the service and uses it. Only this
	// module's engine supports that.
	AskCounted bool
	// Clock times attempts; required.
	Clock clock.Clock
	// Calendar dates requests, and replies without a date; required.
	Calendar clock.Calendar
	// RunID is the prefix of the header x-ms-client-request-id, RunID-number, which is the same for all
	// attempts of an operation. Visible ASCII, at most 200 bytes; loadgen.
	RunID string
	// TLS configures https; nil uses the machine's certificates.
	TLS *tls.Config
	// Client is Native, ByNetHTTP or Auto; Native. ByNetHTTP uses the proxy of the environment (HTTPS_PROXY,
	// HTTP_PROXY, NO_PROXY).
	Client Client
	// Level is the metadata of JSON replies; minimal.
	Level wire.Level
	// Nagle leaves Nagle's algorithm on, and sends the head and the body of a request separately.
	// ByNetHTTP still sends small requests in one piece.
	Nagle bool
	// Observe records refused and slow requests, see [Target.Refusals].
	Observe bool
	// Budget limits the memory of replies in progress, of all targets that share it; nil is a budget of
	// its own of target.CommonReplyBudget.
	Budget *target.ReplyBudget
}

// Validate returns all faults, each wrapping ErrOptions.
func (o *Options) Validate() []error {
	var faults []error
	for _, one := range []struct {
		wrong bool
		text  string
	}{
		{o.Endpoint.host == "", "Endpoint is missing"},
		{o.Endpoint.host != "" && o.Endpoint.prove() == (proof{}), "Endpoint: expected a key, shared access signature or token source"},
		{!slices.Contains([]Client{"", Native, ByNetHTTP, Auto}, o.Client),
			fmt.Sprintf("Client is %q; it must be %s, %s or %s", o.Client, Native, ByNetHTTP, Auto)},
		{o.Connections < 0, fmt.Sprintf("Connections is %d; it must not be negative", o.Connections)},
		{o.Timeout < 0, fmt.Sprintf("Timeout is %v; it must not be negative", o.Timeout)},
		{o.Clock == nil, "Clock is missing"},
		{o.Calendar == nil, "Calendar is missing"},
		{!visible(o.RunID) || len(o.RunID) > maxRunID, fmt.Sprintf("RunID is not visible ASCII of at most %d bytes", maxRunID)},
	} {
		if one.wrong {
			faults = append(faults, fmt.Errorf("%w: %s", ErrOptions, one.text))
		}
	}
	return faults
}

// visible reports whether a text is made of visible ASCII characters alone.
func visible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7F })
}

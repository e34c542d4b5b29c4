package azure

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"loadgen/engine/wire"
)

// Endpoint is where requests go and as whom. Printing it in whatever way shows
// its address alone. It is immutable and safe for concurrent use; the zero value
// is no endpoint.
type Endpoint struct {
	scheme  string
	host    string
	segment string // slash and account in path style, else empty
	account string
	// neighbours are the addresses of the account's other services that were given.
	neighbours [Blob + 1]string
	// prove returns the credential. It is a
	// function so that a print of a struct that holds an endpoint in a private
	// field, where fmt can call no method and follows pointers, shows an address
	// of memory.
	prove func() proof
}

// proof is a credential, of which one part or none is there: the account's key, a shared
// access signature, or whom Entra ID gives tokens.
type proof struct {
	secret    *wire.Secret
	signature *sas
	identity  *Credential
}

// ParseURL returns the endpoint at an address such as
// https://ACCOUNT.table.core.windows.net or, in path style,
// http://127.0.0.1:10002/ACCOUNT. An empty account is read from the address. The
// secret may be nil where [Endpoint.WithSAS] follows. The error wraps ErrURL.
func ParseURL(text, account string, secret *wire.Secret) (Endpoint, error) {
	fault := func(what string) (Endpoint, error) { return Endpoint{}, fmt.Errorf("%w: %s", ErrURL, what) }
	address, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil, address.Opaque != "":
		return fault("expected https://host or http://host:port/account")
	case address.RawQuery != "", address.ForceQuery, address.Fragment != "":
		// Most likely a shared access signature, which the process list and the
		// history of a shell would then show to others.
		return fault("remove the query; put a shared access signature into a file or environment variable")
	case address.User != nil:
		return fault("it must not hold a user's name or password")
	case address.Scheme != "http" && address.Scheme != "https":
		return fault("it must begin with https:// or http://")
	case !plainHost(address.Hostname()):
		return fault("expected a host name or IP address")
	case otherService("", address.Hostname()) != "":
		return fault(fmt.Sprintf("this is the %s service; expected a table address such as https://ACCOUNT.table.core.windows.net",
			otherService("", address.Hostname())))
	}
	segment := strings.TrimRight(address.EscapedPath(), "/")
	if segment != "" && !plainName(segment[1:]) {
		return fault("the path must be empty or an account name of letters, digits and hyphens")
	}
	switch {
	case account != "":
	case segment != "":
		account = segment[1:]
	default:
		// The first label of a name of several.
		label, _, several := strings.Cut(address.Hostname(), ".")
		if _, err := netip.ParseAddr(address.Hostname()); err != nil && several {
			account = label
		}
	}
	if !plainName(account) {
		return fault("account name: expected 1 to 63 letters, digits or hyphens, in the address or separate")
	}
	return Endpoint{scheme: address.Scheme, host: address.Host, segment: segment, account: account,
		prove: proof{secret: secret}.by}, nil
}

// WithSAS returns the endpoint with a shared access signature in the place of
// its credential: the text of a query string, with or without the question
// mark. The error wraps ErrURL.
func (e Endpoint) WithSAS(text string) (Endpoint, error) {
	signature, ok := parseSAS(text)
	if !ok {
		return Endpoint{}, fmt.Errorf("%w: the shared access signature is not a query string with sig= in it", ErrURL)
	}
	e.prove = proof{signature: signature}.by
	return e, nil
}

// WithIdentity returns the endpoint with tokens of Entra ID in the place of its credential,
// those of whom programs of Azure's SDKs act as by default. A token goes over https alone. The
// error wraps ErrURL, or ErrNoToken.
func (e Endpoint) WithIdentity() (Endpoint, error) {
	if e.account == emulatorAccount && e.scheme != "https" {
		return Endpoint{}, fmt.Errorf("%w: %s is the emulators' account, with the well-known key %s; expected UseDevelopmentStorage=true in a connection string, or that key",
			ErrURL, emulatorAccount, emulatorKey)
	}
	if e.scheme != "https" {
		return Endpoint{}, fmt.Errorf("%w: Entra ID tokens require https://", ErrURL)
	}
	who, err := DefaultCredential(TokenScope(e.host, e.Cosmos()))
	if err != nil {
		return Endpoint{}, err
	}
	return e.WithCredential(who), nil
}

// WithCredential is [Endpoint.WithIdentity] with the tokens of somebody else.
func (e Endpoint) WithCredential(who *Credential) Endpoint {
	e.prove = proof{identity: who}.by
	return e
}

func (p proof) by() proof { return p }

// String returns the address, without any secret.
func (e Endpoint) String() string {
	if e.host == "" {
		return "(no endpoint)"
	}
	return e.base()
}

// Account returns the account's name.
func (e Endpoint) Account() string { return e.account }

// cosmosHosts are what the hosts of Cosmos DB's Table API end with.
var cosmosHosts = []string{".table.cosmos.azure.com", ".table.cosmosdb.azure.com", ".table.cosmos.azure.cn", ".table.cosmos.azure.us"}

// Cosmos reports whether the address is one of Cosmos DB's Table API, which
// answers 429 where Azure Storage answers 503, and knows no count of entities.
func (e Endpoint) Cosmos() bool {
	host, _, _ := strings.Cut(strings.ToLower(e.host), ":")
	host = strings.TrimSuffix(host, ".")
	return slices.ContainsFunc(cosmosHosts, func(end string) bool { return strings.HasSuffix(host, end) })
}

// Genuine reports whether the host is one of the table service's, or of Cosmos DB's Table API.
func (e Endpoint) Genuine() bool { return wire.IsTableHost(e.host) || e.Cosmos() }

// Proof says in a few words what proves to the service who asks.
func (e Endpoint) Proof() string {
	switch by := e.prove(); {
	case by.identity != nil:
		return "the token"
	case by.signature != nil:
		return "the shared access signature"
	default:
		return "the key"
	}
}

// Format writes the address, whatever the verb.
func (e Endpoint) Format(state fmt.State, verb rune) {
	fmt.Fprintf(state, fmt.FormatString(state, verb), e.String())
}

// GoString returns the address.
func (e Endpoint) GoString() string { return e.String() }

// MarshalText returns the address, for JSON as well.
func (e Endpoint) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// base is what the absolute URL of each resource begins with.
func (e Endpoint) base() string { return e.scheme + "://" + e.host + e.segment }

func plainHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	for label := range strings.SplitSeq(host, ".") {
		// Networks of containers know names with underscores.
		if !plainName(strings.ReplaceAll(label, "_", "-")) {
			return false
		}
	}
	return true
}

// plainName reports whether a text can name an account. No key and no signature
// in base64 can: they are longer, or end with an equals sign.
func plainName(name string) bool {
	odd := func(c rune) bool { return ('a' > c|0x20 || c|0x20 > 'z') && ('0' > c || c > '9') && c != '-' }
	return name != "" && len(name) <= 63 && !strings.ContainsFunc(name, odd)
}

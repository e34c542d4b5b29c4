package azure

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"loadgen/engine/wire"
)

// Endpoint is the address of a service and a credential. Every way of printing it shows only the
// address. It is immutable; the zero value is no endpoint.
type Endpoint struct {
	scheme  string
	host    string
	segment string // slash and account in path style, else empty
	account string
	// neighbours are the given addresses of the account's other services.
	neighbours [Blob + 1]string
	// prove returns the credential. It is a function because fmt follows pointers in the private
	// fields of other structs: it prints the address of a function instead.
	prove func() proof
}

// proof is a credential with at most one part: the account's key, a shared access signature, or a
// source of Entra ID tokens.
type proof struct {
	secret    *wire.Secret
	signature *sas
	identity  *Credential
}

// ParseURL returns the endpoint at an address such as
// https://ACCOUNT.table.core.windows.net or, in path style,
// http://127.0.0.1:10002/ACCOUNT. An empty account is read from the address. The
// secret may be nil if [Endpoint.WithIdentity] follows. The error wraps ErrURL.
func ParseURL(text, account string, secret *wire.Secret) (Endpoint, error) {
	fault := func(what string) (Endpoint, error) { return Endpoint{}, fmt.Errorf("%w: %s", ErrURL, what) }
	address, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil, address.Opaque != "":
		return fault("expected https://host or http://host:port/account")
	case address.RawQuery != "", address.ForceQuery, address.Fragment != "":
		// Most likely a shared access signature, which process lists and shell histories would show.
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
		prove: proof{secret: secret}.get}, nil
}

// WithIdentity returns the endpoint with Entra ID tokens of the SDKs' default identity as its
// credential. Tokens require https. The error wraps ErrURL or ErrNoToken.
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
	e.prove = proof{identity: who}.get
	return e, nil
}

func (p proof) get() proof { return p }

// String returns the address, without any secret.
func (e Endpoint) String() string {
	if e.host == "" {
		return "(no endpoint)"
	}
	return e.base()
}

// Account returns the account's name.
func (e Endpoint) Account() string { return e.account }

// cosmosHosts are the suffixes of hosts of Cosmos DB's Table API.
var cosmosHosts = []string{".table.cosmos.azure.com", ".table.cosmosdb.azure.com", ".table.cosmos.azure.cn", ".table.cosmos.azure.us"}

// Cosmos reports whether the address is one of Cosmos DB's Table API, which answers 429 instead of 503
// and does not count entities.
func (e Endpoint) Cosmos() bool {
	host, _, _ := strings.Cut(strings.ToLower(e.host), ":")
	host = strings.TrimSuffix(host, ".")
	return slices.ContainsFunc(cosmosHosts, func(end string) bool { return strings.HasSuffix(host, end) })
}

// Genuine reports whether the host is one of the table service's, or of Cosmos DB's Table API.
func (e Endpoint) Genuine() bool { return wire.IsTableHost(e.host) || e.Cosmos() }

// Proof names the kind of credential.
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

// MarshalText returns the address, for JSON as well.
func (e Endpoint) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// base returns the prefix of the URLs of all resources.
func (e Endpoint) base() string { return e.scheme + "://" + e.host + e.segment }

func plainHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	for label := range strings.SplitSeq(host, ".") {
		// Container networks use names with underscores.
		if !plainName(strings.ReplaceAll(label, "_", "-")) {
			return false
		}
	}
	return true
}

// plainName reports whether a text can name an account. Keys and signatures in base64 cannot: they are
// longer, or end with an equals sign.
func plainName(name string) bool {
	odd := func(c rune) bool { return ('a' > c|0x20 || c|0x20 > 'z') && ('0' > c || c > '9') && c != '-' }
	return name != "" && len(name) <= 63 && !strings.ContainsFunc(name, odd)
}

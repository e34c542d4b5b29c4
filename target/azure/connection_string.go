package azure

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"loadgen/engine/nearest"
	"loadgen/engine/wire"
)

// The emulators' account, whose key is public.
const (
	emulatorAccount = "devstoreaccount1"
	emulatorKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
	emulatorPort    = "10002"
)

// usedNames are the settings that decide the endpoint, in the order in which a
// misspelling is looked for.
var usedNames = [...]string{
	"DefaultEndpointsProtocol", "AccountName", "AccountKey", "TableEndpoint", "EndpointSuffix",
	"SharedAccessSignature", "UseDevelopmentStorage", "DevelopmentStorageProxyUri",
}

// otherEndpoints are the settings for the other services of an account.
var otherEndpoints = [...]string{"BlobEndpoint", "QueueEndpoint", "FileEndpoint", "DfsEndpoint"}

// ParseConnectionString returns the endpoint of a connection string of Azure Storage: settings such as AccountName=races,
// separated by semicolons, their names in any case. It ignores settings that do not matter here, except for one with a
// name so similar to one that does that it must be misspelt. The error wraps ErrConnectionString and repeats nothing
// of the text.
func ParseConnectionString(text string) (Endpoint, error) {
	set, err := parseSettings(text)
	if err != nil {
		return Endpoint{}, err
	}
	addressSetting := "TableEndpoint"
	if _, emulator := set["UseDevelopmentStorage"]; emulator {
		addressSetting = "DevelopmentStorageProxyUri"
		if err := set.emulate(); err != nil {
			return Endpoint{}, err
		}
	}
	endpoint, err := set.address(addressSetting)
	if err != nil {
		return Endpoint{}, err
	}
	for _, n := range [...]Neighbour{Queue, Blob} {
		if text, given := set[n.setting()]; given {
			other, err := ParseURL(text, endpoint.account, nil)
			if err != nil {
				return Endpoint{}, fmt.Errorf("%w: %s: %w", ErrConnectionString, n.setting(), err)
			}
			endpoint.neighbours[n] = other.base()
		}
	}
	p, err := set.credential()
	if err != nil {
		return Endpoint{}, err
	}
	endpoint.prove = p.get
	return endpoint, nil
}

// settings are the values of a connection string by the names in usedNames and
// otherEndpoints.
type settings map[string]string

func parseSettings(text string) (settings, error) {
	set := settings{}
	names := slices.Concat(usedNames[:], otherEndpoints[:])
	number := 0
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		number++
		name, value, found := strings.Cut(part, "=")
		if !found {
			return nil, badString("setting %d is not of the form Name=value", number)
		}
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(names, func(known string) bool { return strings.EqualFold(name, known) })
		if at < 0 {
			// Two letters or fewer are missing, too many, wrong or swapped.
			near := slices.IndexFunc(usedNames[:], func(known string) bool { return nearest.Distance(name, known) <= 2 })
			if near >= 0 {
				return nil, badString("setting %d is unknown; did you mean %s?", number, usedNames[near])
			}
			continue
		}
		known := names[at]
		if _, again := set[known]; again {
			return nil, badString("%s is given twice", known)
		}
		if value = strings.TrimSpace(value); value == "" {
			return nil, badString("%s is empty", known)
		}
		set[known] = value
	}
	if len(set) == 0 {
		return nil, badString("no known settings; expected some such as AccountName")
	}
	return set, nil
}

// emulate replaces the settings of the emulator by those of its account.
func (set settings) emulate() error {
	if !strings.EqualFold(set["UseDevelopmentStorage"], "true") {
		return badString("UseDevelopmentStorage must be true or be left out")
	}
	for _, other := range [...]string{"AccountName", "AccountKey", "TableEndpoint", "SharedAccessSignature"} {
		if _, given := set[other]; given {
			return badString("UseDevelopmentStorage=true excludes %s", other)
		}
	}
	scheme, host := "http", "127.0.0.1"
	if proxy, given := set["DevelopmentStorageProxyUri"]; given {
		address, err := url.Parse(proxy)
		if err != nil || address.Hostname() == "" || address.Scheme != "http" && address.Scheme != "https" {
			return badString("DevelopmentStorageProxyUri is not of the form http://host")
		}
		scheme, host = address.Scheme, address.Hostname()
	}
	set["AccountName"], set["AccountKey"] = emulatorAccount, emulatorKey
	for name, port := range map[string]string{"TableEndpoint": emulatorPort, "QueueEndpoint": "10001", "BlobEndpoint": "10000"} {
		set[name] = scheme + "://" + net.JoinHostPort(host, port) + "/" + emulatorAccount
	}
	return nil
}

// address returns where the service is, without a credential. The setting is the one to name in an error of TableEndpoint.
func (set settings) address(setting string) (Endpoint, error) {
	account, named := set["AccountName"]
	if named && !plainName(account) {
		return Endpoint{}, badString("AccountName: expected letters, digits and hyphens")
	}
	if text, given := set["TableEndpoint"]; given {
		endpoint, err := ParseURL(text, account, nil)
		if err != nil {
			return Endpoint{}, fmt.Errorf("%w: %s: %w", ErrConnectionString, setting, err)
		}
		return endpoint, nil
	}
	for _, other := range otherEndpoints {
		if _, given := set[other]; given {
			return Endpoint{}, badString("there is a %s, but TableEndpoint is missing", other)
		}
	}
	if !named {
		return Endpoint{}, badString("AccountName is missing")
	}
	protocol, suffix := "https", "core.windows.net"
	if text, given := set["DefaultEndpointsProtocol"]; given {
		protocol = strings.ToLower(text)
		if protocol != "http" && protocol != "https" {
			return Endpoint{}, badString("DefaultEndpointsProtocol must be https or http")
		}
	}
	if text, given := set["EndpointSuffix"]; given {
		suffix = strings.Trim(text, ".")
	}
	for label := range strings.SplitSeq(suffix, ".") {
		if !plainName(label) {
			return Endpoint{}, badString("EndpointSuffix is not a name such as core.windows.net")
		}
	}
	endpoint, err := ParseURL(protocol+"://"+account+".table."+suffix, account, nil)
	if err != nil {
		return Endpoint{}, fmt.Errorf("%w: EndpointSuffix: %w", ErrConnectionString, err)
	}
	return endpoint, nil
}

func (set settings) credential() (p proof, err error) {
	key, hasKey := set["AccountKey"]
	signature, hasSAS := set["SharedAccessSignature"]
	_, named := set["AccountName"]
	switch {
	case hasKey && hasSAS:
		return p, badString("AccountKey and SharedAccessSignature are mutually exclusive")
	case hasSAS:
		var ok bool
		if p.signature, ok = parseSAS(signature); !ok {
			return p, badString("SharedAccessSignature is not a query string with sig= in it")
		}
		return p, nil
	case !hasKey:
		return p, badString("there is neither AccountKey nor SharedAccessSignature")
	case !named:
		return p, badString("AccountName is missing")
	}
	if p.secret, err = wire.NewSecret(key); err != nil {
		return p, badString("AccountKey is not base64")
	}
	return p, nil
}

func badString(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrConnectionString, fmt.Sprintf(format, args...))
}

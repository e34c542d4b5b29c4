package doctor

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
)

func (v *visit) secure() bool { return strings.HasPrefix(v.endpoint.String(), "https://") }

func (v *visit) host() string {
	name, _, _ := net.SplitHostPort(v.endpoint.Socket())
	return name
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}

// The ports of Azurite's services.
const azuriteBlob, azuriteQueue, azuriteTable = "10000", "10001", "10002"

// lookAtAddress checks scheme and port before the first request.
func (v *visit) lookAtAddress() Finding {
	host, port, _ := net.SplitHostPort(v.endpoint.Socket())
	scheme, genuine := "http", v.endpoint.Genuine()
	if v.secure() {
		scheme = "https"
	}
	return judge(scheme+" on port "+port, "https on port 443, or a local emulator", "",
		rule{genuine && !v.secure(), Warn, "use https://: accounts reject http by default"},
		rule{genuine && port != "443", Warn, "the table service's port is 443: omit the port"},
		rule{port == azuriteBlob || port == azuriteQueue, Warn,
			"Azurite has blobs (" + azuriteBlob + ") and queues (" + azuriteQueue + "); tables are at " + azuriteTable},
		rule{!v.secure() && port == "443", Warn, "port 443 usually needs https://"},
		rule{!v.secure() && !isLocal(host), Warn, "http is not private: use https:// if available"})
}

// lookForProxy checks for a proxy.
func (v *visit) lookForProxy() Finding {
	const bound = "none on the way"
	if v.unfit != nil {
		return findingFor(false, results.OneLine(v.unfit), bound, "set it to http://host:port, or unset it")
	}
	name := "HTTP_PROXY"
	if v.secure() {
		name = "HTTPS_PROXY"
	}
	set := os.Getenv(name) != ""
	if lower := strings.ToLower(name); !set && os.Getenv(lower) != "" {
		name, set = lower, true
	}
	switch {
	case v.proxied:
		return warning(fmt.Sprintf("by %s, which %s names", v.client.Proxy(), name), bound, "it adds to every time and "+
			"limits the load; NO_PROXY="+v.host()+" bypasses it if the network allows")
	case set:
		return findingFor(true, fmt.Sprintf("none: %s is set, %s is excluded (NO_PROXY or local)", name, v.host()), bound, "")
	default:
		return findingFor(true, "none: "+name+" is not set", bound, "")
	}
}

// Light in fiber covers kilometresEach there and back in a millisecond. Two machines of one region
// are rarely more than nearby from each other.
const (
	kilometresEach = 100
	nearby         = 5 * time.Millisecond
)

// judgeDistance returns the maximum distance by the time to connect.
func (v *visit) judgeDistance() Finding {
	bound := "at most " + document.Span(nearby) + " to connect, as in one region"
	took := v.connecting
	reach := max(1, int64(took.Seconds()*1000*kilometresEach))
	measured := fmt.Sprintf("%s to connect: within %s km", document.Span(took), document.Count(reach))
	switch {
	case v.proxied:
		return unknown("a proxy hides the distance", bound)
	case isLocal(v.host()):
		return findingFor(true, "this machine", bound, "")
	case took > nearby:
		return warning(measured, bound, "each attempt takes longer: use a machine in the account's region, unless clients are as distant")
	default:
		return findingFor(true, measured+", possibly the same region", bound, "the speed of light in fiber; no location")
	}
}

package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/target/azure"
)

// visit checks a table service step by step, with reads only. It belongs to one goroutine.
type visit struct {
	endpoint azure.Endpoint
	clock    clock.Real
	// trust configures https; nil for the system's roots.
	trust *tls.Config

	// scenario determines needs, once it was rehearsed.
	scenario *scenarios.Scenario
	needs    need

	// client is a run's client, unfit the error if there is none.
	client  *azure.Target
	proxied bool
	unfit   error
	// first describes the service, heard is that request's duration.
	first azure.Service
	heard time.Duration
	// requests counts replies, connecting is the time of the plain connection.
	requests   int64
	connecting time.Duration
}

// newVisit returns a visit to the service of options. Callers must close it.
func newVisit(o *Options) *visit {
	v := &visit{endpoint: *o.Service, clock: o.Clock, trust: o.Trust, scenario: o.Scenario}
	v.client, v.unfit = azure.New(azure.Options{Endpoint: v.endpoint, Connections: maxSenders, Clock: v.clock, Calendar: v.clock,
		RunID: "doctor", TLS: v.trust, Client: azure.Auto})
	v.proxied = v.unfit == nil && v.client.Proxy() != ""
	return v
}

func (v *visit) close() {
	if v.client != nil {
		v.client.Close()
	}
}

// The checks of a visit.
const (
	visitAddress = "address"
	visitProxy   = "proxy"
	visitResolve = "resolve"
	visitConnect = "connect"
	visitTLS     = "tls"
	visitKey     = "authenticate"
	visitTrip    = "round trip"
	visitWay     = "distance"
	visitClock   = "clock skew"
	visitKeep    = "keep-alive"
	visitBytes   = "bandwidth"
)

// checks returns the steps in order.
func (v *visit) checks() []check {
	list := []check{
		{name: visitAddress, examine: withoutContext(v.lookAtAddress)},
		{name: visitProxy, examine: withoutContext(v.lookForProxy)},
		{name: visitResolve, needs: []string{visitProxy}, examine: v.resolve},
		{name: visitConnect, needs: []string{visitResolve}, examine: v.connect},
	}
	ready := []string{visitConnect}
	// A proxy hides the certificate; there the check of the key includes TLS.
	if v.secure() && !v.proxied {
		list = append(list, check{name: visitTLS, needs: ready, examine: v.shakeHands})
		ready = []string{visitTLS}
	}
	return append(list,
		check{name: visitKey, needs: ready, examine: v.authenticate},
		// After a throttled key, ten more rejections would look like an attack.
		check{name: visitTrip, needs: []string{visitKey}, examine: v.goAndReturn},
		check{name: visitWay, needs: []string{visitConnect}, examine: withoutContext(v.judgeDistance)},
		check{name: visitClock, needs: ready, examine: withoutContext(v.compareClocks)},
		check{name: visitKeep, needs: []string{visitTrip}, examine: withoutContext(v.countConnections)},
		check{name: visitBytes, needs: []string{visitTrip}, examine: v.measureBandwidth})
}

// visitLimit bounds each step.
const visitLimit = 4 * time.Second

// authenticate requests a list of one table.
func (v *visit) authenticate(ctx context.Context) Finding {
	proof := v.endpoint.Proof()
	bound := "a table service that accepts " + proof
	took, err := v.request(ctx)
	switch {
	case err == nil:
		return findingFor(true, fmt.Sprintf("%s accepts %s of %s, by %s", cmp.Or(v.first.Server, "the service"), proof, v.endpoint.Account(), v.client.Client()), bound, "")
	case errors.Is(err, azure.ErrClock):
		return unknown("the clocks differ too much for a signature", bound)
	}
	measured, known := v.saying(err), errors.Is(err, azure.ErrAuthentication) || errors.Is(err, azure.ErrNotTables)
	if !known {
		measured += ", after " + document.Span(took)
	}
	return judge(measured, bound, "",
		rule{errors.Is(err, azure.ErrAuthentication), Fail, "copy the account's key again, create a new signature or grant the token's user access"},
		rule{errors.Is(err, azure.ErrNotTables), Fail, "use the table service's address, such as https://ACCOUNT.table.core.windows.net"},
		rule{true, Fail, "the server is not a table service"})
}

// request sends one request and returns its duration.
func (v *visit) request(ctx context.Context) (time.Duration, error) {
	began := v.clock.Now()
	service, err := v.client.Probe(ctx)
	took := v.clock.Now().Sub(began)
	if err == nil || !errors.Is(err, azure.ErrUnreachable) && service != (azure.Service{}) {
		v.requests++
		if v.requests == 1 {
			v.first, v.heard = service, took
		}
	}
	return took, err
}

// saying returns an error without the address.
func (v *visit) saying(err error) string {
	if failed := new(azure.ProbeError); errors.As(err, &failed) {
		err = failed.Why
	}
	return results.OneLine(err)
}

// visitTrips is the number of timed round trips.
const visitTrips = 10

// goAndReturn times cheap requests.
func (v *visit) goAndReturn(ctx context.Context) Finding {
	bound := fmt.Sprintf("%d replies to %d requests", visitTrips, visitTrips)
	var took []time.Duration
	for range visitTrips {
		trip, err := v.request(ctx)
		if err != nil {
			return findingFor(false, fmt.Sprintf("%d replies, then: %s", len(took), v.saying(err)), bound,
				"the service or a proxy drops connections; load will, too")
		}
		took = append(took, trip)
	}
	slices.Sort(took)
	median := (took[(len(took)-1)/2] + took[len(took)/2]) / 2
	return findingFor(true, fmt.Sprintf("median %s, from %s to %s", document.Span(median), document.Span(took[0]), document.Span(took[len(took)-1])),
		bound, fmt.Sprintf("minimum service time from here: about %s", document.Span(took[0])))
}

// The maximum skew of a service, and the minimum worth a warning.
const (
	maxSkew    = 15 * time.Minute
	worthySkew = time.Minute
)

// compareClocks compares the first reply's date, which is cut to seconds, with this machine's
// clock.
func (v *visit) compareClocks() Finding {
	bound := "at most " + document.Span(maxSkew) + " off"
	if v.first.Ahead == 0 {
		return unknown("the service sent no date", bound)
	}
	doubt := time.Second/2 + v.heard/2
	skew := v.first.Ahead + time.Second/2
	side := "behind"
	if skew < 0 {
		side = "ahead of"
	}
	if skew.Abs() <= doubt {
		return findingFor(true, fmt.Sprintf("none measurable, ± %s", document.Span(doubt)), bound, "")
	}
	return judge(fmt.Sprintf("%s %s the service, ± %s", document.Span(skew.Abs()), side, document.Span(doubt)), bound, "",
		rule{skew.Abs() > maxSkew, Fail, "set this machine's clock: the service rejects every request"},
		rule{skew.Abs() > worthySkew, Pass, "set this machine's clock: signatures' start and end shift with it"})
}

// countConnections checks that connections are kept open.
func (v *visit) countConnections() Finding {
	c := v.client.Connections()
	return judge(fmt.Sprintf("%d requests, %d on an open connection", v.requests, c.Reused), "all but each client's first", "",
		rule{c.Reused*2 < v.requests-1, Fail, fmt.Sprintf("the service or a proxy closes connections: each attempt needs one, %s, "+
			"and ports allow a few hundred attempts/s", document.Span(v.connecting))})
}

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

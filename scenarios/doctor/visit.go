package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/target/azure"
)

// visit checks the table service of options step by step, with reads only. It belongs to one goroutine.
type visit struct {
	*Options
	// needs are determined by the first rehearsal of the scenario.
	needs need
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
	v := &visit{Options: o}
	v.client, v.unfit = azure.New(azure.Options{Endpoint: *o.Service, Connections: maxSenders, Clock: o.Clock, Calendar: o.Clock,
		RunID: "doctor", TLS: o.Trust, Client: azure.Auto})
	v.proxied = v.unfit == nil && v.client.Proxy() != ""
	return v
}

func (v *visit) close() {
	if v.client != nil {
		v.client.Close()
	}
}

// The checks of a visit that others need.
const (
	visitProxy   = "proxy"
	visitResolve = "resolve"
	visitConnect = "connect"
	visitTLS     = "tls"
	visitKey     = "authenticate"
	visitTrip    = "round trip"
)

// checks returns the steps in order.
func (v *visit) checks() []check {
	list := []check{
		{name: "address", examine: v.lookAtAddress},
		{name: visitProxy, examine: v.lookForProxy},
		{name: visitResolve, needs: []string{visitProxy}, examine: v.limited(v.resolve)},
		{name: visitConnect, needs: []string{visitResolve}, examine: v.limited(v.connect)},
	}
	ready := []string{visitConnect}
	// A proxy hides the certificate; there the check of the key includes TLS.
	if v.secure() && !v.proxied {
		list = append(list, check{name: visitTLS, needs: ready, examine: v.limited(v.shakeHands)})
		ready = []string{visitTLS}
	}
	return append(list,
		check{name: visitKey, needs: ready, examine: v.authenticate},
		// After a throttled key, ten more rejections would look like an attack.
		check{name: visitTrip, needs: []string{visitKey}, examine: v.goAndReturn},
		check{name: "distance", needs: []string{visitConnect}, examine: v.judgeDistance},
		check{name: "clock skew", needs: ready, examine: v.compareClocks},
		check{name: "keep-alive", needs: []string{visitTrip}, examine: v.countConnections},
		check{name: "bandwidth", needs: []string{visitTrip}, examine: v.measureBandwidth})
}

// visitLimit bounds each step.
const visitLimit = 4 * time.Second

// limited bounds the time of a step.
func (v *visit) limited(step func(context.Context) Finding) func(context.Context) Finding {
	return func(ctx context.Context) Finding {
		ctx, release := clock.WithTimeout(ctx, v.Clock, visitLimit, context.Canceled)
		defer release()
		return step(ctx)
	}
}

// authenticate requests a list of one table.
func (v *visit) authenticate(ctx context.Context) Finding {
	proof := v.Service.Proof()
	took, err := v.request(ctx)
	why := v.saying(err)
	return judge("a table service that accepts "+proof,
		rule{err == nil, Pass, fmt.Sprintf("%s accepts %s of %s, by %s", cmp.Or(v.first.Server, "the service"), proof, v.Service.Account(), v.client.Client()), ""},
		rule{errors.Is(err, azure.ErrClock), CannotTell, "the clocks differ too much for a signature", ""},
		rule{errors.Is(err, azure.ErrAuthentication), Fail, why, "copy the account's key again, create a new signature or grant the token's user access"},
		rule{errors.Is(err, azure.ErrNotTables), Fail, why, "use the table service's address, such as https://ACCOUNT.table.core.windows.net"},
		rule{true, Fail, why + ", after " + document.Span(took), "the server is not a table service"})
}

// request sends one request and returns its duration.
func (v *visit) request(ctx context.Context) (time.Duration, error) {
	began := v.Clock.Now()
	service, err := v.client.Probe(ctx)
	took := v.Clock.Now().Sub(began)
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
			return Finding{Verdict: Fail, Measured: fmt.Sprintf("%d replies, then: %s", len(took), v.saying(err)), Bound: bound,
				Note: "the service or a proxy drops connections; load will, too"}
		}
		took = append(took, trip)
	}
	slices.Sort(took)
	shortest := document.Span(took[0])
	return judge(bound, rule{true, Pass, fmt.Sprintf("median %s, from %s to %s", document.Span(time.Duration(statistics.Median(took))), shortest,
		document.Span(took[len(took)-1])), "minimum service time from here: about " + shortest})
}

// The maximum skew of a service, and the minimum worth a warning.
const (
	maxSkew    = 15 * time.Minute
	worthySkew = time.Minute
)

// compareClocks compares the first reply's date, which is cut to seconds, with this machine's
// clock.
func (v *visit) compareClocks(context.Context) Finding {
	doubt := time.Second/2 + v.heard/2
	skew := v.first.Ahead + time.Second/2
	side := "behind"
	if skew < 0 {
		side = "ahead of"
	}
	measured := fmt.Sprintf("%s %s the service, ± %s", document.Span(skew.Abs()), side, document.Span(doubt))
	return judge("at most "+document.Span(maxSkew)+" off",
		rule{v.first.Ahead == 0, CannotTell, "the service sent no date", ""},
		rule{skew.Abs() <= doubt, Pass, "none measurable, ± " + document.Span(doubt), ""},
		rule{skew.Abs() > maxSkew, Fail, measured, "set this machine's clock: the service rejects every request"},
		rule{skew.Abs() > worthySkew, Pass, measured, "set this machine's clock: signatures' start and end shift with it"},
		rule{true, Pass, measured, ""})
}

// countConnections checks that connections are kept open.
func (v *visit) countConnections(context.Context) Finding {
	reused := v.client.Connections().Reused
	measured := fmt.Sprintf("%d requests, %d on an open connection", v.requests, reused)
	return judge("all but each client's first",
		rule{reused*2 < v.requests-1, Fail, measured, fmt.Sprintf("the service or a proxy closes connections: each attempt needs one, %s, "+
			"and ports allow a few hundred attempts/s", document.Span(v.connecting))},
		rule{true, Pass, measured, ""})
}

// scheme returns the scheme of the service's address.
func (v *visit) scheme() string {
	scheme, _, _ := strings.Cut(v.Service.String(), "://")
	return scheme
}

func (v *visit) secure() bool { return v.scheme() == "https" }

// hostOf returns the host of an address with a port.
func hostOf(socket string) string {
	name, _, _ := net.SplitHostPort(socket)
	return name
}

// isLocal reports whether the service is on this machine.
func (v *visit) isLocal() bool {
	host := hostOf(v.Service.Socket())
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}

// The ports of Azurite's services.
const azuriteBlob, azuriteQueue, azuriteTable = "10000", "10001", "10002"

// lookAtAddress checks scheme and port before the first request.
func (v *visit) lookAtAddress(context.Context) Finding {
	_, port, _ := net.SplitHostPort(v.Service.Socket())
	genuine, measured := v.Service.Genuine(), v.scheme()+" on port "+port
	return judge("https on port 443, or a local emulator",
		rule{genuine && !v.secure(), Warn, measured, "use https://: accounts reject http by default"},
		rule{genuine && port != "443", Warn, measured, "the table service's port is 443: omit the port"},
		rule{port == azuriteBlob || port == azuriteQueue, Warn, measured,
			"Azurite has blobs (" + azuriteBlob + ") and queues (" + azuriteQueue + "); tables are at " + azuriteTable},
		rule{!v.secure() && port == "443", Warn, measured, "port 443 usually needs https://"},
		rule{!v.secure() && !v.isLocal(), Warn, measured, "http is not private: use https:// if available"},
		rule{true, Pass, measured, ""})
}

// lookForProxy checks for a proxy.
func (v *visit) lookForProxy(context.Context) Finding {
	const bound = "none on the way"
	if v.unfit != nil {
		return judgeResult(v.unfit, bound, "", "set it to http://host:port, or unset it")
	}
	name, host := strings.ToUpper(v.scheme())+"_PROXY", hostOf(v.Service.Socket())
	set := os.Getenv(name) != ""
	if lower := strings.ToLower(name); !set && os.Getenv(lower) != "" {
		name, set = lower, true
	}
	return judge(bound,
		rule{v.proxied, Warn, fmt.Sprintf("by %s, which %s names", v.client.Proxy(), name),
			"it adds to every time and limits the load; NO_PROXY=" + host + " bypasses it if the network allows"},
		rule{set, Pass, fmt.Sprintf("none: %s is set, %s is excluded (NO_PROXY or local)", name, host), ""},
		rule{true, Pass, "none: " + name + " is not set", ""})
}

// Light in fiber covers kilometresEach there and back in a millisecond. Two machines of one region
// are rarely more than nearby from each other.
const (
	kilometresEach = 100
	nearby         = 5 * time.Millisecond
)

// judgeDistance returns the maximum distance by the time to connect.
func (v *visit) judgeDistance(context.Context) Finding {
	took := v.connecting
	reach := max(1, int64(took.Seconds()*1000*kilometresEach))
	measured := fmt.Sprintf("%s to connect: within %s km", document.Span(took), document.Count(reach))
	return judge("at most "+document.Span(nearby)+" to connect, as in one region",
		rule{v.proxied, CannotTell, "a proxy hides the distance", ""},
		rule{v.isLocal(), Pass, "this machine", ""},
		rule{took > nearby, Warn, measured, "each attempt takes longer: use a machine in the account's region, unless clients are as distant"},
		rule{true, Pass, measured + ", possibly the same region", "the speed of light in fiber; no location"})
}

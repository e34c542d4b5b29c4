package verdict

import (
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// off is the profile of a model without limits and service times.
const off = "off"

// kindLimits are what no run of its kind shows.
var kindLimits = []rule{
	kindLimit(when((*evidence).modelled, (*evidence).isOff), `Profile off has no limits and no service times: nothing here shows the limit of a real partition.`),
	kindLimit(when((*evidence).modelled, (*evidence).isCalibrated), `The limits are those of profile {{name .ShortProfile}}: what it did not measure is assumed, and the service may differ at other times.`),
	kindLimit(when((*evidence).modelled, (*evidence).isCalibrated), `Only parameters listed as measured come from that profile.`),
	kindLimit(when((*evidence).modelled, (*evidence).isUncalibrated), `{{if eq .Manifest.Profile "headroom"}}Profile headroom lets partitions exceed their targets while servers are idle; by how much the real service does is not published.`+
		`{{else if eq .Manifest.Profile "measured-2010"}}Profile measured-2010 fits what was published in 2010, not the service of today.`+
		`{{else}}Profile {{name .Manifest.Profile}} enforces its limits exactly: the real service may serve more when idle, and less when busy.{{end}}`),
	kindLimit(when((*evidence).modelled, (*evidence).isUncalibrated), `Request and reply times are assumed: they show how waits grow, not how fast the service is.`),
	kindLimit(when((*evidence).isEmbedded), `Client and engine share this machine: all times include sockets, JSON and signatures, and no network except the {{list .NetworkParts}}.`),
	kindLimit(when((*evidence).hasFaults), `Faults were injected ({{.FaultList}}): they are not caused by the target.`),
	kindLimit(when((*evidence).hasStores), `{{list .Stores}} are in-memory stand-ins: they never throttle, and answer in an assumed 5 ms.`),
	kindLimit(when((*evidence).hasServices), `Brokers, proxies and preflights are in-memory stand-ins: they never refuse, use no network, and take the times of the scenario (a preflight 5 ms). `+
		`Their requests count as billed; an account bills only preflights.`),
	kindLimit(when((*evidence).isLog), `A log is best effort and may lack requests.`),
	kindLimit(when((*evidence).isLog), `A log does not have the entities that a request counted: queries are taken to scan what they return.`),
	kindLimit(when((*evidence).isLog, not((*evidence).isGenuine)), `The log is of a host that is not the Table service: it says nothing about that service.`),
	kindLimit(when((*evidence).isEmulator), `{{if not .Manifest.LimitsKnown}}The target is an emulator{{.SelfName}} whose partition limits are unknown: it says nothing about the PartitionKey.`+
		`{{else if and (eq .Manifest.Targets.Partition 0) (eq .Manifest.Targets.Account 0)}}The target is an emulator without limits: where a real table refuses, it only slows down.`+
		`{{else}}The target is an emulator with modelled limits ({{with .Manifest.Targets.Partition}}{{count .}}{{else}}no limit{{end}} entities/s a partition, {{with .Manifest.Targets.Account}}{{count .}}{{else}}no limit{{end}} an account): the service may differ.{{end}}`),
	kindLimit(when((*evidence).isEmulator), `Its times are those of a development tool.`),
	kindLimit(when((*evidence).isStranger), `The target does not identify itself{{.SelfName}}: nothing is said about the Table service.`),
	kindLimit(when((*evidence).isRemote), `The times include the network between this machine and the target.`),
	kindLimit(when((*evidence).isRemote), `Replies do not say how many entities a request counted: a query of a key range is taken to scan what it returns.`),
	kindLimit(when((*evidence).isRemote, (*evidence).isGenuine), `The service balances its partitions over minutes and hours: another time may show other limits.`),
	kindLimit(when((*evidence).hasFilters), `Entities that a filter drops are scanned and count, but no reply says how many: the counts of {{list .FilteredKinds}} are lower bounds.`),
	kindLimit(when((*evidence).modelled, (*evidence).isCold), `A new table starts as one range. That ranges split and move after minutes of overload is documented; when, where and how long they are offline are assumptions.`),
	kindLimit(when((*evidence).modelled, not((*evidence).isCold)), `Load balancing is not modelled: no partition moves, and none is offline meanwhile{{if eq .Manifest.Start "warm"}}; a new table would be throttled at first{{end}}.`),
	kindLimit(when((*evidence).isVirtual), `Time is virtual: this does not show what this machine can send in real time.`),
	kindLimit(when((*evidence).isDataless), `Nothing was stored: no insert conflicts (409), no condition fails (412), no entity is missing (404). --data stores what is written.`),
	kindLimit(one((*evidence).audited), `Each write carried its id: merged entities are up to 0.6 KiB larger than without.`),
	kindLimit(one((*evidence).audited), `{{if .Own404}}A deletion that found nothing after a lost reply (404) counts as its own success; another client's deletion looks the same.{{end}}`),
	kindLimit(one((*evidence).audited), `{{if .Unwatched}}{{count .Unwatched}} writes of other entities were not verified: only {{count .Keys}} entities were tracked.{{end}}`),
}

// limits are what this run does not show.
var limits = []rule{
	limit(when((*evidence).isCapture), `The times are the server's: they exclude the network, and what the client waited before, between and after its requests.`),
	limit(when((*evidence).isCapture), `An application that waits for replies sends less when they are slow: a faster service would have received more.`),
	limit(each((*evidence).unknownLimits), `Where the load saturates is unknown: {{.}}.`),
	limit(when((*evidence).wasKilled), `Unknown: what the run did after its last whole second, how long its operations took, and where its load saturates.`),
	limit(one((*evidence).searchSteps), `Each rate was offered for about {{duration .StepSeconds}}: what fails under longer load is not shown.`),
	limit(one((*evidence).searchSteps), `{{if .Once}}Throttled attempts were not retried: an application that retries adds to its load.`+
		`{{else}}Rates are judged by first attempts, with retries by the policy {{name .Retry}}: a rate is one of operations, not attempts.{{end}}`),
	limit(one((*evidence).searchSteps), `{{if .Drained}}Before each step half a second at 1.5 times the rate drains what an idle target saves ({{duration .BurstSeconds}} of its allowance).`+
		`{{else if .Carried}}What an idle target saves ({{duration .BurstSeconds}} of its allowance) can add {{share .Carried}} to the rate of a step.{{end}}`),
	limit(when((*evidence).searches, (*evidence).isCold), `The table was new: load balancing may have changed the limit during the search.`),
}

func (e *evidence) modelled() bool       { return e.Manifest.Modelled() }
func (e *evidence) isOff() bool          { return e.Manifest.Profile == off }
func (e *evidence) isUncalibrated() bool { return !e.isOff() && !e.isCalibrated() }
func (e *evidence) isCold() bool         { return e.Manifest.Start == "cold" }
func (e *evidence) isVirtual() bool      { return e.Manifest.Time == "virtual" }
func (e *evidence) isDataless() bool     { return e.Manifest.Dataless }
func (e *evidence) hasFaults() bool      { return len(e.Manifest.Faults) > 0 }
func (e *evidence) isCapture() bool      { return e.Capture != nil }
func (e *evidence) isGenuine() bool      { return e.Manifest.Genuine }
func (e *evidence) wasKilled() bool      { return e.Killed() != nil && !e.isCapture() }
func (e *evidence) isEmbedded() bool {
	return e.Manifest.Target == results.Embedded && e.Capture == nil
}

// isCalibrated reports whether parameters of the model were measured at a service.
func (e *evidence) isCalibrated() bool {
	return slices.ContainsFunc(e.Manifest.Model, func(p results.Parameter) bool { return p.Provenance == "measured" })
}

// isForeign reports whether somebody else runs the target; it is a log, an emulator, or answers requests.
func (e *evidence) isForeign() bool { return !e.modelled() && e.Manifest.Target != "" }

func (e *evidence) isLog() bool { return e.isForeign() && e.Manifest.Target == results.Logged }
func (e *evidence) isEmulator() bool {
	return e.isForeign() && !e.isLog() && e.Manifest.Emulator
}
func (e *evidence) isRemote() bool   { return e.isForeign() && !e.isLog() && !e.isEmulator() }
func (e *evidence) isStranger() bool { return e.isRemote() && !e.isGenuine() }

// ShortProfile is the name of the profile, which may be that of a file with the place and time of its measurement.
func (e *evidence) ShortProfile() string { return document.Cut(e.Manifest.Profile, 200) }

// FaultList are the rules of the injected faults.
func (e *evidence) FaultList() string {
	return document.Printable(strings.Join(e.Manifest.Faults, "; "))
}

// NetworkParts are the modelled parts of the network.
func (e *evidence) NetworkParts() []string {
	parts := []string{"modelled round trip"}
	for _, part := range []struct{ parameter, name string }{{"packet_loss", "packet loss"}, {"client_bandwidth", "clients' line"}} {
		if value := parameterOf(&e.Manifest, part.parameter); value != "" && value != "0" {
			parts = append(parts, part.name)
		}
	}
	return parts
}

// SelfName is the name that a target gives itself, in parentheses, empty for none.
func (e *evidence) SelfName() string {
	if e.Manifest.Service == "" {
		return ""
	}
	return " (" + document.Printable(shortened(e.Manifest.Service)) + ")"
}

// Stores are the stand-ins for stores beside the tables.
func (e *evidence) Stores() []string {
	return slices.DeleteFunc(slices.Clone(e.Manifest.StandIns), func(one string) bool { return one == results.OwnServices })
}

func (e *evidence) hasStores() bool   { return len(e.Stores()) > 0 }
func (e *evidence) hasServices() bool { return len(e.Stores()) < len(e.Manifest.StandIns) }

// FilteredKinds are the kinds of operation whose queries have filters, at a target that does not report what they scan.
func (e *evidence) FilteredKinds() (names []string) {
	for k, kind := range e.Manifest.Operations {
		sent := func(p results.Phase) bool { return p.Kinds[k].Attempts > 0 }
		if e.isForeign() && kind.Filtered && slices.ContainsFunc(e.Phases, sent) {
			names = append(names, document.Printable(shortened(kind.Name)))
		}
	}
	return names
}

func (e *evidence) hasFilters() bool { return len(e.FilteredKinds()) > 0 }

// unknownLimits returns why it is unknown where the load saturates, as a list of one or none.
func (e *evidence) unknownLimits() []string {
	saturation := e.figures.Named("saturation")
	switch {
	case e.Capture != nil:
		if hot := hottestSeen(e.Capture); hot != nil && !saturates(hot) {
			return []string{unsaturated(hot)}
		}
		return nil
	case e.Killed() != nil, e.Record.Limit != nil, figure.Spreads(e.Record), saturation.Told:
		return nil
	case len(e.ladders) == 0 && slices.ContainsFunc(figure.Shown(e.Record), figure.Step.Closed):
		return []string{"clients that wait for each reply offer only what is answered"}
	default:
		return []string{saturation.Why}
	}
}

// searchSteps is how a search judged its steps.
type searchSteps struct {
	*results.Limit
	Once  bool
	Retry string
	// Drained reports that saved allowance is drained before each step, Carried is what else it adds to a step.
	Drained bool
	Carried float64
}

// drained is how much of a second's allowance is drained before each step of a search: half a second at half as much
// again.
const drained = 0.25

func (e *evidence) searchSteps() *searchSteps {
	l := e.Limit
	if l == nil || e.Capture != nil || e.Killed() != nil {
		return nil
	}
	s := &searchSteps{Limit: l, Once: e.Manifest.Retry == "none", Retry: e.Manifest.Retry}
	if min(l.BurstSeconds, l.StepSeconds) > 0 {
		s.Drained = l.MaxP99 == nil && l.BurstSeconds <= drained
		s.Carried = l.BurstSeconds / l.StepSeconds
	}
	return s
}

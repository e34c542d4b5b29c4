package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// off is the profile of a model without limits and service times.
const off = "off"

// drained is how much of a second's allowance is drained before each step of a search:
// half a second at half as much again.
const drained = 0.25

// Limits returns what the run cannot tell, one sentence each: after [KindLimits], of the load
// that the target bears.
func Limits(record *results.Record) []string {
	limits := KindLimits(record)
	switch {
	case record.Capture != nil:
		limits = append(limits, "The times are the server's, from a request's arrival to its reply: "+
			"what the client waited before, between and after, and the network, are not in them.",
			"An application that waits for its replies sends less where they come late: "+
				"a faster service would have met more of it.")
		if hot := hottestSeen(record.Capture); hot != nil && !saturates(hot) {
			limits = append(limits, fmt.Sprintf("Where the hottest partition saturates is not known: %s.", unsaturated(hot)))
		}
		return limits
	case record.Killed() != nil:
		return append(limits, "What the run did after its last whole second, how long its operations took together, "+
			"and where its load saturates, "+
			"its seconds do not tell.")
	case record.Limit != nil:
		l := record.Limit
		limits = append(limits, fmt.Sprintf("Each rate was offered for %s or little more: what gives in after longer load is not seen.",
			seconds(l.StepSeconds)))
		if record.Manifest.Retry == "none" {
			limits = append(limits, "Throttled attempts were not tried again: an application that retries adds to its own load.")
		} else {
			limits = append(limits, fmt.Sprintf("First attempts are judged, beside retries by the policy %s: "+
				"the rate that holds is that of operations, not of attempts.", record.Manifest.Retry))
		}
		switch {
		case min(l.BurstSeconds, l.StepSeconds) <= 0:
		case l.MaxP99 == nil && l.BurstSeconds <= drained:
			limits = append(limits, fmt.Sprintf("What an idle target saves up (%s of its allowance) is drained by half a second "+
				"at 1.5 times the rate before each step; that half second is not judged.", seconds(l.BurstSeconds)))
		default:
			limits = append(limits, fmt.Sprintf("What an idle target saves up (%s of its allowance) can carry a step of %s by %s of its rate.",
				seconds(l.BurstSeconds), seconds(l.StepSeconds), document.Share(l.BurstSeconds/l.StepSeconds)))
		}
		if record.Manifest.Start == "cold" {
			limits = append(limits, "The table was new: load balancing may have changed the limit while it was searched.")
		}
		return limits
	case figure.Spreads(record):
		return limits
	}
	ladders := figure.Of(record).Ladders()
	switch v := figure.Of(record).Named("saturation"); {
	case v.Told:
		return limits
	case len(ladders) == 0 && slices.ContainsFunc(figure.Shown(record), figure.Step.Closed):
		return append(limits, "Where the load saturates is not known: clients that wait for each reply offer no more than is answered.")
	default:
		return append(limits, fmt.Sprintf("Where the load saturates is not known: %s.", v.Why))
	}
}

// KindLimits returns what no run of its kind can tell, whatever load it was of: by where
// it ran, under which model, and on which clock.
func KindLimits(record *results.Record) []string {
	manifest := &record.Manifest
	var limits []string
	switch {
	case manifest.Modelled() && manifest.Profile == off:
		limits = append(limits, "Profile off has neither limits nor service times: "+
			"nothing here says where a partition of the real service gives in.")
	case calibrated(manifest):
		limits = append(limits, fmt.Sprintf("The limits are those of profile %s: what it did not learn is assumed, and the service may do otherwise at another time.",
			printable(document.Cut(manifest.Profile, mostProfile))), "Parameters that are listed as measured rest on that profile, the others on documents and assumptions.")
	case manifest.Modelled():
		held := fmt.Sprintf("The limits are those of profile %s, held hard: "+
			"the real service may grant more while a server is idle, and less while it is busy.", manifest.Profile)
		limits = append(limits, cmp.Or(profileLimits[manifest.Profile], held),
			"The times of request and reply are assumptions: they show how waiting grows, not how fast the service is.")
	}
	limits = append(limits, besideLimits(record)...)
	limits = append(limits, remoteLimits(record)...)
	switch {
	case manifest.Modelled() && manifest.Start == "cold":
		limits = append(limits, "The start is cold, with one range for the new table. That ranges are split and moved after minutes of overload "+
			"is documented; from which load on, where, how many at once and for how long they are offline are assumptions.",
			"Nobody has published when today's service splits: the minutes here are those of the model, not of Azure.")
	case manifest.Modelled():
		limits = append(limits, "Balancing is not modelled: no partition moves to another server, "+
			"and none is offline for the seconds that this takes.")
		if manifest.Start == "warm" {
			limits = append(limits, "The start is warm: that a new table is throttled while the service learns its load is not shown.")
		}
	}
	if manifest.Time == "virtual" {
		limits = append(limits, "Time is virtual: what this machine could send in real time is not shown.")
	}
	if manifest.Dataless {
		limits = append(limits, "Nothing was stored: no insert can find its key taken (409), no condition fail (412), "+
			"no entity be missing (404). --data stores what is written.")
	}
	if record.Audit == nil {
		return limits
	}
	limits = append(limits, "Each write carried its id: an entity that was inserted or replaced whole gave up as much of its filler, "+
		"one that was merged is larger than without by up to 0.6 KiB.")
	if record.Audit.Own404 > 0 {
		limits = append(limits, "A deletion that found nothing after a lost reply (404) counts as its own success: "+
			"another deletion of the same entity would look the same.")
	}
	if record.Audit.Unwatched > 0 {
		limits = append(limits, fmt.Sprintf("Whether %s writes of further entities are there was not looked at: "+
			"no more than %s entities were watched.", document.Count(record.Audit.Unwatched), document.Count(record.Audit.Keys)))
	}
	return limits
}

// profileLimits say how the limits of profiles that are not held hard differ from a real
// service's.
var profileLimits = map[string]string{
	"headroom": "The limits are those of profile headroom, which lets partitions exceed their targets while servers are idle: " +
		"by how much the real service does is not published.",
	"measured-2010": "The limits are those of profile measured-2010, fitted to what was published in 2010: " +
		"nothing here says what the service does today.",
}

// mostProfile is how much is told of the name of a profile file, with where and when it was
// measured, in characters.
const mostProfile = 200

// calibrated reports whether parameters of the model were measured at a service.
func calibrated(manifest *results.Manifest) bool {
	return manifest.Modelled() && slices.ContainsFunc(manifest.Model, func(p results.Parameter) bool { return p.Provenance == "measured" })
}

// besideLimits says of what the figures tell beside the tables: of this machine, of faults that
// were injected, and of stand-ins.
func besideLimits(record *results.Record) (limits []string) {
	manifest := &record.Manifest
	if manifest.Target == results.Embedded && record.Capture == nil {
		named := []string{"modelled round trip"}
		for _, part := range []struct{ parameter, says string }{{"packet_loss", "packets that it loses"}, {"client_bandwidth", "line of the clients"}} {
			if slices.ContainsFunc(manifest.Model, func(p results.Parameter) bool { return p.Name == part.parameter && p.Value != "0" }) {
				named = append(named, part.says)
			}
		}
		limits = append(limits, "Client and engine share this machine: what sockets, JSON and signatures cost is in every time, "+
			"and none of a network beyond the "+document.Enumerated(named)+".")
	}
	if len(manifest.Faults) > 0 {
		whose := "none of the target's doing; it never saw what was refused or lost before."
		if record.Capture != nil {
			whose = "no word of the model's."
		}
		limits = append(limits, "Faults were injected on purpose ("+printable(strings.Join(manifest.Faults, "; "))+"): "+
			"what is refused, lost or late by them is "+whose)
	}
	stores := slices.DeleteFunc(slices.Clone(manifest.StandIns), func(one string) bool { return one == results.OwnServices })
	if len(stores) > 0 {
		limits = append(limits, fmt.Sprintf("What is used beside the tables (%s) is a stand-in in memory: it never refuses for load, "+
			"and that it answers in 5 ms is assumed.", strings.Join(stores, " and ")))
	}
	if len(stores) < len(manifest.StandIns) {
		limits = append(limits, "Brokers, proxies and preflights are stand-ins in memory: they refuse nobody and take the time that the scenario gives "+
			"(a preflight 5 ms), and what they carry is counted and crosses no network. Their requests are among those billed, "+
			"though an account bills preflights alone.")
	}
	return limits
}

// remoteLimits says what figures of a service that somebody else runs rest on, and what is not
// known there of queries that keep a part of what they scan.
func remoteLimits(record *results.Record) (limits []string) {
	manifest := &record.Manifest
	switch {
	case manifest.Modelled() || manifest.Target == "":
		return nil
	case manifest.Target == results.Logged:
		limits = []string{"A log is best effort: what it lacks is in no figure.",
			"How many entities a request counted, a log does not say: what was scanned is taken to be what was returned."}
		if !manifest.Genuine {
			limits = append(limits, "The addresses in the log are not the table service's: nothing here is said of that.")
		}
	case manifest.Emulator:
		holds := func(what string, limit int64) string {
			if limit == 0 {
				return what + " to nothing"
			}
			return fmt.Sprintf("%s to %s entities/s", what, document.Count(limit))
		}
		t := manifest.Targets
		answered := fmt.Sprintf("An emulator answered, which holds %s and %s: these limits are a model's, and the service may grant others.",
			holds("a partition", t.Partition), holds("an account", t.Account))
		switch {
		case !manifest.LimitsKnown:
			answered = "An emulator answered" + calledItself(manifest.Service) + ", of which no limit of a partition is known that it holds hard."
		case t.Partition == 0 && t.Account == 0:
			answered = "An emulator has no partition servers: where a table of the real service would refuse, it only slows down."
		}
		limits = []string{answered, "Its times are those of a development tool."}
	case !manifest.Genuine:
		limits = []string{"What answers does not say what it is" + calledItself(manifest.Service) +
			": nothing here is said of the table service.",
			"The times include the network between this machine and it.",
			"How many entities a request counted, it does not say: a query of a key range is taken to scan what it returns."}
	default:
		limits = []string{"The times include the network between this machine and the service.",
			"How many entities a request counted, the service does not say: a query of a key range is taken to scan what it returns.",
			"A service balances its partitions over minutes and hours: another time may show other limits."}
	}
	var filtered []string
	for k, kind := range manifest.Operations {
		sent := func(p results.Phase) bool { return p.Kinds[k].Attempts > 0 }
		if kind.Filtered && slices.ContainsFunc(record.Phases, sent) {
			filtered = append(filtered, shortened(kind.Name))
		}
	}
	if len(filtered) > 0 {
		limits = append(limits, fmt.Sprintf("What a filter leaves out is scanned and counts against the targets, "+
			"and no reply says how much it was: "+
			"the entities counted of queries with a filter (%s) are those that they returned, a lower bound.", strings.Join(filtered, ", ")))
	}
	return limits
}

// calledItself tells by which name a target goes, empty for none.
func calledItself(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (it calls itself %s)", printable(shortened(name)))
}
